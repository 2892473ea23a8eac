// One library over its releases: lines, and the steps in them, the largest first.

import { chart } from "./chart.js";
import { choice, count, el, human, load, nothing, page, present, table, times } from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const machines = meta.machines.map((one, number) => ({ ...one, number })).filter((one) => one.libraries.length);
  if (!machines.length) return nothing("arrayspeed run --selection versions");
  const machine = choice("machine", "machine", machines.map((one) => ({ value: one.number, title: one.name })), redraw);
  const libraries = machines.find((one) => String(one.number) === machine).libraries;
  const library = choice("library", "library", libraries, redraw);
  const all = await load(`library-${machine}-${library}`);
  const measure = choice("measure", "measure", present(all, "measure", Object.keys(meta.measures))
    .map((name) => ({ value: name, title: meta.measures[name] ?? name })), redraw);
  const ofMeasure = all.filter((one) => one.measure === measure);
  const backend = choice("backend", "backend", present(ofMeasure, "backend", Object.keys(meta.backends)), redraw);
  const label = choice("size", "size", ["large", "small", "all"], redraw);
  const series = ofMeasure.filter((one) => one.backend === backend
    && (label === "all" || one.size === null || one.size === meta.kernels[one.kernel]?.[label] || measure !== "time_call"));
  if (!series.length) return nothing(`arrayspeed run --selection versions --library ${library}`);
  const releases = [...new Map(series.flatMap((one) => one.points.map((point) => [point.version, true]))).keys()];
  return [
    lines(series, releases, library, measure, meta),
    numbers(series, releases, measure),
    steps(all, meta),
  ];
});

function title(one) {
  return one.size === null ? one.kernel : `${one.kernel} ${count(one.size)}`;
}

/** What each release changed, in every measure and backend: the newest release first, and its largest change. */
function steps(all, meta) {
  const found = all.flatMap((one) => one.steps.map((step) => ({ one, step, ratio: step.after / step.before })));
  const heading = el("h2", {}, "What each release changed");
  if (!found.length) return [heading, el("p", {}, "No steps: nothing changed by a tenth or more, beyond the noise.")];
  const releases = [...new Set(all.flatMap((one) => one.points.map((point) => point.version)))];
  const order = (one) => releases.indexOf(one.step.version);
  found.sort((a, b) => order(b) - order(a) || Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
  return [heading, table(`${found.length} steps of a tenth or more, and of three standard deviations between processes: ▲ is slower, larger or less accurate`, [
    { title: "release" }, { title: "measure", text: true }, { title: "kernel", text: true }, { title: "backend", text: true },
    { title: "change" }, { title: "from" }, { title: "to" },
  ], found.map(({ one, step, ratio }) => [step.version, meta.measures[one.measure] ?? one.measure, title(one), one.backend,
    el("span", { class: ratio > 1 ? "bad" : "good" }, `${ratio > 1 ? "▲" : "▼"} ${times(ratio)}`),
    human(step.before, one.measure, 2), human(step.after, one.measure, 2)]))];
}

function lines(series, releases, library, measure, meta) {
  const values = series.flatMap((one) => {
    const first = one.points.find((point) => point.value > 0);
    const changed = new Map(one.steps.map((step) => [step.version, step.after > step.before ? "▲" : "▼"]));
    return one.points.filter((point) => point.value > 0).map((point) => ({
      kernel: title(one), version: point.version, ratio: point.value / first.value, text: human(point.value, measure, 2),
      mark: changed.get(point.version) ?? "",
    }));
  });
  if (!values.length || releases.length < 2) return null;
  const spec = {
    height: 340,
    data: { values },
    encoding: {
      x: { field: "version", type: "ordinal", sort: releases, title: `${library} release`, axis: { labelAngle: 0 } },
      y: { field: "ratio", type: "quantitative", scale: { type: "log", nice: false, padding: 12 }, title: "relative to the first release (less is better)" },
      color: { field: "kernel", type: "nominal", title: "kernel", scale: { scheme: "tableau20" } },
    },
    layer: [
      { mark: { type: "line", point: true }, encoding: { tooltip: [{ field: "kernel" }, { field: "version" }, { field: "text", title: meta.measures[measure] }] } },
      { transform: [{ filter: "datum.mark !== ''" }], mark: { type: "text", fontSize: 16, dy: -10 }, encoding: { text: { field: "mark" } } },
    ],
  };
  return chart(spec, `${meta.measures[measure]} of each kernel over ${releases.length} releases of ${library}; the table below has the numbers`);
}

function numbers(series, releases, measure) {
  return table("Every release", [{ title: "kernel" }, ...releases.map((name) => ({ title: name }))], series.map((one) => {
    const changed = new Map(one.steps.map((step) => [step.version, step.after / step.before]));
    return [title(one), ...releases.map((version) => {
      const point = one.points.find((each) => each.version === version);
      if (!point) return el("span", { class: "none" }, "n/a");
      if (point.value === null) return el("span", { class: "none" }, "failed");
      const ratio = changed.get(version);
      return el("span", { class: ratio && (ratio > 1 ? "bad" : "good") }, `${ratio ? (ratio > 1 ? "▲ " : "▼ ") : ""}${human(point.value, measure, 2)}`);
    })];
  }));
}
