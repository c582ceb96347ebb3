// The picture of a tree, alive: folded, zoomed, walked through with the arrows, followed by a case.
// Reports hold it in their one file; the workbench loads it as the module it is.
const SVG = "http://www.w3.org/2000/svg";
const GAP = 14;
const COUNT = 70; // room for the number of leaves beside a folded box
const NARROW = 600; // pixels; in a narrower frame the boxes stand in a list
const BELOW = 12; // room for it below one, in a list
const INDENT = 22; // of a level of the list
const READABLE = 0.7; // the scale below which levels are folded rather than drawn smaller

function add(parent, name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  parent.append(made);
  return made;
}

// Boxes as the picture has them: who is below whom, and the bands between.
function boxesOf(svg, facts) {
  const boxes = new Map();
  for (const group of svg.querySelectorAll("g.node")) {
    const { x, y, width, height } = group.getBBox();
    const node = Number(group.dataset.node);
    const parent = node in facts.parents ? facts.parents[node] : null;
    const rect = group.querySelector("rect");
    const [left, top, wide, high] = ["x", "y", "width", "height"].map((key) => Number(rect.getAttribute(key)));
    boxes.set(node, {
      node, group, parent, x, y, width, height, left, top, wide, high, children: [], folded: false, dx: 0, dy: 0,
    });
  }
  for (const box of boxes.values()) {
    if (box.parent !== null) boxes.get(box.parent).children.push(box);
    box.level = 1;
    for (let above = box; above.parent !== null; above = boxes.get(above.parent)) box.level += 1;
  }
  for (const band of svg.querySelectorAll("g.branch")) {
    const box = boxes.get(Number(band.dataset.node));
    box.band = band;
    box.curve = band.querySelector("path").getAttribute("d").match(/-?[\d.]+/g).map(Number);
    band.setAttribute("aria-hidden", "true");
  }
  return boxes;
}

// A picture in its frame, the `canvas`. `facts` say the `parents` of nodes and how many `leaves` are
// below them, in words. What a page may do of its own: `choose` a box by click or Enter (else it is
// folded), `show` and `hide` what there is to say of one, `keys` beyond these, `high`: the height that
// the picture may take, `most`: the scale up to which a small one fills its frame.
export function treePicture(canvas, svg, facts, does = {}) {
  const boxes = boxesOf(svg, facts);
  const root = boxes.get(0);
  const first = root.children[0];
  const upright = first ? first.curve[0] === first.curve[2] : true;
  const [at, size] = upright ? ["x", "width"] : ["y", "height"]; // the axis along which siblings stand
  const least = (key) => Math.min(...[...boxes.values()].map((box) => box[key]));
  const corner = { x: least("x"), y: least("y") };
  const gone = new AbortController(); // of a picture that another one replaces
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

  // Where boxes stand: siblings side by side, folding moves them along one axis ... ----------------

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

  function sideBySide(shown) {
    for (const box of boxes.values()) box.place = box[at];
    if (shown.length < boxes.size) pack(root, corner[at]);
    for (const box of boxes.values()) {
      const by = box.place - box[at];
      [box.dx, box.dy] = upright ? [by, 0] : [0, by];
    }
  }

  // ... or in a list, one below the other, each level set in a little.
  function inList(shown) {
    let { y } = corner;
    for (const box of shown) {
      box.dx = corner.x + INDENT * (box.level - 1) - box.x;
      box.dy = y - box.y;
      y += box.height + GAP / 2 + (box.folded && upright ? BELOW : 0);
    }
  }

  // Bands follow their boxes.
  function bend(box) {
    const above = boxes.get(box.parent);
    if (!listed) return box.curve.map((value, i) => value + (i < 4 ? above : box)[i % 2 ? "dy" : "dx"]);
    const x = above.left + above.dx + INDENT / 2;
    const y = box.top + box.dy + box.high / 2;
    return [x, above.top + above.dy + above.high, x, y, x, y, box.left + box.dx, y];
  }

  let listed = false;
  let paper = false;
  function layOut() {
    const shown = visible();
    listed = !paper && canvas.clientWidth < NARROW && boxes.size > 1;
    canvas.classList.toggle("listed", listed);
    (listed ? inList : sideBySide)(shown);
    const on = new Set(shown);
    for (const box of boxes.values()) {
      box.group.classList.toggle("away", !on.has(box));
      box.group.setAttribute("transform", `translate(${box.dx} ${box.dy})`);
      if (!box.band) continue;
      box.band.classList.toggle("away", !on.has(box));
      const p = bend(box);
      const d = `M${p[0]} ${p[1]}C${p.slice(2).join(" ")}`;
      for (const path of box.band.querySelectorAll("path")) path.setAttribute("d", d);
    }
    // The picture is as large as what is shown.
    const count = (box) => (box.folded && !(upright && !listed) ? COUNT : 0);
    const right = Math.max(...shown.map((box) => box.x + box.dx + box.width + count(box)));
    const bottom = Math.max(...shown.map((box) => box.y + box.dy + box.height + (box.folded && upright ? BELOW : 0)));
    svg.setAttribute("viewBox", `0 0 ${right + GAP} ${bottom + GAP}`);
    resize();
    for (const box of shown) mark(box);
  }

  // The knob of a box that has others below it.
  function mark(box) {
    if (box.children.length === 0) return;
    if (!box.knob) {
      const { left, top, wide, high } = box;
      const [cx, cy] = upright ? [left + wide / 2, top + high] : [left + wide, top + high / 2];
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
  const turn = (box) => setFold(box, !box.folded);
  const choose = does.choose ?? turn;

  function foldAll(folded) {
    for (const box of boxes.values()) box.folded = folded && box.children.length > 0 && box !== root;
    layOut();
    enter(root, false);
  }

  // Zoom ------------------------------------------------------------------------------------------

  let scale = 1;
  function resize() {
    const { width, height } = svg.viewBox.baseVal;
    svg.style.width = `${width * scale}px`;
    svg.style.height = `${height * scale}px`;
  }
  function zoom(factor) {
    const middle = (canvas.scrollLeft + canvas.clientWidth / 2) / scale;
    scale = Math.min(4, Math.max(0.15, factor));
    resize();
    canvas.scrollLeft = middle * scale - canvas.clientWidth / 2;
  }
  // The scale at which all of it is in its frame; a list may be longer than a screen.
  const room = does.high ?? ((inAList) => (inAList ? 1.2 : 0.85) * innerHeight);
  function fitting() {
    const { width, height } = svg.viewBox.baseVal;
    return Math.min(listed ? 1 : (does.most ?? 1), (canvas.clientWidth - 4) / width, (room(listed) - 4) / height);
  }
  const fit = () => zoom(fitting());
  const zooms = { in: () => zoom(scale * 1.25), out: () => zoom(scale / 1.25), fit };
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, { passive: false, signal: gone.signal });

  // A tree for the keyboard and for screen readers -------------------------------------------------

  let current = root;
  function enter(box, focus = true) {
    current.group.setAttribute("tabindex", "-1");
    current = box;
    box.group.setAttribute("tabindex", "0");
    if (focus) box.group.focus();
  }
  const keys = {
    Enter: choose,
    " ": turn,
    ArrowDown: (box, list) => enter(list[Math.min(list.indexOf(box) + 1, list.length - 1)]),
    ArrowUp: (box, list) => enter(list[Math.max(list.indexOf(box) - 1, 0)]),
    ArrowRight: (box) => (box.folded ? setFold(box, false) : enter(box.children[0] ?? box)),
    ArrowLeft: (box) => (box.folded || box.children.length === 0
      ? enter(boxes.get(box.parent) ?? box) : setFold(box, true)),
    Home: () => enter(root),
    End: (box, list) => enter(list[list.length - 1]),
    Escape: () => does.hide?.(),
    "+": zooms.in, "=": zooms.in, "-": zooms.out, "0": zooms.fit,
    ...does.keys,
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
    title?.remove(); // the page says it, and more
    const attributes = {
      role: "treeitem", tabindex: "-1", "aria-level": box.level, "aria-description": box.title,
    };
    for (const [key, value] of Object.entries(attributes)) group.setAttribute(key, value);
    group.addEventListener("click", ({ target }) => {
      if (!getSelection().isCollapsed) return;
      enter(box);
      (target.closest(".knob") ? turn : choose)(box);
    });
    if (!does.show) continue;
    group.addEventListener("pointerenter", () => does.show(box));
    group.addEventListener("pointerleave", () => does.hide(300));
    group.addEventListener("focus", () => group.matches(":focus-visible") && does.show(box));
    group.addEventListener("blur", () => does.hide());
  }
  svg.querySelector("g.header")?.setAttribute("role", "none");
  enter(root, false);

  // Following a case ------------------------------------------------------------------------------

  function follow(nodes, look) {
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
  }

  // Showing a part of the tree: what these nodes ask is open, and all else folded ----------------

  function unfold(nodes) {
    for (const box of boxes.values()) box.folded = box.children.length > 0 && !nodes.has(box.node);
    layOut();
    fit();
    return boxes;
  }

  // A tree that would be too small to read opens with its lower levels folded.
  function foldWhile(tooLarge) {
    layOut();
    const open = visible().filter((box) => seen(box).length > 0);
    const deepest = Math.max(...open.map((box) => box.level));
    if (!tooLarge() || deepest < 2) return;
    for (const box of open) box.folded = box.level === deepest;
    foldWhile(tooLarge);
  }
  const foldToSize = () => foldWhile(() => fitting() < READABLE);

  // On paper all of it stands side by side, as far as one of the sheets has room; what comes back
  // undoes it.
  function onPaper(sheets) {
    const before = [...boxes.values()].map((box) => [box, box.folded]);
    paper = true;
    for (const box of boxes.values()) box.folded = false;
    foldWhile(() => !sheets.some((sheet) => sheet(svg.viewBox.baseVal)));
    return () => {
      paper = false;
      for (const [box, folded] of before) box.folded = folded;
      layOut();
      fit();
    };
  }

  addEventListener("resize", () => {
    if (paper) return;
    if (listed !== (canvas.clientWidth < NARROW)) layOut();
    fit();
  }, { signal: gone.signal });

  return {
    boxes, zooms, zoom, fit, layOut, foldAll, foldToSize, onPaper, follow, unfold, enter, add,
    scale: () => scale, current: () => current, leave: () => gone.abort(),
  };
}
