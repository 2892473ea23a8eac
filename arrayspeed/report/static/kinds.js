// A library on every kind of machine, side by side. Each kind is decided by itself: its ratios are between releases that
// it measured, and nothing of one kind is part of another's.

import { chart } from "./chart.js";
import { el, load, table } from "./common.js";
import { arrow, inOrder, ratioText, small, title } from "./ratios.js";
import { axes, baseline, filled, intervals, points, toldApart } from "./releases.js";

/** A chart of more lines than this shows nothing; the table holds any number. */
const MOST = 8;

/** Everything of a library that each kind of machine has, the one that is shown first. */
export function everywhere(machines, machine, library) {
  const having = machines.filter((one) => one.libraries.includes(library))
    .sort((a, b) => (b.name === machine) - (a.name === machine));
  return Promise.all(having.map(async ({ name, number }) => {
    const [series, { means }] = await Promise.all([load(`library-${number}-${library}`), load(`means-${number}-${library}`)]);
    return { name, series, means };
  }));
}

/** The lines of one kind: the mean over its kernels, or the series of one kernel. */
function lines(kind, shown) {
  const same = (one) => ["measure", "backend", "device", "dtype"].every((name) => one[name] === shown.where[name]);
  if (shown.kernel !== null) return kind.series.filter((one) => same(one) && shown.includes(one)).map((one) => ({ ...one, kind: kind.name, text: title(one) }));
  return kind.means.filter((one) => same(one) && one.label === shown.label)
    .map((one) => ({ ...one, kind: kind.name, text: "geometric mean", steps: [] }));
}

/** The kinds of machine beside each other; nothing where there is only one, or only one has what is shown.

    `shown`: `where` has measure, backend, device and precision; `kernel` is null for the mean over kernels of the sizes
    called `label`, and else `includes` says which series of the kernel are shown. */
export function kinds(all, shown, library) {
  const found = all.flatMap((kind) => lines(kind, shown));
  if (new Set(found.map((one) => one.kind)).size < 2) return null;
  const releases = inOrder(all.flatMap((kind) => kind.series));
  const several = new Set(found.map((one) => one.text)).size > 1;
  const name = (one) => (several ? `${one.kind}, ${one.text}` : one.kind);
  const rows = found.map((one) => {
    const steps = new Map(one.steps.map((step) => [step.version, step]));
    return [name(one), one.anchor, ...releases.map((version) => cell(one, version, steps.get(version)))];
  });
  return [
    el("h2", {}, "Kinds of machine side by side"),
    el("p", { class: "note" }, "Each kind is decided by itself. Ratios are between releases on the same kind; they say nothing about which kind is faster."),
    found.length > MOST ? null : drawn(found, name, releases, library),
    table(`${several ? "Each series" : found[0].text} on ${all.length} kinds of machine: each release relative to the one in the second column, with 95 % intervals`,
      [{ title: "machine" }, { title: "relative to" }, ...releases.map((one) => ({ title: one }))], rows),
  ];
}

/** One release on one kind. */
function cell(one, version, step) {
  const none = (text) => el("span", { class: "none" }, text);
  const point = one.points.find((each) => each.version === version);
  if (version === one.anchor) return "1";
  if (!point) return none("n/a");
  const text = point.ratio === null ? "failed" : small(`${point.side_by_side === false ? "~" : ""}${ratioText(point)}`);
  return step ? el("span", { class: step.worse ? "bad" : "good" }, `${arrow(step)} `, text) : text;
}

/** A line a kind, with the interval of every release. */
function drawn(found, name, releases, library) {
  if (releases.length < 2) return null;
  const names = found.map(name);
  const values = found.flatMap((one) => {
    const others = one.points.filter((point) => point.ratio > 0 && point.version !== one.anchor);
    return [...others, { version: one.anchor, ratio: 1, low: null, high: null }]
      .map((point) => ({ ...point, machine: name(one), text: point.version === one.anchor ? "all others are relative to this" : ratioText(point) }));
  });
  const encoding = { ...axes(releases, library, "one release"), ...toldApart("machine", names, { orient: "top", columns: 1, labelLimit: 600 }) };
  const spec = {
    height: 260,
    layer: filled([
      baseline(encoding.y),
      intervals(values.filter((point) => point.low !== null), encoding),
      points(values, encoding, [{ field: "machine" }, { field: "version", title: "release" }, { field: "text", title: "ratio" }]),
    ]),
  };
  return chart(spec, `${names.length} kinds of machine over ${releases.length} releases of ${library}; the table below has the numbers`);
}

/** What the other kinds show of a step: on how many of those that measured both releases it is shown, too. */
export function elsewhere(all) {
  const others = all.slice(1).map((kind) => new Map(kind.series.map((one) => [key(one), one])));
  if (!others.length) return null;
  return (one, step) => {
    const measured = others.map((kind) => kind.get(key(one)))
      .filter((found) => found && [step.before, step.version].every((version) => found.points.some((point) => point.version === version)));
    const shown = measured.filter((found) => found.steps.some((other) => other.version === step.version
      && other.before === step.before && other.verdict === step.verdict));
    return measured.length ? `shown on ${shown.length} of ${measured.length}` : "not measured";
  };
}

function key(one) {
  return JSON.stringify(["measure", "kernel", "dtype", "backend", "size", "device"].map((name) => one[name]));
}
