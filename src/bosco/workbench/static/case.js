// One case: a row of the table, or one that is typed; its way is shown in the tree.
import { get, post } from "./api.js";
import { fault, sheet } from "./dialogs.js";
import { button, el, fill } from "./dom.js";
import { columns, now } from "./state.js";
import { follow } from "./treeview.js";

const told = (found) => [
  found.words.map((line) => el("p", {}, line)),
  found.truth === null || found.truth === undefined ? null : el("p", { class: "note" }, tr("In the table: {truth}. The tree says: {answer}.", { truth: found.truth, answer: found.answer })),
];

// The cells of a row may be changed, to see what would change the answer.
function form(cells, answer) {
  const fields = cells.map(({ column, value }, i) => {
    const levels = now.view.fields?.find((one) => one.name === column)?.levels;
    return el("label", { class: "field" }, el("span", {}, column), el("input", { name: column, value: value ?? "", autocomplete: "off", list: levels ? `levels-${i}` : null }),
      levels ? el("datalist", { id: `levels-${i}` }, levels.map((level) => el("option", { value: level }))) : null);
  });
  const made = el("form", { on: { submit: async (event) => {
    event.preventDefault();
    try {
      const found = await post("/api/case", { cells: Object.fromEntries(new FormData(made)) });
      follow(found.path);
      fill(answer, told(found));
    } catch (error) {
      fill(answer, el("p", { class: "fault" }, error.message));
    }
  } } }, el("div", { class: "fields" }, fields), el("p", { class: "row" }, el("button", { type: "submit", class: "main" }, tr("Show in the tree")), button(tr("Follow no more"), () => follow([]))));
  return made;
}

export async function openCase({ row }) {
  try {
    const found = await get("/api/case", { row });
    follow(found.path);
    const answer = el("div", { role: "status", "aria-live": "polite" }, told(found));
    sheet(tr("Row {n}", { n: row }), answer, el("details", {}, el("summary", {}, tr("What if it were otherwise?")), form(found.cells, answer))).classList.add("drawer");
  } catch (error) {
    fault(error);
  }
}

export function followCase() {
  const answer = el("div", { role: "status", "aria-live": "polite" });
  const cells = columns().map((column) => ({ column, value: "" }));
  sheet(tr("Follow a case"), el("p", { class: "note" }, tr("An empty field is a missing value.")), form(cells, answer), answer).classList.add("drawer");
}
