// Acts on the draft: each names the version it was made on; a stale one is refused with what happened.
import { get, post, Refused } from "./api.js";
import { ask, fault, sayChange, sheet, text } from "./dialogs.js";
import { at, button, el } from "./dom.js";
import { nearest, now, tell } from "./state.js";

let busy = false;

function working(on) {
  busy = on;
  at("main").setAttribute("aria-busy", String(on));
}

export async function refresh() {
  now.view = await get("/api/view", { max_nodes: 100, keep: now.keep.length > 0 ? now.keep.map((path) => path || "-").join(",") : null });
  now.path = nearest(now.path);
  tell("view", now.view);
}

// What others did since: the person sees it, and decides anew.
async function stale(since) {
  await refresh();
  sheet(tr("The draft changed meanwhile"),
    el("p", {}, tr("Your act was not done, because it was made on an older state. Since then, in another tab:")),
    el("ol", { class: "log" }, since.map((entry) => el("li", {}, entry.words, entry.who ? el("small", {}, ` ${entry.who}`) : null))),
    el("p", { class: "row" }, button(tr("See the tree as it is now"), ({ target }) => target.closest("dialog").close(), { class: "main" })));
}

const why = (said) => ask(tr("Say why"), [said, tr("The reason stands in the log and in the report.")],
  [text(tr("Reason"), { name: "reason", needed: true })]);

// Do something to the draft. Resolves to what changed, or null if nothing did.
export async function act(verb, given = {}) {
  if (busy) return null;
  working(true);
  try {
    const done = await post("/api/act", { version: now.view.version, verb, ...given });
    await refresh();
    if (done.change) sayChange(done.change);
    return done;
  } catch (error) {
    if (!(error instanceof Refused)) fault(error);
    else if (error.answer.stale) await stale(error.answer.since ?? []);
    else if (error.answer.needs_reason) {
      working(false);
      const said = await why(error.answer.error);
      return said ? await act(verb, { ...given, reason: said.reason }) : null;
    } else fault(error);
    return null;
  } finally {
    working(false);
  }
}

// Ask for the reason first, where it is known that one is needed.
export async function actFor(verb, given, { needed, said }) {
  if (!needed) return act(verb, given);
  const reason = await why(said);
  return reason ? act(verb, { ...given, reason: reason.reason }) : null;
}

// Something else that the server writes into the log, such as a look at validation rows.
export async function look(path, given) {
  if (busy) return null;
  working(true);
  try {
    const said = await post(path, { version: now.view.version, ...given });
    await refresh();
    return said;
  } catch (error) {
    if (error instanceof Refused && error.answer.stale) await stale(error.answer.since ?? []);
    else fault(error);
    return null;
  } finally {
    working(false);
  }
}
