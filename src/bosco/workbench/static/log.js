// The log: every act in words, the way back to every state, and the name that the next ones get.
import { act } from "./acts.js";
import { sheet } from "./dialogs.js";
import { button, el, field, fill } from "./dom.js";
import { hear, now } from "./state.js";

let holder = null;

const when = (text) => {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? text : moment.toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" });
};

function line(entry) {
  const state = now.view.history.find((one) => one.entry === entry.entry);
  return el("li", { value: entry.entry, class: state?.current ? "here" : "" },
    el("span", { class: "words" }, entry.words),
    entry.reason ? el("q", {}, entry.reason) : null,
    el("small", {}, [entry.who, when(entry.when)].filter(Boolean).join(", ")),
    state?.reachable && !state.current ? button(tr("Go back to this"), () => act("goto", { entry: entry.entry }), { class: "quiet", id: `goto-${entry.entry}`, "aria-label": tr("Go back to entry {n}", { n: entry.entry }) }) : null,
    state?.current ? el("small", { class: "mark" }, tr("the tree is in this state")) : null);
}

function show() {
  if (!holder?.isConnected) return;
  const who = el("input", { id: "who", value: now.desk?.who ?? "", on: { change: async () => {
    now.desk.who = who.value;
    await act("who", { text: who.value });
  } } });
  fill(holder,
    el("p", { class: "row" }, button(tr("Undo"), () => act("undo"), { disabled: !now.view.can.undo, id: "log-undo" }), button(tr("Redo"), () => act("redo"), { disabled: !now.view.can.redo, id: "log-redo" }),
      el("a", { href: "/api/out/log.txt", download: "" }, tr("Take the log out"))),
    field(tr("Name that the next entries have"), who),
    el("ol", { class: "log", reversed: true }, now.view.log.toReversed().map(line)));
}

export function showLog() {
  holder = el("div", {});
  sheet(tr("Log"), holder).classList.add("drawer");
  show();
}
hear("view", show);
