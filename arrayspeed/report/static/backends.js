// One kernel on all backends: time against size, crossovers in words, small and large as bars, and the table.
// What overtakes what, and which are the best, was decided when the site was published.

import { axis, chart, colours } from "./chart.js";
import {
  bestOf, choice, count, decisions, el, environments, human, key, link, load, measures, named, nothing, otherWay, outdated, page, present, rows, SECONDS, spread, table, versions, waysSaid,
} from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const all = (await rows(meta, environment)).filter((row) => row.size !== null);
  const kernel = choice("kernel", "kernel", present(all, "kernel", Object.keys(meta.kernels)), redraw);
  const ofKernel = all.filter((row) => row.kernel === kernel);
  const measure = measures(meta, ofKernel, redraw);
  const dtype = choice("dtype", "precision", present(ofKernel, "dtype", ["float64", "float32"]), redraw);
  const device = choice("device", "device", [...present(ofKernel, "device", meta.devices), "all"], redraw);
  const found = ofKernel.filter((row) => row.measure === measure && row.dtype === dtype && (device === "all" || row.device === device));
  const values = found.filter((row) => row.value > 0).map((row) => ({ ...row, name: named(row, device) }));
  if (!values.length) return nothing(`arrayspeed run --kernel ${kernel} --measure ${measure} --dtype ${dtype}`);
  const names = [...new Set(Object.keys(meta.backends).flatMap((backend) => values.filter((row) => row.backend === backend).map((row) => row.name)))];
  const known = meta.kernels[kernel];
  const sizes = [...new Set(values.map((row) => row.size))].sort((a, b) => a - b);
  const decided = await decisions(environment);
  const groups = new Map(decided.groups.filter((one) => one.measure === measure && one.dtype === dtype && one.kernel === kernel).map((one) => [one.size, one]));
  const best = new Map(sizes.map((size) => [size, bestOf(groups.get(size)?.best, device) ?? []]));
  const keys = new Set(values.map(key));
  const places = decided.crossovers.filter((one) => one.measure === measure && one.dtype === dtype && one.kernel === kernel && keys.has(one.one) && keys.has(one.other));
  return [
    el("p", {}, known?.summary ?? "", `. ${versions(environment)}.`),
    outdated(environment),
    el("p", { class: "note" }, meta.measures[measure].what),
    ...(sizes.length > 1 ? [curves(meta, kernel, measure, values, names), said(meta, kernel, measure, places, device)] : []),
    ...["small", "large"].filter((label) => values.some((row) => row.size === known?.[label]))
      .map((label) => bars(meta, kernel, label, known[label], measure, values, names, best.get(known[label]))),
    el("p", { class: "note" }, "★ marks those that cannot be told apart from the best. Intervals are 95 % intervals, from the differences between processes."),
    apart(groups, sizes),
    retained(groups, sizes, values),
    numbers(meta, kernel, values, names, sizes, best),
    waysSaid(meta, [kernel]),
    missing(meta, kernel, found),
    el("p", {}, el("a", { href: link("compile.html", { ...environment.state, kernel, dtype }) }, "Does compiling pay off here?")),
  ];
});

function scale(meta, names) {
  const { range } = colours(meta, names.map((one) => one.split(",")[0]));
  return { domain: names, range };
}

/** The interval of a value; the value itself where none is known. */
function band(row) {
  return row.low === null ? { low: row.value, high: row.value } : { low: row.low, high: row.high };
}

/** A value with its interval, as text. */
function known(row) {
  return row.low === null ? human(row.value, row.unit) : `${human(row.value, row.unit)} (${spread(row)})`;
}

const DASHES = { cpu: [1, 0], gpu: [6, 3], tpu: [2, 2] };

function curves(meta, kernel, measure, values, names) {
  const { title, unit } = meta.measures[measure];
  const y = { field: "value", type: "quantitative", scale: { type: "log" }, title, axis: axis(unit) };
  const devices = [...new Set(values.map((row) => row.device))];
  const dash = { field: "device", scale: { domain: devices, range: devices.map((d) => DASHES[d]) }, title: "device" };
  const spec = {
    height: 380,
    data: { values: values.map((row) => ({ ...row, ...band(row), text: known(row) })) },
    encoding: {
      x: { field: "size", type: "quantitative", scale: { type: "log", nice: false }, title: "size", axis: { format: "~s" } },
      color: { field: "name", type: "nominal", scale: scale(meta, names), title: "backend", legend: { symbolOpacity: 1, symbolType: "circle" } },
    },
    layer: [
      { mark: { type: "area", opacity: 0.2 }, encoding: { y: { ...y, field: "low" }, y2: { field: "high" } } },
      {
        mark: { type: "line", point: { size: 45 } },
        encoding: {
          y,
          ...(devices.length > 1 ? { strokeDash: dash } : {}),
          tooltip: [{ field: "name", title: "backend" }, { field: "size", format: "," }, { field: "text", title }],
        },
      },
    ],
  };
  return chart(spec, `${title} of ${kernel} against size, ${names.join(", ")}, with 95 % intervals; the table below has the numbers`);
}

/** Where one backend overtakes another, in words: two sizes at which one was shown to be better, and what is between. */
function said(meta, kernel, measure, places, device) {
  if (!places.length) {
    return el("p", { class: "note" }, "At the sizes measured, no backend is shown to overtake NumPy or to be overtaken by it. Neither is a compiled form shown to overtake its eager one, nor the reverse.");
  }
  const word = meta.measures[measure].unit === SECONDS ? "faster" : "better";
  const name = (one) => [device === "all" ? one : one.split(",")[0], otherWay(meta, kernel, [one.split(",")[0]])];
  const sorted = [...places].sort((a, b) => a.first - b.first || a.last - b.last);
  return el("ul", {}, sorted.map((one) => el("li", {}, name(one.other), ` is ${word} at ${count(one.last)}, `, name(one.one), ` at ${count(one.first)}; `,
    one.between.length ? `at ${one.between.map(count).join(", ")}, neither is shown to be.` : "nothing was measured in between.",
    one.command ? [" To measure between: ", el("code", {}, one.command)] : null)));
}

function bars(meta, kernel, label, size, measure, values, names, best) {
  const sign = (row) => (meta.kernels[kernel].otherwise[row.backend] ? `${row.name} ≠` : row.name);
  const list = values.filter((row) => row.size === size).map((row) => ({ ...row, ...band(row), sign: sign(row), text: `${human(row.value, row.unit)}${best.includes(key(row)) ? " ★" : ""}` }));
  const title = `${kernel}, ${label} (${count(size)})`;
  const wide = Math.max(...list.map((row) => row.value)) > 25 * Math.min(...list.map((row) => row.value));
  const scaled = wide ? { scale: { type: "log" } } : {};
  const x = { field: "value", type: "quantitative", title: `${meta.measures[measure].title}, with 95 % intervals`, axis: axis(meta.measures[measure].unit), ...scaled };
  const y = { field: "sign", type: "nominal", sort: list.map((row) => row.sign), title: null };
  const color = { field: "name", type: "nominal", scale: scale(meta, names), legend: null };
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  const spec = {
    title,
    height: 26 * list.length,
    padding: { left: 5, top: 5, bottom: 5, right: 80 }, // the longest bar has its value behind it
    data: { values: list },
    layer: [
      // Bars from 0 would hide the small ones; a logarithmic axis has no 0, so there values are dots.
      wide ? { mark: { type: "point", filled: true, size: 120 }, encoding: { x, y, color } } : { mark: "bar", encoding: { x, y, color } },
      { mark: { type: "rule", color: ink }, encoding: { x: { ...x, field: "low" }, x2: { field: "high" }, y } },
      { mark: { type: "text", align: "left", dx: 8 }, encoding: { x: { ...x, field: "high" }, y, text: { field: "text" } } },
    ],
  };
  return chart(spec, `${title}: ${list.map((row) => `${row.sign} ${known(row)}`).join(", ")}`);
}

function numbers(meta, kernel, values, names, sizes, best) {
  const columns = [{ title: "size" }, ...names.map((title) => ({ title }))];
  const lines = sizes.map((size) => [count(size), ...names.map((one) => {
    const row = values.find((each) => each.size === size && each.name === one);
    if (!row) return el("span", { class: "none" }, "n/a");
    const text = human(row.value, row.unit);
    return [best.get(size).includes(key(row)) ? el("b", {}, text) : text, otherWay(meta, kernel, [row.backend]), el("small", {}, spread(row))];
  })]);
  return table(`${kernel}: every size, with 95 % intervals; bold marks what cannot be told apart from the best`, columns, lines);
}

/** The sizes at which not all backends took turns, and those that did not. */
function apart(groups, sizes) {
  const found = sizes.filter((size) => groups.get(size)?.apart.length);
  if (!found.length) return null;
  const names = (size) => (groups.get(size).apart.length === groups.get(size).names.length ? "all" : groups.get(size).apart.map((one) => one.split(",")[0]).join(", "));
  return el("details", {}, el("summary", {}, "What was measured one after the other, and not in turn"),
    el("ul", {}, found.map((size) => el("li", {}, `${count(size)}: ${names(size)}`))));
}

/** What takes another time where freed memory is retained. */
function retained(groups, sizes, values) {
  const { unit } = values[0];
  const found = sizes.map((size) => [size, Object.entries(groups.get(size)?.retained ?? {})]).filter(([, ones]) => ones.length);
  if (!found.length) return null;
  return el("details", {}, el("summary", {}, "What takes another time in a process that retains freed memory"),
    el("p", {}, "Such a process has freed a large block before, and no longer returns what a call frees to the system, which costs page faults. Best sets and comparisons hold in both states."),
    el("ul", {}, found.map(([size, ones]) => el("li", {}, `${count(size)}: ${ones.map(([name, [usual, other]]) => `${name.split(",")[0]} ${human(usual, unit)} → ${human(other, unit)}`).join(", ")}`))));
}

function missing(meta, kernel, found) {
  const reasons = Object.entries(meta.kernels[kernel]?.unavailable ?? {});
  const failed = found.filter((row) => row.failed).map((row) => [`${row.backend} at ${count(row.size)}`, "failed"]);
  const list = [...reasons, ...failed];
  return list.length ? el("details", {}, el("summary", {}, "What is missing, and why"),
    el("ul", {}, list.map(([who, why]) => el("li", {}, el("b", {}, who), `: ${why}`)))) : null;
}
