// The rows of a node, a page at a time; a row opens its explanation.
import { get } from "./api.js";
import { openCase } from "./case.js";
import { fault } from "./dialogs.js";
import { button, choice, el, fill, table } from "./dom.js";
import { now } from "./state.js";

export function rowsOf(node) {
  const asked = { path: node.path, part: "training", page: 0, sort: null, down: 0 };
  const holder = el("div", { id: "rows" });

  const sort = (name) => {
    asked.down = asked.sort === name ? 1 - asked.down : 0;
    asked.sort = name;
    asked.page = 0;
    load();
  };
  function head(name) {
    const on = asked.sort === name;
    return el("th", { scope: "col", "aria-sort": on ? (asked.down ? "descending" : "ascending") : "none" },
      button(`${name}${on ? (asked.down ? " ↓" : " ↑") : ""}`, () => sort(name), { class: "link", id: `sort-${name}` }));
  }
  function line(row) {
    return el("tr", { class: row.right ? "" : "wrong" },
      el("td", {}, button(String(row.row), () => openCase({ row: row.row }), { class: "link", "aria-label": tr("Why row {n} is answered so", { n: row.row }) })),
      el("td", {}, row.truth), el("td", {}, row.answer, row.right ? null : el("span", { class: "unseen" }, tr(" (wrong)"))), row.cells.map((cell) => el("td", {}, cell)));
  }
  function show(found) {
    const scroll = holder.querySelector(".wide")?.scrollLeft ?? 0;
    const grid = el("table", { class: "rows" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, tr("row")), el("th", { scope: "col" }, tr("true")), el("th", { scope: "col" }, tr("answer")), found.columns.map(head))),
      el("tbody", {}, found.rows.map(line)));
    const turn = (by) => { asked.page += by; load(); };
    fill(holder,
      el("p", { class: "row" },
        choice([["training", tr("training rows")], ...(now.view.figures.validation ? [["validation", tr("validation rows")]] : [])], asked.part, (part) => { Object.assign(asked, { part, page: 0 }); load(); }, { id: "rows-part", "aria-label": tr("Which rows") }),
        el("span", { class: "note" }, trn("{n} row", "{n} rows", found.rows_in_all))),
      found.rows.length > 0 ? el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": tr("Rows") }, grid) : el("p", { class: "note" }, tr("No such row comes here.")),
      found.pages > 1 ? el("p", { class: "row" }, button(tr("Earlier rows"), () => turn(-1), { id: "rows-back", disabled: found.page === 0 }), el("span", {}, `${found.page + 1} / ${found.pages}`), button(tr("Later rows"), () => turn(1), { id: "rows-on", disabled: found.page + 1 >= found.pages })) : null);
    const frame = holder.querySelector(".wide");
    if (frame) frame.scrollLeft = scroll;
  }
  const load = () => get("/api/rows", asked).then(show, fault);

  const fold = el("details", { class: "part", id: "rows-fold" }, el("summary", {}, el("h2", {}, tr("Rows"))), holder);
  fold.open = rowsOf.open === true; // as it was at the node before
  fold.addEventListener("toggle", () => {
    rowsOf.open = fold.open;
    if (fold.open && holder.childElementCount === 0) load();
  });
  if (fold.open) load();
  return fold;
}
