// The form: read a case, predict it with the exported model, show its way through the tree, if the
// page has one.
const INFINITE = { inf: Infinity, "-inf": -Infinity }; // which JSON does not have
const facts = JSON.parse(document.getElementById("facts").textContent,
  (key, value) => (value?.number in INFINITE ? INFINITE[value.number] : value));
const form = document.getElementById("case");
const answer = document.getElementById("answer");
const MOST = 12; // classes listed

const DAY = 86_400_000;
const MOMENTS = new Set(["date", "datetime", "instant", "time"]); // fields that know milliseconds

// What is in a field: null is missing; a fault is told beside it.
function read(field, column) {
  const text = field.value.trim();
  if (column.levels) {
    if (field.value === "") return null;
    if (field.tagName === "SELECT") return column.levels[Number(text)];
    return column.levels.find((level) => String(level) === field.value) ?? null;
  }
  if (MOMENTS.has(column.unit)) {
    const ms = field.valueAsNumber;
    if (Number.isNaN(ms)) return null;
    return column.unit === "date" ? Math.round(ms / DAY) : ms * 1000;
  }
  if (text === "") return null;
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text);
  const number = infinite ? Number(`${infinite[1]}Infinity`) : Number(text);
  if (Number.isNaN(number)) throw new RangeError(tr("not a number"));
  return column.unit === "duration" ? Math.round(number * 1e6) : number;
}

function readAll() {
  const row = {};
  let faults = 0;
  facts.columns.forEach((column, i) => {
    const field = document.getElementById(`field-${i}`);
    const fault = document.getElementById(`field-${i}-fault`);
    let said = "";
    try {
      row[column.name] = read(field, column);
    } catch (error) {
      said = error.message;
      faults += 1;
    }
    if (said) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    if (fault) fault.textContent = said;
  });
  return faults ? null : row;
}

// The nodes of the picture that a case comes through; several ways where a value is missing.
function way(row) {
  const cells = new Map(facts.columns.map((column) => [column.at, [row[column.name], column]]));
  const all = facts.derived.length > 0 ? bosco.cellsOf(row) : []; // NaN is missing, a truth is 0 or 1
  for (const [at, truth] of facts.derived) {
    cells.set(at, [all[at] === all[at] ? all[at] : null, { levels: truth ? [0, 1] : null }]);
  }
  const found = [];
  const open = [0];
  while (open.length > 0) {
    const node = open.pop();
    found.push(node);
    if (!(node in facts.ways)) continue;
    const [asks, missing, shares] = facts.ways[node];
    const to = answerOf(asks, cells) ?? missing;
    open.push(...(to === null ? shares.toReversed() : [to]));
  }
  return found;
}

function answerOf(asks, cells) {
  for (const [column, cuts, to] of asks) {
    const [x, { levels }] = cells.get(column);
    if (x === null) continue;
    if (cuts === null) return to[levels.indexOf(x)];
    const place = cuts.findIndex((cut) => x <= cut);
    return to[place < 0 ? cuts.length : place];
  }
  return undefined;
}

function line(name, share) {
  const item = document.createElement("li");
  const meter = document.createElement("meter");
  const [label, percent] = ["span", "span"].map((tag) => document.createElement(tag));
  label.textContent = name;
  meter.value = share;
  meter.setAttribute("aria-label", name);
  percent.textContent = `${Number((100 * share).toPrecision(3))} %`;
  item.append(label, meter, percent);
  return item;
}

// Of two classes the points for the second, whose sign decides; else those of every class.
function pointsOf(points) {
  answer.dataset.points = JSON.stringify(points);
  const said = document.createElement("p");
  const all = points.map((x, k) => [x, k]).sort((a, b) => b[0] - a[0] || b[1] - a[1]).slice(0, MOST);
  said.textContent = points.length === 2
    ? tr("Points for {name}: {points}", { name: facts.classes[1], points: (points[1] - points[0]).toFixed(4) })
    : `${tr("Points")}: ${all.map(([x, k]) => `${facts.classes[k]} ${x.toFixed(4)}`).join(", ")}`;
  return said;
}

function tell(row, label) {
  const said = document.createElement("strong");
  answer.dataset.prediction = JSON.stringify(label);
  said.textContent = String(label);
  const head = document.createElement("p");
  head.append(tr("Prediction: "), said);
  answer.replaceChildren(head);
  for (const node of facts.orders ? way(row) : []) {
    if (!(node in facts.orders)) continue;
    const ordered = document.createElement("p");
    ordered.className = "note";
    ordered.textContent = `[${node}] ${facts.orders[node]}. ${tr("The shares are those of its rows:")}`;
    answer.append(ordered);
  }
  if (bosco.points) answer.append(pointsOf(bosco.points(row)));
  if (!bosco.predictProba) return;
  const shares = bosco.predictProba(row);
  answer.dataset.shares = JSON.stringify(shares);
  const list = document.createElement("ul");
  const order = shares.map((share, k) => [share, k]).filter(([share]) => share > 0);
  order.sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  for (const [share, k] of order.slice(0, MOST)) list.append(line(facts.classes[k], share));
  answer.append(list);
}

function follow(look) {
  const row = readAll();
  delete answer.dataset.prediction;
  if (row === null || (facts.strict && Object.values(row).includes(null))) {
    answer.textContent = row === null ? tr("Something in the form is not a number.") : tr("Fill in every field.");
    bosco.follow?.([], false);
    return;
  }
  let label;
  try {
    label = bosco.predict(row);
  } catch (error) { // what is derived has no value, and the model wants one
    answer.textContent = error.message;
    bosco.follow?.([], false);
    return;
  }
  tell(row, label);
  if (!bosco.follow) return;
  const nodes = way(row);
  answer.dataset.way = nodes.join(" ");
  bosco.follow(nodes, look);
}

if (form) {
  form.addEventListener("input", () => follow(false));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    follow(true);
  });
  form.addEventListener("reset", () => setTimeout(() => {
    answer.replaceChildren();
    for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    for (const fault of form.querySelectorAll(".fault")) fault.textContent = "";
    bosco.follow?.([], false);
  }));
}
