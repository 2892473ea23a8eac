"""How each measure is judged: what more and less of it are called, and what is too small to matter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arrayspeed.decide import Observed
from arrayspeed.decide.compare import APART
from arrayspeed.decide.words import ERRORS, SIZES, TIMES, Words
from arrayspeed.records.processes import Process


@dataclass(frozen=True)
class Judged:
    """How a measure is judged.

    Attributes
    ----------
    words
        What more and less are called.
    factor
        The ratio that matters, where it is not the one that is asked for: an error is a matter of digits.
    least, lift
        A difference that never matters, and the value below which all are alike, in the measure's unit.
    exact
        It does not vary by chance.
    rounds
        Rounds that are enough for the first look; None for all of them.
    """

    words: Words = TIMES
    factor: float | None = None
    least: float = 0.0
    lift: float = 0.0
    exact: bool = False
    rounds: int | None = None


#: The measures that are no times. Of memory, the allocator's own grain does not matter; of an error, rounding.
JUDGED = {
    "track_error": Judged(ERRORS, factor=2.0, lift=2.0**-52, exact=True, rounds=2),
    "track_memory": Judged(SIZES, least=2.0**20, lift=2.0**10),
    "peakmem_call": Judged(SIZES, least=2.0**20),
}


def judged(measure: str) -> Judged:
    """How a measure is judged; a time where nothing else is known."""
    return JUDGED.get(measure, Judged())


def observed_of_sides(reference: list[Process], subject: list[Process]) -> Observed:
    """What the processes of two sides gave of one combination, as `arrayspeed.decide` takes it.

    Sides that never met in a block were measured minutes apart or more.
    """
    one = (reference or subject)[0].one
    how = judged(one.measure)
    apart = {process.block for process in reference}.isdisjoint({process.block for process in subject} - {None})
    return Observed(
        by_round(reference, "reference"),
        by_round(subject, "subject"),
        group=(one.measure, one.backend),
        factor=how.factor,
        least=how.least,
        lift=how.lift,
        words=how.words,
        exact=how.exact,
        extra=APART if apart and not how.exact else 0.0,
        sometimes=any(process.sometimes for process in subject),
    )


def by_round(processes: Iterable[Process], side: str) -> dict:
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
    """The run that a block's name begins with."""
    return block.rpartition(".")[0]
