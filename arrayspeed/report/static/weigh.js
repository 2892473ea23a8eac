// A weighted mean of logarithms and its interval, as arrayspeed/decide/weighted.py explains them: the parts were made
// there when the site was published, and are only added up here.

/** Weights from an address: `w=fft*-large-2` is a family, `w=solve-small-1` a kernel; what means nothing is left out. */
export function parse(parameters, kernels) {
  const families = new Set(Object.values(kernels).map((one) => one.family));
  const found = new Map();
  for (const text of parameters.getAll("w")) {
    const [name, label, value, ...more] = text.split("-");
    const known = name.endsWith("*") ? families.has(name.slice(0, -1)) : Object.hasOwn(kernels, name);
    const weight = Number(value);
    if (known && !more.length && ["small", "large"].includes(label) && value && Number.isFinite(weight) && weight > 0) {
      found.set(`${name}-${label}`, weight);
    }
  }
  return found;
}

/** The weights as an address has them. */
export function written(weights) {
  return [...weights].map(([name, weight]) => `${name}-${weight}`);
}

/**
 * The weight of each kernel and size. A family's weight is shared equally by those of its kernels that anything was
 * measured of; a kernel's own weight comes on top.
 */
export function spread(weights, groups, kernels) {
  const found = new Map();
  const add = (name, weight) => found.set(name, (found.get(name) ?? 0) + weight);
  for (const [text, weight] of weights) {
    const [name, label] = text.split("-");
    if (!name.endsWith("*")) {
      add(text, weight);
      continue;
    }
    const family = Object.keys(kernels).filter((one) => kernels[one].family === name.slice(0, -1));
    const measured = family.filter((one) => groups.has(`${one}-${label}`));
    const members = measured.length ? measured : family;
    for (const one of members) add(`${one}-${label}`, weight / members.length);
  }
  return found;
}

/** One backend over another: the logarithm of the mean, half the width of its interval, and of that for the word. */
export function mean(data, groups, shares, one, other) {
  const pair = place(data.names.length, Math.min(one, other), Math.max(one, other));
  const parts = [...shares].map(([name, weight]) => [groups.get(name), weight]);
  const total = parts.reduce((sum, [, weight]) => sum + weight, 0);
  const sum = (value) => parts.reduce((all, [group, weight]) => all + (weight / total) * value(group), 0);
  const count = Math.min(...parts.flatMap(([group]) => [group.rounds[one].length, group.rounds[other].length]));
  if (count >= data.least) {
    const rounds = Array.from({ length: count }, (_, n) => sum((group) => group.rounds[one][n] - group.rounds[other][n]));
    const middle = rounds.reduce((all, value) => all + value, 0) / count;
    const error = Math.sqrt(rounds.reduce((all, value) => all + (value - middle) ** 2, 0) / (count - 1) / count);
    const [usual, strict] = data.quantiles[count];
    if (error > data.exact) return { shift: middle, margin: usual * error, strict: strict * error, rounds: count };
  }
  return {
    shift: sum((group) => (one < other ? group.pairs[pair][0] : -group.pairs[pair][0])),
    margin: sum((group) => group.pairs[pair][1]),
    strict: sum((group) => group.pairs[pair][2]),
    rounds: 0,
  };
}

/** The place of a pair among all pairs of so many, the first before the second. */
function place(many, first, second) {
  return first * many - (first * (first + 1)) / 2 + second - first - 1;
}

/** What the mean shows: slower, faster, same or unclear. */
export function word({ shift, strict }, factor) {
  const edge = Math.log(factor);
  if (Math.abs(shift) - strict > edge) return shift > 0 ? "slower" : "faster";
  return Math.abs(shift) + strict < edge ? "same" : "unclear";
}

/** The backends that have all that has a weight, the fastest first, and for the others what they lack. */
export function sides(data, groups, shares, suits) {
  const whole = [];
  const lacking = [];
  data.names.forEach((name, number) => {
    if (!suits(name)) return;
    const missing = [...shares.keys()].filter((one) => (groups.get(one)?.shifts[number] ?? null) === null);
    if (missing.length) lacking.push({ name, number, missing });
    else whole.push({ name, number });
  });
  if (!whole.length) return { whole, lacking };
  const first = whole[0].number;
  whole.forEach((one) => { one.order = one.number === first ? 0 : mean(data, groups, shares, one.number, first).shift; });
  whole.sort((a, b) => a.order - b.order);
  return { whole, lacking };
}

/** Those that are not shown to be slower than any other. */
export function best(data, groups, shares, whole, factor) {
  return whole.filter((one) => !whole.some((other) => other !== one && word(mean(data, groups, shares, one.number, other.number), factor) === "slower"));
}
