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

/** One backend over another: the logarithm of the mean, its interval, and the interval that words are decided by. */
export function mean(data, groups, shares, one, other) {
  const pair = place(data.names.length, Math.min(one, other), Math.max(one, other));
  const total = [...shares.values()].reduce((sum, weight) => sum + weight, 0);
  const parts = [...shares].map(([name, weight]) => ({ share: weight / total, group: groups.get(name), pair: groups.get(name).pairs[pair] }));
  const sign = one < other ? 1 : -1;
  const turned = parts.every((part) => part.pair[3]);
  const state = (from) => {
    const read = parts.map(({ share, pair }) => [share, pair.slice(from && pair.length > from ? from : 0)]);
    const shift = read.reduce((sum, [share, [value]]) => sum + share * sign * value, 0);
    if (turned) return { shift, widths: widths(data, ...added(data, read)) };
    return byRounds(data, parts, one, other) ?? { shift, widths: asOne(data, read) };
  };
  const states = [state(0)];
  if (parts.some((part) => part.pair.length > 4)) states.push(state(4));
  const ends = (place) => [
    Math.min(...states.map((each) => each.shift - each.widths[place])), Math.max(...states.map((each) => each.shift + each.widths[place])),
  ];
  return { shift: states[0].shift, interval: ends(0), strict: ends(1) };
}

/** The standard error of a mean of ratios that were measured in turn, and its degrees of freedom. */
function added(data, read) {
  const errors = read.map(([share, [, error]]) => share * error);
  const all = errors.reduce((sum, error) => sum + error, 0);
  const terms = errors.map((error) => error * ((1 - data.shared) * error + data.shared * all));
  const variance = terms.reduce((sum, term) => sum + term, 0);
  const below = terms.reduce((sum, term, n) => sum + term ** 2 / read[n][1][2], 0);
  return [Math.sqrt(variance), below ? variance ** 2 / below : Infinity];
}

/** The mean of rounds, where all have enough of them and these differ. */
function byRounds(data, parts, one, other) {
  const count = Math.min(...parts.flatMap(({ group }) => [group.rounds[one].length, group.rounds[other].length]));
  if (count < data.least) return null;
  const rounds = Array.from({ length: count }, (_, n) => parts.reduce((sum, { share, group }) => sum + share * (group.rounds[one][n] - group.rounds[other][n]), 0));
  const shift = rounds.reduce((all, value) => all + value, 0) / count;
  const error = Math.sqrt(rounds.reduce((all, value) => all + (value - shift) ** 2, 0) / (count - 1) / count);
  return error > data.exact ? { shift, widths: widths(data, error, count - 1) } : null;
}

/** Half the widths of the two intervals, where errors are taken to move together. */
function asOne(data, read) {
  const each = read.map(([share, [, error, freedom]]) => widths(data, share * error, freedom));
  return [0, 1].map((place) => each.reduce((sum, one) => sum + one[place], 0));
}

/** Half the widths of the two intervals of a standard error. */
function widths(data, error, freedom) {
  const last = data.quantiles.length - 1;
  const at = Math.min(Math.max(Math.log(freedom / data.lowest) / Math.log(data.step), 0), last);
  const below = Math.min(Math.floor(at), last - 1);
  return [0, 1].map((place) => {
    const [low, high] = [below, below + 1].map((number) => Math.log(data.quantiles[number][place]));
    return error * Math.exp(low + (at - below) * (high - low));
  });
}

/** The place of a pair among all pairs of so many, the first before the second. */
function place(many, first, second) {
  return first * many - (first * (first + 1)) / 2 + second - first - 1;
}

/** What the mean shows: slower, faster, same or unclear. */
export function word({ strict: [low, high] }, factor) {
  const edge = Math.log(factor);
  if (low > edge || high < -edge) return low > edge ? "slower" : "faster";
  return -edge < low && high < edge ? "same" : "unclear";
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
