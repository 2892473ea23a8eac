"""How many times faster each number of cores is than the fewest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from arrayspeed.decide import Decision, Observed, judge
from arrayspeed.decide.observed import Value
from arrayspeed.decide.words import MOST_A_LOOK
from arrayspeed.records.scaling import Case, Scaled


@dataclass(frozen=True)
class Speedup:
    """How much faster one number of cores is than the fewest that were measured.

    Attributes
    ----------
    cores, seconds
        How many, and the seconds of a call: the geometric mean over processes, None where none worked.
    decision
        Its time over that of the fewest; None of the fewest themselves.
    why
        Why it failed, where it did.
    """

    cores: int
    seconds: float | None
    decision: Decision | None = None
    why: str | None = None

    @property
    def times(self) -> tuple[float, float, float] | None:
        """The speed-up with its 95 % interval; None where it is not known, and of the fewest."""
        one = self.decision
        if one is None or one.ratio is None or one.low is None or one.high is None:
            return None
        return 1 / one.ratio, 1 / one.high, 1 / one.low


def observed(rows: Iterable[Scaled]) -> dict[tuple[Case, int], Observed]:
    """Return each number of cores against the fewest of the same case, from its newest block."""
    found = {}
    for case, ones in newest(rows).items():
        sides = by_cores(ones)
        fewest, *others = sorted(sides)
        for number in others:
            found[case, number] = Observed(sides[fewest], sides[number], group=case.backend)
    return found


def newest(rows: Iterable[Scaled]) -> dict[Case, list[Scaled]]:
    """Return the processes of each case that took turns last."""
    blocks: dict[Case, dict[str, list[Scaled]]] = defaultdict(lambda: defaultdict(list))
    for one in rows:
        blocks[one.case][one.block].append(one)
    return {case: max(each.values(), key=lambda ones: max(one.date for one in ones)) for case, each in blocks.items()}


def by_cores(ones: Iterable[Scaled]) -> dict[int, dict[Hashable, Value]]:
    """Return what processes gave, by their number of cores and their round."""
    found: dict[int, dict[Hashable, Value]] = defaultdict(dict)
    for one in ones:
        works = any(batch is not None for batch in one.batches)
        found[one.cores][one.round] = list(one.batches) if works else None
    return found


def speedups(
    rows: Iterable[Scaled], decisions: Mapping[tuple[Case, int], Decision] | None = None
) -> dict[Case, list[Speedup]]:
    """Return each case's speed-ups, the fewest cores first; ``decisions``: as they were made look by look, else all are
    judged now, together.
    """
    every = list(rows)
    seen = observed(every)
    if decisions is None:
        decisions = dict(zip(seen, judge(list(seen.values()), level=MOST_A_LOOK), strict=True)) if seen else {}
    found = {}
    for case, ones in sorted(newest(every).items()):
        sides = by_cores(ones)
        whys = {one.cores: one.why for one in ones if one.why}
        blank = Observed({}, {})
        found[case] = [
            Speedup(number, blank.geometric_mean(sides[number]), decisions.get((case, number)), whys.get(number))
            for number in sorted(sides)
        ]
    return found
