"""What was measured of a claim, in words. Each way of telling takes the comparisons, those that do not agree with the
claim, and the measurements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arrayspeed.claims.comparison import Comparison, Measurements, Pair, is_faster
from arrayspeed.decide.compare import Ratio
from arrayspeed.decide.words import FASTER, SAME, SLOWER
from arrayspeed.model.measures import measure_of
from arrayspeed.model.units import human, significant
from arrayspeed.records.levels import Case, inverse

#: Comparisons shown one by one; of more, only those that do not agree with the claim.
SHOWN = 5

FIELDS = ("kernel", "backend", "device", "dtype", "measure", "size")

Comparisons = Sequence[Comparison]


def interval_text(ratio: Ratio) -> str:
    """Return a ratio with its interval: 2.1× (1.8–2.5)."""
    return f"{significant(ratio.ratio, 2)}× ({significant(ratio.low, 2)}–{significant(ratio.high, 2)})"


def ratio_text(comparison: Comparison) -> str:
    """Return a ratio with what it shows: 2.1× (1.8–2.5) faster."""
    if comparison.word == SLOWER:
        return f"{interval_text(inverse(comparison.ratio))} slower"
    text = interval_text(comparison.ratio)
    return {FASTER: f"{text} faster", SAME: f"the same, {text}"}.get(comparison.word, f"unclear, {text}")


def word(case: Case, name: str) -> str:
    """Return a field as text reads it."""
    value = getattr(case, name)
    return f"at {value:,}" if name == "size" else measure_of(value).bare if name == "measure" else value


def varying(cases: Sequence[Case]) -> list[str]:
    """Return the fields in which cases differ."""
    return [name for name in FIELDS if len({getattr(case, name) for case in cases}) > 1]


def labels(cases: Sequence[Case]) -> list[str]:
    """Return each case named by its backend, and by what it does not share with the others."""
    told = {"backend", *varying(cases)}
    return [" ".join(word(case, name) for name in FIELDS if name in told) for case in cases]


def times(cases: Iterable[Case], measurements: Measurements) -> str:
    """Return every case once with its time."""
    cases = list(dict.fromkeys(cases))
    values = (human(measurements[case].value, case.measure) for case in cases)
    return ", ".join(f"{label} {value}" for label, value in zip(labels(cases), values, strict=True))


def single(comparison: Comparison, measurements: Measurements) -> str:
    """One comparison with its times: ``jax 1.2 ms, numpy 2.4 ms: jax 2.0× (1.8–2.2) faster``."""
    pair = [comparison.pair.fast, comparison.pair.slow]
    subject = f"{labels(pair)[0]} " if comparison.word in (FASTER, SLOWER) else ""
    return f"{times(pair, measurements)}: {subject}{ratio_text(comparison)}"


def place(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    """Return a comparison, and of its pair what it does not share with the other pairs: ``at 50: 1.2× (1.1–1.3) slower
    than numba``.
    """
    pair = comparison.pair
    fast, slow = (varying([getattr(p, side) for p in pairs]) for side in ("fast", "slow"))
    where = " ".join(word(pair.fast, name) for name in fast)
    against = " ".join(
        word(pair.slow, name)
        for name in slow
        if name not in fast or getattr(pair.fast, name) != getattr(pair.slow, name)
    )
    preposition = "than" if comparison.word in (FASTER, SLOWER) else "against"
    return (f"{where}: " if where else "") + ratio_text(comparison) + (f" {preposition} {against}" if against else "")


def all_of(comparisons: Comparisons, unlike: Comparisons, measurements: Measurements) -> str:
    """Return all where they are few, with their times where it is one; else those that do not agree with the claim."""
    if len(comparisons) == 1:
        return single(comparisons[0], measurements)
    pairs = [one.pair for one in comparisons]
    if len(comparisons) <= SHOWN:
        alone = len({pair.fast for pair in pairs}) == 1
        return (f"{pairs[0].fast.backend}: " if alone else "") + "; ".join(place(one, pairs) for one in comparisons)
    count = f"{len(comparisons) - len(unlike)} of {len(comparisons)} comparisons agree"
    if not unlike:
        return count
    rest = f"; and {len(unlike) - SHOWN} more" if len(unlike) > SHOWN else ""
    return f"{count}; the others: " + "; ".join(place(one, pairs) for one in unlike[:SHOWN]) + rest


def append_times(comparisons: Comparisons, unlike: Comparisons, measurements: Measurements) -> str:
    """All, after the times of everything that is compared at one size."""
    text = all_of(comparisons, unlike, measurements)
    cases = [case for one in comparisons for case in (one.pair.fast, one.pair.slow)]
    alone = len(comparisons) == 1 or len({case.size for case in cases}) > 1
    return text if alone else f"{times(cases, measurements)}: {text}"


def at_best(comparisons: Comparisons, unlike: Comparisons, measurements: Measurements) -> str:
    """Return the largest ratio."""
    largest = max(comparisons, key=lambda item: item.ratio.ratio)
    return f"at best, of {len(comparisons)}: {single(largest, measurements)}, size {largest.pair.fast.size:,}"


def growth(comparisons: Comparisons, unlike: Comparisons, measurements: Measurements) -> str:
    """Return the factor by which a time grows, and the times at both ends."""
    (one,) = comparisons
    ends = (one.pair.fast, one.pair.slow)
    told = (f"{human(measurements[case].value, case.measure)} at {case.size:,}" for case in ends)
    return f"{interval_text(one.ratio)}: {', '.join(told)}"


def where_faster(comparisons: Comparisons, unlike: Comparisons, measurements: Measurements) -> str:
    """Return where it is faster, where it is not, and where neither is shown."""
    at = {shown: [one for one in comparisons if is_faster(one) is shown] for shown in (True, False, None)}
    sizes = {shown: ", ".join(f"{one.pair.fast.size:,}" for one in ones) for shown, ones in at.items()}
    faster = ", ".join(f"{one.pair.fast.size:,} ({interval_text(one.ratio)})" for one in at[True])
    told = [f"faster at {faster}" if faster else "shown to be faster at no size"]
    told += [f"not at {sizes[False]}"] if sizes[False] else []
    told += [f"unclear at {sizes[None]}"] if sizes[None] else []
    return "; ".join(told)


def beaten(comparisons: Comparisons) -> dict[str, set[tuple[str, int | None]]]:
    """Backend -> where it is shown to be slower than another."""
    places: dict[str, set[tuple[str, int | None]]] = {
        case.backend: set() for one in comparisons for case in (one.pair.fast, one.pair.slow)
    }
    for one in comparisons:
        if one.word in (FASTER, SLOWER):
            case = one.pair.fast if one.word == SLOWER else one.pair.slow
            places[case.backend].add((case.kernel, case.size))
    return places


def where_beaten(comparisons: Comparisons, unlike: Comparisons, measurements: Measurements) -> str:
    """In how many places each is slower than another."""
    places = len({(one.pair.fast.kernel, one.pair.fast.size) for one in comparisons})
    counts = (f"{backend} in {len(where)} of {places}" for backend, where in beaten(comparisons).items())
    return f"shown to be slower than another: {', '.join(counts)}"
