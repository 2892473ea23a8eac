// How close each kernel comes to what the machine can do: a roofline of its own measured rates.

import { chart, colours } from "./chart.js";
import { choice, count, decisions, el, environments, human, link, load, nothing, otherWay, outdated, page, present, rows, SECONDS, significant, table, versions, waysSaid } from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const every = (await rows(meta, environment)).filter((row) => row.value > 0 && meta.kernels[row.kernel]);
  const all = every.filter((row) => row.measure === meta.call);
  const dtype = choice("dtype", "precision", present(all, "dtype", ["float64", "float32"]), redraw);
  const device = choice("device", "device", present(all, "device", meta.devices), redraw);
  const label = choice("size", "size", ["large", "small"], redraw);
  const { limits } = await decisions(environment);
  const here = (one) => one.dtype === dtype && one.device === device;
  const peaks = limits.peaks.find(here);
  const apart = onDevice(limits.launches.filter(here), limits.transfers.filter(here));
  if (!peaks) {
    const missing = nothing(device === meta.baseline.device ? "arrayspeed peaks" : `arrayspeed run --kernel matmul --kernel add --measure ${meta.call} --dtype ${dtype} --device ${device}`);
    missing.prepend(device === meta.baseline.device ? "Limits need what this machine can do, which has not been measured. " : "Limits of a card need a matrix product and the sum of two arrays that no cache holds. ");
    return [missing, ...apart];
  }
  const shown = all.filter((row) => here(row) && row.size === meta.kernels[row.kernel][label]).map((row) => work(meta, row, dtype));
  const best = limits.kernels.filter((one) => here(one) && one.size === meta.kernels[one.kernel][label]);
  const { arithmetic, memory } = peaks;
  return [
    el("p", {}, `The machine's rates: ${arithmetic ? `${rate(arithmetic.rate)}FLOP/s in ${arithmetic.by}, ` : ""}`
      + `${memory.map((one) => `${rate(one.rate)}B/s of ${binary(one.bytes)}`).join(", ")}. ${versions(environment)}.`),
    outdated(environment),
    arithmetic ? roofline(meta, shown, arithmetic.rate, few(memory)) : null,
    el("p", { class: "note" }, "Each point is a kernel on a backend; a line is the limit set by memory (left) and arithmetic (right), for one working set: what fits into a cache is faster. "
      + "In the table, a kernel's limit is that of its own working set. Counts are the least that the kernel needs."),
    beyond(best),
    numbers(meta, shown, best, { ...environment.state, dtype, device }),
    waysSaid(meta, present(shown, "kernel", Object.keys(meta.kernels))),
    ...apart,
  ];
});

/** What a device does apart from its host: tables that only a device with a memory and a clock of its own has. */
function onDevice(launches, transfers) {
  return [
    launches.length ? table("Launch and work: the time of a call on the host, and by the device's own clock", [
      { title: "kernel" }, { title: "backend", text: true }, { title: "call" }, { title: "on the device" }, { title: "launch and wait" },
    ], launches.map((one) => [`${one.kernel} ${count(one.size)}`, one.backend, human(one.call, SECONDS), human(one.own, SECONDS), percent(one.launch)])) : null,
    transfers.length ? table("Transfers: the input of sine to the device, and its result back", [
      { title: "bytes" }, { title: "backend", text: true }, { title: "to the device" }, { title: "from the device" },
    ], transfers.map((one) => [count(one.bytes), one.backend, `${rate(one.to)}B/s`, `${rate(one.from)}B/s`])) : null,
  ];
}

/** A share with its 95 % interval: 75 % (63–83 %). */
function percent([share, low, high]) {
  const [middle, from, to] = [share, low, high].map((one) => significant(100 * one, 2));
  return [`${middle} %`, el("small", {}, `${from}–${to} %`)];
}

function work(meta, row, dtype) {
  const kernel = meta.kernels[row.kernel];
  const flops = kernel.flops[row.size] ?? 0;
  const bytesMoved = (dtype === "float64" ? kernel.bytes : kernel.bytes32)[row.size] ?? 0;
  return { ...row, bytesMoved, intensity: flops / bytesMoved, flops: flops / row.value, bytes: bytesMoved / row.value };
}

/** 12 G, 3.4 M: a rate in its SI prefix. */
function rate(value) {
  const [factor, prefix] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([size]) => value >= size) ?? [1, ""];
  return `${significant(value / factor, 2)} ${prefix}`;
}

/** 16 KiB, 256 MiB. */
function binary(bytes) {
  const [factor, prefix] = [[2 ** 30, "Gi"], [2 ** 20, "Mi"], [2 ** 10, "Ki"]].find(([size]) => bytes >= size) ?? [1, ""];
  return `${count(bytes / factor)} ${prefix}B`;
}

/** The smallest and the largest working set, and two between. */
function few(memory) {
  const last = memory.length - 1;
  return [...new Set([0, Math.round(last / 3), Math.round((2 * last) / 3), last])].map((place) => memory[place]);
}

/** What is faster than it should be able to be: the counts are wrong there, or the rates. */
function beyond(best) {
  const names = best.filter((one) => one.beyond).map((one) => `${one.kernel} ${count(one.size)}`);
  return names.length ? el("p", { class: "note" }, `Above the limit by more than 5 %: ${names.join(", ")}. They do less work than was counted, or the rates were measured in a slower spell.`) : null;
}

function roofline(meta, shown, flops, sets) {
  const points = shown.filter((one) => one.flops > 0).map((one) => ({
    backend: one.backend, kernel: one.kernel, size: one.size, intensity: one.intensity, gflops: one.flops / 1e9,
  }));
  if (!points.length) return null;
  const low = Math.min(...points.map((one) => one.intensity)) / 2;
  const ridges = sets.map((one) => flops / one.rate);
  const high = Math.max(...points.map((one) => one.intensity), ...ridges) * 2;
  const roof = sets.flatMap((one, n) => [low, ridges[n], high].map((intensity) => ({
    set: binary(one.bytes), intensity, gflops: Math.min(flops, intensity * one.rate) / 1e9,
  })));
  const names = Object.keys(meta.backends).filter((name) => points.some((one) => one.backend === name));
  const x = { field: "intensity", type: "quantitative", scale: { type: "log", nice: false }, title: "arithmetic intensity (floating-point operations per byte)", axis: { format: "~g" } };
  const y = { field: "gflops", type: "quantitative", scale: { type: "log" }, title: "GFLOP/s", axis: { format: "~g" } };
  const spec = {
    height: 400,
    layer: [
      {
        data: { values: roof },
        mark: { type: "line", strokeWidth: 2, color: "#888888" },
        encoding: { x, y, strokeDash: { field: "set", type: "nominal", sort: sets.map((one) => binary(one.bytes)), title: "working set" } },
      },
      {
        data: { values: points },
        mark: { type: "point", filled: true, size: 70, opacity: 0.9 },
        encoding: {
          x, y,
          color: { field: "backend", type: "nominal", scale: colours(meta, names), title: "backend" },
          tooltip: [{ field: "kernel" }, { field: "size", format: "," }, { field: "backend" }, { field: "gflops", title: "GFLOP/s", format: ".3~g" }],
        },
      },
    ],
  };
  return chart(spec, "Achieved GFLOP/s against arithmetic intensity, below the machine's measured roof; the table below has the numbers");
}

function numbers(meta, shown, best, state) {
  const kernels = present(best, "kernel", Object.keys(meta.kernels));
  const lines = kernels.map((kernel) => {
    const one = best.find((each) => each.kernel === kernel);
    const fastest = shown.find((row) => row.kernel === kernel && row.backend === one.best[0]);
    return [
      el("a", { href: link("backends.html", { ...state, kernel }) }, `${kernel} ${count(one.size)}`), one.best.join(", "), human(fastest.value, SECONDS),
      fastest.flops > 0 ? `${rate(fastest.flops)}FLOP/s` : "n/a", fastest.bytes > 0 ? `${rate(fastest.bytes)}B/s` : "n/a",
      [percent(one.share), otherWay(meta, kernel, [fastest.backend])], one.by,
    ];
  });
  return table("The best backends of each kernel, which cannot be told apart; the numbers are those of the first, with 95 % intervals", [
    { title: "kernel" }, { title: "backends", text: true }, { title: "time" }, { title: "achieved" }, { title: "bytes moved" }, { title: "of the limit" }, { title: "limited by", text: true },
  ], lines);
}
