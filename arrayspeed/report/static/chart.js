// Charts, drawn by Vega-Lite in the colours of the page, light or dark.

import { el, ERROR, SECONDS, TIMES } from "./common.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

function theme() {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim();
  const line = style.getPropertyValue("--line").trim();
  const text = { labelColor: ink, titleColor: ink };
  return {
    background: "transparent",
    font: "system-ui, DejaVu Sans, Verdana, sans-serif",
    axis: { ...text, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12 },
    legend: { ...text, labelFontSize: 12, titleFontSize: 12, labelLimit: 240 },
    title: { color: ink, fontSize: 14, anchor: "start" },
    view: { stroke: line },
    text: { color: ink },
  };
}

/** A figure with a chart; `label` is what a screen reader says of it. */
export function chart(spec, label) {
  const place = el("figure", { class: "chart", role: "img", "aria-label": label });
  const draw = () => window.vegaEmbed(place, { width: "container", ...spec, config: theme() }, { actions: false, renderer: "svg" });
  // The width of the container is known when it is in the page.
  requestAnimationFrame(draw);
  dark.addEventListener("change", draw);
  return place;
}

/** An axis of a unit: times in the units that people read, the rest as it is. */
export function axis(unit) {
  if (unit !== SECONDS) return { format: unit === ERROR ? "~e" : "~s" };
  const cases = TIMES.map(([size, unit]) => `datum.value >= ${size * 0.999} ? format(datum.value / ${size}, '~g') + ' ${unit}' : `);
  return { labelExpr: `${cases.join("")}format(datum.value, '~g')` };
}

/** The colours of backends. */
export function colours(meta, names) {
  return { domain: names, range: names.map((name) => meta.backends[name]?.colour ?? "#888888") };
}
