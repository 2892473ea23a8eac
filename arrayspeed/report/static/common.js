// What all pages share: loading, the state in the URL, controls, numbers as people read them, and elements made of
// text alone: nothing that comes from results is ever taken as HTML.

export const view = document.getElementById("view");
export const controls = document.getElementById("controls");

const loaded = new Map();

/** A JSON file of the report, loaded once. */
export function load(name) {
  if (!loaded.has(name)) {
    loaded.set(name, fetch(`data/${name}.json`).then((answer) => {
      if (!answer.ok) throw new Error(`data/${name}.json: ${answer.status}`);
      return answer.json();
    }));
  }
  return loaded.get(name);
}

/** An element: attributes that are functions are listeners; children are elements or text. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** A sentence, as elements: what stands between backticks is code. */
export const prose = (sentence) => sentence.split("`").map((part, n) => (n % 2 ? el("code", {}, part) : part));

/** A table: columns are {title, text}, rows are arrays of text or elements. The first cell of a row is its heading. */
export function table(caption, columns, rows, attributes = {}) {
  const head = el("tr", {}, columns.map((c) => el("th", { scope: "col", class: c.text && "text" }, c.title)));
  const body = rows.map((cells) => el("tr", {}, cells.map((cell, n) =>
    el(n === 0 ? "th" : "td", { scope: n === 0 && "row", class: columns[n].text && "text" }, cell))));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", attributes, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, body)));
}

/** What the URL asks for. */
export const asked = new URLSearchParams(location.search);

/** Put all values of a name into the URL. */
export function remember(name, values) {
  asked.delete(name);
  for (const value of values) asked.append(name, value);
  history.replaceState(null, "", `?${asked}`);
}

/** The URL of a page in a certain state. */
export function link(page, parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, v]) => v !== undefined && v !== null));
  return `${page}?${query}`;
}

/** A choice that is kept in the URL; the first option is what is shown where the URL says nothing, or nonsense. */
export function choice(name, title, options, redraw) {
  const entries = options.map((option) => (typeof option === "object" ? option : { value: option, title: option }));
  if (!entries.length) return null;
  const values = entries.map((entry) => String(entry.value));
  const value = values.includes(asked.get(name)) ? asked.get(name) : values[0];
  const select = el("select", {
    name,
    change: () => {
      remember(name, [select.value]);
      redraw();
    },
  }, entries.map((entry) => el("option", { value: entry.value, selected: String(entry.value) === value }, entry.title)));
  controls.append(el("label", {}, title, select));
  return value;
}

/** Draw a page, and again whenever a choice changes. What goes wrong is said. */
export function page(draw) {
  const redraw = async () => {
    const focused = document.activeElement?.name;
    controls.replaceChildren();
    try {
      const content = await draw(redraw);
      view.replaceChildren(...[content].flat(Infinity).filter((part) => part !== null && part !== undefined));
    } catch (error) {
      console.error(error);
      view.replaceChildren(el("p", { class: "error" }, `This page cannot be shown: ${error.message}`));
    }
    if (focused) controls.elements[focused]?.focus();
    document.body.dataset.ready = "true";
  };
  window.addEventListener("popstate", redraw);
  redraw();
}

/** What to do where there is nothing to show. */
export function nothing(command) {
  return el("p", { class: "error" }, "Nothing of this kind has been measured yet. To measure it: ", el("code", {}, command));
}

/** The choice of machine and environment; environments that compare libraries come first. An address has their names,
    which stay what they are when others are added. */
export function environments(meta, redraw, suits = () => true) {
  const found = meta.environments.map((one, number) => {
    const state = { machine: meta.machines[one.machine].name, environment: one.name };
    return { ...one, number, state };
  }).filter(suits);
  const machine = choice("machine", "machine", [...new Set(found.map((one) => one.state.machine))], redraw);
  const there = found.filter((one) => one.state.machine === machine);
  const options = there.map((one) => ({ value: one.name, title: versions(one) }));
  const name = choice("environment", "versions", options, redraw);
  return there.find((one) => one.name === name);
}

/** How many of an environment's values were measured with code that has changed since, and where the reasons are;
    nothing where there is none. */
export function outdated(environment) {
  const values = environment.outdated.reduce((sum, one) => sum + one.values, 0);
  if (!values) return null;
  return el("p", { class: "note" }, `${count(values)} of this environment's values were measured before something changed that they depend on. `,
    el("a", { href: link("trust.html", environment.state) }, "What changed, and which kernels"), ".");
}

/** The versions of an environment, as a line. */
export function versions(environment) {
  return Object.entries(environment.versions).map(([name, version]) => `${name} ${version}`).join(", ");
}

/** An environment's values as objects, each with its unit. */
export async function rows(meta, environment) {
  const columns = await load(`environment-${environment.number}`);
  const names = Object.keys(columns);
  return columns.kernel.map((_, n) => Object.fromEntries([...names.map((name) => [name, columns[name][n]]), ["unit", meta.measures[columns.measure[n]].unit]]));
}

/** The choice of a measure, of those that a list of rows has. */
export function measures(meta, list, redraw) {
  return choice("measure", "measure", present(list, "measure", Object.keys(meta.measures))
    .map((name) => ({ value: name, title: meta.measures[name].title })), redraw);
}

/** What an environment's values show of each other: decided when the site was published. */
export function decisions(environment) {
  return load(`decisions-${environment.number}`);
}

/** The values that a list of rows has in a column, in the order of a catalogue. */
export function present(list, column, order = []) {
  const found = new Set(list.map((row) => row[column]).filter((value) => value !== null));
  return [...order.filter((value) => found.has(value)), ...[...found].filter((value) => !order.includes(value)).sort()];
}

export const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const BYTES = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];

/** So many significant digits, without an exponent. */
export function significant(value, digits = 3) {
  if (value === 0) return "0";
  const exponent = Number(value.toExponential(digits - 1).split("e")[1]);  // of the rounded value: 9.96 reads 10, not 10.0
  return value.toFixed(Math.min(Math.max(0, digits - 1 - exponent), 20));
}

export const SECONDS = "seconds";
export const ERROR = "relative error";

/** A backend, with its device where all are shown. */
export function named(row, device) {
  return device === "all" ? `${row.backend}, ${row.device}` : row.backend;
}

/** The name of a backend on a device among decisions. */
export function key(row) {
  return `${row.backend}, ${row.device}`;
}

/** The larger or smaller form of a unit that suits a value: its factor and its name. */
function scale(value, unit) {
  const units = unit === "bytes" ? BYTES : TIMES;
  return units.find(([size]) => Math.abs(value) >= size) ?? units.at(-1);
}

/** A value with its unit. */
export function human(value, unit, places = 2) {
  if (value === null || value === undefined) return "n/a";
  if (unit === ERROR) return value === 0 ? "0" : value.toExponential(1);
  const [factor, name] = scale(value, unit);
  return `${significant(value / factor, places)} ${name}`;
}

/** The 95 % interval of a row's value, in the unit of the value: 3.8–4.2 µs; "" where there is none. */
export function spread(row) {
  if (row.low === null) return "";
  if (row.unit === ERROR) return `${row.low.toExponential(1)}–${row.high.toExponential(1)}`;
  const [factor, name] = scale(row.value, row.unit);
  return `${significant(row.low / factor, 2)}–${significant(row.high / factor, 2)} ${name}`;
}

/** What tells a reader that a backend computes in another way than the kernel says; null where it does not. */
export function otherWay(meta, kernel, backends) {
  const ways = backends.filter((name) => meta.kernels[kernel]?.otherwise[name]).map((name) => `${name}: ${meta.kernels[kernel].otherwise[name]}`);
  return ways.length ? el("span", { class: "way", title: `computes in a different way: ${ways.join("; ")}` }, " ≠") : null;
}

/** The sign of `otherWay` in words, for the kernels that a page shows; null where none has one. */
export function waysSaid(meta, kernels) {
  const byWay = new Map();
  for (const kernel of kernels) {
    for (const [name, way] of Object.entries(meta.kernels[kernel]?.otherwise ?? {})) {
      const found = byWay.get(way) ?? { kernels: new Set(), names: new Set() };
      byWay.set(way, found);
      found.kernels.add(kernel);
      found.names.add(name);
    }
  }
  const said = [...byWay].map(([way, found]) => `${[...found.kernels].join(", ")} by ${[...found.names].join(", ")}: ${way}`);
  return said.length ? el("p", { class: "note" }, `≠ computes in a different way from the kernel's definition, and is in no best set: ${said.join("; ")}.`) : null;
}

/** 10,000 */
export function count(number) {
  return number === null ? "" : number.toLocaleString("en");
}

/** A ratio without its sign: 12,300, 12, 1.3, 0.25. */
function plain(ratio) {
  return ratio >= 9.95 ? Math.round(Number(ratio.toPrecision(3))).toLocaleString("en") : significant(ratio, 2);
}

/** A ratio, as people say it: 12×, 1.3×, 0.25×. */
export function times(ratio) {
  return `${plain(ratio)}×`;
}

/** The 95 % interval of a ratio: 1.1–1.5. */
export function range([, low, high]) {
  return `${plain(low)}–${plain(high)}`;
}

/** The best set on a device; of all devices, where there are several. */
export function bestOf(sets, device) {
  return device === "all" ? sets?.all ?? Object.values(sets ?? {})[0] : sets?.[device];
}
