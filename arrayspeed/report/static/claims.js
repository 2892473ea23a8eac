// The articles' claims, and what became of them here.

import { choice, el, load, nothing, page, table } from "./common.js";

page(async (redraw) => {
  const all = await load("claims");
  const machine = choice("machine", "machine", Object.keys(all), redraw);
  if (!machine) return nothing("arrayspeed run --selection articles");
  const { claims, counts } = all[machine];
  const article = choice("article", "article", ["all", ...new Set(claims.map((one) => one.article))], redraw);
  const verdict = choice("verdict", "verdict", ["all", ...Object.keys(counts)], redraw);
  const shown = claims.filter((one) => (article === "all" || one.article === article) && (verdict === "all" || one.verdict === verdict));
  const style = { holds: "good", "does not hold": "bad" };
  return [
    el("p", {}, Object.entries(counts).map(([word, number]) => `${number} ${word}`).join(", "), "."),
    table(`${shown.length} claims`, [
      { title: "article" }, { title: "verdict", text: true }, { title: "claim", text: true }, { title: "reported", text: true },
      { title: "measured here", text: true },
    ], shown.map((one) => [one.article, el("span", { class: style[one.verdict] }, one.verdict), one.claim, one.reported, one.measured])),
  ];
});
