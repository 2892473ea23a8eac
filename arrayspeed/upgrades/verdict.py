"""What an upgrade changes in kernels, as a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from arrayspeed.decide import UNCLEAR_SHARE
from arrayspeed.measure.looking import Limits
from arrayspeed.model.measures import CALL, measure_of
from arrayspeed.model.text import printable
from arrayspeed.model.units import human
from arrayspeed.records.processes import Process, page_faults
from arrayspeed.upgrades.compare import Row as Compared
from arrayspeed.verdict import builds
from arrayspeed.verdict.notes import BOTH_STATES, STATES, rule
from arrayspeed.verdict.rows import Quantity, Row
from arrayspeed.verdict.verdict import Side, Verdict
from kernels import CATALOGUE


def verdict(
    library: str,
    sides: tuple[Side, Side],
    rows: Sequence[Compared],
    machine: str,
    limits: Limits,
    others: Mapping[str, tuple[str | None, str | None]],
    unclear_share: float = UNCLEAR_SHARE,
) -> Verdict:
    """Return what became of a library between two versions; ``others``: what else differs between the environments."""
    old, new = (side.label for side in sides)
    return Verdict(
        f"{library} {old} → {new}",
        sides,
        [row_of(row, sides) for row in rows],
        notes(library, sides, rows, machine, limits, others, unclear_share),
        limits.factor,
        unclear_share,
        limit=limits.limit,
        machine=machine,
        labels={"library": library, "old": old, "new": new},
    )


def row_of(row: Compared, sides: tuple[Side, Side]) -> Row:
    """Return one combination on both sides."""
    one, decision = row.one, row.decision
    measure = measure_of(one.measure)
    failed = decision.failed_reference or decision.failed_subject
    return Row(
        name_of(row),
        one.kernel if one.size is None else f"{one.kernel} {one.size:,}",
        quantity_of(one.measure, row.state, row.moved),
        sides[1].label,
        row.verdict,
        decision,
        row.observed,
        one.backend,
        one.family,
        (page_faults(row.old), page_faults(row.new)),
        reason(row, sides) if failed else "",
        labels={
            "benchmark": one.benchmark,
            "family": one.family,
            "kernel": one.kernel,
            "backend": one.backend,
            "size": one.size,
            "device": one.device,
            "unit": measure.unit,
            "state": row.state,
        },
        processes=(list(map(process_data, row.old)), list(map(process_data, row.new))),
    )


def quantity_of(name: str, state: str, moved: bool = False) -> Quantity:
    """Return a measure as people read it; ``state``: of the allocator, where it is not the usual one. What page faults
    may have ``moved`` is in no mean.
    """
    measure = measure_of(name)
    return Quantity(
        name,
        ", ".join(filter(None, (measure.short, state))),
        f"{measure.title[:1].upper()}{measure.title[1:]}{f', {state}' if state else ''}",
        partial(human, measure=name),
        averaged=measure.is_time and not state and not moved,
        carries=name == CALL.name,
    )


def name_of(row: Compared) -> str:
    """Return a comparison's name, as programs read it."""
    one = row.one
    place = [part for part in (one.backend, None if one.size is None else f"{one.size}", one.device) if part]
    return f"{one.benchmark}({', '.join(place)})" + (f" {row.state}" if row.state else "")


def reason(row: Compared, sides: tuple[Side, Side]) -> str:
    """Return why it failed, and where."""
    whys = [
        (side.label, next((process.why for process in played if process.why), ""))
        for side, played in zip(sides, (row.old, row.new), strict=True)
    ]
    return "; ".join(f"fails in {label}: {why}" for label, why in whys if why)


def notes(
    library: str,
    sides: tuple[Side, Side],
    rows: Sequence[Compared],
    machine: str,
    limits: Limits,
    others: Mapping[str, tuple[str | None, str | None]],
    unclear: float,
) -> list[str]:
    """Return what a reader must know about the numbers."""
    said = rule(f"{library} {sides[0].label}", limits.factor, limits.limit, unclear, errors=True)
    lines = [f"{said} Measured on {printable(machine)}."]
    kernels = {row.one.kernel for row in rows} & CATALOGUE.keys()
    if kernels and len(kernels) < len(CATALOGUE):
        lines.append(f"{len(kernels)} of {len(CATALOGUE)} kernels were compared; --tier full selects all.")
    if any(row.state for row in rows):
        lines.append(f"{STATES} {BOTH_STATES}")
    lines += of_card(rows)
    if any(row.decision.low is not None and not row.decision.paired for row in rows):
        lines.append(
            "Some processes share no round with the other side; they are compared unpaired, with all that differs "
            "between them."
        )
    if others:
        text = ", ".join(f"{name} {old or 'absent'} → {new or 'absent'}" for name, (old, new) in others.items())
        lines.append(f"Packages that differ: {printable(text)}.")
    if different := builds.note([side.packages for side in sides]):
        lines.append(printable(different))
    return lines


def of_card(rows: Sequence[Compared]) -> list[str]:
    """Return what a reader must know of times on a card."""
    if not any(row.one.device == "gpu" for row in rows):
        return []
    every = [process for row in rows for process in (*row.old, *row.new)]
    dropped = sum(int((process.card or {}).get("dropped", 0)) for process in every)
    said = [
        "Calls on the card follow each other, and nothing empties its caches in between (hot, as NVBench calls it)."
    ]
    if dropped:
        said.append(f"Batches dropped because heat or a power brake slowed the card down: {dropped}.")
    elif not any(process.card for process in every):
        said.append("Whether anything slowed the card down is not known: it was not read.")
    return said


def process_data(process: Process) -> dict[str, Any]:
    """Return one process: its round, its value, the batches that it is the median of, the page faults of a call, and
    why it failed.
    """
    return {
        "round": process.round,
        "value": process.value,
        "batches": process.batches,
        "page_faults": process.faults,
        "why": process.why,
    }
