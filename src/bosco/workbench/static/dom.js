// Elements made by hand: text is text, never HTML; styles are set one by one, as the policy wants it.
const SVG = "http://www.w3.org/2000/svg";

function dress(made, { on = {}, data = {}, style = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "value" || name === "checked" || name === "disabled") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const [name, does] of Object.entries(on)) made.addEventListener(name, does);
  for (const [name, value] of Object.entries(data)) made.dataset[name] = value;
  for (const [name, value] of Object.entries(style)) made.style.setProperty(name, value);
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export const el = (name, properties = {}, ...children) => dress(document.createElement(name), properties, children);
export const mark = (name, properties = {}, ...children) => dress(document.createElementNS(SVG, name), properties, children);
export const at = (id) => document.getElementById(id);

export const button = (words, does, properties = {}) =>
  el("button", { type: "button", on: { click: does }, ...properties }, words);

// A table that scrolls in its own frame: heads are words, or [words, class].
export function table(heads, rows, { caption = "", label = caption, ...properties } = {}) {
  const head = heads.map((one) => (Array.isArray(one) ? el("th", { scope: "col", class: one[1] }, one[0]) : el("th", { scope: "col" }, one)));
  return el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label },
    el("table", properties, caption ? el("caption", {}, caption) : null, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

// A bar that is as long as a share.
export const bar = (share, color = "") =>
  el("span", { class: "share", "aria-hidden": "true" },
    el("i", { style: { width: `${Math.max(0, Math.min(1, share)) * 100}%`, ...(color ? { background: color } : {}) } }));

export const field = (label, input, said = "") =>
  el("label", { class: "field" }, el("span", {}, label), input, said ? el("small", {}, said) : null);

export function choice(options, value, does, properties = {}) {
  const made = el("select", { on: { change: () => does(made.value) }, ...properties },
    options.map((one) => {
      const [key, words] = Array.isArray(one) ? one : [one, one];
      return el("option", { value: key, selected: String(key) === String(value) }, words);
    }));
  return made;
}

// Replace what an element holds, and leave the focus where it was, by id.
export function fill(element, ...children) {
  const id = element.contains(document.activeElement) ? document.activeElement.id : "";
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  if (id) document.getElementById(id)?.focus();
}
