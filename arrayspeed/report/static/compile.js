// First call against steady state, and after how many calls compiling has paid for itself.

import { axis, chart, colours } from "./chart.js";
import { choice, count, decisions, el, environments, human, link, load, nothing, otherWay, outdated, page, present, range, rows, SECONDS, table, times, versions, waysSaid } from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const all = await rows(meta, environment);
  const { compiling } = await decisions(environment);
  if (!compiling.length) return nothing(`arrayspeed run --measure ${meta.first_call} --size small`);
  const dtype = choice("dtype", "precision", present(compiling, "dtype", ["float64", "float32"]), redraw);
  const device = choice("device", "device", present(compiling, "device", meta.devices), redraw);
  const backend = choice("backend", "compiled backend", present(compiling, "backend", Object.keys(meta.backends)), redraw);
  const kernels = present(compiling, "kernel", Object.keys(meta.kernels));
  const kernel = choice("kernel", "kernel", kernels, redraw);
  const value = (measure, name, of, size) => all.find((row) => row.measure === measure && row.backend === name && row.kernel === of
    && row.size === size && row.dtype === dtype && row.device === device)?.value ?? null;
  const found = compiling.filter((one) => one.backend === backend && one.dtype === dtype && one.device === device);
  if (!found.length) return nothing(`arrayspeed run --measure ${meta.first_call} --backend ${backend}`);
  const { eager } = found[0];
  const lines = found.map((one) => [
    el("a", { href: link("backends.html", { ...environment.state, kernel: one.kernel, dtype, device }) }, `${one.kernel} ${count(one.size)}`),
    human(value(meta.first_call, backend, one.kernel, one.size), SECONDS),
    human(value(meta.call, backend, one.kernel, one.size), SECONDS),
    one.over ? [times(one.over[0]), el("small", {}, range(one.over))] : "n/a",
    human(value(meta.call, eager, one.kernel, one.size), SECONDS),
    [paid(one.paid, eager), otherWay(meta, one.kernel, [backend, eager])],
  ]);
  const curves = Object.keys(meta.backends).flatMap((name) => {
    const size = meta.kernels[kernel]?.small;
    const [start, each] = [value(meta.first_call, name, kernel, size), value(meta.call, name, kernel, size)];
    return start && each ? CALLS.map((calls) => ({ backend: name, calls, total: start + (calls - 1) * each, text: human(start + (calls - 1) * each, SECONDS) })) : [];
  });
  return [
    totals(meta, kernel, curves),
    el("h2", {}, "When compiling pays off"),
    el("p", {}, `${backend} against ${eager}. ${versions(environment)}.`),
    outdated(environment),
    table(`First call and steady state of ${backend}, ${dtype} on the ${device}`, [
      { title: "kernel" }, { title: "first call" }, { title: "each call after" }, { title: "first / after" }, { title: `${eager}, each call` },
      { title: "compiling has paid off after", text: true },
    ], lines),
    waysSaid(meta, kernels),
    el("p", { class: "note" }, "The first call traces, compiles and runs, with all imports done and no cache on disk. Every shape and dtype has a first call of its own. "
      + "Intervals are 95 % intervals: after fewer calls, compiling is shown to have taken longer in total; after more, to have taken less. First calls and later ones were measured minutes apart, "
      + "and the intervals allow for a change in the machine's speed in between."),
  ];
});

const CALLS = Array.from({ length: 29 }, (_, n) => 10 ** (n / 4));

/** All that a program waits for, after so many calls. */
function totals(meta, kernel, values) {
  if (!values.length) return null;
  const names = Object.keys(meta.backends).filter((name) => values.some((row) => row.backend === name));
  const spec = {
    height: 360,
    data: { values },
    mark: { type: "line", strokeWidth: 2 },
    encoding: {
      x: { field: "calls", type: "quantitative", scale: { type: "log", nice: false }, title: "number of calls", axis: { format: "~s" } },
      y: { field: "total", type: "quantitative", scale: { type: "log" }, title: "time of all calls, the first included", axis: axis(SECONDS) },
      color: { field: "backend", type: "nominal", scale: colours(meta, names), title: "backend" },
      tooltip: [{ field: "backend" }, { field: "calls", format: ",.0f" }, { field: "text", title: "time of all calls" }],
    },
  };
  const last = values.filter((row) => row.calls === CALLS.at(-1));
  return chart(spec, `Time of all calls of ${kernel} against their number; after ${count(CALLS.at(-1))}: ${last.map((row) => `${row.backend} ${row.text}`).join(", ")}`);
}

/** Two significant digits: a number of calls is known no better. */
function about(calls) {
  return count(Number(calls.toPrecision(2)));
}

/** After how many calls the compiled form has taken less time in all, as far as that is shown. */
function paid(found, eager) {
  if (!found) return "n/a";
  const { low, high, never } = found;
  if (never) return el("span", { class: "bad" }, `never: ${eager} is shown to take less time, up to ${about(low)} calls`);
  if (high === null) return el("span", { class: "open" }, low === null ? "not shown" : `not shown; more than ${about(low)} calls`);
  if (high === 1) return el("span", { class: "good" }, "the first call");
  return low === null ? `at most ${about(high)} calls` : `${about(low)} to ${about(high)} calls`;
}
