"""How each measure is judged, as `arrayspeed.decide` takes it: the table of measures in its words."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from arrayspeed.decide import Observed
from arrayspeed.decide.compare import APART
from arrayspeed.decide.observed import Value
from arrayspeed.decide.words import ERRORS, FACTOR, SIZES, TIMES
from arrayspeed.model.measures import BYTES, ERROR, SECONDS, measure_of
from arrayspeed.model.retention import RETAINED
from arrayspeed.records.processes import Process, as_retained, takes_two_times

#: Unit -> what more and less of it are called.
WORDS = {SECONDS: TIMES, BYTES: SIZES, ERROR: ERRORS}


def observed_of_sides(reference: list[Process], subject: list[Process], factor: float = FACTOR) -> Observed:
    """Return what the processes of two sides gave of one combination, as `arrayspeed.decide` takes it.

    Sides that never met in a block were measured minutes apart or more. ``factor``: the ratio that somebody would act
    on.
    """
    one = (reference or subject)[0].one
    how = measure_of(one.measure)
    apart = {process.block for process in reference}.isdisjoint({process.block for process in subject} - {None})
    return Observed(
        by_round(reference, "reference"),
        by_round(subject, "subject"),
        group=(one.measure, one.backend),
        factor=how.threshold.asked(factor),
        least=how.threshold.least,
        floor=how.threshold.floor,
        words=WORDS[how.unit],
        exact=how.exact,
        extra=APART if apart and not how.exact else 0.0,
        sometimes=any(process.sometimes for process in subject),
    )


def observed_in_both_states(reference: list[Process], subject: list[Process]) -> dict[str, Observed]:
    """Return the same by the allocator's state: "" as the processes find it, and `RETAINED` where freed memory is
    retained, if either side takes another time there.
    """
    found = {"": observed_of_sides(reference, subject)}
    old, new = ([as_retained(process) for process in side if process.retained] for side in (reference, subject))
    if old and new and (takes_two_times(reference) or takes_two_times(subject)):
        found[RETAINED] = observed_of_sides(old, new)
    return found


def by_round(processes: Iterable[Process], side: str) -> dict[Hashable, Value]:
    """Round -> what the process of that round gave. A process that met nobody has a round of its own.

    Rounds of one run are the same for all of its blocks: what their processes have in common moves them together.
    """
    return {
        (side, number) if process.block is None else (run_of(process.block), process.round): (
            process.batches or process.value
        )
        for number, process in enumerate(processes)
    }


def run_of(block: str) -> str:
    """Return the run that a block's name begins with."""
    return block.rpartition(".")[0]
