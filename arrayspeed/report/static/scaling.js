// How much more cores bring: the speed-up of each backend over one core, with its interval, kernel by kernel.

import { axis, chart, colours } from "./chart.js";
import { choice, count, el, human, load, nothing, page, present, range, SECONDS, table, times, waysSaid } from "./common.js";

/** What measures it. */
const COMMAND = "arrayspeed scaling";

page(async (redraw) => {
  const [meta, all] = await Promise.all([load("meta"), load("scaling")]);
  const machines = Object.keys(all);
  const machine = choice("machine", "machine", machines, redraw);
  if (!machine) return nothing(COMMAND);
  const dtype = choice("dtype", "precision", present(all[machine], "dtype", ["float64", "float32"]), redraw);
  const here = all[machine].filter((one) => one.dtype === dtype);
  const kernels = present(here, "kernel", Object.keys(meta.kernels));
  const kernel = choice("kernel", "kernel", kernels, redraw);
  const shown = here.filter((one) => one.kernel === kernel);
  const order = (one) => Object.keys(meta.backends).indexOf(one.backend);
  const sorted = [...here].sort((a, b) => kernels.indexOf(a.kernel) - kernels.indexOf(b.kernel) || a.size - b.size || order(a) - order(b));
  return [
    el("p", {}, `${count(present(here, "kernel").length)} kernels by backend. Processes on each number of cores took turns; libraries start as many threads as they see cores.`),
    lines(meta, shown, kernel),
    numbers(sorted),
    el("p", { class: "note" }, "A speed-up is the time on the fewest cores over that on more, with its 95 % interval. "
      + "Unclear: it may be more than 5 % faster or slower, and may not."),
    waysSaid(meta, kernels),
  ];
});

/** A case's name: sizes are told apart where a kernel has several. */
function title(one, several) {
  return several ? `${one.backend}, ${count(one.size)}` : one.backend;
}

/** Time against cores, a line for each backend. */
function lines(meta, shown, kernel) {
  const several = new Set(shown.map((one) => one.size)).size > 1;
  const values = shown.flatMap((one) => one.cores.filter((each) => each.seconds > 0).map((each) => ({
    name: title(one, several), backend: one.backend, size: one.size, cores: each.cores, seconds: each.seconds,
    speedup: each.speedup ? `${times(each.speedup[0])} (${range(each.speedup)})` : "",
  })));
  if (!values.length) return el("p", { class: "error" }, `${kernel} works on no backend.`);
  const names = Object.keys(meta.backends).filter((name) => values.some((one) => one.backend === name));
  const spec = {
    height: 360,
    data: { values },
    mark: { type: "line", point: { size: 60 } },
    encoding: {
      x: { field: "cores", type: "quantitative", title: "cores", scale: { type: "log", base: 2, nice: false }, axis: { values: [...new Set(values.map((one) => one.cores))], format: "d" } },
      y: { field: "seconds", type: "quantitative", title: "time of a call", scale: { type: "log" }, axis: axis(SECONDS) },
      color: { field: "backend", type: "nominal", scale: colours(meta, names), title: "backend" },
      detail: { field: "name" },
      tooltip: [{ field: "name" }, { field: "cores" }, { field: "seconds", format: ".3~s" }, { field: "speedup", title: "speed-up" }],
    },
  };
  return chart(spec, `Time of ${kernel} against cores, by backend; the table below has the numbers`);
}

/** All kernels: a row for each backend, a column for each number of cores. */
function numbers(cases) {
  const cores = [...new Set(cases.flatMap((one) => one.cores.map((each) => each.cores)))].sort((a, b) => a - b);
  const cell = (one, number) => {
    const each = one.cores.find((other) => other.cores === number);
    if (!each) return "";
    if (!(each.seconds > 0)) return el("span", { title: each.why }, "fails");
    const speed = each.speedup ? el("small", {}, ` ${times(each.speedup[0])} (${range(each.speedup)}), ${each.word}`) : null;
    return [human(each.seconds, SECONDS), speed];
  };
  return table("Time of a call and speed-up on each number of cores", [
    { title: "backend and kernel" }, ...cores.map((number) => ({ title: number === 1 ? "1 core" : `${number} cores` })),
  ], cases.map((one) => [[one.backend, el("small", {}, ` ${one.kernel} ${count(one.size)}`)], ...cores.map((number) => cell(one, number))]));
}
