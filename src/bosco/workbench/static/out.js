// What can be taken out: the model, the report, programs, the log, and the command that does this again.
import { get, post } from "./api.js";
import { fault, sheet } from "./dialogs.js";
import { button, choice, el } from "./dom.js";
import { now } from "./state.js";

const FIRST = new Set(["model", "report", "draft", "command"]); // what most people want

// What is not installed is no link, and says what to install; of SQL one says for which database.
function link(one) {
  if (one.needs) return el("li", {}, el("span", {}, one.words), el("small", {}, one.needs));
  const a = el("a", { href: `/api/out/${one.kind}`, download: one.name }, one.words);
  const which = one.dialects && choice(one.dialects.map(({ key, words }) => [key, words]), one.dialects[0].key,
    (dialect) => { a.href = `/api/out/${one.kind}?dialect=${dialect}`; }, { id: `out-${one.kind}`, "aria-label": tr("Database") });
  return el("li", {}, a, el("small", {}, one.name), which);
}

async function command(holder) {
  const answer = await fetch("/api/out/command");
  holder.replaceChildren(el("pre", { tabindex: "0", role: "group", "aria-label": tr("The command that does this again") }, await answer.text()));
}

export async function showOut() {
  try {
    const all = await get("/api/out");
    const [first, rest] = [true, false].map((wanted) => all.filter((one) => FIRST.has(one.kind) === wanted));
    const shown = el("div", {});
    const box = sheet(tr("Take out"),
      el("ul", { class: "out" }, first.map(link)),
      button(tr("Show the command that does this again"), () => command(shown).catch(fault), { id: "show-command" }), shown,
      el("h3", {}, tr("For other programs")),
      el("ul", { class: "out" }, rest.map(link)),
      now.desk.alone ? el("p", { class: "row" }, button(tr("Close the workbench"), async () => {
        await post("/api/close", {}).catch(() => null);
        box.close();
        document.body.replaceChildren(el("main", { class: "end" }, el("h1", {}, tr("The workbench is closed")), el("p", {}, tr("All is saved. You may close this page."))));
      })) : null);
    box.classList.add("drawer");
  } catch (error) {
    fault(error);
  }
}
