// The tree of the draft: the picture of the report, alive. Selection, folding, zoom and place survive
// every act, for nodes are known by their path.
import { act, refresh } from "./acts.js";
import { get } from "./api.js";
import { fault } from "./dialogs.js";
import { at, el } from "./dom.js";
import { show as number } from "./numbers.js";
import { treePicture } from "./picture.js";
import { hear, nodeAt, now, select, tell } from "./state.js";

const LARGEST = 1.5; // what a small tree is enlarged to, so that it fills its frame
const PILL = 15; // the height of the words that a node is marked with
const MOST_KEPT = 20; // nodes that are drawn because they were looked for
const canvas = at("canvas");
let picture = null;
let paths = new Map(); // of the nodes of the picture
let numbers = new Map();
let known = new Set(); // paths that some picture had: a new node is not folded

// The server's SVG as elements of this page; a picture has nothing that acts or loads.
function read(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = parsed.documentElement;
  if (svg.nodeName !== "svg" || svg.querySelector("script, style, foreignObject, a, image, use")) throw new Error(tr("The picture cannot be read."));
  return document.importNode(svg, true);
}

const folded = () => new Set([...(picture?.boxes.values() ?? [])].filter((box) => box.folded).map((box) => paths.get(box.node)));
const place = (path) => picture?.boxes.get(numbers.get(path))?.group.getBoundingClientRect();

function draw(view) {
  const first = picture === null;
  const before = { folds: folded(), scale: picture?.scale(), spot: place(now.path), left: canvas.scrollLeft, top: canvas.scrollTop };
  const focused = canvas.contains(document.activeElement);
  const svg = read(view.tree.svg);
  picture?.leave();
  canvas.replaceChildren(svg);
  paths = new Map(view.tree.nodes.map((node) => [node.node, node.path]));
  numbers = new Map(view.tree.nodes.map((node) => [node.path, node.node]));
  const facts = {
    parents: Object.fromEntries(view.tree.nodes.filter((node) => node.parent !== null).map((node) => [node.node, numbers.get(node.parent)])),
    leaves: Object.fromEntries(view.tree.nodes.map((node) => [node.node, trn("{n} leaf", "{n} leaves", node.leaves)])),
  };
  picture = treePicture(canvas, svg, facts, {
    choose: (box) => select(paths.get(box.node), { byHand: true }),
    most: LARGEST,
    high: (inAList) => (inAList ? Infinity : canvas.clientHeight),
    keys: { Delete: (box) => act("prune", { path: paths.get(box.node) }), u: () => act("undo"), r: () => act("redo") },
  });
  for (const node of view.tree.nodes) dress(node);
  if (first) {
    picture.foldToSize();
    picture.fit();
  } else {
    for (const box of picture.boxes.values()) box.folded = box.children.length > 0 && before.folds.has(paths.get(box.node));
    picture.layOut();
    const grown = view.tree.nodes.some((node) => !known.has(node.path));
    picture.zoom(before.scale);
    if (grown && known.size === 1) { // a lone root gets its first branches
      picture.foldToSize();
      picture.fit();
    }
    stay(before);
  }
  known = new Set(view.tree.nodes.map((node) => node.path));
  choose({ focus: focused });
}

// The selected node stays where it was on the screen.
function stay({ spot, left, top }) {
  Object.assign(canvas, { scrollLeft: left, scrollTop: top });
  const after = place(now.path);
  if (!spot || !after || spot.width === 0 || after.width === 0) return;
  canvas.scrollLeft += after.left - spot.left;
  canvas.scrollTop += after.top - spot.top;
}

// What people did to a node, in words on its lower edge; what is by hand or by order the box says.
function dress(node) {
  const box = picture.boxes.get(node.node);
  if (!box || node.marks.length === 0) return;
  box.group.setAttribute("aria-description", [box.title, ...node.marks.map((one) => one.words)].join("\n"));
  const words = { note: tr("note"), weak: tr("few rows"), excluded: tr("columns left out") };
  const said = node.marks.map((one) => words[one.kind]).filter(Boolean).join(" · ");
  if (!said) return;
  const group = picture.add(box.group, "g", { class: "pill", "aria-hidden": "true" });
  const back = picture.add(group, "rect", { rx: PILL / 2, height: PILL, y: box.top + box.high - PILL / 2, x: box.left + 8 });
  const text = picture.add(group, "text", { x: box.left + 15, y: box.top + box.high + 3.5 }, said);
  back.setAttribute("width", text.getComputedTextLength() + 14);
}

function choose({ focus = false } = {}) {
  for (const box of picture?.boxes.values() ?? []) {
    const on = paths.get(box.node) === now.path;
    box.group.classList.toggle("selected", on);
    box.group.setAttribute("aria-selected", String(on));
    if (on) picture.enter(box, focus);
  }
}

// Bring a node into sight, unfolding what is above it.
export function reveal(path) {
  for (let above = path; above; ) {
    above = above.split(".").slice(0, -1).join(".");
    const box = picture.boxes.get(numbers.get(above));
    if (box) box.folded = false;
  }
  picture.layOut();
  place(path) && picture.boxes.get(numbers.get(path)).group.scrollIntoView({ block: "nearest", inline: "nearest" });
}
// A node that the picture of a large tree leaves out is drawn from now on.
export async function show(path) {
  if (!nodeAt(path)) {
    now.keep = [...now.keep, path].slice(-MOST_KEPT);
    await refresh().catch(fault);
  }
  select(path);
  if (nodeAt(path)) reveal(path);
}
export const follow = (wanted) => picture.follow(wanted.map((path) => numbers.get(path)).filter((node) => node !== undefined), wanted.length > 0);

at("tools").addEventListener("click", ({ target }) => {
  picture?.zooms[target.dataset.zoom]?.();
  if (!target.dataset.fold) return;
  picture?.foldAll(target.dataset.fold === "all");
  reveal(now.path);
});
at("undo").addEventListener("click", () => act("undo"));
at("redo").addEventListener("click", () => act("redo"));

// Search: Enter goes from one node that has the words to the next.
let found = [];
let turn = -1;
at("search").addEventListener("submit", async (event) => {
  event.preventDefault();
  const q = at("words-to-find").value.trim();
  if (!q) return;
  try {
    if (at("search").dataset.asked !== `${q} ${now.view.version}`) {
      ({ found } = await get("/api/search", { q }));
      at("search").dataset.asked = `${q} ${now.view.version}`;
      turn = -1;
    }
  } catch (error) {
    fault(error);
    return;
  }
  at("found").textContent = found.length > 0 ? `${(turn + 1) % found.length + 1} / ${found.length}` : tr("nothing");
  if (found.length === 0) return;
  turn = (turn + 1) % found.length;
  const { path } = found[turn];
  await show(path);
});

hear("view", (view) => {
  at("undo").disabled = !view.can.undo;
  at("redo").disabled = !view.can.redo;
  at("legend").replaceChildren(...view.tree.legend.map(({ color, words }) => el("span", { class: color ? "" : "note" },
    color ? el("i", { class: "swatch", style: { background: color } }) : null, words)),
    view.tree.shown < view.tree.all ? el("span", { class: "note" }, tr("{shown} of {all} nodes are drawn; searching draws what it finds", { shown: number(view.tree.shown), all: number(view.tree.all) })) : "");
  try {
    draw(view);
  } catch (error) {
    fault(error);
  }
  tell("select", {});
});
hear("select", choose);
