// What the page knows: the view of the draft, the node that is selected, and who wants to hear of it.
const hearing = new Map();

export const now = { view: null, path: "", column: null, keep: [] };

export function hear(what, does) {
  hearing.set(what, [...(hearing.get(what) ?? []), does]);
}

export function tell(what, value) {
  for (const does of hearing.get(what) ?? []) does(value);
}

export const nodeAt = (path) => now.view?.tree.nodes.find((node) => node.path === path);

// The node itself, or the nearest above it that is there.
export function nearest(path) {
  let found = path;
  while (found && !nodeAt(found)) found = found.split(".").slice(0, -1).join(".");
  return found;
}

export function select(path, { column = null, ...how } = {}) {
  Object.assign(now, { path, column });
  tell("select", how);
}

export const columns = () => (now.view?.fields ?? []).map((one) => one.name);
export const colors = () => now.view?.tree.colors ?? [];
