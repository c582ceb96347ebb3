// A test that is tried and not taken yet: what it is worth, its branches, and the buttons that take it.
import { actFor, look } from "./acts.js";
import { latest, post } from "./api.js";
import { bar, button, el, fill } from "./dom.js";
import { show as number } from "./numbers.js";
import { colors, now } from "./state.js";

const shares = (tally) => (Array.isArray(tally)
  ? el("span", { class: "stack", "aria-hidden": "true" }, tally.map((one, k) => el("i", { style: { width: `${one.share * 100}%`, background: colors()[k] ?? "" } })))
  : null);
const counted = (tally) => (Array.isArray(tally) ? tally.map((one) => `${one.label} ${number(one.rows)}`).join(" · ") : "");

const branch = (one, most) => el("li", {},
  el("span", { class: "words" }, one.words), el("span", { class: "number" }, trn("{n} row", "{n} rows", one.rows)),
  shares(one.tally) ?? bar(one.rows / most), el("small", {}, counted(one.tally)), el("small", { class: "answer" }, tr("answers {answer}", { answer: one.answer })));

// What the choice costs against the learner's own.
function against({ best, loss }) {
  if (!best) return tr("The learner would stop here.");
  return loss > 0 ? tr("The learner would take {test}, which scores {loss} more.", { test: best, loss: number(loss) }) : tr("No test scores more here.");
}

// `moves`: the node has a test of this column, so that its cuts may move and what is below stay.
export function trial(node, moves) {
  let test = null;
  let said = null; // what the server answered of it, or nothing yet
  let waits = null; // what is to be done as soon as it has
  const told = el("div", { class: "trial", "aria-live": "polite" });
  const weighed = el("p", { class: "weighed", role: "status" });
  const take = button(tr("Split so"), () => go("split", () => ({ test })), { class: "main", id: "split-so" });
  const keep = button(tr("Move the threshold, keep what is below"), () => go("move", () => ({ cuts: test.cuts })), { id: "move-so" });
  const weigh = button(tr("What would it bring on validation rows?"), consider, { id: "consider" });
  function go(verb, given) {
    if (said) actFor(verb, { path: node.path, ...given() }, { needed: said.needs_reason, said: against(said) });
    else waits = [verb, given];
  }

  async function consider() {
    const found = await look("/api/consider", { path: node.path, test });
    if (found) fill(weighed, [found.words].flat().join("\n"));
  }
  const ask = latest((given, snap) => post("/api/try", { path: node.path, test: given, snap }),
    (answer, given, snap, then) => {
      said = answer;
      told.setAttribute("aria-busy", "false");
      test = answer.cuts && snap ? { ...given, cuts: answer.cuts } : given;
      const most = Math.max(1, ...answer.branches.map((one) => one.rows));
      fill(told,
        el("p", { class: "score" }, el("strong", {}, answer.words), ` ${node.why.by ?? node.why.score} ${number(answer.score)}. `, against(answer)),
        answer.allowed ? null : el("p", { class: "fault" }, answer.why_not),
        el("ul", { class: "branches" }, answer.branches.map((one) => branch(one, most))));
      take.disabled = !answer.allowed;
      keep.disabled = !answer.allowed;
      weigh.disabled = !answer.allowed;
      then?.(answer);
      if (waits && answer.allowed) go(...waits);
      waits = null;
    },
    (error) => fill(told, el("p", { class: "fault" }, error.message)));

  return {
    // Try a test; `then` hears what came of it.
    try: (given, snap = false, then = null) => { [test, said] = [given, null]; told.setAttribute("aria-busy", "true"); weighed.replaceChildren(); ask(given, snap, then); },
    element: el("div", {}, told, el("p", { class: "row" }, take, moves ? keep : null, now.view.figures.validation ? weigh : null), weighed),
  };
}
