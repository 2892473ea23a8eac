// How ratios between releases read, wherever they are shown.

import { count, el } from "./common.js";

/** Readable on white and on black: up is worse, down is better. */
export const COLOURS = { up: "#d06a12", down: "#3b8ae0", mean: "#8d62d6", none: "#8b98a3" };

/** Exit status -> the class of what it means. */
export const TONES = ["good", "bad", "open"];

export function title(one) {
  return one.size === null ? one.kernel : `${one.kernel} ${count(one.size)}`;
}

/** 1.02, 12.3, 1,234, 1.2e+9 */
export function number(ratio, places = 2) {
  if (ratio >= 1e6 || ratio < 1e-3) return ratio.toExponential(1);
  if (ratio >= 100) return Math.round(ratio).toLocaleString("en");
  return ratio.toFixed(Number(ratio.toFixed(places)) >= 10 ? 1 : ratio < 0.1 ? places + 1 : places);
}

/** A ratio with its interval: 1.02× (1.01–1.03), with one more decimal where it is narrow or its ends would read alike. */
export function ratioText(one) {
  if (one.ratio === null) return "";
  if (one.low === null) return `${number(one.ratio)}×`;
  const places = one.high - one.low < 0.02 * one.ratio || number(one.low) === number(one.high) ? 3 : 2;
  return `${number(one.ratio, places)}× (${number(one.low, places)}–${number(one.high, places)})`;
}

export function arrow(step) {
  return step.worse ? "▲" : "▼";
}

/** A ratio with its interval in small print. */
export function small(text) {
  const at = text.indexOf(" (");
  return at < 0 ? [text] : [text.slice(0, at), el("small", {}, text.slice(at))];
}

/** The releases of some series. A series may lack some, so each is put after those that precede it in any. */
export function inOrder(series) {
  const found = [];
  for (const one of series) {
    let place = 0;
    for (const { version } of one.points) {
      const at = found.indexOf(version);
      if (at < 0) found.splice(place, 0, version);
      place = (at < 0 ? place : at) + 1;
    }
  }
  return found;
}
