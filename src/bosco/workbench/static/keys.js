// The keys of the page, on a sheet that ? opens.
import { sheet } from "./dialogs.js";
import { button, el, table } from "./dom.js";

const KEYS = () => [
  [tr("In the tree"), [
    [["↑", "↓"], tr("to the node above or below on the screen")], [["←", "→"], tr("up to the question; down into its branches")], [["Home", "End"], tr("the first node, the last")],
    [["Enter"], tr("select the node")], [["Space"], tr("fold or unfold")], [["Delete"], tr("prune the node")], [["u", "r"], tr("undo, redo")], [["+", "−", "0"], tr("larger, smaller, all of it")]]],
  [tr("On a threshold"), [
    [["←", "→"], tr("the next cut between the rows")], [["Page Up", "Page Down"], tr("ten cuts on")], [["Home", "End"], tr("the first cut, the last")]]],
  [tr("On a level"), [[["←", "→"], tr("into the branch before or after")]]],
  [tr("Everywhere"), [[["Tab"], tr("to the next thing that can be used")], [["Esc"], tr("close what is open")], [["?"], tr("this sheet")]]],
];

export function showKeys() {
  sheet(tr("Keys"), KEYS().map(([where, keys]) => table([tr("key"), tr("what it does")],
    keys.map(([names, does]) => el("tr", {}, el("th", { scope: "row" }, names.map((name) => [el("kbd", {}, name), " "])), el("td", {}, does))), { caption: where, class: "keys" })));
}

export const keysButton = () => button("?", showKeys, { id: "keys", class: "wide-only", "aria-label": tr("Keys") });

addEventListener("keydown", (event) => {
  if (event.key !== "?" || event.target.closest("input, textarea, select, dialog")) return;
  event.preventDefault();
  showKeys();
});
