// The chart of a column at a node: its histogram by class, and above it the score of every cut.
import { mark } from "./dom.js";
import { colors } from "./state.js";

export const FRAME = { width: 400, left: 6, right: 394, curve: [8, 66], bars: [74, 150], axis: 166, height: 172 };

export function scaleOf(low, high) {
  const wide = high > low ? high - low : 1;
  const span = FRAME.right - FRAME.left;
  return {
    x: (value) => FRAME.left + span * Math.max(0, Math.min(1, (value - low) / wide)),
    value: (x) => low + (wide * (x - FRAME.left)) / span,
  };
}

// Stacked by class; for numbers to predict, how many rows there are, shaded by their mean.
function bars({ edges, counts, rows, means }, x) {
  const [top, bottom] = FRAME.bars;
  const stacks = counts ?? rows.map((n) => [n]);
  const sums = stacks.map((one) => one.reduce((sum, n) => sum + n, 0));
  const most = Math.max(1, ...sums);
  const known = (means ?? []).filter((mean) => mean !== null);
  const [least, largest] = [Math.min(...known), Math.max(...known)];
  return stacks.flatMap((stack, bin) => {
    let y = bottom;
    const from = x(edges[bin]);
    const width = Math.max(0.8, x(edges[bin + 1]) - from - 0.6);
    return stack.map((n, k) => {
      const high = ((bottom - top) * n) / most;
      y -= high;
      const shade = means ? 0.25 + (0.75 * (means[bin] - least)) / (largest - least || 1) : 1;
      return high > 0 ? mark("rect", { x: from, y, width, height: high, style: means ? { fill: "var(--bar)", opacity: String(shade) } : { fill: colors()[k] } }) : null;
    });
  });
}

// The score over all cuts; grey where a cut is not allowed.
function curve({ at, score, allowed }, x) {
  const [top, bottom] = FRAME.curve;
  const most = Math.max(...score, 1e-12);
  const y = (value) => bottom - ((bottom - top) * Math.max(0, value)) / most;
  const points = at.map((cut, i) => `${x(cut).toFixed(1)} ${y(score[i]).toFixed(1)}`);
  const dots = at.length <= 60 ? at.map((cut, i) => mark("circle", { class: allowed?.[i] === false ? "dot no" : "dot", cx: x(cut), cy: y(score[i]), r: 1.6 })) : [];
  return [mark("path", { class: "area", d: `M${x(at[0])} ${bottom}L${points.join("L")}L${x(at[at.length - 1])} ${bottom}Z` }), mark("path", { class: "curve", d: `M${points.join("L")}` }), ...dots];
}

// Bars may begin before the least value: those of levels are as wide as the others.
export const ends = ({ histogram: { edges } }) => [edges[0], edges[edges.length - 1]];

export function chartOf(data, label) {
  const { x } = scaleOf(...ends(data));
  const [, floor] = FRAME.bars;
  const best = (data.best?.cut ?? []).map((cut) => mark("path", { class: "best", d: `M${x(cut)} 4V${floor}` }));
  const shown = data.histogram.shown ?? [data.low, data.high];
  return mark("svg", { class: "histogram", viewBox: `0 0 ${FRAME.width} ${FRAME.height}`, role: "group", "aria-label": label },
    mark("g", { "aria-hidden": "true" },
      data.cuts.at.length > 0 ? curve(data.cuts, x) : [],
      bars(data.histogram, x),
      mark("path", { class: "axis", d: `M${FRAME.left} ${floor}H${FRAME.right}` }),
      mark("text", { x: FRAME.left, y: FRAME.axis }, String(shown[0])),
      mark("text", { x: FRAME.right, y: FRAME.axis, "text-anchor": "end" }, String(shown[shown.length - 1])),
      best));
}
