// Families and their kernels by backend: colour is the speed-up over a baseline, where one was shown.

import {
  asked, bestOf, choice, controls, count, decisions, el, environments, human, key, link, load, measures, named, nothing, otherWay, outdated, page, present, range, remember, rows, table, times, versions, waysSaid,
} from "./common.js";

/** On a phone, what is seldom chosen is folded away, so that all families are on one screen. */
let folded = matchMedia("(max-width: 40em)").matches;

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw, (one) => !one.alone) ?? environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const all = (await rows(meta, environment)).filter((row) => row.size !== null);
  const [{ groups }, means] = await Promise.all([decisions(environment), load(`families-${environment.number}`)]);
  const measure = measures(meta, all, redraw);
  const dtype = choice("dtype", "precision", present(all, "dtype", ["float64", "float32"]), redraw);
  const devices = present(all, "device", meta.devices);
  const device = choice("device", "device", devices.length > 1 ? ["all", ...devices] : devices, redraw);
  const measured = (label) => all.some((row) => row.measure === measure && row.dtype === dtype && row.size === meta.kernels[row.kernel]?.[label]);
  const label = choice("size", "size", measured("large") || !measured("small") ? ["large", "small"] : ["small", "large"], redraw);
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
  const kernels = Object.keys(meta.kernels).filter((name) => byKernel.has(name));
  if (!kernels.length) return nothing(`arrayspeed run --size ${label} --dtype ${dtype} --measure ${measure}`);
  const families = [...new Set(kernels.map((name) => meta.kernels[name].family))];
  const family = choice("family", "family", ["all", ...families], redraw);
  const decided = new Map(groups.filter((one) => one.measure === measure && one.dtype === dtype && byKernel.get(one.kernel)?.size === one.size)
    .map((one) => [one.kernel, one]));
  const known = {
    meta, backends, options, baseline, byKernel, decided, device,
    state: { ...environment.state, measure, dtype, device },
    means: new Map(means.filter((one) => one.measure === measure && one.dtype === dtype && one.label === label).map((one) => [one.family, one])),
  };
  const title = (name) => options.find((one) => one.value === name)?.title ?? name;
  const caption = `${label} sizes, ${dtype} on ${device === "all" ? "all devices" : `the ${device}`}: ${meta.measures[measure].title}, and how many times better than ${title(baseline)}`;
  const machine = meta.machines[environment.machine];
  const view = el("div");
  const show = () => view.replaceChildren(...shown(known, kernels, family, caption, show));
  fold(search(show), hiding(options, show));
  show();
  return [
    view,
    legend(meta.measures[measure].factor),
    el("p", {}, "Is your work a mix of these? ", el("a", { href: link("weights.html", environment.state) }, "Give them weights"), "."),
    el("p", { class: "note" }, `Machine: ${[machine.cpu, machine.gpu, `${machine.num_cpu ?? "?"} cores`, machine.ram].filter(Boolean).join(", ")}. `
      + `Versions: ${versions(environment)}. Measured from ${environment.first.slice(0, 10)} to ${environment.last.slice(0, 10)}: `
      + `${count(environment.values)} values, ${count(environment.failed)} ${environment.failed === 1 ? "failure" : "failures"}.`),
    outdated(environment),
  ];
});

/** The box to search in, with what it says in the address. */
function search(show) {
  const input = el("input", {
    type: "search", name: "q", value: asked.get("q") ?? "", placeholder: "name or formula", autocomplete: "off",
    input: () => { remember("q", input.value.trim() ? [input.value.trim()] : []); show(); },
  });
  return el("label", {}, "search", input);
}

/** A box for each backend; those that are not wanted are in the address. */
function hiding(options, show) {
  const hidden = new Set(asked.getAll("hide"));
  const boxes = options.map(({ value, title }) => {
    const box = el("input", {
      type: "checkbox", name: `show ${value}`, checked: !hidden.has(value),
      change: () => {
        if (box.checked) hidden.delete(value); else hidden.add(value);
        remember("hide", [...hidden]);
        show();
      },
    });
    return el("label", { class: "box" }, box, title);
  });
  return el("fieldset", {}, el("legend", {}, "backends"), boxes);
}

/** Search, family, size and device first; the others behind a line that folds them. */
function fold(searching, backends) {
  const labels = new Map([...controls.elements].map((select) => [select.name, select.closest("label")]));
  const often = ["family", "size", "device"].map((name) => labels.get(name));
  const more = el("details", { class: "more", open: !folded, toggle: () => { folded = !more.open; } },
    el("summary", {}, "More choices"), el("div", {}, [...labels.values()].filter((one) => !often.includes(one)), backends));
  controls.replaceChildren(searching, ...often, more);
}

/** Families as lines that unfold, of what the search, the family and the backends leave. */
function shown(known, kernels, family, caption, show) {
  const { meta, device, options } = known;
  const query = (asked.get("q") ?? "").toLowerCase();
  const hidden = new Set(asked.getAll("hide"));
  const backends = known.backends.filter((one) => !hidden.has(key(one)));
  const fits = (name) => (family === "all" || meta.kernels[name].family === family)
    && [name, meta.kernels[name].family, meta.kernels[name].summary].some((text) => text.toLowerCase().includes(query));
  const list = kernels.filter(fits);
  const families = [...new Set(list.map((name) => meta.kernels[name].family))];
  const open = new Set(asked.getAll("open"));
  const unfolded = (one) => open.has(one) || query !== "" || family !== "all";
  const bodies = families.map((one) => {
    const members = list.filter((name) => meta.kernels[name].family === one);
    const inner = el("tbody", { hidden: !unfolded(one) }, members.map((kernel) => el("tr", {},
      el("th", { scope: "row", class: "inner", title: meta.kernels[kernel].summary },
        el("a", { href: link("backends.html", { ...known.state, kernel }) }, `${kernel} ${count(known.byKernel.get(kernel).size)}`)),
      backends.map((backend) => cell(known, kernel, backend)))));
    const button = el("button", {
      type: "button", class: "toggle", name: `open ${one}`, "aria-expanded": String(unfolded(one)),
      click: () => {
        inner.hidden = !inner.hidden;
        button.setAttribute("aria-expanded", String(!inner.hidden));
        if (inner.hidden) open.delete(one); else open.add(one);
        remember("open", [...open]);
      },
    }, one);
    const all = kernels.filter((name) => meta.kernels[name].family === one).length;
    return [el("tbody", {}, el("tr", { class: "family" }, el("th", { scope: "row" }, button, el("small", {}, members.length === all ? count(all) : `${count(members.length)} of ${count(all)}`)),
      backends.map((backend) => average(known, one, backend)))), inner];
  });
  const every = families.every((one) => open.has(one));
  const head = el("tr", {}, el("th", { scope: "col" }, "family"), backends.map((one) => el("th", { scope: "col" }, named(one, device))));
  if (!list.length || !backends.length) return [el("p", { role: "status" }, "Nothing fits the search and the choices.")];
  return [
    el("p", { class: "tally", role: "status" }, `${count(list.length)} of ${count(kernels.length)} kernels in ${count(families.length)} ${families.length === 1 ? "family" : "families"} `,
      el("button", { type: "button", click: () => { remember("open", every ? [] : families); show(); } }, every ? "Fold all" : "Unfold all")),
    el("p", { class: "caption" }, caption),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      el("table", { class: "heat", "aria-label": caption }, el("thead", {}, head), bodies)),
    waysSaid(meta, list),
    best(known, list, backends.map(key), options),
  ].flat(Infinity).filter(Boolean);
}

/** What is put behind a ratio that is neither better nor worse, for all that was shown. */
const SIGNS = { unclear: " ?", same: " =" };

/** What is put behind a ratio of two that did not take turns. */
const APART = " ~";

/** What is put behind a ratio whose interval encloses two states of the allocator. */
const TWO_TIMES = " †";

/** Whether one of two was measured minutes before or after the other. */
function isApart(group, ...names) {
  return group?.apart.some((name) => names.includes(name)) ?? false;
}

/** A family's geometric mean, over the kernels that both backends have. */
function average({ meta, means, decided, baseline }, family, backend) {
  const found = means.get(family);
  const name = key(backend);
  if (name === baseline && found?.names.includes(name)) return el("td", {}, el("span", { class: "plain" }, "1×"));
  const ratio = ratioOf(found, name, baseline);
  if (!ratio) return el("td", {}, el("span", { class: "none", title: "no kernel of this family has a value of both that is of the same work" }, "n/a"));
  const [over, of] = [ratio[4], found.kernels.length];
  const names = [backend.backend, baseline.split(",")[0]];
  const others = found.kernels.filter((kernel) => names.some((one) => meta.kernels[kernel].otherwise[one]));
  const mark = others.length ? el("span", { class: "way", title: `left out, since one of the two computes in a different way: ${others.join(", ")}` }, " ≠") : null;
  const title = `${family} on ${name}: geometric mean over ${over} of ${of} kernels: ${times(ratio[0])} (${range(ratio)}), ${ratio[3]}`;
  const apart = found.kernels.some((kernel) => isApart(decided.get(kernel), name, baseline));
  return el("td", { style: shade(ratio), class: ratio[3] === "unclear" && "unclear" }, el("span", { class: "plain", title },
    `${times(ratio[0])}${SIGNS[ratio[3]] ?? ""}`, apart ? APART : "", mark, el("small", {}, range(ratio), over < of ? ` ${over}/${of}` : "")));
}

function cell({ meta, byKernel, decided, baseline, state }, kernel, one) {
  const row = byKernel.get(kernel)[key(one)];
  const why = meta.kernels[kernel].unavailable[one.backend];
  if (!row || row.value === null) {
    return el("td", {}, el("span", { class: "none", title: why ?? "" }, row?.failed ? "failed" : "n/a"));
  }
  const ratio = ratioOf(decided.get(kernel), key(row), baseline);
  const itself = key(row) === baseline;
  const word = ratio?.[3];
  // A comparison of two ways of computing is marked whichever of them the other way is.
  const mark = otherWay(meta, kernel, ratio ? [...new Set([one.backend, baseline.split(",")[0]])] : [one.backend]);
  const retained = ratio?.[4] ? `; ${times(ratio[4])} where freed memory is retained, which the interval encloses` : "";
  const title = `${kernel} on ${key(row)}${ratio ? `: ${times(ratio[0])} (${range(ratio)}), ${word}${retained}` : ""}`;
  return el("td", { style: shade(ratio), class: word === "unclear" && "unclear" },
    el("a", { href: link("backends.html", { ...state, kernel }), title },
      itself ? "1×" : ratio ? `${times(ratio[0])}${SIGNS[word] ?? ""}${isApart(decided.get(kernel), key(row), baseline) ? APART : ""}${retained && TWO_TIMES}` : "", mark,
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
  const strength = Math.min(1, Math.abs(Math.log2(ratio[0])) / 5) * 0.6;
  return `background: rgba(var(--${ratio[3]}), ${strength.toFixed(2)})`;
}

function legend(factor) {
  const steps = [1 / 32, 1 / 8, 1 / 2, 2, 8, 32];
  return el("div", { class: "legend" }, "worse", steps.map((ratio) =>
    el("span", { style: shade([ratio, ratio, ratio, ratio > 1 ? "better" : "worse"]) }, times(ratio))), "better",
    el("span", {}, `= shown to be the same within ×${factor}; ? unclear: neither that nor a difference beyond ×${factor} is shown; ~ the two were measured one after the other, and not in turn; † one of the two takes another time in a process that retains freed memory. Below each ratio is its 95 % interval, which encloses both. `
      + "A family's line is the geometric mean over its kernels; 3/5 is over three of five, those that both backends have and compute in the same way; ≠ says that some are left out since they do not."));
}

/** All that cannot be told apart from the best, kernel by kernel, and how often each backend is among them. */
function best({ byKernel, decided, device }, kernels, names, options) {
  const title = (name) => options.find((one) => one.value === name)?.title ?? name;
  const sets = kernels.map((kernel) => [kernel, bestOf(decided.get(kernel)?.best, device)]).filter(([, members]) => members?.length);
  if (!sets.length) return null;
  const wins = names.map((name) => [title(name), sets.filter(([, members]) => members.includes(name)).length]).filter(([, number]) => number)
    .sort((a, b) => b[1] - a[1]);
  return [
    el("h2", {}, "Best"),
    el("p", {}, `Number of kernels (of ${count(sets.length)}) for which a backend is among the best: `, wins.map(([name, number], n) => [n ? ", " : "", el("b", {}, name), ` ${number}`]).flat(), "."),
    el("details", {}, el("summary", {}, "The best backends of each kernel"),
      table("The fastest first: those that are not shown to be worse than another", [{ title: "kernel" }, { title: "best", text: true }],
        sets.map(([kernel, members]) => [`${kernel} ${count(byKernel.get(kernel).size)}`, members.map(title).join(", ")]))),
  ];
}
