// Numbers for people: four digits after the point, as in the tables of a report; text stays as it came.
export function show(value) {
  if (typeof value !== "number") return value ?? "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "–";
  return Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(4);
}
export const percent = (value) => (typeof value === "number" ? `${(100 * value).toFixed(1)} %` : "–");
