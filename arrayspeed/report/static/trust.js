// Accuracy, noise, what is missing and why, and exact packages.

import { choice, count, el, ERROR, environments, human, load, nothing, page, present, rows, significant, table, versions } from "./common.js";

page(async (redraw) => {
  const meta = await load("meta");
  const environment = environments(meta, redraw);
  if (!environment) return nothing("make bench");
  const all = await rows(meta, environment);
  const audits = await load("audits");
  const audit = audits[meta.machines[environment.machine].name];
  const alone = Object.entries(audits).filter(([name]) => !meta.machines.some((one) => one.name === name));
  return [
    el("p", {}, `${versions(environment)}. ${count(environment.values)} values from ${environment.first.slice(0, 10)} to ${environment.last.slice(0, 10)}, `
      + `${count(environment.failed)} ${environment.failed === 1 ? "failure" : "failures"}; commit ${environment.commits.map((hash) => hash.slice(0, 8)).join(", ")}.`),
    audit ? audited(meta, "Audit of this machine", audit) : unaudited(),
    accuracy(meta, all, redraw),
    noise(meta, environment, audit),
    missing(meta, all),
    stale(environment),
    packages(environment),
    alone.map(([name, one]) => audited(meta, `Audit of ${name}, a machine without results`, one)),
    made(meta),
  ];
});

/** On a phone a long table is folded away, so that all headings are within reach. */
const NARROW = matchMedia("(max-width: 40em)").matches;

function fold(said, content) {
  return el("details", { open: !NARROW }, el("summary", {}, said), content);
}

const MARKS = new Map([[true, "pass"], [false, "FAIL"], [null, "open"]]);

function unaudited() {
  return [el("h2", {}, "Audit of this machine"), el("p", { class: "note" }, "This machine was not audited. To audit it: ", el("code", {}, "make audit"))];
}

function audited(meta, title, audit) {
  const backends = present(audit.checks, "backend", Object.keys(meta.backends));
  const count_of = (passed) => audit.checks.filter((one) => one.passed === passed).length;
  const cell = (check, backend) => {
    const mine = audit.checks.filter((one) => one.check === check && one.backend === backend);
    if (!mine.length) return "";
    const good = mine.filter((one) => one.passed === true).length;
    const bad = mine.filter((one) => one.passed === false).length;
    const text = good === mine.length ? `${good}` : `${good} of ${mine.length}`;
    return bad ? el("span", { class: "bad" }, text) : good === mine.length ? text : el("span", { class: "open" }, text);
  };
  const row = (one) => [MARKS.get(one.passed), one.check, one.backend, one.kernel ?? "", one.detail];
  const columns = [{ title: "" , text: true }, { title: "check", text: true }, { title: "backend", text: true }, { title: "kernel", text: true }, { title: "what was found", text: true }];
  const others = audit.checks.filter((one) => one.passed !== true).sort((a, b) => (a.passed === null) - (b.passed === null));
  return [el("h2", {}, title),
    el("p", {}, `${count(count_of(true))} checks pass, ${count(count_of(false))} fail, ${count(count_of(null))} are open; on the ${audit.device}, ${audit.date.slice(0, 10)}, commit ${audit.commit.slice(0, 8)}.`),
    fold("What was checked", table("What was checked, and how many checks pass on each backend, where the mean over all kernels counts as one; what is open has not passed", [{ title: "check" }, { title: "what passes", text: true }, ...backends.map((title) => ({ title }))],
      Object.entries(audit.meanings).filter(([check]) => audit.checks.some((one) => one.check === check)).map(([check, says]) => [check, says, ...backends.map((backend) => cell(check, backend))]))),
    others.length ? fold("What did not pass", table("What did not pass: FAIL was shown to be wrong; open was shown neither to be right nor to be wrong", columns, others.map(row))) : el("p", { class: "note" }, "Nothing failed, and nothing was left open."),
    el("details", {}, el("summary", {}, `All ${count(audit.checks.length)} checks`), table("Checks", columns, audit.checks.map(row))),
  ];
}

function accuracy(meta, all, redraw) {
  const errors = all.filter((row) => row.measure === meta.error && row.value !== null);
  if (!errors.length) return [el("h2", {}, "Accuracy"), nothing(`arrayspeed run --measure ${meta.error} --size small`)];
  const dtype = choice("dtype", "precision", present(errors, "dtype", ["float64", "float32"]), redraw);
  const list = errors.filter((row) => row.dtype === dtype);
  const backends = present(list, "backend", Object.keys(meta.backends));
  const lines = present(list, "kernel", Object.keys(meta.kernels)).map((kernel) => [kernel, ...backends.map((backend) => {
    const row = list.find((one) => one.kernel === kernel && one.backend === backend);
    return row ? human(row.value, ERROR) : el("span", { class: "none" }, "n/a");
  })]);
  return [el("h2", {}, "Accuracy"), fold(`${count(lines.length)} kernels`, table(
    `Largest error against the float64 reference, relative to its largest element; ${dtype} rounds at ${dtype === "float64" ? "1.1e-16" : "6.0e-8"}`,
    [{ title: "kernel" }, ...backends.map((title) => ({ title }))], lines)),
    el("p", { class: "note" }, "Random numbers have no reference; their error is how far mean and variance are from those of the distribution, in standard errors.")];
}

function noise(meta, environment, audit) {
  const heading = el("h2", {}, "Noise");
  const sides = [environment.noise, audit?.noise ?? {}];
  const backends = Object.keys(meta.backends).filter((name) => sides.some((side) => side[name]));
  if (!backends.length) return [heading, nothing(`arrayspeed run --measure ${meta.call}`)];
  return [heading, table("How much the time of a call differs from one process to the next (standard deviation)", [
    { title: "backend" }, { title: "in these results" }, { title: "side by side, in the audit" },
  ], backends.map((backend) => [backend, ...sides.map((side) => side[backend]
    ? `${significant(100 * side[backend].between, 2)} % of ${count(side[backend].combinations)} combinations`
    : el("span", { class: "none" }, "not measured"))])), el("p", { class: "note" }, "Processes that took turns are compared with each other, so that what they have in common does not count: the intervals of backends and of versions are narrower than this noise.")];
}

function missing(meta, all) {
  const reasons = Object.entries(meta.kernels).flatMap(([kernel, one]) => Object.entries(one.unavailable).map(([backend, why]) => [kernel, backend, why]));
  const failed = all.filter((row) => row.failed).map((row) => [row.kernel, row.backend, `failed: ${row.measure} at ${count(row.size)}, ${row.dtype}`]);
  const lines = [...failed, ...reasons];
  return [el("h2", {}, "What is missing"), fold(`${count(lines.length)} combinations`,
    table("Not available, or failed", [{ title: "kernel" }, { title: "backend", text: true }, { title: "why", text: true }], lines))];
}

function stale(environment) {
  const heading = el("h2", {}, "What is out of date");
  if (!environment.outdated.length) return [heading, el("p", { class: "note" }, "Nothing that these values depend on has changed since they were measured.")];
  return [heading, table("Values that depend on something that has changed since they were measured: the kernel, its inputs, the library's adapter or the timing",
    [{ title: "why", text: true }, { title: "values" }, { title: "kernels", text: true }],
    environment.outdated.map((one) => [one.why, count(one.values), one.kernels.join(", ")])),
  el("p", { class: "note" }, "To list them on this machine: ", el("code", {}, "arrayspeed run --stale"), ". To measure them again, run the command that measured them: what is up to date is left as it is.")];
}

function packages(environment) {
  const list = Object.entries(environment.packages);
  return [el("h2", {}, "Exact packages"), list.length
    ? el("details", {}, el("summary", {}, `${list.length} packages`), table("Packages", [{ title: "name" }, { title: "version", text: true }], list))
    : el("p", { class: "note" }, "The packages were not recorded with these results.")];
}

function made(meta) {
  return [el("h2", {}, "How each number is made"), el("ul", {}, [
    "In a round, all backends of an environment have a process each, and these take turns: a batch of calls of about 20 ms, while all others are stopped. A ratio is the median over neighbouring batches, and the mean over rounds, of logarithms.",
    "Its 95 % interval comes from the differences between rounds; where there was only one, from those that are usual.",
    "What was measured one after the other, and not in turn, is marked with ~.",
    "Inputs are on the device and the kernel is compiled before the clock starts; every output is waited for.",
    "The result is compared with a float64 reference: a wrong result is a failure, never a time.",
    "TF32 and bfloat16 products are off in every library, float64 is on in JAX, and no kernel uses fast-math.",
    "All backends get the same inputs and the same cores.",
  ].map((text) => el("li", {}, text))), table("What is measured; less is better in each", [{ title: "measure" }, { title: "what it is", text: true }, { title: "unit", text: true }],
    Object.values(meta.measures).map((one) => [one.title, one.what, one.unit]))];
}
