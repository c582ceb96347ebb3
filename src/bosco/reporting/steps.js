// Stepping through a trace: forward, back, by keyboard; the tree so far beside it.
const PAGE = 10; // rows shown at a time
const facts = JSON.parse(document.getElementById("facts").textContent);
const bar = document.getElementById("bar");
const where = document.getElementById("where");
const jump = document.getElementById("jump");
const stops = [...document.querySelectorAll("article.stop")];
const buttons = Object.fromEntries([...bar.querySelectorAll("[data-go]")].map((b) => [b.dataset.go, b]));
let at = 0;

// The picture --------------------------------------------------------------------------------------

const groups = new Map();
for (const group of document.querySelectorAll("#canvas g.node")) {
  const node = Number(group.dataset.node);
  groups.set(node, group);
  const text = group.querySelector("text.question, text.answer");
  if (!text) continue;
  for (const [kind, said] of [["unknown", "?"], ["said", facts.says[node] ?? ""]]) {
    const other = text.cloneNode(false);
    other.textContent = said;
    other.classList.add(kind);
    text.after(other);
  }
  // What a box says of the end is not known before: its question, its answer, share and colour.
  const says = "text.question, text.answer, text[text-anchor=end], rect.frame[style]";
  for (const hidden of group.querySelectorAll(says)) {
    if (!hidden.matches(".unknown, .said")) hidden.classList.add("hides");
  }
}

// The nearest node above one that the picture shows; a large tree is folded.
function shown(node) {
  let found = node;
  while (!groups.has(found) && found in facts.above) found = facts.above[found];
  return found;
}

function draw() {
  if (!bosco.unfold) return;
  const before = facts.steps.slice(0, at + 1);
  const growing = facts.steps.some((step) => step.kind === "grown");
  const grown = new Set(before.filter((step) => step.kind === "grown").map((step) => step.node));
  const cut = new Set(before.filter((step) => step.action === "collapsed").map((step) => step.node));
  const open = [...groups.keys()].filter((node) => (!growing || grown.has(node)) && !cut.has(node));
  bosco.unfold(new Set(open));
  const now = shown(facts.steps[at].node);
  for (const [node, group] of groups) {
    group.classList.toggle("undecided", growing && !grown.has(node));
    group.classList.toggle("leafed", cut.has(node));
    group.classList.toggle("now", node === now);
  }
}

// Steps --------------------------------------------------------------------------------------------

function go(to) {
  at = Math.max(0, Math.min(to, stops.length - 1));
  stops.forEach((stop, i) => { stop.hidden = i !== at; });
  where.textContent = `${at + 1} / ${stops.length}`;
  jump.value = String(at);
  for (const name of ["first", "back"]) buttons[name].setAttribute("aria-disabled", String(at === 0));
  for (const name of ["next", "last"]) {
    buttons[name].setAttribute("aria-disabled", String(at === stops.length - 1));
  }
  draw();
}
const moves = {
  first: () => go(0), back: () => go(at - 1), next: () => go(at + 1), last: () => go(stops.length - 1),
};
bar.addEventListener("click", ({ target }) => moves[target.dataset.go]?.());
jump.addEventListener("change", () => go(Number(jump.value)));
const keys = { ArrowRight: moves.next, ArrowLeft: moves.back, Home: moves.first, End: moves.last };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
  if (!(event.key in keys) || event.target.closest("input, select, textarea, svg")) return;
  const frame = event.target.closest(".wide, .canvas, pre"); // which scrolls sideways itself
  if (frame && frame.scrollWidth > frame.clientWidth) return;
  event.preventDefault();
  keys[event.key]();
});

// Rows, a few at a time ----------------------------------------------------------------------------

for (const fold of document.querySelectorAll("details.rows")) {
  const rows = [...fold.querySelectorAll("tbody tr")];
  const pages = fold.querySelector(".pages");
  if (rows.length <= PAGE) continue;
  let first = 0;
  const show = () => {
    rows.forEach((row, i) => { row.hidden = i < first || i >= first + PAGE; });
    const last = Math.min(first + PAGE, rows.length);
    pages.querySelector("span").textContent = `${first + 1}–${last} / ${rows.length}`;
  };
  pages.addEventListener("click", ({ target }) => {
    const by = Number(target.dataset.page ?? 0) * PAGE;
    if (first + by >= 0 && first + by < rows.length) first += by;
    show();
  });
  pages.hidden = false;
  show();
}

bar.hidden = false;
const asked = Number(location.hash.replace("#step-", ""));
go(Number.isInteger(asked) && asked > 0 ? asked - 1 : 0);
addEventListener("hashchange", () => {
  const to = Number(location.hash.replace("#step-", ""));
  if (to > 0) go(to - 1);
});
