// The curves of the tree on validation rows, in a sheet: a look, which the log counts.
import { look } from "./acts.js";
import { sheet } from "./dialogs.js";
import { el, mark, table } from "./dom.js";

function chart(one) {
  const svg = mark("svg", { class: "chart", viewBox: "0 0 340 312", width: 340, height: 312, role: "img", "aria-label": one.label },
    mark("rect", { class: "axis", x: 58, y: 12, width: 260, height: 240 }),
    one.across.map(([x, said]) => mark("text", { x, y: 268, "text-anchor": "middle" }, said)),
    one.up.map(([y, said]) => mark("text", { x: 52, y, "text-anchor": "end" }, said)),
    one.lines.map(([kind, d]) => mark("path", { class: kind, d })),
    one.dots.map(([cx, cy]) => mark("circle", { class: "dot", cx, cy, r: 5 })),
    mark("text", { x: 188, y: 296, "text-anchor": "middle" }, one.x_axis),
    mark("text", { transform: "translate(12 132) rotate(-90)", "text-anchor": "middle" }, one.y_axis));
  return el("figure", {}, svg, el("figcaption", {}, one.legend));
}

export async function curves() {
  const found = await look("/api/bars", {});
  if (!found) return;
  const rows = found.rows.map((cells) => el("tr", {}, cells.map((cell, k) => el("td", { class: k === 0 || k === 2 ? "" : "number" }, cell))));
  sheet(tr("Curves"),
    el("p", {}, `${found.whose} ${found.doubt}`),
    table(found.head.map((name, k) => (k === 0 || k === 2 ? name : [name, "number"])), rows, { caption: tr("Areas, and how near scores are to the truth") }),
    found.cost ? el("p", {}, found.cost) : null,
    el("div", { class: "curves" }, found.charts.map(chart)));
}
