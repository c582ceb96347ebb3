// The bar is moved: what it finds and costs is worked out again from the counts of the page.
const facts = JSON.parse(document.getElementById("facts").textContent).curves;
const at = (id) => document.getElementById(id);
const form = at("bar-form");
const whole = facts.above.at(-1); // weight of the others, and of the class
const all = whole[0] + whole[1];
const charts = Object.fromEntries([...document.querySelectorAll("svg[data-curve]")].map((svg) => [svg.dataset.curve, svg]));
const cells = [...document.querySelectorAll("#bar-cells td")];

const percent = (x) => (Number.isNaN(x) ? "–" : x === 0 || x === 1 ? `${100 * x} %` : `${(100 * Math.min(Math.max(x, 0.001), 0.999)).toFixed(1)} %`);
const short = (x) => String(Number(x.toPrecision(4)));
const price = (id) => Math.max(Number(at(id).value.trim() || "NaN"), 0);
const costAt = (k) => (price("bar-miss") * (whole[1] - facts.above[k][1]) + price("bar-alarm") * facts.above[k][0]) / all;

// Where a value lies in the frame of a chart: its left, bottom, width, height, and largest values.
function place(svg, x, y) {
  const [left, bottom, wide, high, xs, ys] = svg.dataset.frame.split(" ").map(Number);
  return [left + (wide * x) / xs, bottom - (high * Math.min(y, ys)) / ys];
}

function dot(name, x, y) {
  const circle = charts[name]?.querySelector(".dot");
  if (!circle) return;
  circle.style.display = Number.isNaN(x) || Number.isNaN(y) ? "none" : "";
  if (Number.isNaN(x) || Number.isNaN(y)) return;
  const [cx, cy] = place(charts[name], x, y);
  circle.setAttribute("cx", cx.toFixed(1));
  circle.setAttribute("cy", cy.toFixed(1));
}

// The end of an axis that reaches so far, its quarters short numbers; as the page was made with.
function roundTop(most) {
  if (!(most > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  return [10, 12, 16, 20, 24, 32, 40, 60, 80, 100].map((n) => (unit * n) / 10).find((top) => top >= most);
}

// The cost over the bar, its axis as high as the largest cost.
function drawCost() {
  const svg = charts.cost;
  const costs = facts.bars.map((_, k) => costAt(k));
  const most = roundTop(Math.max(...costs));
  const frame = svg.dataset.frame.split(" ");
  frame[5] = String(most);
  svg.dataset.frame = frame.join(" ");
  const ticks = [...svg.querySelectorAll("text[text-anchor=end]")];
  ticks.forEach((tick, k) => { tick.textContent = short((most * k) / (ticks.length - 1)); });
  let path = "";
  facts.bars.forEach((bar, k) => {
    const [x, y] = place(svg, bar ?? 1, costs[k]).map((value) => value.toFixed(1));
    path += k === 0 ? `M${x} ${y}` : `H${x}V${y}`;
  });
  path += `H${place(svg, 0, 0)[0].toFixed(1)}`; // below all scores, too
  svg.querySelector("path.first").setAttribute("d", path);
}

function tell() {
  const k = Number(at("bar-at").value);
  const own = k === facts.own; // what the model answers by itself need not be a bar
  const [alarms, found] = facts.above[k];
  const rows = facts.rows[k];
  const [others, own_] = facts.rows.at(-1);
  const bar = facts.bars[k];
  at("bar-score").textContent = bar === null ? tr("none is") : short(bar);
  at("bar-at").setAttribute("aria-valuetext", at("bar-score").textContent);
  [rows[1], own_ - rows[1], rows[0], others - rows[0]].forEach((n, i) => { cells[i].textContent = n.toLocaleString("en"); });
  const recall = found / whole[1];
  const precision = found / (found + alarms);
  const said = (found + alarms) / all;
  const cost = costAt(k);
  at("bar-said").textContent = tr("Recall {recall}, false alarms {alarms}, precision {precision}; {said} of all are said to be {name}; a row costs {cost} on average.", {
    recall: percent(recall), alarms: percent(alarms / whole[0]), precision: percent(precision), said: percent(said), name: facts.name,
    cost: Number.isNaN(cost) ? "–" : short(cost),
  });
  form.dataset.recall = String(recall);
  form.dataset.cost = String(cost);
  form.dataset.own = String(own);
  dot("roc", alarms / whole[0], recall);
  dot("pr", recall, precision);
  dot("gain", said, recall);
  dot("lift", said, precision / (whole[1] / all));
  dot("cost", bar ?? 1, cost);
}

function priced() {
  for (const id of ["bar-miss", "bar-alarm"]) {
    if (Number.isNaN(price(id))) at(id).setAttribute("aria-invalid", "true");
    else at(id).removeAttribute("aria-invalid");
  }
  if (!Number.isNaN(costAt(0))) drawCost();
  tell();
}

function go(k) {
  at("bar-at").value = String(k);
  tell();
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
at("bar-at").addEventListener("input", tell);
at("bar-miss").addEventListener("input", priced);
at("bar-alarm").addEventListener("input", priced);
at("bar-best").addEventListener("click", () => {
  const costs = facts.bars.map((_, k) => costAt(k));
  go(costs.indexOf(Math.min(...costs)));
});
at("bar-own").addEventListener("click", () => go(facts.own));
priced();
