// Words of the page's language, as `tr` and `trn` of bosco.base.language; in English there are none.
const words = JSON.parse(document.getElementById("words").textContent);
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

globalThis.tr = (english, values = {}) => filled(words[english] ?? english, values);
globalThis.trn = (one, many, n, values = {}) => {
  const forms = `${one} | ${many}`;
  const said = typeof n === "number" ? n.toLocaleString("en") : n; // 12,000, as everywhere
  return filled((words[forms] ?? forms).split(" | ")[String(n) === "1" ? 0 : 1], { n: said, ...values });
};
