// The questions, each answered for one machine, and below them what all results together show.

import { chart } from "./chart.js";
import { choice, count, decisions, el, environments, link, load, nothing, outdated, page, present, prose, range, significant, table, times, versions } from "./common.js";
import { arrow, ratioText, small, title, TONES } from "./ratios.js";

const ALL = "all";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw, (one) => !one.alone) ?? environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const [rows, { limits }, findings] = await Promise.all([load(`answers-${environment.number}`), decisions(environment), load("findings")]);
  const label = choice("size", "size", present(rows, "label", ["large", "small"]), redraw);
  const devices = present(rows, "device", [ALL, ...meta.devices]);
  const device = choice("device", "device", devices, redraw);
  const dtype = choice("dtype", "precision", present(rows.filter((row) => row.device === device), "dtype", ["float64", "float32"]), redraw);
  const known = { meta, environment, label, device, dtype };
  const machine = meta.machines[environment.machine];
  const libraries = await Promise.all(machine.libraries.map(async (library) => [
    library, ...await Promise.all(["newest", "upgrades"].map((name) => load(`${name}-${environment.machine}-${library}`)))]));
  return [
    safe(known, libraries),
    which(known, rows.filter((row) => row.label === label && row.device === device && row.dtype === dtype)),
    releases(known, libraries),
    howGood(known, limits),
    found(findings),
    el("p", { class: "note" }, `Machine: ${[machine.cpu, machine.gpu, `${machine.num_cpu ?? "?"} cores`, machine.ram].filter(Boolean).join(", ")}. Versions: ${versions(environment)}.`),
    outdated(environment),
  ];
});

/** A backend as a heading; its device, where all are shown. */
function short(name, device) {
  return device === ALL ? name : name.split(",")[0];
}

/** The best by family, and how far behind the others are. */
function which({ meta, environment, label, device, dtype }, rows) {
  const heading = el("h2", {}, "Which backend?");
  if (!rows.length) return [heading, nothing("make bench")];
  const used = new Set(rows.flatMap((row) => [...row.best, ...row.others.map(([name]) => name), ...row.lacking.map(([name]) => name)]));
  const names = Object.keys(meta.backends).flatMap((backend) => meta.devices.map((one) => `${backend}, ${one}`)).filter((name) => used.has(name));
  const state = { ...environment.state, size: label, device, dtype };
  const lines = rows.map((row) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: link("overview.html", { ...state, open: row.family }) }, row.family), el("small", {}, ` ${count(row.kernels.length)}`)),
    names.map((name) => standing(row, name))));
  const apart = [...new Set(rows.flatMap((row) => row.apart))];
  const caption = `${label[0].toUpperCase()}${label.slice(1)} sizes, ${dtype}: ★ marks the best of a family, which cannot be told apart; for the others, how many times as long they take as the fastest that they are shown to be slower than`;
  return [
    heading,
    el("p", { class: "caption" }, caption),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      el("table", { class: "heat", "aria-label": caption },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "family"), names.map((name) => el("th", { scope: "col" }, short(name, device))))),
        el("tbody", {}, lines))),
    el("p", { class: "note" }, "Geometric means over a family's kernels, whose number stands beside its name, with the intervals that decide. "
      + "A backend with 2/3 lacks some of the kernels, or computes them in a different way, and does not compete. Kernel by kernel: ",
    el("a", { href: link("overview.html", state) }, "Overview"), ". For your own mix of work: ", el("a", { href: link("weights.html", environment.state) }, "Your work"), "."),
    apart.length ? el("p", { class: "note" }, `Measured one after the other, and not in turn, in some kernels: ${apart.map((name) => short(name, device)).join(", ")}. To measure in turn: `,
      el("code", {}, "arrayspeed run --selection backends"), ".") : null,
  ];
}

function standing(row, name) {
  const plain = (...content) => el("td", {}, el("span", ...content));
  if (row.best.includes(name)) {
    return plain({ class: "plain star", title: `${row.family}: ${name} is not shown to be slower than any other backend` }, el("span", { class: "good", role: "img", "aria-label": "among the best" }, "★"));
  }
  const behind = row.others.find(([other]) => other === name);
  if (behind) {
    const ratio = behind.slice(2);
    const strength = Math.min(1, Math.abs(Math.log2(ratio[0])) / 5) * 0.6;
    return el("td", { style: `background: rgba(var(--worse), ${strength.toFixed(2)})` },
      el("span", { class: "plain", title: `${row.family}: ${name} takes ${times(ratio[0])} (${range(ratio)}) as long as ${behind[1]}` }, times(ratio[0]), el("small", {}, range(ratio))));
  }
  const some = row.lacking.find(([other]) => other === name);
  return plain({ class: "none", title: some ? `has ${some[1]} of ${row.kernels.length} kernels` : "" }, some ? `${some[1]}/${row.kernels.length}` : "n/a");
}

/** The newest release of each library against the one before it, as `arrayspeed upgrade` would say it. */
function safe({ environment }, libraries) {
  const heading = el("h2", {}, "Is it safe to upgrade?");
  // Releases that were measured in an older Python are on the page of versions.
  const shown = libraries.filter(([library, one]) => one.version !== null && !library.includes(", Python "));
  if (!shown.length) return null;
  const lines = shown.map(([library, one, every]) => {
    const upgrade = [`${one.before} → ${one.version}`, one.dates[one.version] ? el("small", {}, ` ${one.dates[one.version]}`) : null];
    const [last, ...earlier] = every;
    if (last?.version !== one.version) {
      return [library, upgrade, [el("strong", { class: TONES[2] }, "UNDECIDED"), ": the two did not take turns."], "", el("code", {}, "arrayspeed run --selection versions")];
    }
    const [word, ...rest] = last.outcome.split(": ");
    const versions = link("versions.html", { machine: environment.state.machine, library });
    return [
      library, upgrade, [el("strong", { class: TONES[last.status] }, word), `: ${rest.join(": ")}`],
      last.changes.length ? el("ul", { class: "plainly" }, last.changes.map((change) => el("li", {},
        el("span", { class: change.worse ? "bad" : "good" }, change.text), change.why ? el("small", {}, " ", prose(change.why)) : null))) : "none is shown",
      [el("a", { href: last.page }, `${count(last.compared)} comparisons`), el("small", {}, ` ${last.measured}`),
        earlier.length ? el("div", {}, el("a", { href: versions }, `${count(earlier.length)} earlier`)) : null],
    ];
  });
  return [
    heading,
    table("The newest release that was measured against the one before it, by arrayspeed's own kernels", [
      { title: "library" }, { title: "upgrade", text: true }, { title: "outcome", text: true }, { title: "largest changes", text: true }, { title: "measured", text: true },
    ], lines, { class: "stacked" }),
    el("p", { class: "note" }, "Your own functions are what counts: ", el("code", {}, "arrayspeed upgrade LIBRARY OLD NEW --file mine.py"), "."),
    ...shown.filter(([, one]) => one.newer).map(([, one]) => el("p", { class: "note" }, `${one.newer}.`)),
  ];
}

/** The largest steps of each library, and how far it has come. */
function releases({ meta, environment }, libraries) {
  const heading = el("h2", {}, "Which version?");
  const shown = libraries.filter(([, one]) => one.version !== null);
  if (!shown.length) return [heading, nothing("arrayspeed run --selection versions")];
  const lines = shown.map(([library, one]) => [
    el("a", { href: link("versions.html", { machine: environment.state.machine, library }) }, library),
    one.changes.length ? el("ul", { class: "plainly" }, one.changes.map((step) => el("li", {}, changed(meta, step)))) : "none is shown",
    since(one.first),
  ]);
  const compared = (one) => Object.values(one.counts).flatMap(Object.values).reduce((sum, number) => sum + number, 0);
  const apart = shown.filter(([, one]) => one.together < compared(one)).map(([library]) => library);
  return [
    heading,
    table("All releases that were measured", [
      { title: "library" }, { title: "largest changes", text: true }, { title: "since the oldest release", text: true },
    ], lines, { class: "stacked" }),
    apart.length ? el("p", { class: "note" }, `The releases of ${apart.join(", ")} were not all measured side by side. Where they were minutes apart, only large changes can be shown. To measure them side by side: `,
      el("code", {}, "arrayspeed run --selection versions"), ".") : null,
  ];
}

function changed(meta, step) {
  return [
    el("span", { class: step.worse ? "bad" : "good" }, `${step.version}: ${arrow(step)} `, step.ratio === null ? step.verdict : small(ratioText(step))),
    ` ${meta.measures[step.measure].title} of ${title(step)}, ${step.backend}`,
    step.why ? el("small", {}, " ", prose(step.why)) : null,
  ];
}

/** The means over the kernels in the oldest release, of each backend. */
function since(means) {
  const known = means.filter((one) => one.label !== ALL && one.points.length);
  if (!known.length) return "not measured side by side";
  return el("ul", { class: "plainly" }, known.map((one) => el("li", {}, small(ratioText(one.points[0])),
    ` as long in ${one.points[0].version} as in ${one.anchor}: ${one.label} sizes, ${one.backend}, ${one.dtype}, ${count(one.points[0].comparisons)} kernels`)));
}

const LIMITED = { arithmetic: "#d06a12", memory: "#3b8ae0", either: "#8d62d6" };

/** The share of the machine's own peaks that the best backend of each kernel reaches. */
function howGood({ meta, environment, label, device, dtype }, limits) {
  const heading = el("h2", {}, "How good?");
  const here = (one) => one.dtype === dtype && (device === ALL || one.device === device) && one.size === meta.kernels[one.kernel][label];
  const order = Object.keys(meta.kernels);
  const kernels = limits.kernels.filter(here).map((one) => {
    const [share, low, high] = one.share.map((value) => 100 * value);
    const name = `${one.kernel}${device === ALL ? `, ${one.device}` : ""}`;
    const text = `${significant(share, 2)} % (${significant(low, 2)}–${significant(high, 2)} %)`;
    return { ...one, name, share, low, high, text, family: meta.kernels[one.kernel].family, best: one.best.join(", ") };
  });
  if (!kernels.length) {
    const card = device !== ALL && device !== meta.baseline.device;
    const missing = nothing(card ? `arrayspeed run --kernel matmul --kernel add --measure ${meta.call} --dtype ${dtype} --device ${device}` : "arrayspeed peaks");
    missing.prepend(card ? "What a card can do is a matrix product and the sum of two arrays that no cache holds. " : "What this machine can do has not been measured. ");
    return [heading, missing];
  }
  kernels.sort((a, b) => order.indexOf(a.kernel) - order.indexOf(b.kernel));
  const y = { field: "name", type: "nominal", sort: kernels.map((one) => one.name), title: null };
  const x = { field: "share", type: "quantitative", scale: { type: "log", nice: false, padding: 12 }, title: "% of the machine's peak", axis: { format: "~g" } };
  const color = { field: "by", type: "nominal", title: "limited by", scale: { domain: Object.keys(LIMITED), range: Object.values(LIMITED) }, legend: { orient: "top" } };
  const tooltip = [{ field: "name", title: "kernel" }, { field: "family" }, { field: "text", title: "of the limit" }, { field: "by", title: "limited by" }, { field: "best", title: "best backends" }];
  const spec = {
    height: 18 * kernels.length,
    data: { values: kernels },
    layer: [
      { data: { values: [{ share: 100 }] }, mark: { type: "rule", strokeDash: [2, 3], color: "#8b98a3" }, encoding: { x } },
      { mark: { type: "rule", size: 1.5 }, encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" }, color } },
      { mark: { type: "point", filled: true, size: 60, opacity: 1 }, encoding: { y, x, color, tooltip } },
    ],
  };
  return [
    heading,
    el("p", { class: "caption" }, `How close the best backend of each kernel comes to this machine's own peaks, ${label} sizes, ${dtype}, with 95 % intervals`),
    chart(spec, `Share of the machine's peak by kernel: ${kernels.map((one) => `${one.name} ${one.text}`).join("; ")}`),
    el("p", { class: "note" }, "At 100 %, the least work that the kernel needs would take as long as it does at the machine's own rates: of multiplying and adding, and of memory or the cache that holds what it works on. ",
      el("a", { href: link("limits.html", { ...environment.state, size: label, dtype }) }, "The numbers"), "."),
  ];
}

/** What follows from the results of all machines, each with the views that show it. */
function found(findings) {
  if (!findings.length) return null;
  return [
    el("h2", {}, "What was found"),
    findings.map((one) => el("section", { class: "finding" },
      el("h3", {}, prose(one.text)),
      one.why ? el("p", {}, prose(one.why)) : null,
      el("ul", {}, one.shown.map((each) => el("li", {}, `${each.measured} `, el("a", { href: each.view }, each.machine)))))),
  ];
}
