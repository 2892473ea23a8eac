// One library over its releases: each release beside one of them, with intervals, and the steps between neighbours.

import { chart } from "./chart.js";
import { choice, el, human, load, measures, nothing, otherWay, page, present, prose, table, waysSaid } from "./common.js";
import { elsewhere, everywhere, kinds } from "./kinds.js";
import { arrow, COLOURS, inOrder, number, ratioText, small, title, TONES } from "./ratios.js";
import { axes, baseline, byDate, filled, intervals, points, toldApart } from "./releases.js";

const ALL = "all";

/** With more series than this, a chart shows their mean, and each of them as a thin line. */
const FEW = 4;

page(async (redraw) => {
  const meta = await load("meta");
  const machines = meta.machines.map((one, number) => ({ ...one, number })).filter((one) => one.libraries.length);
  if (!machines.length) return nothing("arrayspeed run --selection versions");
  const machine = choice("machine", "machine", machines.map((one) => one.name), redraw);
  const { libraries, number } = machines.find((one) => one.name === machine);
  const library = choice("library", "library", libraries, redraw);
  const all = await everywhere(machines, machine, library);
  const [{ series: every, means }] = all;
  const { factor } = await load(`means-${number}-${library}`);
  const { dates, newer } = await load(`newest-${number}-${library}`);
  const upgrades = await load(`upgrades-${number}-${library}`);
  const measure = measures(meta, every, redraw);
  let series = every.filter((one) => one.measure === measure);
  const where = { measure };
  const narrow = (name, heading, order) => {
    const options = present(series, name, order);
    if (name !== "backend" && options.length < 2) {
      where[name] = options[0] ?? null;
      return;
    }
    where[name] = choice(name, heading, options, redraw);
    series = series.filter((one) => one[name] === where[name]);
  };
  narrow("backend", "backend", Object.keys(meta.backends));
  narrow("device", "device", meta.devices);
  narrow("dtype", "precision", ["float64", "float32"]);
  const sized = measure === meta.call ? choice("size", "size", ["large", "small", ALL], redraw) : ALL;
  const suits = (one) => sized === ALL || one.size === null || one.size === meta.kernels[one.kernel]?.[sized];
  series = series.filter(suits);
  const kernels = present(series, "kernel");
  const kernel = kernels.length > 1 ? choice("kernel", "kernel", [ALL, ...kernels], redraw) : ALL;
  series = series.filter((one) => kernel === ALL || one.kernel === kernel);
  if (!series.length) return nothing(`arrayspeed run --selection versions --library ${library}`);
  const releases = inOrder(series);
  const dated = releases.length > 1 && releases.every((version) => dates[version])
    && choice("axis", "releases", [{ value: "order", title: "in their order" }, { value: "date", title: "by date" }], redraw) === "date";
  const drawn = (spec) => (dated ? byDate(spec, dates) : spec);
  const mean = kernel === ALL && means.find((one) => one.label === sized
    && ["measure", "backend", "device", "dtype"].every((name) => one[name] === where[name]));
  // One kernel, chosen or the only one, is shown as it is; several by their mean.
  const one = kernels.length > 1 ? kernel : kernels[0];
  const beside = { where, label: sized, kernel: one === ALL ? null : one, includes: (each) => each.kernel === one && suits(each) };
  return [
    newer ? el("p", { class: "note" }, `${newer}.`) : null,
    apart(series, library),
    series.length > FEW ? many(series, mean, releases, library, meta.measures[measure].title, drawn)
      : few(series, releases, library, meta.measures[measure].title, drawn),
    numbers(series, mean, releases, meta, dates),
    waysSaid(meta, [...new Set(every.filter((one) => otherWay(meta, one.kernel, [one.backend])).map((one) => one.kernel))]),
    kinds(all, beside, library),
    safe(upgrades, dates),
    steps(every, meta, factor, elsewhere(all)),
  ];
});

/** The title with a sign where the backend computes in another way. */
function named(one, meta) {
  return [title(one), otherWay(meta, one.kernel, [one.backend])];
}

/** What a reader must know where releases did not take turns. */
function apart(series, library) {
  const some = series.filter((one) => !one.side_by_side).length;
  if (!some) return null;
  return el("p", { class: "apart", style: "border-left: 4px solid rgb(var(--worse)); padding: .5em 1em; background: var(--pale)" },
    el("strong", {}, some === series.length ? "Not measured side by side. " : `${some} of ${series.length} series were not measured side by side. `),
    "These releases were measured minutes apart, and the machine's speed may have changed in between. Their intervals (marked ~) allow for that, and only large steps can be shown. To measure them side by side: ",
    el("code", {}, `arrayspeed run --selection versions --library ${library}`));
}

/** The lines between neighbouring releases of a series, each with what was shown of the two. */
function segments(one) {
  const shown = new Map(one.steps.map((step) => [`${step.before} ${step.version}`, step]));
  const known = one.points.filter((point) => point.ratio > 0);
  return known.slice(1).flatMap((point, n) => {
    const step = shown.get(`${known[n].version} ${point.version}`);
    const kind = step ? (step.worse ? "up" : "down") : "none";
    const text = step ? `${step.verdict} ${ratioText(step)}` : "no change is shown";
    const common = { series: title(one), part: `${title(one)} ${point.version}`, kind, text };
    return [{ ...common, version: known[n].version, ratio: known[n].ratio, end: false },
      { ...common, version: point.version, ratio: point.ratio, end: true }];
  });
}

/** What all ratios of a chart are relative to. */
function anchor(series) {
  const anchors = [...new Set(series.map((one) => one.anchor))];
  return anchors.length === 1 ? anchors[0] : "the newest release that works";
}

const CHANGE = { condition: { test: "datum.kind === 'up'", value: COLOURS.up }, value: COLOURS.down };

/** Colour by what was shown; thin and pale where nothing was. */
const KINDS = {
  color: { field: "kind", type: "nominal", legend: null, scale: { domain: ["up", "down", "none"], range: [COLOURS.up, COLOURS.down, COLOURS.none] } },
  opacity: { condition: { test: "datum.kind === 'none'", value: 0.35 }, value: 1 },
  size: { condition: { test: "datum.kind === 'none'", value: 1 }, value: 2.5 },
};

/** Every series as a thin line, thick where it takes a step, and their mean with its interval. */
function many(series, mean, releases, library, measure, drawn) {
  if (releases.length < 2) return null;
  const values = series.flatMap(segments);
  const middle = !mean ? [] : [...mean.points, { version: mean.anchor, ratio: 1, low: null, high: null, comparisons: null }]
    .sort((a, b) => releases.indexOf(a.version) - releases.indexOf(b.version))
    .map((one) => ({ ...one, text: one.comparisons ? `${ratioText(one)} over ${one.comparisons}` : "all others are relative to this" }));
  const { x, y } = axes(releases, library, anchor(series));
  const tip = [{ field: "text", title: "geometric mean" }, { field: "version", title: "release" }];
  const ends = values.filter((each) => each.end && each.kind !== "none");
  const spec = {
    height: 380,
    layer: filled([
      baseline(y),
      {
        data: { values },
        mark: { type: "line", strokeCap: "round" },
        encoding: { x, y, detail: { field: "part" }, ...KINDS, tooltip: [{ field: "series" }, { field: "text", title: "shown" }] },
      },
      {
        data: { values: ends },
        mark: { type: "point", filled: true, size: 36, opacity: 1 },
        encoding: { x, y, color: CHANGE, tooltip: [{ field: "series" }, { field: "version" }, { field: "text", title: "shown" }] },
      },
      { data: { values: middle }, mark: { type: "line", color: COLOURS.mean, size: 3 }, encoding: { x, y } },
      {
        data: { values: middle.filter((each) => each.low !== null) },
        mark: { type: "rule", color: COLOURS.mean, size: 3 },
        encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
      },
      { data: { values: middle }, mark: { type: "point", filled: true, color: COLOURS.mean, size: 70, opacity: 1 }, encoding: { x, y, tooltip: tip } },
    ]),
  };
  return [
    chart(drawn(spec), `${measure} of ${series.length} kernels over ${releases.length} releases of ${library}; the table below has the numbers`),
    el("p", { class: "note" },
      middle.length ? [swatch(COLOURS.mean), " geometric mean of the kernels, with its 95 % interval. "] : null,
      swatch(COLOURS.none), " one kernel, where no change is shown. ",
      swatch(COLOURS.up), " a step up (worse), ", swatch(COLOURS.down), " a step down (better) that is shown. Choose a kernel to see its intervals."),
  ];
}

function swatch(colour) {
  const found = el("span", { "aria-hidden": "true" }, "▬");
  found.style.color = colour;
  return found;
}

/** A few series with the interval of every release. */
function few(series, releases, library, measure, drawn) {
  const values = series.flatMap((one) => one.points.filter((point) => point.ratio > 0)
    .map((point) => ({ ...point, series: title(one), text: ratioText(point), kind: point.verdict })));
  if (!values.length || releases.length < 2) return null;
  const names = series.map(title);
  const marks = series.flatMap((one) => one.steps.flatMap((step) => {
    const point = one.points.find((each) => each.version === step.version);
    return point.ratio > 0 ? [{ ...point, series: title(one), mark: arrow(step), kind: step.worse ? "up" : "down", at: point.high ?? point.ratio }] : [];
  }));
  const { x, y } = axes(releases, library, anchor(series));
  const { xOffset, ...colour } = toldApart("series", names, names.length > 1 ? { orient: "top" } : null);
  const offset = names.length > 1 ? { xOffset } : {};
  const encoding = { x, y, ...colour, ...offset };
  const bounded = values.filter((point) => point.low !== null);
  const failed = series.flatMap((each) => each.points.filter((point) => point.value === null)
    .map((point) => ({ version: point.version, series: title(each) })));
  const spec = {
    height: 340,
    layer: filled([
      baseline(y),
      {
        data: { values: series.flatMap(segments) },
        mark: { type: "line" },
        encoding: {
          ...encoding, detail: { field: "part" }, size: KINDS.size,
          opacity: { condition: { test: "datum.kind === 'none'", value: 0.5 }, value: 1 },
          strokeDash: { condition: { test: "datum.kind === 'none'", value: [3, 4] }, value: [1, 0] },
        },
      },
      intervals(bounded, encoding),
      ...["low", "high"].map((end) => ({
        data: { values: bounded },
        mark: { type: "tick", orient: "horizontal", thickness: 1.5, size: 8 },
        encoding: { ...encoding, y: { ...y, field: end } },
      })),
      points(values, encoding, [{ field: "series" }, { field: "version" }, { field: "text", title: "ratio" }, { field: "verdict" }, { field: "rounds" }]),
      {
        data: { values: marks },
        mark: { type: "text", fontSize: 15, dy: -12 },
        encoding: { x, y: { ...y, field: "at" }, ...offset, text: { field: "mark" }, color: CHANGE },
      },
      {
        data: { values: failed },
        mark: { type: "text", angle: -90, align: "left", fontSize: 12 },
        encoding: { ...encoding, y: { value: 334 }, text: { value: "failed" } },
      },
    ]),
  };
  return [
    chart(drawn(spec), `${measure} of ${names.join(", ")} over ${releases.length} releases of ${library}; the table below has the numbers`),
    el("p", { class: "note" }, "Bars are 95 % intervals. A solid line and ▲▼ mark a step that is shown; where no change is shown, the line is dashed."),
  ];
}

/** Ratios of every release, with intervals; steps are marked. */
function numbers(series, mean, releases, meta, dates) {
  const none = (text) => el("span", { class: "none" }, text);
  const rows = series.map((one) => {
    const changed = new Map(one.steps.map((step) => [step.version, step]));
    return [named(one, meta), ...releases.map((version) => {
      const point = one.points.find((each) => each.version === version);
      if (!point) return none("n/a");
      const step = changed.get(version);
      const text = point.value === null ? "failed"
        : point.verdict === "anchor" || point.ratio === null ? human(point.value, meta.measures[one.measure].unit)
          : small(`${point.side_by_side ? "" : "~"}${ratioText(point)}`);
      if (step) return el("span", { class: step.worse ? "bad" : "good" }, `${arrow(step)} `, text);
      return point.value === null ? none(text) : text;
    })];
  });
  if (mean) {
    rows.unshift([el("strong", {}, "geometric mean"), ...releases.map((version) => {
      const one = mean.points.find((each) => each.version === version);
      return one ? el("strong", {}, small(ratioText(one))) : version === mean.anchor ? "1" : none("n/a");
    })]);
  }
  if (releases.some((version) => dates[version])) rows.unshift(["published", ...releases.map((version) => dates[version] ?? "unknown")]);
  return table("Every release: relative to the one whose value is shown, with 95 % intervals; ▲▼ mark steps",
    [{ title: "kernel" }, ...releases.map((name) => ({ title: name }))], rows);
}

/** Whether each release is safe, with the page that has everything about it. */
function safe(upgrades, dates) {
  if (!upgrades.length) return null;
  return [
    el("h2", {}, "Is it safe to upgrade?"),
    table("Each release against the one before it, by all that took turns", [
      { title: "release" }, { title: "after" }, { title: "published" }, { title: "outcome", text: true }, { title: "measured", text: true },
    ], upgrades.map((one) => [el("a", { href: one.page }, one.version), one.before, dates[one.version] ?? "unknown",
      el("span", { class: TONES[one.status] }, one.outcome), `${one.measured}, ${one.compared} comparisons`])),
  ];
}

/** What each release changed, in every measure and backend: the newest release first, and its largest change. */
function steps(every, meta, factor, others) {
  const found = every.flatMap((one) => one.steps.map((step) => ({ one, step })));
  const heading = el("h2", {}, "What each release changed");
  const beyond = `${number(100 * (factor - 1), 0)} %`;
  const together = every.filter((one) => one.side_by_side).length;
  if (inOrder(every).length < 2) return [heading, nothing("arrayspeed run --selection versions")];
  if (!found.length) {
    return [heading, el("p", {}, `No two neighbouring releases are shown to differ by more than ${beyond} in any measure or backend. `
      + (together === every.length ? "" : `That says little about the ${every.length - together} series that were not measured side by side.`))];
  }
  const releases = inOrder(every);
  const order = ({ step }) => releases.indexOf(step.version);
  const far = ({ step }) => (step.ratio === null ? Infinity : Math.abs(Math.log(step.ratio)));
  found.sort((a, b) => order(b) - order(a) || (far(b) > far(a) ? 1 : far(b) < far(a) ? -1 : 0));
  const caption = `${found.length} steps in ${every.length} series: neighbouring releases that are shown to differ by more than ${beyond} (errors by more than ×2), all judged together, or of which one fails`;
  return [heading, table(caption, [
    { title: "release" }, { title: "after" }, { title: "measure", text: true }, { title: "kernel", text: true }, { title: "backend", text: true },
    { title: "change", text: true }, { title: "ratio (95 % interval)" }, { title: "from" }, { title: "to" }, { title: "rounds", text: true },
    ...(others ? [{ title: "other kinds of machine", text: true }] : []),
  ], found.map(({ one, step }) => [step.version, step.before, meta.measures[one.measure].title, named(one, meta), one.backend,
    [el("span", { class: step.worse ? "bad" : "good" }, step.verdict), program(step.program), step.memory ? el("small", {}, ` ${step.memory}`) : null,
      step.reason ? why(step) : null],
    el("span", { class: step.worse ? "bad" : "good" }, `${arrow(step)} ${size(step)}`),
    ...[step.value_before, step.value].map((value) => (value === null ? "failed" : human(value, meta.measures[one.measure].unit))),
    step.side_by_side ? rounds(step) : "not side by side",
    ...(others ? [others(one, step)] : [])]))];
}

/** Why a step is as it is, in the words of whoever looked into it. */
const why = (step) => el("details", {}, el("summary", {}, "why"), el("p", { class: "reason" }, prose(step.reason)));

/** Whether the program changed with a step, and how: the counts, and behind them the lines. */
function program(found) {
  if (!found) return null;
  const verdict = { differs: "the program differs", "not shown": "the program cannot be shown" }[found.verdict] ?? found.verdict;
  if (!found.diff.length) return el("small", {}, found.why ? `${verdict}: ${found.why}` : verdict);
  const changes = found.changes.map(([name, before, after]) => `${name} ${before} → ${after}`);
  return el("details", {}, el("summary", {}, `${verdict}: ${changes.slice(0, 3).join(", ") || "the same counts"}`),
    el("pre", {}, [...changes, "", ...found.diff].join("\n")));
}

/** How large a step is; where a release fails, how often. */
function size(step) {
  const ratio = ratioText(step);
  if (!step.failed && !step.failed_before) return ratio;
  return `${ratio} ${step.failed} of ${step.processes} failed, ${step.failed_before} of ${step.processes_before} before`.trim();
}

/** The pairs of processes that show a step; of a failure, all processes of the release. */
function rounds(step) {
  return String(step.rounds || step.processes);
}
