"""Processes that gave nothing: whether one side fails more often than the other.

Fisher's exact test of the two sides, one-sided each way. Of several comparisons with failures some would look different
by chance: Benjamini and Hochberg over those that have any. Which those are follows from the margins of their tables,
and Fisher's test holds for given margins, so choosing them costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from arrayspeed.decide.discovery import adjusted
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.words import BROKEN, ERROR_RATE, FAILS, SOMETIMES, WORKS


def chance(failed: int, processes: int, other_failed: int, other_processes: int) -> float:
    """Return the chance of at least ``failed`` of all failures on this side where both fail alike often."""
    every, all_failed = processes + other_processes, failed + other_failed
    ways = (comb(all_failed, n) * comb(every - all_failed, processes - n) for n in range(failed, processes + 1))
    return sum(ways) / comb(every, processes)


def judge_failures(observed: Sequence[Observed]) -> list[str | None]:
    """Return a word where a side is shown to fail, or gives nothing at all where the other always works; else None."""
    tables = [one.failures() for one in observed]
    places = [n for n, (reference, _, subject, _) in enumerate(tables) if reference or subject]
    worse: dict[int, float] = {}
    better: dict[int, float] = {}
    for chances, swap in ((worse, False), (better, True)):
        found = []
        for place in places:
            reference, of_reference, subject, of_subject = tables[place]
            sides = (
                (reference, of_reference, subject, of_subject)
                if swap
                else (subject, of_subject, reference, of_reference)
            )
            found.append(chance(*sides))
        chances.update(zip(places, adjusted(found), strict=True))
    return [
        word(table, worse.get(n, 1.0) <= ERROR_RATE + 1e-12, better.get(n, 1.0) <= ERROR_RATE + 1e-12, one.sometimes)
        for n, (one, table) in enumerate(zip(observed, tables, strict=True))
    ]


def word(
    table: tuple[int, int, int, int], shown_worse: bool, shown_better: bool, sometimes: bool = False
) -> str | None:
    """Return what one table of failures means. A side that never worked where the other always did needs no test:
    nothing of it is left to chance that more rounds could show. ``sometimes``: the subject's processes failed in some
    calls only.
    """
    reference, of_reference, subject, of_subject = table
    if not of_reference or not of_subject or not (reference or subject):
        return None
    never, always_failed = reference == of_reference, subject == of_subject
    if never and always_failed:
        return BROKEN
    if always_failed and (shown_worse or not reference):
        return SOMETIMES if sometimes else FAILS
    if never and (shown_better or not subject):
        return WORKS
    if shown_worse:
        return SOMETIMES
    return WORKS if shown_better and not subject else None


def open_question(observed: Observed) -> bool:
    """Return whether one side has failures that the other has not, so that more rounds could show a difference."""
    reference, _, subject, _ = observed.failures()
    return bool(reference) != bool(subject)
