// The selected node: what it is, what its rows say, what can be done.
import { act } from "./acts.js";
import { get } from "./api.js";
import { buttons } from "./buttons.js";
import { candidates } from "./candidates.js";
import { fault } from "./dialogs.js";
import { at, bar, el, fill, table } from "./dom.js";
import { show as number } from "./numbers.js";
import { rowsOf } from "./rows.js";
import { colors, hear, now } from "./state.js";

const panel = at("panel");
let asked = null;
let shown = null; // what the panel shows: a path and a state, which a look does not change

// The rows of a node by class, on both parts; or their mean.
function tally({ training, validation }) {
  if (!Array.isArray(training)) {
    const line = (name, one) => one && el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, number(one.mean)), el("td", { class: "number" }, number(one.sd)));
    return table([tr("rows"), [tr("mean"), "number"], [tr("deviation"), "number"]],
      [line(tr("training"), training), line(tr("validation"), validation)].filter(Boolean), { label: tr("What the rows say"), class: "tally" });
  }
  const rows = training.map((one, k) => {
    const other = validation?.[k];
    return el("tr", {}, el("th", { scope: "row" }, one.label), el("td", {}, bar(one.share, colors()[k])),
      el("td", { class: "number" }, number(one.rows)), el("td", { class: "number" }, number(other?.rows)));
  });
  return table([tr("class"), tr("share in training"), [tr("training"), "number"], [tr("validation"), "number"]], rows, { label: tr("Rows by class"), class: "tally" });
}

function learner(node) {
  if (!node.learner) return null;
  return el("p", { class: "learner" }, node.learner.says);
}

function show(node) {
  panel.dataset.entry = now.view.log.at(-1).entry; // what it was drawn from
  const where = trn("{n} training row", "{n} training rows", node.rows.training);
  const held = node.rows.validation === null ? "" : trn("{n} validation row", "{n} validation rows", node.rows.validation);
  fill(panel,
    el("div", { class: "card" },
      el("h2", { id: "node-head" }, tr("Node {n}", { n: node.node }), " ", el("small", {}, [where, held].filter(Boolean).join(", "))),
      el("p", { class: "condition" }, node.condition),
      node.marks.length > 0 ? el("ul", { class: "marks" }, node.marks.map((one) => el("li", { class: one.kind.replace(" ", "-") }, one.words))) : null,
      el("p", {}, node.leaf ? el("strong", {}, tr("Answers {answer}", { answer: node.answer })) : el("strong", {}, tr("Asks {test}", { test: node.test }))),
      tally(node.tally),
      learner(node),
      buttons(node, act)),
    candidates(node),
    rowsOf(node));
  panel.setAttribute("aria-busy", "false");
  at("side-bar").textContent = tr("Node {n}: {condition}", { n: node.node, condition: node.condition });
}

async function load() {
  const wanted = `${now.path}|${now.view.history.find((one) => one.current)?.entry}`;
  if (wanted === shown) return;
  asked?.abort();
  asked = new AbortController();
  panel.setAttribute("aria-busy", "true");
  try {
    const node = await get("/api/node", { path: now.path }, { signal: asked.signal });
    const sameNode = shown?.split("|")[0] === now.path;
    shown = wanted;
    show(node);
    if (!sameNode) panel.scrollTop = 0;
  } catch (error) {
    fault(error);
  }
}

// On a phone the panel is a sheet over the tree, which its bar opens and closes.
const side = at("side");
const sheetOpen = (open) => {
  side.classList.toggle("open", open);
  at("side-bar").setAttribute("aria-expanded", String(open));
};
at("side-bar").addEventListener("click", () => sheetOpen(!side.classList.contains("open")));
export { sheetOpen };

export const forget = () => { shown = null; };
hear("select", ({ byHand }) => {
  if (byHand) sheetOpen(true);
  if (panel.dataset.mode !== "learn") load();
});
