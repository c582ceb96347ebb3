// The candidates of a node: the best test of every column, and one column to look into.
import { get } from "./api.js";
import { cuts } from "./cut.js";
import { fault } from "./dialogs.js";
import { button, el, fill, table } from "./dom.js";
import { levels } from "./levels.js";
import { show as number } from "./numbers.js";
import { now } from "./state.js";

const FEW = 5; // candidates shown at first

function line(one, open) {
  const marks = [one.chosen ? (one.by_hand ? tr("asked here, by hand") : tr("asked here")) : "", one.near_tie && !one.chosen ? tr("near-tie") : ""].filter(Boolean).join(", ");
  return el("tr", { class: one.chosen ? "chosen" : "" },
    el("td", {}, button(one.test, () => open(one.column), { class: "link", id: `column-${one.column}`, "aria-pressed": String(now.column === one.column), data: { column: one.column } }),
      marks ? el("small", { class: "mark" }, marks) : null),
    el("td", { class: "number" }, number(one.score ?? one.gain)), el("td", { class: "number" }, number(one.margin)));
}

export function candidates(node) {
  const all = node.why.candidates;
  const holder = el("div", { class: "column", id: "column" });
  const list = el("div", {});
  let asked = ""; // the column that is shown, or comes
  let many = all.length <= FEW + 2;

  async function open(column, look = true) {
    if (asked === column) return;
    now.column = asked = column;
    for (const one of list.querySelectorAll("button.link")) one.setAttribute("aria-pressed", String(one.dataset.column === column));
    try {
      const curve = await get("/api/curve", { path: node.path, column });
      if (asked !== column) return;
      fill(holder, el("h3", { id: "column-head" }, column), (curve.kind === "cuts" ? cuts : levels)(node, curve));
      if (look) holder.scrollIntoView({ block: "nearest" });
    } catch (error) {
      fault(error);
    }
  }
  function show() {
    fill(list,
      table([tr("question"), [node.why.score, "number"], [tr("margin"), "number"]], (many ? all : all.slice(0, FEW)).map((one) => line(one, open)),
        { label: tr("The best test of every column"), class: "candidates" }),
      many ? null : button(tr("All {n} columns", { n: all.length }), () => { many = true; show(); }));
  }
  if (all.length > 0) show();
  const own = node.column;
  const names = new Set(all.map((one) => one.column));
  const first = [now.column, own, all[0]?.column].find((name) => names.has(name) || (name && name === own));
  if (first) open(first, false);
  return el("section", { class: "part", "aria-labelledby": "why-head" },
    el("h2", { id: "why-head" }, tr("Questions that could be asked here")),
    node.why.ended ? el("p", { class: "note" }, node.why.ended) : null,
    all.length > 0 ? [list, holder] : el("p", { class: "note" }, tr("No column separates these rows.")));
}
