// How close each kernel comes to what the machine can do: a roofline of its own measured peaks.

import { chart, colours } from "./chart.js";
import { choice, count, el, environments, human, link, load, nothing, page, present, rows, significant, table, versions } from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const every = (await rows(environment)).filter((row) => row.value > 0 && meta.kernels[row.kernel]);
  const all = every.filter((row) => row.measure === "time_call");
  const dtype = choice("dtype", "precision", present(all, "dtype", ["float64", "float32"]), redraw);
  const device = choice("device", "device", present(all, "device", meta.devices), redraw);
  const label = choice("size", "size", ["large", "small"], redraw);
  const found = all.filter((row) => row.dtype === dtype && row.device === device).map((row) => work(meta, row, dtype));
  const compute = peak(found.filter((one) => one.kernel === "matmul"), "flops");
  const memory = peak(found.filter((one) => one.kernel === "add" && one.bytesMoved > CACHE), "bytes") ?? peak(found.filter((one) => one.kernel === "add"), "bytes");
  if (!compute || !memory) return nothing("arrayspeed run --kernel matmul --kernel add --measure time_call");
  const shown = found.filter((one) => one.size === meta.kernels[one.kernel][label]);
  return [
    el("p", {}, `The machine's peaks, as this suite measured them: ${rate(compute.flops)}FLOP/s in a matrix product (${compute.backend}, size ${count(compute.size)}), `
      + `${rate(memory.bytes)}B/s in adding arrays (${memory.backend}, size ${count(memory.size)}). ${versions(environment)}.`),
    roofline(meta, shown, compute.flops, memory.bytes),
    el("p", { class: "note" }, "Each point is a kernel on a backend; the line is the most that memory (left) and arithmetic (right) allow. "
      + "Counts are the least that the kernel needs, so a point above the line used a cache, or did less than was counted."),
    numbers(meta, shown, compute.flops, memory.bytes, { machine: environment.machine, environment: environment.number, dtype, device }),
    ...onDevice(meta, every.filter((row) => row.dtype === dtype && row.device === device)),
  ];
});

/** What a device does apart from its host: tables that only a device with a memory and a clock of its own has. */
function onDevice(meta, list) {
  const pairs = (first, second) => list.filter((row) => row.measure === first).map((row) => [row,
    list.find((other) => other.measure === second && ["kernel", "backend", "size"].every((key) => other[key] === row[key]))]);
  const launches = pairs("track_device_time", "time_call").filter(([, call]) => call);
  const ways = pairs("track_to_device", "track_from_device").filter(([to, from]) => from && to.kernel === STREAM);
  return [
    launches.length ? table("Launch and work: a call as the host sees it, and the device's own time of it", [
      { title: "kernel" }, { title: "backend", text: true }, { title: "call" }, { title: "on the device" }, { title: "launch and wait" },
    ], launches.map(([own, call]) => [`${own.kernel} ${count(own.size)}`, own.backend, human(call.value, "time_call", 2), human(own.value, "time_call", 2),
      `${significant(Math.max(0, 100 * (1 - own.value / call.value)), 2)} %`])) : null,
    ways.length ? table(`Transfers: the input of ${STREAM} to the device, and its result back`, [
      { title: "bytes" }, { title: "backend", text: true }, { title: "to the device" }, { title: "from the device" },
    ], ways.map(([to, from]) => [count(moved(meta, to)), to.backend, `${rate(moved(meta, to) / to.value)}B/s`, `${rate(moved(meta, to) / from.value)}B/s`])) : null,
  ];
}

/** One array in and one of the same size out: half of its bytes go each way. */
const STREAM = "sine";

function moved(meta, row) {
  return ((row.dtype === "float64" ? meta.kernels[row.kernel].bytes : meta.kernels[row.kernel].bytes32)[row.size] ?? 0) / 2;
}

/** Bytes that no cache of this size class holds: below, adding arrays measures a cache. */
const CACHE = 200e6;

function work(meta, row, dtype) {
  const kernel = meta.kernels[row.kernel];
  const flops = kernel.flops[row.size] ?? 0;
  const bytesMoved = (dtype === "float64" ? kernel.bytes : kernel.bytes32)[row.size] ?? 0;
  return { ...row, bytesMoved, intensity: flops / bytesMoved, flops: flops / row.value, bytes: bytesMoved / row.value };
}

function peak(list, quantity) {
  return list.reduce((best, one) => (!best || one[quantity] > best[quantity] ? one : best), null);
}

/** 12 G, 3.4 M: a rate in its SI prefix. */
function rate(value) {
  const [factor, prefix] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([size]) => value >= size) ?? [1, ""];
  return `${significant(value / factor, 2)} ${prefix}`;
}

function roofline(meta, shown, flops, bytes) {
  const points = shown.filter((one) => one.flops > 0).map((one) => ({
    backend: one.backend, kernel: one.kernel, size: one.size, intensity: one.intensity, gflops: one.flops / 1e9,
    share: `${Math.round((100 * one.flops) / Math.min(flops, one.intensity * bytes))} %`,
  }));
  if (!points.length) return null;
  const low = Math.min(...points.map((one) => one.intensity)) / 2;
  const high = Math.max(...points.map((one) => one.intensity), flops / bytes) * 2;
  const roof = [low, flops / bytes, high].map((intensity) => ({ intensity, gflops: Math.min(flops, intensity * bytes) / 1e9 }));
  const names = Object.keys(meta.backends).filter((name) => points.some((one) => one.backend === name));
  const x = { field: "intensity", type: "quantitative", scale: { type: "log", nice: false }, title: "arithmetic intensity (floating-point operations per byte)", axis: { format: "~g" } };
  const y = { field: "gflops", type: "quantitative", scale: { type: "log" }, title: "GFLOP/s", axis: { format: "~g" } };
  const spec = {
    height: 400,
    layer: [
      { data: { values: roof }, mark: { type: "line", strokeWidth: 2, color: "#888888" }, encoding: { x, y } },
      {
        data: { values: points },
        mark: { type: "point", filled: true, size: 70, opacity: 0.9 },
        encoding: {
          x, y,
          color: { field: "backend", type: "nominal", scale: colours(meta, names), title: "backend" },
          tooltip: [{ field: "kernel" }, { field: "size", format: "," }, { field: "backend" }, { field: "gflops", title: "GFLOP/s", format: ".3~g" }, { field: "share", title: "of the limit" }],
        },
      },
    ],
  };
  return chart(spec, "Achieved GFLOP/s against arithmetic intensity, below the machine's measured roof; the table below has the numbers");
}

function numbers(meta, shown, flops, bytes, state) {
  const kernels = present(shown, "kernel", Object.keys(meta.kernels));
  const lines = kernels.map((kernel) => {
    const best = shown.filter((one) => one.kernel === kernel).reduce((a, b) => (b.value < a.value ? b : a));
    const limit = best.flops > 0 ? Math.min(flops, best.intensity * bytes) : null;
    return [
      el("a", { href: link("backends.html", { ...state, kernel }) }, `${kernel} ${count(best.size)}`), best.backend, human(best.value, "time_call", 2),
      best.flops > 0 ? `${rate(best.flops)}FLOP/s` : "n/a", best.bytes > 0 ? `${rate(best.bytes)}B/s` : "n/a",
      limit ? `${significant((100 * best.flops) / limit, 2)} %` : `${significant((100 * best.bytes) / bytes, 2)} %`,
      limit && best.intensity * bytes >= flops ? "arithmetic" : "memory",
    ];
  });
  return table("The best backend of each kernel", [
    { title: "kernel" }, { title: "backend", text: true }, { title: "time" }, { title: "achieved" }, { title: "bytes moved" }, { title: "of the limit" }, { title: "limited by", text: true },
  ], lines);
}
