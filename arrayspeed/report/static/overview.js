// All kernels by backend: colour is the speed-up over a baseline, where one was shown.

import {
  bestOf, choice, count, decisions, el, environments, human, key, link, load, measures, named, nothing, otherWay, page, present, range, rows, table, times, versions, waysSaid,
} from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw, (one) => !one.alone) ?? environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const all = (await rows(meta, environment)).filter((row) => row.size !== null);
  const { groups } = await decisions(environment);
  const measure = measures(meta, all, redraw);
  const dtype = choice("dtype", "precision", present(all, "dtype", ["float64", "float32"]), redraw);
  const devices = present(all, "device", meta.devices);
  const device = choice("device", "device", devices.length > 1 ? ["all", ...devices] : devices, redraw);
  const label = choice("size", "size", ["large", "small"], redraw);
  const found = all.filter((row) => row.measure === measure && row.dtype === dtype && (device === "all" || row.device === device))
    .map((row) => ({ ...row, name: named(row, device) }));
  const backends = Object.keys(meta.backends).flatMap((backend) => devices.map((one) => ({ backend, device: one })))
    .filter((one) => found.some((row) => key(row) === key(one)));
  const options = backends.map((one) => ({ value: key(one), title: named(one, device) }));
  const first = key(meta.baseline);
  const baseline = choice("baseline", "compared with", [...options.filter((one) => one.value === first), ...options.filter((one) => one.value !== first)], redraw);
  if (!found.length) return nothing("arrayspeed run --selection articles");
  const byKernel = new Map();
  for (const row of found) {
    const size = meta.kernels[row.kernel]?.[label];
    if (row.size === size) byKernel.set(row.kernel, { ...byKernel.get(row.kernel), [key(row)]: row, size });
  }
  const kernels = [...Object.keys(meta.kernels).filter((name) => byKernel.has(name))];
  const decided = new Map(groups.filter((one) => one.measure === measure && one.dtype === dtype && byKernel.get(one.kernel)?.size === one.size)
    .map((one) => [one.kernel, one]));
  const state = { machine: environment.machine, environment: environment.number, measure, dtype, device };
  const body = kernels.map((kernel) => el("tr", {},
    el("th", { scope: "row", title: meta.kernels[kernel].summary },
      el("a", { href: link("backends.html", { ...state, kernel }) }, `${kernel} ${count(byKernel.get(kernel).size)}`)),
    backends.map((one) => cell(meta, kernel, one, byKernel.get(kernel), decided.get(kernel), baseline, state))));
  const title = (name) => options.find((one) => one.value === name)?.title ?? name;
  const head = el("tr", {}, el("th", { scope: "col" }, "kernel"), options.map((one) => el("th", { scope: "col" }, one.title)));
  const caption = `${label} sizes, ${dtype} on ${device === "all" ? "all devices" : `the ${device}`}: ${meta.measures[measure].title}, and how many times better than ${title(baseline)}`;
  const machine = meta.machines[environment.machine];
  return [
    legend(meta.measures[measure].factor),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      el("table", { class: "heat" }, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, body))),
    waysSaid(meta, kernels),
    best(kernels, byKernel, decided, device, options),
    el("p", { class: "note" }, `Machine: ${[machine.cpu, machine.gpu, `${machine.num_cpu ?? "?"} cores`, machine.ram].filter(Boolean).join(", ")}. `
      + `Versions: ${versions(environment)}. Measured from ${environment.first.slice(0, 10)} to ${environment.last.slice(0, 10)}: `
      + `${count(environment.values)} values, ${count(environment.failed)} failures.`),
  ];
});

/** What is put behind a ratio that is neither better nor worse, for all that was shown. */
const SIGNS = { unclear: " ?", same: " =" };

function cell(meta, kernel, one, found, group, baseline, state) {
  const row = found[key(one)];
  const why = meta.kernels[kernel].unavailable[one.backend];
  if (!row || row.value === null) {
    return el("td", {}, el("span", { class: "none", title: why ?? "" }, row?.failed ? "failed" : "n/a"));
  }
  const ratio = ratioOf(group, key(row), baseline);
  const itself = key(row) === baseline;
  const word = ratio?.[3];
  // A comparison of two ways of computing is marked whichever of them the other way is.
  const mark = otherWay(meta, kernel, ratio ? [...new Set([one.backend, baseline.split(",")[0]])] : [one.backend]);
  const title = `${kernel} on ${key(row)}${ratio ? `: ${times(ratio[0])} (${range(ratio)}), ${word}` : ""}`;
  return el("td", { style: shade(ratio), class: word === "unclear" && "unclear" },
    el("a", { href: link("backends.html", { ...state, kernel }), title },
      itself ? "1×" : ratio ? `${times(ratio[0])}${SIGNS[word] ?? ""}` : "", mark,
      ratio ? el("small", {}, range(ratio)) : null, el("small", { class: "value" }, human(row.value, row.unit))));
}

/** How many times better a backend is than the baseline, with its interval and word; null where that is not known. */
function ratioOf(group, name, baseline) {
  const [line, column] = [name, baseline].map((one) => group?.names.indexOf(one) ?? -1);
  return group?.times?.[line]?.[column] ?? null;
}

/** Blue is better and orange worse, the stronger the more, up to a factor of 32; what was not shown has no colour. */
function shade(ratio) {
  if (!ratio || ratio[3] === "unclear" || ratio[3] === "same") return "";
  const strength = Math.min(1, Math.abs(Math.log2(ratio[0])) / 5) * 0.75;
  return `background: rgba(var(--${ratio[3]}), ${strength.toFixed(2)})`;
}

function legend(factor) {
  const steps = [1 / 32, 1 / 8, 1 / 2, 2, 8, 32];
  return el("div", { class: "legend" }, "worse", steps.map((ratio) =>
    el("span", { style: shade([ratio, ratio, ratio, ratio > 1 ? "better" : "worse"]) }, times(ratio))), "better",
    el("span", {}, `= shown to be the same within ×${factor}; ? unclear: neither that nor a difference beyond ×${factor} is shown. Below each ratio is its 95 % interval.`));
}

/** All that cannot be told apart from the best, kernel by kernel, and how often each backend is among them. */
function best(kernels, byKernel, decided, device, options) {
  const title = (name) => options.find((one) => one.value === name)?.title ?? name;
  const sets = kernels.map((kernel) => [kernel, decided.get(kernel)?.best]).map(([kernel, sets]) => [kernel, bestOf(sets, device)])
    .filter(([, members]) => members?.length);
  if (!sets.length) return null;
  const wins = options.map((one) => [one.title, sets.filter(([, members]) => members.includes(one.value)).length]).filter(([, number]) => number)
    .sort((a, b) => b[1] - a[1]);
  return [
    el("h2", {}, "Best"),
    el("p", {}, `Number of kernels (of ${count(sets.length)}) for which a backend is among the best: `, wins.map(([name, number], n) => [n ? ", " : "", el("b", {}, name), ` ${number}`]).flat(), "."),
    table("The best backends of each kernel, the fastest first: those that are not shown to be worse than another", [{ title: "kernel" }, { title: "best", text: true }],
      sets.map(([kernel, members]) => [`${kernel} ${count(byKernel.get(kernel).size)}`, members.map(title).join(", ")])),
  ];
}
