// What can be taken out: the model, the report, programs, the log, and the command that does this again.
import { get, post } from "./api.js";
import { fault, sheet } from "./dialogs.js";
import { button, el } from "./dom.js";
import { now } from "./state.js";

const FIRST = new Set(["model", "report", "draft", "command"]); // what most people want

const link = (one) => el("li", {}, el("a", { href: `/api/out/${one.kind}`, download: one.name }, one.words), el("small", {}, one.name));

async function command(holder) {
  const answer = await fetch("/api/out/command");
  holder.replaceChildren(el("pre", { tabindex: "0", role: "group", "aria-label": tr("The command that does this again") }, await answer.text()));
}

export async function showOut() {
  try {
    const all = await get("/api/out");
    const [first, rest] = [true, false].map((wanted) => all.filter((one) => FIRST.has(one.kind) === wanted));
    const shown = el("div", {});
    const box = sheet(tr("Take out"),
      el("ul", { class: "out" }, first.map(link)),
      button(tr("Show the command that does this again"), () => command(shown).catch(fault), { id: "show-command" }), shown,
      el("h3", {}, tr("For other programs")),
      el("ul", { class: "out" }, rest.map(link)),
      now.desk.alone ? el("p", { class: "row" }, button(tr("Close the workbench"), async () => {
        await post("/api/close", {}).catch(() => null);
        box.close();
        document.body.replaceChildren(el("main", { class: "end" }, el("h1", {}, tr("The workbench is closed")), el("p", {}, tr("All is saved. You may close this page."))));
      })) : null);
    box.classList.add("drawer");
  } catch (error) {
    fault(error);
  }
}
