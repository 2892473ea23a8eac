// What charts over releases have in common: their axes, and how the lines that they show are told apart.

import { COLOURS } from "./ratios.js";

/** Releases in their order, and ratios to something. */
export function axes(releases, library, to) {
  return {
    x: {
      field: "version", type: "ordinal", sort: releases, title: `${library} release`,
      scale: { domain: releases }, axis: { labelAngle: releases.length > 7 ? -45 : 0 },
    },
    y: {
      field: "ratio", type: "quantitative", title: `relative to ${to} (less is better)`,
      scale: { type: "log", nice: false, padding: 14 }, axis: { format: "~g", tickCount: 6 },
    },
  };
}

/** A chart over releases with these at the dates on which they were published. */
export const byDate = (spec, dates) => ({
  ...spec,
  layer: spec.layer.map(({ data, encoding: { xOffset, ...encoding }, ...layer }) => (!encoding.x ? { ...layer, data, encoding } : {
    ...layer,
    data: { values: data.values.map((each) => ({ ...each, date: dates[each.version] })) },
    encoding: { ...encoding, x: { field: "date", type: "temporal", title: "published" } },
  })),
});

/** What differs in a field has a colour and a place beside the others. */
export function toldApart(field, names, legend) {
  return {
    color: { field, type: "nominal", title: null, legend, scale: { domain: names, scheme: "tableau10" } },
    xOffset: { field, type: "nominal", scale: { domain: names, paddingOuter: names.length < 4 ? 2 : 1 } },
  };
}

/** The level of what the others are relative to. */
export const baseline = (y) => ({ data: { values: [{ ratio: 1 }] }, mark: { type: "rule", strokeDash: [2, 3], color: COLOURS.none }, encoding: { y } });

/** The interval of every release. */
export const intervals = (values, { y, ...encoding }) => ({
  data: { values }, mark: { type: "rule", size: 1.5 }, encoding: { ...encoding, y: { ...y, field: "low" }, y2: { field: "high" } },
});

/** The ratio of every release. */
export const points = (values, encoding, tooltip) => ({
  data: { values }, mark: { type: "point", filled: true, size: 60, opacity: 1 }, encoding: { ...encoding, tooltip },
});

/** Layers without those that have nothing to draw. */
export const filled = (layers) => layers.filter((layer) => layer.data.values.length);
