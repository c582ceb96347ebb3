// Asking the server. Every failure is told in words: what it refused, or that it does not answer.
import { at, button } from "./dom.js";

export class Refused extends Error {
  constructor(status, answer) {
    super([answer.error, answer.hint].filter(Boolean).join(" ") || tr("The workbench refused this."));
    Object.assign(this, { status, answer });
  }
}

export class Silent extends Error {
  constructor() {
    super(tr("The workbench does not answer."));
  }
}

const WAIT = 2000; // between two tries to reach a server that is gone
let back = () => {}; // what is done when it answers again
export const whenBack = (does) => { back = does; };

let trying = 0;
function gone() {
  const band = at("gone");
  if (!band.hidden) return;
  band.replaceChildren(
    tr("The workbench does not answer. What was done is saved: start it again with the same command, and this page goes on."),
    button(tr("Try again"), () => again()));
  band.hidden = false;
  clearInterval(trying);
  trying = setInterval(again, WAIT);
}

async function again() {
  const answer = await fetch("/api/desk").catch(() => null);
  if (!answer) return;
  clearInterval(trying);
  if (answer.status === 403) {
    at("gone").replaceChildren(tr("The workbench was started anew, with a new address: open the one that it printed."));
    return;
  }
  at("gone").hidden = true;
  back();
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    gone();
    throw new Silent();
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, said);
  return said;
}

export function get(path, query = {}, options = {}) {
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== undefined));
  return ask(asked.size > 0 ? `${path}?${asked}` : path, options);
}

export const post = (path, body, options = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json", "X-Bosco": "1" }, body: JSON.stringify(body), ...options });

// Many questions while something is dragged: one at a time, and the last one always.
export function latest(asks, tells, fails) {
  let busy = false;
  let next = null;
  return async function run(...given) {
    next = given;
    if (busy) return;
    busy = true;
    while (next) {
      const now = next;
      next = null;
      try {
        const said = await asks(...now);
        if (!next) tells(said, ...now);
      } catch (error) {
        if (!next) fails(error);
      }
    }
    busy = false;
  };
}
