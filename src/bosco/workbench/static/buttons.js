// What can be done to a node, each as a button; what needs words asks for them.
import { ask, text } from "./dialogs.js";
import { button, choice, el, field } from "./dom.js";
import { columns, now } from "./state.js";

const reason = () => text(tr("Reason (kept in the log)"), { name: "reason", rows: 2 });

async function grow(node, act) {
  const said = await ask(tr("Grow below node {n}", { n: node.node }), [tr("The learner goes on from every leaf below this node, with its own settings.")],
    [field(tr("Levels, at most (empty: as many as it wants)"), el("input", { name: "depth", type: "number", min: 1, max: 60, step: 1 }))], tr("Grow"));
  if (said) act("grow", { path: node.path, depth: said.depth ? Number(said.depth) : null });
}

async function regrow(node, act) {
  const own = now.view.tree.nodes.find((one) => one.path === node.path)?.column ?? "";
  const said = await ask(tr("Grow anew below node {n}", { n: node.node }), [tr("All below this node goes, and the learner grows it again.")],
    [field(tr("Without this column"), choice([["", tr("with all columns")], ...columns().map((name) => [name, name])], own, () => {}, { name: "without" })), reason()], tr("Grow anew"));
  if (said) act("regrow", { path: node.path, without: said.without ? [said.without] : [], reason: said.reason });
}

async function optimal(node, act) {
  const said = await ask(tr("The best subtree at node {n}", { n: node.node }),
    [tr("Of all subtrees of so many levels, the one that gets the fewest training rows wrong. It is found as a whole, and what was below this node goes.")],
    [field(tr("Levels"), el("input", { name: "depth", type: "number", min: 1, max: 4, step: 1, value: 2, required: true })), reason()], tr("Find it"));
  if (said) act("optimal", { path: node.path, depth: Number(said.depth), reason: said.reason });
}

async function exclude(node, act) {
  const said = await ask(tr("Leave a column out from node {n} on", { n: node.node }), [tr("What is grown or chosen at this node and below will not ask for it.")],
    [field(tr("Column"), choice(columns().map((name) => [name, name]), now.column ?? "", () => {}, { name: "column" })), reason()], tr("Leave out"));
  if (said) act("exclude", { path: node.path, columns: [said.column], reason: said.reason });
}

async function merge(node, act) {
  const options = node.branches.map((one) => [one.path, one.words]);
  const said = await ask(tr("Join two branches of node {n}", { n: node.node }), [tr("They become one leaf.")],
    [field(tr("This branch"), choice(options, options[0][0], () => {}, { name: "a" })), field(tr("and this one"), choice(options, options[1][0], () => {}, { name: "b" })), reason()], tr("Join"));
  if (said) act("merge", { path: said.a, with: said.b, reason: said.reason });
}

async function note(node, act) {
  const said = await ask(tr("Note at node {n}", { n: node.node }), [tr("It is kept in the log, and stands in the report. An empty text takes it away.")],
    [text(tr("Note"), { value: node.note ?? "" })], tr("Write"));
  if (said) act("note", { path: node.path, text: said.text });
}

async function order(node, act) {
  const own = tr("Its rows say: {answer}.", { answer: node.rows_say });
  const answers = node.labels
    ? choice(node.labels.map((label, k) => [k, label]), 0, () => {}, { name: "answer" })
    : el("input", { name: "answer", type: "number", step: "any", required: true });
  const said = await ask(tr("Answer by order at node {n}", { n: node.node }), [own, tr("Whoever comes here gets this answer, whatever the rows say. It is marked wherever the tree is shown.")],
    [field(tr("Answer"), answers), text(tr("Reason"), { name: "reason", needed: true })], tr("Order it"));
  if (said) act("answer", { path: node.path, answer: node.labels ? node.labels[Number(said.answer)] : Number(said.answer), reason: said.reason });
}

export function buttons(node, act) {
  const { path } = node;
  const inner = !node.leaf;
  const plain = [
    [tr("Best split"), () => act("best", { path }), true],
    [tr("Grow below…"), () => grow(node, act), true],
    [tr("Best subtree…"), () => optimal(node, act), Boolean(node.labels)],
    [tr("Prune"), () => act("prune", { path }), inner],
    [tr("Regrow…"), () => regrow(node, act), inner],
    [tr("Join branches…"), () => merge(node, act), inner && node.branches.length > 2],
    [tr("Answer by order…"), () => order(node, act), node.leaf],
    [tr("Take the order back"), () => act("answer", { path, answer: null }), Boolean(node.order)],
    [node.locked ? tr("Unlock") : tr("Lock"), () => act(node.locked ? "unlock" : "lock", { path }), true],
    [tr("Note…"), () => note(node, act), true],
    [tr("Leave a column out…"), () => exclude(node, act), true],
  ];
  return el("div", { class: "acts", role: "group", "aria-label": tr("What can be done here") },
    plain.filter(([, , shown]) => shown).map(([words, does]) => button(words, does, { id: `do-${words}` })));
}
