// Cutting a column: thresholds that are dragged or stepped, snapping to readable numbers.
import { trial } from "./branches.js";
import { chartOf, ends, FRAME, scaleOf } from "./chart.js";
import { button, el, fill, mark } from "./dom.js";

const FAR = 10; // cuts that Page Up and Page Down skip

const same = (a, b) => a && b && a.length === b.length && a.every((value, i) => value === b[i]);

export function cuts(node, data) {
  const { x, value } = scaleOf(...ends(data));
  const near = (spot) => data.cuts.at.reduce((a, b) => (Math.abs(b - spot) < Math.abs(a - spot) ? b : a));
  const own = data.current?.cuts ?? null;
  let at = [...(own ?? data.best?.cut ?? [])];
  let shown = at.map(String);
  const tried = trial(node, own !== null && own.length === at.length);
  const chart = chartOf(data, tr("{column}: rows, and the score of every cut", { column: data.column }));
  const handles = mark("g", {});
  chart.append(handles);
  const typed = el("div", { class: "row typed" });

  const sorted = () => { at.sort((a, b) => a - b); };
  function tryIt(snap) {
    tried.try({ column: data.column, cuts: [...at] }, snap, (answer) => {
      if (snap && answer.cuts?.length === at.length && !dragging) at = [...answer.cuts];
      shown = answer.shown ?? at.map(String);
      draw();
    });
  }

  // Steps of the keyboard go from one cut between the rows to the next.
  function step(i, by) {
    const all = data.cuts.at;
    const here = all.findIndex((cut) => cut >= at[i]);
    const from = here < 0 ? all.length : here;
    const to = by > 0 && all[from] > at[i] ? from + by - 1 : from + by;
    at[i] = all[Math.max(0, Math.min(all.length - 1, to))];
    tryIt(false);
    draw();
  }
  const keys = {
    ArrowRight: (i) => step(i, 1), ArrowUp: (i) => step(i, 1), ArrowLeft: (i) => step(i, -1), ArrowDown: (i) => step(i, -1),
    PageUp: (i) => step(i, FAR), PageDown: (i) => step(i, -FAR), Home: (i) => step(i, -data.cuts.at.length), End: (i) => step(i, data.cuts.at.length),
  };

  let dragging = false;
  const spot = (event) => value(((event.clientX - chart.getBoundingClientRect().left) * FRAME.width) / chart.getBoundingClientRect().width);
  function drag(i, event) {
    event.preventDefault();
    dragging = true;
    const move = (moved) => {
      const [least, most] = [data.cuts.at[0], data.cuts.at[data.cuts.at.length - 1]];
      at[i] = data.levels ? near(spot(moved)) : Math.max(least, Math.min(most, spot(moved)));
      place(i);
      tryIt(true);
    };
    const stop = () => {
      dragging = false;
      removeEventListener("pointermove", move);
      sorted();
      tryIt(true);
      handles.children[i]?.focus();
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop, { once: true });
    addEventListener("pointercancel", stop, { once: true });
    handles.children[i].focus();
  }

  function place(i) {
    const handle = handles.children[i];
    handle?.setAttribute("transform", `translate(${x(at[i])} 0)`);
    handle?.setAttribute("aria-valuenow", at[i]);
    handle?.setAttribute("aria-valuetext", `${data.column} ≤ ${shown[i] ?? at[i]}`);
  }
  function handle(cut, i) {
    const properties = {
      class: "handle", role: "slider", tabindex: "0", "aria-label": tr("Threshold of {column}", { column: data.column }), "aria-orientation": "horizontal",
      "aria-valuemin": data.low, "aria-valuemax": data.high,
      on: {
        pointerdown: (event) => drag(i, event),
        keydown: (event) => {
          if (!(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey) return;
          event.preventDefault();
          keys[event.key](i);
        },
      },
    };
    return mark("g", properties, mark("rect", { class: "grip", x: -14, y: 0, width: 28, height: FRAME.bars[1] }),
      mark("path", { class: "line", d: `M0 4V${FRAME.bars[1]}` }), mark("circle", { cx: 0, cy: FRAME.bars[1], r: 7 }));
  }
  function draw() {
    if (handles.children.length !== at.length) handles.replaceChildren(...at.map(handle));
    at.forEach((_, i) => place(i));
    fill(typed, at.map((cut, i) => el("label", {}, el("span", { class: "unseen" }, tr("Threshold {n}", { n: i + 1 })), " ≤ ",
      el("input", { id: `cut-${i}`, class: "cut", inputmode: "decimal", value: shown[i] ?? String(cut), readonly: Boolean(data.unit || data.levels), on: { change: ({ target }) => {
        const number = Number(target.value);
        if (target.value.trim() === "" || Number.isNaN(number)) { target.setAttribute("aria-invalid", "true"); return; }
        at[i] = number;
        sorted();
        tryIt(false);
      } } }))),
    data.best?.cut ? button(tr("Best"), () => { at = [...data.best.cut]; tryIt(false); }, { id: "best-cut", disabled: same(at, data.best.cut) }) : null,
    own ? button(tr("As it is"), () => { at = [...own]; tryIt(false); }, { id: "own-cut", disabled: same(at, own) }) : null,
    button(tr("One more cut"), () => { at.push(widest()); sorted(); tryIt(true); }, { id: "more-cuts" }),
    at.length > 1 ? button(tr("One less"), () => { at.pop(); tryIt(false); }, { id: "less-cuts" }) : null);
  }
  // The middle of the widest part that no cut parts.
  function widest() {
    const ends = [data.low, ...at, data.high];
    let best = 0;
    for (let i = 1; i + 1 < ends.length; i += 1) if (ends[i + 1] - ends[i] > ends[best + 1] - ends[best]) best = i;
    return (ends[best] + ends[best + 1]) / 2;
  }

  if (at.length === 0) return el("p", { class: "note" }, tr("These rows have one value here, so that nothing can be cut."));
  draw();
  tryIt(false);
  const missing = data.missing?.rows > 0 ? el("p", { class: "note" }, trn("{n} row has no value here.", "{n} rows have no value here.", data.missing.rows)) : null;
  const legend = el("p", { class: "note" }, tr("Above: the score of every cut; below: the rows. Drag the line, or step with the arrows. The dashed line is the learner's."));
  return [el("div", { class: "chart-holder" }, chart), typed, missing, tried.element, el("details", {}, el("summary", {}, tr("How to read this")), legend)];
}
