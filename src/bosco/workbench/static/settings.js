// How the rows are parted, and which learner advises: two forms of the opening.
import { button, choice, el, field, table } from "./dom.js";

const share = (label, id, value, does) => field(label, el("input", { id, type: "number", min: 0, max: 90, step: 5, value: Math.round(value * 100), on: { change: ({ target }) => does(Number(target.value) / 100) } }));

// Rows in three parts: to learn from, to compare by, and to judge once.
export function rowsPart(seen, change) {
  const { parts } = seen;
  const ways = [["random", tr("at random")], ["group", tr("by group: rows of one group stay together")], ["date", tr("by date: the latest rows judge")]];
  const can = ways.filter(([way]) => way === "random" || (parts.columns?.[way] ?? []).length > 0);
  const names = parts.columns?.[parts.how] ?? [];
  return el("fieldset", {}, el("legend", {}, tr("Rows")),
    field(tr("How they are parted"), choice(can, parts.how, (how) => change({ how, column: how === "random" ? null : (parts.columns[how][0] ?? null) }), { id: "how" })),
    parts.how === "random" ? null : field(parts.how === "group" ? tr("Group") : tr("Date"), choice(names, parts.column, (column) => change({ column }), { id: "part-column" })),
    el("div", { class: "asked" },
      share(tr("Validation rows, %"), "validation", parts.validation, (validation) => change({ validation })),
      share(tr("Test rows, sealed, %"), "test", parts.test, (test) => change({ test })),
      parts.how === "date" ? null : field(tr("Seed"), el("input", { id: "seed", type: "number", step: 1, min: 0, value: parts.seed, on: { change: ({ target }) => change({ seed: Number(target.value) }) } }))),
    el("p", { class: "note" }, tr("The tree is made on the training rows; validation rows tell what each act brought; the test rows stay sealed until you open the box.")));
}

function setting(one, does) {
  const id = `setting-${one.name}`;
  if (one.choices) return field(one.words, choice(one.choices.map((value) => [value ?? "", value ?? tr("as the learner has it")]), one.value ?? "", (value) => does(value === "" ? null : value), { id }));
  return field(one.words, el("input", { id, type: one.kind === "number" ? "number" : "text", step: "any", value: one.value ?? "", placeholder: tr("as the learner has it"), on: { change: ({ target }) => {
    const text = target.value.trim();
    does(text === "" ? null : one.kind === "number" ? Number(text) : text);
  } } }));
}

export function learnerPart(seen, change, asked) {
  const { learner } = seen;
  const fold = el("details", { id: "settings" }, el("summary", {}, tr("Settings")),
    el("div", { class: "asked" }, learner.settings.map((one) => setting(one, (value) => change({ settings: { ...asked().settings, [one.name]: value } })))));
  fold.open = learnerPart.open === true;
  fold.addEventListener("toggle", () => { learnerPart.open = fold.open; });
  const words = learner.algorithms.find((one) => one.name === learner.algorithm)?.words ?? "";
  return el("fieldset", {}, el("legend", {}, tr("Learner that advises")),
    field(tr("Algorithm"), choice(learner.algorithms.map((one) => one.name), learner.algorithm, (algorithm) => change({ algorithm }), { id: "algorithm" }), words),
    fold,
    field(tr("Your name, for the log"), el("input", { id: "who-opens", value: seen.who ?? "", autocomplete: "name", on: { change: ({ target }) => change({ who: target.value }) } })),
    el("label", { class: "check" }, el("input", { id: "reasons", type: "checkbox", checked: seen.reasons, on: { change: ({ target }) => change({ reasons: target.checked }) } }), " ", tr("Ask for a reason where the learner would do better")));
}

// What it costs to answer one class where another is true; for numbers, how such costs are taken back.
export function costsPart({ costs, costed }, change) {
  if (!costs && !costed) return null;
  const back = costed ? button(tr("Take the costs back"), () => change({ costs: {} }), { id: "no-costs" }) : null;
  if (!costs) return el("p", {}, back);
  const { classes, table: prices } = costs;
  const priced = (t, k, cost) => Object.fromEntries(classes.map((one, i) =>
    [one.key, Object.fromEntries(classes.map((other, j) => [other.key, i === t && j === k ? cost : prices[i][j]]).filter((_, j) => j !== i))]));
  const cell = (t, k) => t === k ? el("td", { class: "number" }, "0") : el("td", {}, el("input", {
    id: `cost-${t}-${k}`, type: "number", min: 0, step: "any", value: prices[t][k],
    "aria-label": tr("Cost of {true} taken for {answer}", { true: classes[t].words, answer: classes[k].words }),
    on: { change: ({ target }) => change({ costs: priced(t, k, target.value.trim() === "" ? 1 : Number(target.value)) }) } }));
  const fold = el("details", { id: "costs" }, el("summary", {}, tr("What mistakes cost")),
    classes.length > 0 ? table([tr("true \\ predicted"), ...classes.map((one) => one.words)],
      classes.map((one, t) => el("tr", {}, el("th", { scope: "row" }, one.words), classes.map((_, k) => cell(t, k)))), { class: "costs", label: tr("What mistakes cost") }) : null,
    el("p", { class: "note" }, costs.says), back);
  fold.open = costsPart.open ?? costed;
  fold.addEventListener("toggle", () => { costsPart.open = fold.open; });
  return fold;
}
