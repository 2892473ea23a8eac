// First call against steady state, and after how many calls compiling has paid for itself.

import { axis, chart, colours } from "./chart.js";
import { choice, count, el, environments, human, link, load, nothing, page, present, rows, table, times, versions } from "./common.js";

/** The eager form of each compiled backend; NumPy is that of Numba. */
const EAGER = { "jax-jit": "jax", "torch-compile": "torch", "tensorflow-xla": "tensorflow", numba: "numpy" };

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const all = await rows(environment);
  const first = all.filter((row) => row.measure === "track_first_call" && row.value > 0);
  if (!first.length) return nothing("arrayspeed run --measure track_first_call --size small");
  const dtype = choice("dtype", "precision", present(first, "dtype", ["float64", "float32"]), redraw);
  const device = choice("device", "device", present(first, "device", meta.devices), redraw);
  const backend = choice("backend", "compiled backend", Object.keys(EAGER).filter((name) => first.some((row) => row.backend === name)), redraw);
  const kernels = present(first, "kernel", Object.keys(meta.kernels));
  const kernel = choice("kernel", "kernel", kernels, redraw);
  const value = (measure, name, of, size) => all.find((row) => row.measure === measure && row.backend === name && row.kernel === of
    && row.size === size && row.dtype === dtype && row.device === device)?.value ?? null;
  const eager = EAGER[backend];
  const lines = first.filter((row) => row.backend === backend && row.dtype === dtype && row.device === device)
    .map((row) => {
      const steady = value("time_call", backend, row.kernel, row.size);
      const other = value("time_call", eager, row.kernel, row.size);
      const otherFirst = value("track_first_call", eager, row.kernel, row.size) ?? other;
      return [
        el("a", { href: link("backends.html", { machine: environment.machine, environment: environment.number, kernel: row.kernel, dtype, device }) }, `${row.kernel} ${count(row.size)}`),
        human(row.value, "time_call", 2), human(steady, "time_call", 2), steady ? times(row.value / steady) : "n/a", human(other, "time_call", 2),
        paid(row.value, steady, otherFirst, other, eager),
      ];
    });
  if (!lines.length) return nothing(`arrayspeed run --measure track_first_call --backend ${backend}`);
  const curves = Object.keys(meta.backends).flatMap((name) => {
    const size = meta.kernels[kernel]?.small;
    const [start, each] = [value("track_first_call", name, kernel, size), value("time_call", name, kernel, size)];
    return start && each ? CALLS.map((calls) => ({ backend: name, calls, total: start + (calls - 1) * each, text: human(start + (calls - 1) * each, "time_call", 2) })) : [];
  });
  return [
    totals(meta, kernel, curves),
    el("h2", {}, "When compiling pays"),
    el("p", {}, `${backend} against ${eager}. ${versions(environment)}.`),
    table(`First call and steady state of ${backend}, ${dtype} on the ${device}`, [
      { title: "kernel" }, { title: "first call" }, { title: "each call after" }, { title: "first / after" }, { title: `${eager}, each call` },
      { title: "compiling has paid after", text: true },
    ], lines),
    el("p", { class: "note" }, "The first call traces, compiles and runs, with all imports done and no cache on disk. It is paid again for every shape and dtype."),
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
      y: { field: "total", type: "quantitative", scale: { type: "log" }, title: "time of all calls, the first included", axis: axis("time_call") },
      color: { field: "backend", type: "nominal", scale: colours(meta, names), title: "backend" },
      tooltip: [{ field: "backend" }, { field: "calls", format: ",.0f" }, { field: "text", title: "time of all calls" }],
    },
  };
  const last = values.filter((row) => row.calls === CALLS.at(-1)).sort((a, b) => a.total - b.total);
  return chart(spec, `Time of all calls of ${kernel} against their number; after ${count(CALLS.at(-1))}: ${last.map((row) => `${row.backend} ${row.text}`).join(", ")}`);
}

/** After how many calls the compiled form has taken less time in all. */
function paid(first, steady, otherFirst, other, eager) {
  if (steady === null || other === null) return "n/a";
  if (steady >= other) return el("span", { class: "bad" }, `never: ${eager} is as fast`);
  const calls = 1 + (first - otherFirst) / (other - steady);
  return calls <= 1 ? el("span", { class: "good" }, "the first call") : `${count(Math.ceil(calls))} calls`;
}
