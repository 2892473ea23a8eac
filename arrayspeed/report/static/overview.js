// All kernels by backend: colour is the speed-up over a baseline.

import { choice, count, digits, el, environments, human, link, load, named, nothing, page, present, rows, times, versions } from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw, (one) => !one.alone) ?? environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const all = await rows(environment);
  const measure = choice("measure", "measure", present(all, "measure", Object.keys(meta.measures))
    .filter((name) => name !== "timeraw_import").map((name) => ({ value: name, title: meta.measures[name] ?? name })), redraw);
  const dtype = choice("dtype", "precision", present(all, "dtype", ["float64", "float32"]), redraw);
  const devices = present(all, "device", meta.devices);
  const device = choice("device", "device", devices.length > 1 ? ["all", ...devices] : devices, redraw);
  const label = choice("size", "size", ["large", "small"], redraw);
  const found = all.filter((row) => row.measure === measure && row.dtype === dtype && (device === "all" || row.device === device))
    .map((row) => ({ ...row, name: named(row, device) }));
  const backends = Object.keys(meta.backends).flatMap((backend) => devices.map((one) => named({ backend, device: one }, device)))
    .filter((name, n, list) => list.indexOf(name) === n && found.some((row) => row.name === name));
  const first = named({ backend: "numpy", device: "cpu" }, device);
  const baseline = choice("baseline", "compared with", [...backends.filter((name) => name === first), ...backends.filter((name) => name !== first)], redraw);
  if (!found.length) return nothing("arrayspeed run --selection articles");
  const byKernel = new Map();
  for (const row of found) {
    const size = meta.kernels[row.kernel]?.[label];
    if (row.size === size) byKernel.set(row.kernel, { ...byKernel.get(row.kernel), [row.name]: row, size });
  }
  const kernels = [...Object.keys(meta.kernels).filter((name) => byKernel.has(name))];
  const state = { machine: environment.machine, environment: environment.number, measure, dtype, device };
  const body = kernels.map((kernel) => el("tr", {},
    el("th", { scope: "row", title: meta.kernels[kernel].summary },
      el("a", { href: link("backends.html", { ...state, kernel }) }, `${kernel} ${count(byKernel.get(kernel).size)}`)),
    backends.map((backend) => cell(meta, kernel, backend, byKernel.get(kernel), baseline, state))));
  const head = el("tr", {}, el("th", { scope: "col" }, "kernel"), backends.map((name) => el("th", { scope: "col" }, name)));
  const caption = `${label} sizes, ${dtype} on ${device === "all" ? "all devices" : `the ${device}`}: ${meta.measures[measure]}, and how many times better than ${baseline}`;
  const machine = meta.machines[environment.machine];
  return [
    legend(),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      el("table", { class: "heat" }, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, body))),
    best(found, kernels, byKernel, baseline),
    el("p", { class: "note" }, `Machine: ${[machine.cpu, machine.gpu, `${machine.num_cpu ?? "?"} cores`, machine.ram].filter(Boolean).join(", ")}. `
      + `Versions: ${versions(environment)}. Measured from ${environment.first.slice(0, 10)} to ${environment.last.slice(0, 10)}: `
      + `${count(environment.values)} values, ${count(environment.failed)} failures.`),
  ];
});

function cell(meta, kernel, name, found, baseline, state) {
  const row = found[name];
  const backend = name.split(",")[0];
  const why = meta.kernels[kernel].unavailable[backend];
  if (!row || row.value === null) {
    return el("td", {}, el("span", { class: "none", title: why ?? "" }, row?.failed ? "failed" : "n/a"));
  }
  const reference = found[baseline]?.value;
  const ratio = reference && row.value ? reference / row.value : null;
  return el("td", { style: ratio === null ? "" : shade(ratio) },
    el("a", { href: link("backends.html", { ...state, kernel }), title: `${kernel} on ${backend}` },
      ratio === null ? "" : times(ratio), el("small", {}, human(row.value, row.measure, digits(row)))));
}

/** Blue is better and orange worse, the stronger the more, up to a factor of 32. */
function shade(ratio) {
  const strength = Math.min(1, Math.abs(Math.log2(ratio)) / 5) * 0.75;
  return `background: rgba(var(--${ratio >= 1 ? "better" : "worse"}), ${strength.toFixed(2)})`;
}

function legend() {
  const steps = [1 / 32, 1 / 8, 1 / 2, 1, 2, 8, 32];
  return el("div", { class: "legend", "aria-hidden": "true" }, "slower", steps.map((ratio) =>
    el("span", { style: shade(ratio) }, times(ratio))), "faster");
}

function best(found, kernels, byKernel, baseline) {
  const wins = new Map();
  for (const kernel of kernels) {
    const measured = Object.values(byKernel.get(kernel)).filter((row) => row?.value > 0);
    const winner = measured.sort((a, b) => a.value - b.value)[0];
    if (winner) wins.set(winner.name, [...(wins.get(winner.name) ?? []), kernel]);
  }
  const sorted = [...wins].sort((a, b) => b[1].length - a[1].length);
  return el("p", {}, "Best: ", sorted.map(([name, list], n) => [n ? "; " : "", el("b", {}, name), ` on ${list.length} (${list.join(", ")})`]).flat(), ".");
}
