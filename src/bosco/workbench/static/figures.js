// The figures: how wrong the tree is on validation rows, against the constant and the automatic tree,
// what every act brought, and the sealed box.
import { act, look, refresh } from "./acts.js";
import { post } from "./api.js";
import { curves } from "./bars.js";
import { ask, fault, sheet } from "./dialogs.js";
import { at, bar, button, el, fill, mark, table } from "./dom.js";
import { percent, show as number } from "./numbers.js";
import { hear, now } from "./state.js";

const few = new Intl.NumberFormat("en", { notation: "compact" }).format; // 13K: there is little room
const STEP = 26; // pixels between two states of the history
const HIGH = 34; // of the line over them
const holder = at("figures");
let automatic = null; // it may take long, and is asked for once

const part = () => (now.view.figures.validation ? "validation" : "training");
const main = () => now.view.figures[part()];

// "always saying safe: 50.0 %" in its two parts.
function parted(text) {
  const at = text.lastIndexOf(": ");
  return at < 0 ? ["", text] : [text.slice(at + 2), text.slice(0, at)];
}

function tile(head, value, said, kind = "", more = "") {
  return el("div", { class: `tile ${kind}` }, el("span", { class: "head" }, head), el("strong", {}, value), el("small", {}, said), more ? el("small", {}, more) : null);
}

// One dot for every state, as high as its error; the leaves below. A click goes there.
function history() {
  const all = now.view.history;
  const errors = all.map((one) => one[part()] ?? one.training);
  const [least, most] = [Math.min(...errors), Math.max(...errors)];
  const y = (value) => (most > least ? 5 + (HIGH - 10) * (1 - (value - least) / (most - least)) : HIGH / 2);
  const x = (i) => STEP * i + STEP / 2;
  const line = mark("svg", { width: STEP * all.length, height: HIGH, "aria-hidden": "true" },
    mark("path", { class: "line", d: `M${errors.map((value, i) => `${x(i)} ${y(value).toFixed(1)}`).join("L")}` }),
    errors.map((value, i) => mark("circle", { class: all[i].current ? "here" : all[i].left ? "left" : "", cx: x(i), cy: y(value), r: all[i].current ? 5 : 3.5 })));
  const stops = all.map((one) => {
    const said = tr("After entry {n}: {words}; error {error}, leaves {leaves}", { n: one.entry, words: one.words, error: one.shown, leaves: one.leaves }) + (one.cost ? `; ${tr("cost of a row")} ${one.cost}` : "");
    return el("li", {}, button(few(one.leaves), () => act("goto", { entry: one.entry }), { title: said, "aria-label": said, id: `state-${one.entry}`, disabled: !one.reachable, "aria-current": one.current ? "step" : null }));
  });
  return el("div", { class: "history", role: "group", "aria-label": tr("What every act brought"), tabindex: "0" }, line, el("ol", {}, stops));
}

function sealed() {
  const { parts } = now.view.figures;
  const { final } = now.view;
  if (!parts.test) return tile(tr("Test part"), tr("none"), tr("opened without one"));
  if (final) return el("div", { class: "tile opened" }, el("span", { class: "head" }, tr("Test part, opened")), el("small", {}, final.words), button(tr("Open again…"), unseal, { id: "final" }));
  return el("div", { class: "tile box" }, el("span", { class: "head" }, tr("Test part")), el("strong", {}, tr("sealed")), button(tr("Open the box…"), unseal, { id: "final" }), el("small", {}, trn("{n} row", "{n} rows", parts.test)));
}

async function unseal() {
  const { looks, parts } = now.view.figures;
  const said = await ask(tr("Open the sealed box?"), [
    trn("The test part has {n} row that nobody looked at while the tree was made.", "The test part has {n} rows that nobody looked at while the tree was made.", parts.test),
    tr("The error there is an honest one for the tree as it is, once. If you change the tree because of it, the next look is no test any more; the log and the report say how often the box was opened."),
    looks.words,
  ], [], tr("Open it"));
  if (!said) return;
  const found = await look("/api/final", {});
  if (found) sheet(tr("What the test part says"), [found.words].flat().map((line) => el("p", {}, line)));
}

// Every error, or what a row costs, below the rows that it was counted on.
function errors(training, validation, of = (one) => one) {
  const parts = [["validation", validation], ["training", training]].filter(([, own]) => own && of(own));
  const heads = { validation: (n) => trn("{n} validation row", "{n} validation rows", n), training: (n) => trn("{n} training row", "{n} training rows", n) };
  const cell = (value, said = "") => el("td", { class: "number" }, value, said ? el("small", {}, said) : null);
  const line = (name, cells) => el("tr", {}, el("th", { scope: "row" }, name), cells);
  const interval = (name, own) => (name === "validation" ? own.interval : "");
  const head = of(parts[0][1]).name;
  return table([head, ...parts.map(([name, own]) => [heads[name](of(own).rows), "number"])], [
    line(tr("this tree"), parts.map(([name, own]) => cell(of(own).shown, interval(name, of(own))))),
    automatic ? line(tr("the automatic tree"), parts.map(([name]) => cell(of(automatic[name]).shown, interval(name, of(automatic[name]))))) : null,
    line(tr("without a tree"), parts.map(([, own]) => cell(...parted(of(own).constant)))),
  ].filter(Boolean), { label: head, class: "errors" });
}

function details() {
  const { recall, confusion, training, validation, costs } = now.view.figures;
  const shade = (n, row) => `number shade-${Math.round((9 * n) / (row.reduce((sum, one) => sum + one, 0) || 1))}`;
  sheet(tr("How good the tree is"),
    errors(training, validation),
    costs ? errors(training, validation, (one) => one.cost) : null,
    costs ? el("p", { class: "note" }, tr("Costs: {costs}.", { costs })) : null,
    el("p", { class: "note" }, tr("The tree was grown on the training rows: an error on them is no test.")),
    recall ? table([tr("class"), [tr("found"), "wide-only"], [tr("share"), "number"], [tr("interval"), "number"], [tr("of rows"), "number"]],
      recall.map((one) => el("tr", {}, el("th", { scope: "row" }, one.class), el("td", { class: "wide-only" }, bar(one.share ?? 0)), el("td", { class: "number" }, one.shown),
        el("td", { class: "number" }, one.low === null ? "–" : `${percent(one.low)} – ${percent(one.high)}`), el("td", { class: "number" }, `${number(one.found)} / ${number(one.rows)}`))),
      { caption: part() === "validation" ? tr("Of the rows of every class, how many are found: validation rows") : tr("Of the rows of every class, how many are found: training rows") }) : null,
    confusion ? table([tr("true \\ predicted"), ...confusion.classes.map((name) => [name, "number"])],
      confusion.counts.map((row, k) => el("tr", {}, el("th", { scope: "row" }, confusion.classes[k]), row.map((n, j) => el("td", { class: `${shade(n, row)}${j === k ? " right" : ""}` }, number(n))))),
      { caption: confusion.part === "validation" ? trn("Confusion matrix, {n} validation row", "Confusion matrix, {n} validation rows", confusion.rows) : trn("Confusion matrix, {n} training row", "Confusion matrix, {n} training rows", confusion.rows), class: "confusion" }) : null,
    recall ? button(part() === "validation" ? tr("Curves (counts as a look)") : tr("Curves"), ({ target }) => { target.closest("dialog").close(); curves(); }, { id: "curves" }) : null);
}

function show() {
  const { figures } = now.view;
  const first = main();
  const other = automatic?.[part()];
  // An interval is for rows that the tree was not grown on.
  fill(holder,
    part() === "validation" ? tile(tr("Error, validation rows"), first.shown, first.interval, "first") : tile(tr("Error, training rows"), first.shown, tr("grown on them: this is no test"), "first"),
    first.cost ? (part() === "validation" ? tile(tr("Cost of a row, same rows"), first.cost.shown, first.cost.interval, "first price") : tile(tr("Cost of a row, same rows"), first.cost.shown, tr("grown on them: this is no test"), "first price")) : null,
    tile(tr("Without a tree, same rows"), ...parted(first.constant), "", first.cost ? tr("cost {cost}, {said}", { cost: parted(first.cost.constant)[0], said: parted(first.cost.constant)[1] }) : ""),
    other ? tile(tr("Automatic tree, same rows"), other.shown, trn("{n} leaf", "{n} leaves", automatic.leaves), "", other.cost ? tr("cost of a row {cost}", { cost: other.cost.shown }) : "") : tile(tr("Automatic tree, same rows"), "…", tr("being grown")),
    tile(tr("Leaves"), number(figures.leaves), tr("training error {error}", { error: figures.training.shown }), "leaves"),
    history(),
    sealed(),
    button(tr("More"), details, { id: "more-figures" }));
  const strip = holder.querySelector(".history");
  strip.scrollLeft = strip.scrollWidth;
}

hear("view", async (view) => {
  automatic = view.figures.automatic ?? automatic;
  show();
  if (automatic === null) {
    automatic = undefined; // asked for
    try {
      automatic = await post("/api/automatic", {});
      await refresh(); // it was a look at the validation rows, which the log has
    } catch (error) {
      automatic = null;
      fault(error);
    }
  }
});
