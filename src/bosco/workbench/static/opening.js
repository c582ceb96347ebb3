// The opening: what was read, each thing correctable where it stands; how rows are parted; which learner.
import { get, post } from "./api.js";
import { fault } from "./dialogs.js";
import { at, button, choice, el, field, fill } from "./dom.js";
import { costsPart, learnerPart, rowsPart } from "./settings.js";

const KINDS = () => ({ number: tr("number"), text: tr("text"), boolean: tr("yes or no"), date: tr("date"), datetime: tr("date and time"), ordinal: tr("ordered levels") });
const ROLES = () => [["input", tr("input")], ["target", tr("target")], ["weight", tr("weight")], ["dropped", tr("left out")]];

let seen = null; // what the server read, and
let asked = {}; // what the person corrected

// What is changed is read anew by the server, which knows what follows from it.
async function change(by) {
  asked = { ...asked, ...by };
  at("opening").setAttribute("aria-busy", "true");
  try {
    seen = await post("/api/opening", { ...asked, open: false });
  } catch (error) {
    fault(error);
  }
  at("opening").setAttribute("aria-busy", "false");
  show();
}

function setRole(name, role) {
  const drop = seen.columns.filter((one) => one.role === "dropped" && one.name !== name).map((one) => one.name);
  const by = { drop: role === "dropped" ? [...drop, name] : drop };
  if (role === "target") Object.assign(by, { target: name, costs: {} }); // which were of other classes
  else if (seen.target === name) Object.assign(by, { target: null, costs: {} });
  if (role === "weight") by.weight = name;
  else if (seen.columns.some((one) => one.name === name && one.role === "weight")) by.weight = null;
  change(by);
}

function line(column, i) {
  const kind = choice(column.kinds.map((kind) => [kind, KINDS()[kind] ?? kind]), column.kind, (value) => change({ types: { ...asked.types, [column.name]: value } }),
    { id: `kind-${i}`, "aria-label": tr("Kind of {column}", { column: column.name }), disabled: column.kinds.length < 2 });
  const role = choice(ROLES().filter(([key]) => key !== "weight" || column.kind === "number" || column.role === "weight"), column.role, (value) => setRole(column.name, value),
    { id: `role-${i}`, "aria-label": tr("What {column} is used for", { column: column.name }) });
  const spelled = (column.spelled ?? []).length > 0 ? el("small", {}, tr("written {words}", { words: column.spelled.map((one) => (one === "" ? tr("as nothing") : `“${one}”`)).join(", ") })) : null;
  return el("tr", { class: column.role },
    el("th", { scope: "row" }, column.name), el("td", {}, kind), el("td", {}, role), el("td", { class: "values" }, column.values),
    el("td", { class: "number" }, column.missing ? [el("span", { class: "narrow-only" }, tr("missing"), " "), column.missing] : "", spelled),
    el("td", {}, (column.notes ?? []).map((note) => el("small", { class: "warning" }, note))));
}

function columns() {
  const heads = [tr("column"), tr("kind"), tr("used as"), tr("values"), tr("missing"), tr("remarks")];
  return el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": tr("Columns") },
    el("table", { class: "columns" }, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, seen.columns.map(line))));
}

function missing() {
  const value = (seen.missing_values ?? []).join(", ");
  return field(tr("Missing values are written (separated by commas)"),
    el("input", { id: "missing", value, placeholder: tr("as the reader knows them: empty, NA, ?"), on: { change: ({ target }) => {
      const words = target.value.split(",").map((word) => word.trim()).filter((word) => word !== "");
      change({ missing_values: words.length > 0 ? words : null });
    } } }));
}

let done = () => {};
async function openIt(target) {
  target.disabled = true;
  try {
    await post("/api/opening", { ...asked, open: true });
    done();
  } catch (error) {
    target.disabled = false;
    fill(at("problem"), error.message);
    at("problem").scrollIntoView({ block: "center" });
  }
}

function show() {
  const targets = [["", tr("choose the column to predict")], ...seen.columns.map((one) => [one.name, one.name])];
  const start = button(tr("Open"), () => openIt(start), { id: "open", class: "main big", disabled: Boolean(seen.problem) || !seen.target });
  fill(at("opening"),
    el("header", {}, el("h2", {}, tr("What was read")), el("p", {}, seen.summary), seen.notes.length > 0 ? el("ul", { class: "warnings" }, seen.notes.map((note) => el("li", {}, note))) : null),
    el("div", { class: "asked" },
      field(tr("What is to be predicted?"), choice(targets, seen.target ?? "", (target) => change({ target: target || null, task: null, costs: {} }), { id: "target" })),
      seen.target && seen.tasks.length > 1 ? field(tr("Its values are"), choice(seen.tasks.map((task) => [task, task === "classification" ? tr("classes") : tr("numbers")]), seen.task ?? "", (task) => change({ task }), { id: "task" })) : null,
      missing()),
    columns(),
    el("div", { class: "two" }, rowsPart(seen, (by) => change({ parts: { ...seen.parts, columns: undefined, ...by } })), learnerPart(seen, change, () => asked)),
    costsPart(seen, change),
    el("div", { class: "start" }, el("p", { id: "problem", class: "fault", role: "alert" }, seen.problem ?? (seen.target ? "" : tr("Choose first what is to be predicted."))), start));
}

export async function open(then) {
  done = then;
  at("bench").hidden = true;
  at("opening").hidden = false;
  seen = await get("/api/opening");
  show();
}
