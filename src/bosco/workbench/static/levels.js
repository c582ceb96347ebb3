// Levels in branches: dragged from one to the other, or moved by the arrows.
import { trial } from "./branches.js";
import { button, el, fill } from "./dom.js";
import { colors } from "./state.js";

const stack = (level) => (level.by_class
  ? el("span", { class: "stack", "aria-hidden": "true" }, level.by_class.map((n, k) => el("i", { style: { width: `${(100 * n) / (level.rows || 1)}%`, background: colors()[k] ?? "" } })))
  : null);

export function levels(node, data) {
  const known = new Map(data.levels.map((one) => [one.level, one]));
  const all = data.levels.map((one) => one.level);
  // A group may leave levels out: they have a branch of their own.
  const whole = (groups) => {
    const told = groups.map((group) => group.filter((level) => known.has(level))).filter((group) => group.length > 0);
    const rest = all.filter((level) => !told.some((group) => group.includes(level)));
    return [...told, ...(rest.length > 0 ? [rest] : [])];
  };
  const best = data.best?.groups ? whole(data.best.groups) : null;
  const own = data.current?.groups ? whole(data.current.groups) : null;
  let groups = (own ?? best ?? [all]).map((group) => [...group]);
  const tried = trial(node, false);
  const holder = el("div", { class: "levels" });
  const said = el("p", { class: "unseen", role: "status" });
  const where = (level) => groups.findIndex((group) => group.includes(level));

  function put(level, to) {
    if (where(level) === to) return;
    groups = groups.map((group) => group.filter((one) => one !== level));
    if (to >= groups.length) groups.push([]);
    groups[to].push(level);
    groups[to].sort((a, b) => all.indexOf(a) - all.indexOf(b));
    groups = groups.filter((group) => group.length > 0);
    said.textContent = tr("{level} is in branch {n} of {all} now.", { level: known.get(level).shown, n: where(level) + 1, all: groups.length });
    draw();
    document.getElementById(`level-${all.indexOf(level)}`)?.focus();
  }

  // Dragging by pointer, so that fingers can, too.
  function drag(level, event) {
    if (event.button > 0) return;
    const chip = event.currentTarget;
    const start = [event.clientX, event.clientY];
    let target = null;
    const move = (moved) => {
      const by = [moved.clientX - start[0], moved.clientY - start[1]];
      if (Math.hypot(...by) < 4 && !chip.classList.contains("dragged")) return;
      chip.classList.add("dragged");
      chip.style.transform = `translate(${by[0]}px, ${by[1]}px)`;
      target?.classList.remove("over");
      target = document.elementsFromPoint(moved.clientX, moved.clientY).find((one) => one.dataset?.branch) ?? null;
      target?.classList.add("over");
    };
    const stop = () => {
      removeEventListener("pointermove", move);
      chip.classList.remove("dragged");
      chip.style.transform = "";
      target?.classList.remove("over");
      if (target) put(level, Number(target.dataset.branch));
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop, { once: true });
    addEventListener("pointercancel", () => { target = null; stop(); }, { once: true });
  }

  function chip(level) {
    const one = known.get(level);
    const k = where(level);
    const words = tr("{level}, {rows} rows, branch {n} of {all}; the left and right arrows move it", { level: one.shown, rows: one.rows, n: k + 1, all: groups.length });
    const keys = { ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1 };
    return el("button", { type: "button", class: "level", id: `level-${all.indexOf(level)}`, "aria-label": words, on: {
      pointerdown: (event) => drag(level, event),
      keydown: (event) => {
        const to = keys[event.key];
        if (to === undefined || to < 0 || (to >= groups.length && groups[k].length === 1)) return;
        event.preventDefault();
        put(level, to);
      },
    } }, el("span", {}, one.shown), el("small", {}, one.rows), stack(one));
  }

  function draw() {
    const last = groups.length;
    fill(holder,
      groups.map((group, k) => el("div", { class: "branch", role: "group", "aria-label": tr("Branch {n}", { n: k + 1 }), data: { branch: k } }, el("h4", {}, tr("Branch {n}", { n: k + 1 })), group.map(chip))),
      el("div", { class: "branch empty", data: { branch: last } }, tr("A new branch: drop a level here")));
    // Levels that are not told have the last branch, with those that are not shown.
    if (groups.length > 1) tried.try({ column: data.column, groups: data.more > 0 ? groups.slice(0, -1) : groups });
  }
  draw();
  const more = data.more > 0 ? el("p", { class: "note" }, trn("{n} rarer level is not shown; it goes with the last branch.", "{n} rarer levels are not shown; they go with the last branch.", data.more)) : null;
  const missing = data.missing?.rows > 0 ? el("p", { class: "note" }, trn("{n} row has no value here.", "{n} rows have no value here.", data.missing.rows)) : null;
  const set = (to) => { groups = to.map((group) => [...group]); draw(); };
  return [holder, said, more, missing, el("p", { class: "row" },
    best ? button(tr("Best"), () => set(best), { id: "best-groups" }) : null,
    own ? button(tr("As it is"), () => set(own), { id: "own-groups" }) : null,
    button(tr("One branch per value"), () => set(all.map((level) => [level])), { id: "each-level" })), tried.element];
}
