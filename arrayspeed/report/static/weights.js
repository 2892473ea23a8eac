// A reader's own mix of kernels: which backends cannot be told apart for it, and how far behind the others are.

import {
  asked, choice, count, el, environments, key, load, measures, nothing, outdated, page, present, range, remember, rows, SECONDS, table, times, versions,
} from "./common.js";
import { best, mean, parse, sides, spread, word, written } from "./weigh.js";

const EXAMPLES = {
  "Fourier transforms and small solves": ["fft*-large-1", "solve-small-1"],
  "training of networks": ["learning*-large-1"],
  "simulation in loops": ["simulation*-large-2", "loops*-small-1"],
};

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw, (one) => !one.alone) ?? environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const data = await load(`weights-${environment.number}`);
  const every = await rows(meta, environment);
  if (!data.groups.length) return nothing("make bench");
  const measure = measures(meta, data.groups, redraw);
  const dtype = choice("dtype", "precision", present(data.groups.filter((one) => one.measure === measure), "dtype", ["float64", "float32"]), redraw);
  const here = data.groups.filter((one) => one.measure === measure && one.dtype === dtype);
  const devices = meta.devices.filter((one) => data.names.some((name) => name.endsWith(`, ${one}`)));
  const device = choice("device", "device", devices.length > 1 ? [...devices, "all"] : devices, redraw);
  const groups = new Map(here.map((one) => [`${one.kernel}-${one.label}`, one]));
  const failed = new Set(every.filter((row) => row.failed && row.measure === measure && row.dtype === dtype).map((row) => `${key(row)} ${row.kernel} ${row.size}`));
  const known = { meta, environment, data, groups, measure, device, failed };
  const weights = parse(asked, meta.kernels);
  const result = el("section", { id: "result", "aria-live": "polite", "aria-label": "Result" });
  const show = () => result.replaceChildren(...[outcome(known, weights, redraw)].flat(Infinity).filter(Boolean));
  show();
  return [result, editor(known, weights, show, redraw), explained(known)];
});

/** The address holds what is shown. */
function keep(weights) {
  remember("w", written(weights));
}

function outcome(known, weights, redraw) {
  const { meta, environment, data, groups, measure, device } = known;
  if (!weights.size) {
    return [el("p", { class: "examples" }, "Nothing has a weight yet. Give weights below, or begin with an example: ",
      Object.entries(EXAMPLES).map(([name, list]) => [el("button", { type: "button", click: () => { remember("w", list); redraw(); } }, name)]))];
  }
  const shares = spread(weights, groups, meta.kernels);
  const { factor, unit } = meta.measures[measure];
  const title = (name) => (device === "all" ? name : name.split(",")[0]);
  const { whole, lacking } = sides(data, groups, shares, (name) => device === "all" || name.endsWith(`, ${device}`));
  const among = new Set(best(data, groups, shares, whole, factor).map((one) => one.name));
  const worse = unit === SECONDS ? "slower" : "worse";
  const shown = whole.map((one, n) => {
    const ratio = n ? mean(data, groups, shares, one.number, whole[0].number) : null;
    const behind = among.has(one.name) ? null : whole.find((other) => other !== one && word(mean(data, groups, shares, one.number, other.number), factor) === "slower");
    const said = among.has(one.name) ? el("b", {}, whole.length === 1 ? "the only one" : among.size === 1 ? "the best" : "★ not told apart from the best")
      : `${worse} than ${title((ratio && word(ratio, factor)) === "slower" ? whole[0].name : behind.name)}`;
    // The interval that words are decided by, so that the two agree.
    const ends = ratio ? [ratio.shift, ...ratio.strict].map(Math.exp) : null;
    return [el("span", {}, title(one.name)), ends ? times(ends[0]) : "1×", ends ? range(ends) : "", said];
  });
  const heading = !whole.length ? "No backend has values for everything that has a weight" : among.size === 1 ? `Best: ${title([...among][0])}`
    : `Best, and not told apart: ${whole.filter((one) => among.has(one.name)).map((one) => title(one.name)).join(", ")}`;
  return [
    el("h2", { class: "answer" }, heading),
    whole.length ? table(`Geometric mean of ${meta.measures[measure].title} with your weights, relative to ${title(whole[0].name)} (less is better)`,
      [{ title: "backend" }, { title: "ratio" }, { title: "95 % interval" }, { title: "what is shown", text: true }], shown) : null,
    missing(known, lacking, title),
    counted(known, shares),
    el("p", { class: "note" }, `${meta.machines[environment.machine].name}; ${versions(environment)}.`),
    outdated(environment),
  ];
}

/** A kernel and size in words: solve 100. */
function named(meta, name) {
  const [kernel, label] = name.split("-");
  return `${kernel} ${count(meta.kernels[kernel][label])}`;
}

/** Backends that lack something with a weight: nothing is put in its place. */
function missing({ meta, failed }, lacking, title) {
  if (!lacking.length) return null;
  const why = (name, one) => {
    const [kernel, label] = one.split("-");
    const { otherwise, unavailable } = meta.kernels[kernel];
    const backend = name.split(",")[0];
    if (otherwise[backend]) return `computes in a different way ≠: ${otherwise[backend]}`;
    return unavailable[backend] ?? (failed.has(`${name} ${kernel} ${meta.kernels[kernel][label]}`) ? "failed" : "not measured");
  };
  return [
    el("h3", {}, "Not compared, since something is missing"),
    el("ul", {}, lacking.map(({ name, missing: list }) => el("li", {}, el("b", {}, title(name)), ": ",
      list.length > 3 ? el("details", { class: "inline" }, el("summary", {}, `${list.length} kernels`), reasons(meta, list, name, why)) : reasons(meta, list, name, why)))),
  ];
}

function reasons(meta, list, name, why) {
  return list.map((one, n) => `${n ? "; " : ""}${named(meta, one)} (${why(name, one)})`).join("");
}

/** What the weights amount to, kernel by kernel. */
function counted({ meta }, shares) {
  const total = [...shares.values()].reduce((sum, weight) => sum + weight, 0);
  const list = [...shares].sort((a, b) => b[1] - a[1]).map(([name, weight]) => `${named(meta, name)} ${Number(((100 * weight) / total).toPrecision(2))} %`);
  return el("details", {}, el("summary", {}, `What counts: ${count(shares.size)} ${shares.size === 1 ? "kernel" : "kernels"}, and how much`), el("p", {}, list.join(" · ")));
}

function editor(known, weights, show, redraw) {
  const { meta, groups } = known;
  const labels = ["small", "large"];
  const families = [...new Set(Object.values(meta.kernels).map((one) => one.family))];
  const field = (name, label, what) => {
    const id = `${name}-${label}`;
    const input = el("input", {
      type: "number", min: 0, step: "any", name: id, value: weights.get(id) ?? "", placeholder: "0", inputmode: "decimal",
      "aria-label": `weight of ${what}, ${label}`,
      input: () => {
        const weight = Number(input.value);
        if (weight > 0 && Number.isFinite(weight)) weights.set(id, weight);
        else weights.delete(id);
        keep(weights);
        show();
      },
    });
    return el("td", {}, input);
  };
  const bodies = families.map((family) => {
    const kernels = Object.keys(meta.kernels).filter((one) => meta.kernels[one].family === family);
    const measured = kernels.filter((one) => labels.some((label) => groups.has(`${one}-${label}`)));
    const open = kernels.some((one) => labels.some((label) => weights.has(`${one}-${label}`)));
    const lines = kernels.map((kernel) => el("tr", {}, el("th", { scope: "row", class: "inner", title: meta.kernels[kernel].summary }, kernel,
      el("small", {}, measured.includes(kernel) ? `${count(meta.kernels[kernel].small)} / ${count(meta.kernels[kernel].large)}` : "not measured")),
    labels.map((label) => field(kernel, label, kernel))));
    const inner = el("tbody", { hidden: !open }, lines);
    const button = el("button", {
      type: "button", class: "toggle", "aria-expanded": String(open),
      click: () => {
        inner.hidden = !inner.hidden;
        button.setAttribute("aria-expanded", String(!inner.hidden));
      },
    }, family);
    return [el("tbody", {}, el("tr", { class: "family" }, el("th", { scope: "row" }, button, el("small", {}, `${count(measured.length)} of ${count(kernels.length)} measured`)),
      labels.map((label) => field(`${family}*`, label, `all of ${family}`)))), inner];
  });
  const head = el("tr", {}, el("th", { scope: "col" }, "family, kernel"), labels.map((label) => el("th", { scope: "col" }, label)));
  return [
    el("h2", {}, "Weights"),
    el("p", { class: "note" }, "How much each is of your work, in any unit. A family's weight is shared equally by its measured kernels; a kernel's own weight comes on top. The weights are in the address of this page. ",
      weights.size ? el("button", { type: "button", click: () => { remember("w", []); redraw(); } }, "Clear all weights") : null),
    el("table", { class: "weights" }, el("caption", {}, "Weights of small and large sizes"), el("thead", {}, head), bodies),
  ];
}

function explained({ data, meta, measure }) {
  return el("p", { class: "note" }, "The ratio of two backends is the geometric mean of their ratios, with your weights. Where they took turns in each kernel, a part of the errors is taken to move together "
    + `(correlation ${data.shared}). Elsewhere, from ${data.least} processes of each on, the mean is formed within each round of processes first; with fewer, all errors are taken to move together, which gives the widest interval. `
    + "An interval encloses what a process gives that retains freed memory, where that is another mean. The 95 % intervals hold for all backends together (Bonferroni's bound). "
    + `A backend is among the best if it is not shown to be worse than another one by more than ×${meta.measures[measure].factor}.`);
}
