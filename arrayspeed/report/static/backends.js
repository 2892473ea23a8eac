// One kernel on all backends: time against size, crossovers in words, small and large as bars, and the table.

import { axis, chart, colours } from "./chart.js";
import { choice, count, digits, el, environments, human, link, load, named, nothing, page, present, rows, table, times, versions } from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const all = (await rows(environment)).filter((row) => row.size !== null);
  const kernel = choice("kernel", "kernel", present(all, "kernel", Object.keys(meta.kernels)), redraw);
  const ofKernel = all.filter((row) => row.kernel === kernel);
  const measure = choice("measure", "measure", present(ofKernel, "measure", Object.keys(meta.measures))
    .map((name) => ({ value: name, title: meta.measures[name] ?? name })), redraw);
  const dtype = choice("dtype", "precision", present(ofKernel, "dtype", ["float64", "float32"]), redraw);
  const device = choice("device", "device", [...present(ofKernel, "device", meta.devices), "all"], redraw);
  const found = ofKernel.filter((row) => row.measure === measure && row.dtype === dtype && (device === "all" || row.device === device));
  const values = found.filter((row) => row.value > 0).map((row) => ({ ...row, name: named(row, device) }));
  if (!values.length) return nothing(`arrayspeed run --kernel ${kernel} --measure ${measure} --dtype ${dtype}`);
  const names = [...new Set(Object.keys(meta.backends).flatMap((backend) => values.filter((row) => row.backend === backend).map((row) => row.name)))];
  const known = meta.kernels[kernel];
  const sizes = [...new Set(values.map((row) => row.size))].sort((a, b) => a - b);
  const places = crossings(values, names);
  return [
    el("p", {}, known?.summary ?? "", `. ${versions(environment)}.`),
    ...(sizes.length > 1 ? [curves(meta, kernel, measure, values, names, places), said(places)] : []),
    ...["small", "large"].filter((label) => values.some((row) => row.size === known?.[label]))
      .map((label) => bars(meta, kernel, label, known[label], measure, values, names)),
    numbers(kernel, measure, values, names, sizes),
    missing(meta, kernel, found),
    el("p", {}, el("a", { href: link("compile.html", { machine: environment.machine, environment: environment.number, kernel, dtype }) }, "Does compiling pay here?")),
  ];
});

function scale(meta, names) {
  const { range } = colours(meta, names.map((one) => one.split(",")[0]));
  return { domain: names, range };
}

/** The interval of a value; none where few samples make it meaninglessly wide. */
function band(row) {
  const known = row.repeat >= 10 && row.low > 0 && row.high > 0;
  return known ? { low: row.low, high: row.high } : { low: row.value, high: row.value };
}

const DASHES = { cpu: [1, 0], gpu: [6, 3], tpu: [2, 2] };

function curves(meta, kernel, measure, values, names, places) {
  const title = meta.measures[measure];
  const y = { field: "value", type: "quantitative", scale: { type: "log" }, title, axis: axis(measure) };
  const devices = [...new Set(values.map((row) => row.device))];
  const dash = { field: "device", scale: { domain: devices, range: devices.map((d) => DASHES[d]) }, title: "device" };
  const spec = {
    height: 380,
    data: { values: values.map((row) => ({ ...row, ...band(row), text: human(row.value, measure, digits(row)) })) },
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
      {
        data: { values: places },
        mark: { type: "point", shape: "cross", size: 110, angle: 45, filled: true, color: "#888888" },
        encoding: { x: { field: "size", type: "quantitative" }, y: { field: "value", type: "quantitative" }, color: { value: "#888888" }, tooltip: { field: "text", title: "crossing" } },
      },
    ],
  };
  return chart(spec, `${title} of ${kernel} against size, ${names.join(", ")}; the table below has the numbers`);
}

/** Where one backend overtakes another: between sizes at which their intervals are apart, in opposite order. The size
 *  and the time there, between the two sizes on straight lines of the logarithmic chart; null where it never does. */
export function crossing(slow, fast) {
  let before = null;
  for (const [a, b] of slow.map((row) => [row, fast.find((other) => other.size === row.size)]).filter(([, b]) => b)) {
    const ratio = Math.log(a.value / b.value);
    const apart = ratio > 0 ? (b.high ?? b.value) < (a.low ?? a.value) : (a.high ?? a.value) < (b.low ?? b.value);
    if (!apart) continue;
    if (before && before.ratio < 0 && ratio > 0) {
      const share = -before.ratio / (ratio - before.ratio);
      const between = (from, to) => Math.exp(Math.log(from) + share * (Math.log(to) - Math.log(from)));
      return { size: between(before.size, a.size), value: between(before.value, a.value) };
    }
    before = { ratio, size: a.size, value: a.value };
  }
  return null;
}

/** Two significant digits: a crossing is between sizes, and no more exact than that. */
function about(size) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(size)) - 1);
  return count(Math.round(size / unit) * unit);
}

/** Every crossing of NumPy with another backend, and of an eager form with its compiled one, the smallest first. */
function crossings(values, names) {
  const of = (one) => values.filter((row) => row.name === one).sort((a, b) => a.size - b.size);
  const found = [];
  for (const slow of names) {
    for (const fast of names) {
      const base = slow.split(",")[0];
      const related = base === "numpy" || fast.startsWith(`${base}-`);
      const place = slow !== fast && related ? crossing(of(slow), of(fast)) : null;
      if (place) found.push({ ...place, text: `${fast} overtakes ${slow} above about ${about(place.size)}.` });
    }
  }
  return found.sort((a, b) => a.size - b.size);
}

function said(found) {
  if (!found.length) return el("p", { class: "note" }, "No backend overtakes NumPy, or its own eager form, between the sizes measured.");
  return el("ul", {}, found.map(({ text }) => el("li", {}, text)));
}

function bars(meta, kernel, label, size, measure, values, names) {
  const list = values.filter((row) => row.size === size).map((row) => ({ ...row, text: human(row.value, measure, digits(row)) }));
  const title = `${kernel}, ${label} (${count(size)})`;
  const wide = Math.max(...list.map((row) => row.value)) > 25 * Math.min(...list.map((row) => row.value));
  const x = { field: "value", type: "quantitative", title: meta.measures[measure], axis: axis(measure) };
  const y = { field: "name", type: "nominal", sort: names, title: null };
  const color = { field: "name", type: "nominal", scale: scale(meta, names), legend: null };
  const spec = {
    title,
    height: 26 * list.length,
    padding: { left: 5, top: 5, bottom: 5, right: 60 }, // the longest bar has its value behind it
    data: { values: list },
    layer: [
      // Bars from 0 would hide the small ones; a logarithmic axis has no 0, so there values are dots.
      wide ? { mark: { type: "point", filled: true, size: 120 }, encoding: { x: { ...x, scale: { type: "log" } }, y, color } }
        : { mark: "bar", encoding: { x, y, color } },
      { mark: { type: "text", align: "left", dx: 8 }, encoding: { x: { ...x, scale: wide ? { type: "log" } : {} }, y, text: { field: "text" } } },
    ],
  };
  return chart(spec, `${title}: ${list.map((row) => `${row.name} ${row.text}`).join(", ")}`);
}

function numbers(kernel, measure, values, names, sizes) {
  const columns = [{ title: "size" }, ...names.map((title) => ({ title }))];
  const lines = sizes.map((size) => {
    const best = Math.min(...values.filter((row) => row.size === size).map((row) => row.value));
    return [count(size), ...names.map((one) => {
      const row = values.find((each) => each.size === size && each.name === one);
      if (!row) return el("span", { class: "none" }, "n/a");
      const text = human(row.value, measure, digits(row));
      return row.value === best ? el("b", {}, text) : el("span", { title: `${times(row.value / best)} the best` }, text);
    })];
  });
  return table(`${kernel}: every size; the best of each is bold`, columns, lines);
}

function missing(meta, kernel, found) {
  const reasons = Object.entries(meta.kernels[kernel]?.unavailable ?? {});
  const failed = found.filter((row) => row.failed).map((row) => [`${row.backend} at ${count(row.size)}`, "failed"]);
  const list = [...reasons, ...failed];
  return list.length ? el("details", {}, el("summary", {}, "What is missing, and why"),
    el("ul", {}, list.map(([who, why]) => el("li", {}, el("b", {}, who), `: ${why}`)))) : null;
}
