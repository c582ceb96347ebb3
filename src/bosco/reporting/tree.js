// The tree of a report: its tools, and the card with the candidates of a question.
import { treePicture } from "./picture.js";

const facts = JSON.parse(document.getElementById("facts").textContent);
const canvas = document.getElementById("canvas");
const card = document.getElementById("card");
const tools = document.getElementById("tools");

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

// The picture --------------------------------------------------------------------------------------

const picture = treePicture(canvas, canvas.querySelector("svg"), facts, { show, hide });
tools.addEventListener("click", ({ target }) => {
  picture.zooms[target.dataset.zoom]?.();
  if (target.dataset.fold) picture.foldAll(target.dataset.fold === "all");
});
bosco.follow = picture.follow;
bosco.unfold = picture.unfold;
tools.hidden = false;
picture.foldToSize();
picture.fit();

// On paper everything is open, but for the many questions of a large tree --------------------------

// A picture of that many pixels can still be read on a sheet of paper, or on one that lies on its side.
const upright = ({ width, height }) => width <= 1250 && height <= 1500;
const lying = ({ width, height }) => width <= 1850 && height <= 1150;
const closed = [];
let asOnScreen = null;
addEventListener("beforeprint", () => {
  asOnScreen ??= picture.onPaper([upright, lying]);
  canvas.parentElement.classList.toggle("lying", !upright(canvas.querySelector("svg").viewBox.baseVal));
  for (const fold of document.querySelectorAll("details:not([open], #more-why, #more-why *)")) {
    closed.push(fold);
    fold.open = true;
  }
});
addEventListener("afterprint", () => {
  while (closed.length > 0) closed.pop().open = false;
  asOnScreen?.();
  asOnScreen = null;
});
