// The articles' claims, and what became of them here: the direction and the size of each apart.

import { choice, el, load, nothing, page, prose, table } from "./common.js";

const STYLES = { holds: "good", "does not hold": "bad", "not shown": "open", "not measured": "open" };

page(async (redraw) => {
  const all = await load("claims");
  const machine = choice("machine", "machine", Object.keys(all), redraw);
  if (!machine) return nothing("arrayspeed run --selection articles");
  const { claims, counts, articles } = all[machine];
  const numbers = Object.keys(articles).sort();
  const article = choice("article", "article", ["all", ...numbers.map((number) => ({ value: number, title: articles[number].title }))], redraw);
  const verdict = choice("verdict", "verdict", ["all", ...Object.keys(counts)], redraw);
  const shown = claims.filter((one) => (article === "all" || one.article === article) && (verdict === "all" || one.verdict === verdict));
  return [
    el("p", {}, Object.entries(counts).map(([word, number]) => `${word}: ${number}`).join("; "), "."),
    el("p", { class: "note" }, "Holds, by less or by more: as the article says, but with a smaller or larger effect: the ratio is shown to differ by more than a factor of 2 from the one reported. "
      + "Does not hold: the opposite is shown. Not shown: neither is. Intervals are 95 % intervals."),
    ...numbers.map((number) => section(number, articles[number], shown.filter((one) => one.article === number))),
    shown.length ? null : el("p", { class: "note" }, "No claim has this verdict."),
  ];
});

function section(number, article, claims) {
  if (!claims.length) return null;
  return [
    el("h2", {}, article.title),
    table(`Article ${number}, measured on ${article.measured_on}: ${claims.length} claims`, [
      { title: "claim", text: true }, { title: "verdict", text: true }, { title: "reported", text: true }, { title: "measured here", text: true },
    ], claims.map((one) => [el("span", { title: one.rule }, one.claim), verdictOf(one), one.reported, measuredHere(one)]), { class: "claims" }),
  ];
}

/** What was measured, and the reason where a claim does not hold. */
function measuredHere(one) {
  return one.why ? [one.measured, el("p", { class: "note" }, prose(one.why))] : one.measured;
}

/** The verdict, and beside "not shown" which part was. */
function verdictOf(one) {
  const style = STYLES[one.verdict] ?? "good";
  const parts = one.verdict === "not shown" && one.size !== null ? el("small", {}, `direction ${one.direction}; size ${one.size}`) : null;
  return [el("span", { class: style }, one.verdict), parts];
}
