// The picture of the tree: zoom, fold, walk with the arrows, hover for the candidates.
const SVG = "http://www.w3.org/2000/svg";
const GAP = 14;
const COUNT = 70; // room for the number of leaves beside a folded box
const facts = JSON.parse(document.getElementById("facts").textContent);
const canvas = document.getElementById("canvas");
const svg = canvas.querySelector("svg");
const card = document.getElementById("card");

// Boxes -------------------------------------------------------------------------------------------

const boxes = new Map();
for (const group of svg.querySelectorAll("g.node")) {
  const { x, y, width, height } = group.getBBox();
  const node = Number(group.dataset.node);
  const parent = node in facts.parents ? facts.parents[node] : null;
  boxes.set(node, { node, group, parent, x, y, width, height, children: [], folded: false });
}
for (const box of boxes.values()) {
  if (box.parent !== null) boxes.get(box.parent).children.push(box);
}
for (const band of svg.querySelectorAll("g.branch")) {
  const box = boxes.get(Number(band.dataset.node));
  const path = band.querySelector("path");
  box.band = band;
  box.curve = path.getAttribute("d").match(/-?[\d.]+/g).map(Number);
  band.setAttribute("aria-hidden", "true");
}
const root = boxes.get(0);
const first = root.children[0];
const upright = first ? first.curve[0] === first.curve[2] : true;
const [at, size] = upright ? ["x", "width"] : ["y", "height"]; // the axis along which siblings stand
const seen = (box) => (box.folded ? [] : box.children);
const visible = () => {
  const found = [];
  const open = [root];
  while (open.length > 0) {
    const box = open.pop();
    found.push(box);
    open.push(...seen(box).toReversed());
  }
  return found;
};

// Folding: boxes move along one axis, bands follow -------------------------------------------------

function move(box, by) {
  box.place += by;
  for (const child of seen(box)) move(child, by);
}

// Put a subtree after `start`; return where it ends.
function pack(box, start) {
  const below = seen(box);
  if (below.length === 0) {
    box.place = start;
    return start + box[size];
  }
  let end = start - GAP;
  for (const child of below) end = pack(child, end + GAP);
  const last = below[below.length - 1];
  box.place = (below[0].place + last.place + last[size] - box[size]) / 2;
  if (box.place < start) {
    end += start - box.place;
    move(box, start - box.place);
  }
  return Math.max(end, box.place + box[size]);
}

const whole = { width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height };
const frame = (list) => ({
  right: Math.max(...list.map((b) => (upright ? b.place : b.x + (b.folded ? COUNT : 0)) + b.width)),
  bottom: Math.max(...list.map((b) => (upright ? b.y : b.place) + b.height)),
});

function layOut() {
  const shown = visible();
  for (const box of boxes.values()) box.place = box[at];
  const before = frame([...boxes.values()]);
  if (shown.length < boxes.size) pack(root, Math.min(...[...boxes.values()].map((box) => box[at])));
  const on = new Set(shown);
  for (const box of boxes.values()) {
    box.group.classList.toggle("away", !on.has(box));
    const by = box.place - box[at];
    box.group.setAttribute("transform", upright ? `translate(${by} 0)` : `translate(0 ${by})`);
    if (!box.band) continue;
    box.band.classList.toggle("away", !on.has(box));
    const above = boxes.get(box.parent).place - boxes.get(box.parent)[at];
    const axis = upright ? 0 : 1;
    const p = box.curve.map((value, i) => (i % 2 === axis ? value + (i < 4 ? above : by) : value));
    const d = `M${p[0]} ${p[1]}C${p.slice(2).join(" ")}`;
    for (const path of box.band.querySelectorAll("path")) path.setAttribute("d", d);
  }
  crop(before, frame(shown));
  for (const box of shown) mark(box);
}

// The picture is as large as what is shown; what stands below comes up.
function crop(before, after) {
  const notes = svg.querySelector("g.notes");
  notes?.setAttribute("transform", `translate(0 ${after.bottom - before.bottom})`);
  const texts = [...svg.querySelectorAll("g.header, g.notes")].map((group) => group.getBBox());
  const wide = Math.max(after.right, ...texts.map((box) => box.x + box.width));
  const folded = after.right !== before.right || after.bottom !== before.bottom;
  const width = folded ? wide + GAP : whole.width;
  const height = whole.height + after.bottom - before.bottom;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  resize();
}

function add(parent, name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  parent.append(made);
  return made;
}

// The knob of a box that has others below it.
function mark(box) {
  if (box.children.length === 0) return;
  if (!box.knob) {
    const frame = box.group.querySelector("rect");
    const [x, y, w, h] = ["x", "y", "width", "height"].map((key) => Number(frame.getAttribute(key)));
    const [cx, cy] = upright ? [x + w / 2, y + h] : [x + w, y + h / 2];
    box.knob = add(box.group, "g", { class: "knob", "aria-hidden": "true" });
    add(box.knob, "circle", { cx, cy, r: 8 });
    box.sign = add(box.knob, "text", { x: cx, y: cy + 4.5, "text-anchor": "middle" });
    box.count = add(box.knob, "text", { class: "folded", x: cx + 12, y: cy + (upright ? 12 : 4) });
  }
  box.sign.textContent = box.folded ? "+" : "−";
  box.count.textContent = box.folded ? facts.leaves[box.node] : "";
  box.group.setAttribute("aria-expanded", String(!box.folded));
}

function setFold(box, folded) {
  if (box.children.length === 0) return;
  box.folded = folded;
  layOut();
}

// Zoom --------------------------------------------------------------------------------------------

let scale = 1;
function resize() {
  const { width, height } = svg.viewBox.baseVal;
  svg.style.width = `${width * scale}px`;
  svg.style.height = `${height * scale}px`;
}
function zoom(factor, least = 0.15) {
  const middle = (canvas.scrollLeft + canvas.clientWidth / 2) / scale;
  scale = Math.min(4, Math.max(least, factor));
  resize();
  canvas.scrollLeft = middle * scale - canvas.clientWidth / 2;
}
// All of its width; and all of its height, if that makes it little smaller.
function fit(least) {
  const { width, height } = svg.viewBox.baseVal;
  const wide = Math.min(1, (canvas.clientWidth - 4) / width);
  const high = (0.85 * innerHeight - 4) / height;
  zoom(Math.min(wide, Math.max(high, 0.8 * wide)), least);
}
const zooms = { in: () => zoom(scale * 1.25), out: () => zoom(scale / 1.25), fit: () => fit() };
canvas.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
}, { passive: false });
document.getElementById("tools").addEventListener("click", ({ target }) => {
  zooms[target.dataset.zoom]?.();
  if (target.dataset.fold) {
    const folded = target.dataset.fold === "all";
    for (const box of boxes.values()) box.folded = folded && box.children.length > 0 && box !== root;
    layOut();
    enter(root, false);
  }
});

// A tree for the keyboard and for screen readers ---------------------------------------------------

let current = root;
function enter(box, focus = true) {
  current.group.setAttribute("tabindex", "-1");
  current = box;
  box.group.setAttribute("tabindex", "0");
  if (focus) box.group.focus();
}
const keys = {
  Enter: (box) => setFold(box, !box.folded),
  " ": (box) => setFold(box, !box.folded),
  ArrowDown: (box, list) => enter(list[Math.min(list.indexOf(box) + 1, list.length - 1)]),
  ArrowUp: (box, list) => enter(list[Math.max(list.indexOf(box) - 1, 0)]),
  ArrowRight: (box) => (box.folded ? setFold(box, false) : enter(box.children[0] ?? box)),
  ArrowLeft: (box) => (box.folded || box.children.length === 0
    ? enter(boxes.get(box.parent) ?? box) : setFold(box, true)),
  Home: () => enter(root),
  End: (box, list) => enter(list[list.length - 1]),
  Escape: () => hide(),
  "+": zooms.in, "=": zooms.in, "-": zooms.out, "0": zooms.fit,
};
svg.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key](current, visible());
});

svg.setAttribute("role", "tree");
svg.setAttribute("aria-labelledby", svg.querySelector("title").id); // the nodes say the rest
canvas.removeAttribute("tabindex"); // its nodes take the focus
for (const box of boxes.values()) {
  const { group } = box;
  const title = group.querySelector("title");
  box.title = title?.textContent ?? "";
  title?.remove(); // the card says it, and more
  box.level = 1;
  for (let above = box; above.parent !== null; above = boxes.get(above.parent)) box.level += 1;
  const attributes = {
    role: "treeitem", tabindex: "-1", "aria-level": box.level, "aria-description": box.title,
  };
  for (const [key, value] of Object.entries(attributes)) group.setAttribute(key, value);
  group.addEventListener("click", () => {
    if (!getSelection().isCollapsed) return;
    enter(box);
    setFold(box, !box.folded);
  });
  group.addEventListener("pointerenter", () => show(box));
  group.addEventListener("pointerleave", () => hide(300));
  group.addEventListener("focus", () => group.matches(":focus-visible") && show(box));
  group.addEventListener("blur", () => hide());
}
for (const group of svg.querySelectorAll("g.header, g.notes")) group.setAttribute("role", "none");
enter(root, false);

// The card: what a node says, and the candidates of its question -----------------------------------

let leaving = 0;
function show(box) {
  clearTimeout(leaving);
  const said = document.createElement("p");
  said.textContent = box.title;
  const table = document.querySelector(`#why-${box.node} table`);
  card.replaceChildren(said, ...(table ? [table.cloneNode(true)] : []));
  card.hidden = false;
  const near = box.group.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const within = (value, most) => Math.max(8, Math.min(value, most - 8));
  // Beside the node if there is room, else below or above it.
  const right = near.right + 12 + width <= innerWidth - 8;
  const beside = right || near.left - 12 - width >= 8;
  const below = near.bottom + 12 + height <= innerHeight - 8;
  const x = right ? near.right + 12 : beside ? near.left - 12 - width : near.left;
  const y = beside ? near.top - 8 : below ? near.bottom + 12 : near.top - height - 12;
  card.style.left = `${within(x, innerWidth - width)}px`;
  card.style.top = `${within(y, innerHeight - height)}px`;
}
function hide(after = 0) {
  clearTimeout(leaving);
  leaving = setTimeout(() => { card.hidden = true; }, after);
}
card.addEventListener("pointerenter", () => clearTimeout(leaving));
card.addEventListener("pointerleave", () => hide(200));
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
addEventListener("scroll", () => hide(), { passive: true });

// Following a case --------------------------------------------------------------------------------

bosco.follow = (nodes, look) => {
  for (const rect of svg.querySelectorAll("rect.onpath")) rect.classList.replace("onpath", rect.dataset.was);
  for (const path of svg.querySelectorAll("path.followed")) path.remove();
  const on = nodes.map((node) => boxes.get(node)).filter(Boolean);
  if (look) {
    for (const box of on) if (on.some((other) => other.parent === box.node)) box.folded = false;
    layOut();
  }
  for (const box of on) {
    const rect = box.group.querySelector("rect.box, rect.fold");
    rect.dataset.was = rect.classList.contains("fold") ? "fold" : "box";
    rect.classList.replace(rect.dataset.was, "onpath");
    if (box.band) {
      const d = box.band.querySelector("path").getAttribute("d");
      add(box.band, "path", { class: "path followed", d });
      box.band.parentNode.insertBefore(box.band, root.group); // over the other bands
    }
  }
  if (look && on.length > 0) {
    const last = on[on.length - 1].group;
    last.scrollIntoView({ block: "nearest", inline: "center" });
    canvas.scrollIntoView({ block: "nearest" });
  }
};

// On paper everything is open, but for the many questions of a large tree --------------------------

const closed = [];
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open], #more-why, #more-why *)")) {
    closed.push(fold);
    fold.open = true;
  }
});
addEventListener("afterprint", () => { while (closed.length > 0) closed.pop().open = false; });

// A large tree opens with its lower levels folded.
function foldToSize() {
  const { width, height } = svg.viewBox.baseVal;
  const large = height > 2 * innerHeight || width > 2.5 * canvas.clientWidth;
  const deepest = Math.max(...visible().filter((box) => seen(box).length > 0).map((box) => box.level));
  if (!large || deepest < 3) return;
  for (const box of boxes.values()) box.folded ||= box.level === deepest && box.children.length > 0;
  layOut();
  foldToSize();
}

document.getElementById("tools").hidden = false;
layOut();
foldToSize();
fit(0.6);
canvas.scrollLeft = upright ? (root.place + root.width / 2) * scale - canvas.clientWidth / 2 : 0;
canvas.scrollTop = upright ? 0 : (root.place + root.height / 2) * scale - canvas.clientHeight / 2;
