// Learn mode: the learner's own growth, step by step; guess the best question before it is shown.
import { get } from "./api.js";
import { fault } from "./dialogs.js";
import { at, bar, button, el, fill, table } from "./dom.js";
import { forget, sheetOpen } from "./node.js";
import { show as number } from "./numbers.js";
import { colors, nearest, select } from "./state.js";

const panel = at("panel");
let steps = [];
let step = 0;
let right = 0; // guesses
let guessed = new Map(); // step → column

function leave() {
  delete panel.dataset.mode;
  at("wood").classList.remove("guessing");
  forget();
  select(nearest(steps[step]?.path ?? ""));
  at("learn").focus();
}

function tally(rows) {
  if (!Array.isArray(rows)) return null;
  return el("ul", { class: "branches" }, rows.map((one, k) => el("li", {}, el("span", { class: "words" }, one.label), el("span", { class: "number" }, number(one.rows)), bar(one.share, colors()[k]))));
}

function told(now) {
  const lines = now.candidates.map((one) => el("tr", { class: one.column === now.winner ? "chosen" : "" },
    el("td", {}, el("strong", {}, one.column), el("small", {}, one.test), one.sum ? el("small", { class: "sum" }, one.sum) : null), el("td", { class: "number" }, number(one.gain))));
  const guess = guessed.get(step);
  const place = now.candidates.findIndex((one) => one.column === guess) + 1;
  const verdict = !guess ? "" : guess === now.winner ? tr("Right: no question separates these rows better.") : tr("Not quite: {column} is number {n} of {all}.", { column: guess, n: place, all: now.columns });
  return [
    verdict ? el("p", { class: "verdict", role: "status" }, verdict) : null,
    el("p", {}, now.words),
    now.candidates.length > 0 ? table([tr("question"), [tr("gain"), "number"]], lines, { label: tr("The best test of every column"), class: "candidates" }) : null,
    now.columns > now.candidates.length ? el("p", { class: "note" }, tr("These are the best {n} of {all} columns.", { n: now.candidates.length, all: now.columns })) : null,
  ];
}

function guessing(now) {
  const names = now.candidates.map((one) => one.column).toSorted();
  return el("div", { class: "guess", role: "group", "aria-label": tr("Guess the best question") },
    el("p", {}, el("strong", {}, tr("Guess the best question:")), " ", tr("which column separates these rows best?")),
    el("div", { class: "acts" }, names.map((name) => button(name, () => {
      guessed.set(step, name);
      if (name === now.winner) right += 1;
      show();
      panel.querySelector(".verdict")?.scrollIntoView({ block: "nearest" });
    }))),
    button(tr("Show it without guessing"), () => { guessed.set(step, ""); show(); }, { class: "quiet", id: "no-guess" }));
}

function go(to) {
  step = Math.max(0, Math.min(to, steps.length - 1));
  select(nearest(steps[step].path));
  show();
}

function show() {
  const now = steps[step];
  at("side-bar").textContent = tr("Learn: how the learner grows a tree");
  const made = [...guessed.values()].filter(Boolean).length;
  const asks = now.candidates.length > 1 && now.winner && !guessed.has(step);
  at("wood").classList.toggle("guessing", Boolean(asks)); // the tree tells nothing before
  fill(panel,
    el("div", { class: "card" },
      el("h2", {}, tr("Learn: how the learner grows a tree"), el("small", {}, `${step + 1} / ${steps.length}`)),
      el("p", { class: "row" },
        button(tr("Back"), () => go(step - 1), { id: "learn-back", disabled: step === 0 }),
        button(tr("Next"), () => go(step + 1), { id: "learn-next", disabled: step === steps.length - 1 }),
        button(tr("Leave"), leave, { id: "learn-leave" })),
      made > 0 ? el("p", { class: "note" }, trn("{right} of {n} guess right", "{right} of {n} guesses right", made, { right })) : null),
    el("section", { class: "part" },
      el("h3", {}, tr("Node {n}", { n: now.node }), " ", el("small", {}, trn("{n} training row", "{n} training rows", now.rows))),
      tally(now.tally),
      now.impurity === null || now.impurity === undefined ? null : el("p", { class: "note" }, tr("Impurity {value}", { value: number(now.impurity) })),
      asks ? guessing(now) : told(now)));
}

export async function learn() {
  try {
    ({ steps } = await get("/api/trace"));
    [step, right] = [0, 0];
    guessed = new Map();
    panel.dataset.mode = "learn";
    sheetOpen(true);
    if (steps.length > 0) go(0);
    at("learn-next")?.focus();
  } catch (error) {
    fault(error);
  }
}
