// Dialogs: the browser's own, which keep the focus and close by Escape.
import { button, el } from "./dom.js";

let count = 0;

// A sheet with a heading; on a phone it takes the whole width. Returns the dialog.
export function sheet(title, ...children) {
  const id = `sheet-${(count += 1)}`;
  const close = button("×", () => dialog.close(), { class: "close", "aria-label": tr("Close") });
  const dialog = el("dialog", { class: "sheet", "aria-labelledby": id },
    el("div", { class: "sheet-head" }, el("h2", { id }, title), close),
    el("div", { class: "sheet-body" }, children));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Ask for something: `fields` are elements with a name. Resolves to their values, or null.
export function ask(title, said, fields, yes = tr("Do it")) {
  return new Promise((resolve) => {
    let given = null;
    const form = el("form", { method: "dialog" },
      said.map((line) => el("p", {}, line)), fields,
      el("p", { class: "row" }, el("button", { type: "submit", class: "main" }, yes), button(tr("Cancel"), () => dialog.close())));
    form.addEventListener("submit", () => { given = Object.fromEntries(new FormData(form)); });
    const dialog = sheet(title, form);
    dialog.classList.add("small");
    dialog.addEventListener("close", () => resolve(given));
    form.querySelector("textarea, input, select")?.focus();
  });
}

export const text = (label, { name = "text", value = "", needed = false, rows = 3 } = {}) =>
  el("label", { class: "field" }, el("span", {}, label), el("textarea", { name, rows, required: needed, value, maxlength: 2000 }));

// What an act brought, or why it did not come about: in a live region, and for a while on the screen.
let leaving = 0;
export function say(told, kind = "done") {
  const said = document.getElementById("said");
  clearTimeout(leaving);
  said.className = `said ${kind}`;
  said.replaceChildren(
    el("div", {}, [told].flat().map((one) => (typeof one === "string" ? el("p", {}, one) : one))),
    button("×", () => said.replaceChildren(), { class: "close", "aria-label": tr("Close") }));
  if (kind === "done") leaving = setTimeout(() => said.replaceChildren(), 12_000);
}

// An act in two lines, what was done and what came of it; the rest is folded.
export function sayChange({ head, brief, words }) {
  const more = words.slice(1);
  say([el("p", { class: "head" }, head), brief ? el("p", {}, brief) : null,
    more.length > 0 ? el("details", {}, el("summary", {}, tr("All of it")), more.map((line) => el("p", {}, line.trim()))) : null].filter(Boolean));
}
export const fault = (error) => error.name !== "AbortError" && say(error.message, "fault");
