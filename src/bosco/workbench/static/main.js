// The beginning: which stage the desk is in, the menu, the language, and other tabs.
import { refresh } from "./acts.js";
import { get, post, whenBack } from "./api.js";
import { followCase } from "./case.js";
import { fault, say } from "./dialogs.js";
import { at, button, choice, fill } from "./dom.js";
import "./figures.js";
import { keysButton } from "./keys.js";
import { learn } from "./learn.js";
import { showLog } from "./log.js";
import "./node.js";
import { open } from "./opening.js";
import { showOut } from "./out.js";
import { hear, now, select } from "./state.js";
import "./treeview.js";

const SEEN = 5000; // how often a page that is looked at asks whether another tab did something
const NAMES = { en: "English", it: "Italiano" };

function menu() {
  fill(at("menu"),
    button(tr("Follow a case"), followCase),
    button(tr("Learn"), learn, { id: "learn" }),
    keysButton(),
    button(tr("Log"), showLog, { id: "log" }),
    button(tr("Take out"), showOut, { id: "out", class: "main" }));
}

async function bench() {
  at("opening").hidden = true;
  at("bench").hidden = false;
  menu();
  await refresh();
  select(now.path);
}

async function begin() {
  const desk = await get("/api/desk");
  now.desk = desk;
  at("title").textContent = desk.title;
  const speak = async (lang) => {
    await post("/api/lang", { lang });
    location.reload();
  };
  at("language").replaceWith(choice((desk.languages ?? ["en", "it"]).map((code) => [code, NAMES[code]]), document.documentElement.lang, speak, { id: "language" }));
  if (desk.stage === "opening") await open(() => begin().catch(fault));
  else await bench();
}

// Another tab, or a program, may have changed the draft.
async function glance() {
  if (document.hidden || !now.view) return;
  const desk = await get("/api/desk").catch(() => null);
  if (!desk || desk.version === now.view.version || at("main").getAttribute("aria-busy") === "true") return;
  await refresh().catch(fault);
  say(tr("Another tab changed the draft: this is how it is now."));
}
addEventListener("focus", glance);
setInterval(glance, SEEN);

hear("view", (view) => {
  at("headline").textContent = view.headline;
  at("bench").dataset.entry = view.log.at(-1).entry;
});
whenBack(() => (now.view ? refresh() : begin()).catch(fault));
begin().catch(fault);
