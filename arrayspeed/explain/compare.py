"""Whether the programs of two sides are the same, and what differs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field

from arrayspeed.explain import profiles
from arrayspeed.explain.languages import LANGUAGES, Counts
from arrayspeed.explain.programs import Program
from arrayspeed.model.combination import Combination
from arrayspeed.own.worker.programs import PROFILE

SAME, DIFFERS, NOT_SHOWN = "the same program", "differs", "not shown"

#: What of a difference comes first, where not all of it can be said.
FIRST = ("operations", "instructions", "functions", "kernels", "fusion", "custom-call", "dot")

Change = tuple[str, float, float]


@dataclass(frozen=True)
class Explanation:
    """One combination on both sides.

    Attributes
    ----------
    kernel, dtype, backend, size, device
        The combination.
    verdict
        `SAME`, `DIFFERS` or `NOT_SHOWN`.
    language
        Of `arrayspeed.explain.languages`.
    counts
        What there is how often: name, old side, new side. Of the same program all are equal.
    diff
        Lines that differ with those around them, in the unified form.
    times
        Of a profile, by side: functions and their shares of the time.
    why
        Where it is not shown: why not.
    """

    kernel: str
    dtype: str | None
    backend: str
    size: int | None
    device: str | None
    verdict: str
    language: str = ""
    counts: tuple[Change, ...] = ()
    diff: tuple[str, ...] = ()
    times: tuple[tuple[tuple[str, float], ...], ...] = field(default=())
    why: str = ""

    @property
    def changes(self) -> list[Change]:
        """The counts that differ, those that say most first."""
        changed = [one for one in self.counts if one[1] != one[2]]
        rank = {name: place for place, name in enumerate(FIRST)}
        return sorted(changed, key=lambda item: (rank.get(item[0], len(FIRST)), -abs(item[2] - item[1]), item[0]))


def explained(combination: Combination, old: Program, new: Program) -> Explanation:
    """Both programs of a combination, compared."""
    where = (combination.kernel, combination.dtype, combination.backend, combination.size, combination.device)
    failed = [(side, each.failed) for side, each in (("old", old), ("new", new)) if each.failed is not None]
    if failed:
        both = len(failed) == 2 and failed[0][1] == failed[1][1]
        why = failed[0][1] if both else "; ".join(f"{side}: {text}" for side, text in failed)
        return Explanation(*where, NOT_SHOWN, why=why or "")
    if old.language != new.language:
        return Explanation(*where, NOT_SHOWN, why=f"old is shown as {old.language}, new as {new.language}")
    language = LANGUAGES[old.language]
    try:
        before, after = language.lines(old.text), language.lines(new.text)
    except (ValueError, SyntaxError) as error:
        return Explanation(*where, NOT_SHOWN, old.language, why=f"it cannot be read: {error}")
    return Explanation(
        *where,
        SAME if before == after else DIFFERS,
        old.language,
        counted(language.counts(before), language.counts(after)),
        tuple(difflib.unified_diff(before, after, "old", "new", lineterm="")),
        tuple(tuple(profiles.times(each.text)) for each in (old, new)) if old.language == PROFILE else (),
    )


def counted(old: Counts, new: Counts) -> tuple[Change, ...]:
    """Names with their counts on both sides."""
    return tuple((name, old.get(name, 0), new.get(name, 0)) for name in dict.fromkeys([*old, *new]))


def status(explanations: Sequence[Explanation]) -> int:
    """Return the exit status. 0: all programs are the same. 1: one differs. 2: one cannot be shown, and
    none differs.
    """
    verdicts = {one.verdict for one in explanations}
    if DIFFERS in verdicts:
        return 1
    return 0 if verdicts == {SAME} else 2
