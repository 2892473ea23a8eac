"""The same calls on one core, on two, and so on: sides that take turns and differ by how many cores they may use.

Each side has a server of its own, which imports its library on the side's cores: libraries start as many threads as
they see cores. A side with fewer cores has the first ones of the machine, and nothing else runs meanwhile.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from asv.config import Config

from arrayspeed.decide import Observed
from arrayspeed.measure import speedups
from arrayspeed.measure.blocks import Block
from arrayspeed.measure.host import only_run
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection, combinations
from arrayspeed.measure.session import Session, open_session
from arrayspeed.measure.until_decided import until_decided
from arrayspeed.model.combination import Combination
from arrayspeed.model.units import plural
from arrayspeed.records import scaling
from arrayspeed.records.processes import Process
from arrayspeed.records.scaling import Case, Scaled


def measure(
    config: Config, selection: Selection, cores: Sequence[int], limits: Limits, wait: bool = False
) -> dict[Case, list[speedups.Speedup]]:
    """Measure what is selected on several numbers of cores, until each is decided against the fewest; store it, and
    return the speed-ups. What an earlier run of the same code left goes on.

    Raises
    ------
    UserError
        Nothing that is selected can run.
    """
    with only_run(config.results_dir, wait):
        session = open_session(config, [selection])
        ones = list(dict.fromkeys(combinations(session, selection)))
        blocks = {scaling.case_of(one): block_of(session, one, cores) for one in ones}
        names = {block.name for block in blocks.values()}
        found = [one for one in scaling.load(config.results_dir, session.machine["machine"]) if one.block in names]

        def take(block: Block, played: list[Process]) -> None:
            found.extend(scaling.add(session, zip(block.cores, played, strict=True)))

        def observed() -> dict[tuple[Case, int], Observed]:
            return speedups.observed(found)

        done = {case: rounds_of(found, block.name) for case, block in blocks.items()}
        decisions = until_decided(session, blocks, take, observed, limits, done, store=False)
    return speedups.speedups(found, decisions)


def block_of(session: Session, one: Combination, cores: Sequence[int]) -> Block:
    """Return a combination on several numbers of cores."""
    what = [session.commit, one.environment, one.benchmark, one.backend, one.size, one.device, list(cores)]
    name = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:12]
    sides = tuple(replace(one) for _ in cores)
    names = tuple(plural(number, "core") for number in cores)
    return Block(f"cores.{name}", sides, names=names, cores=tuple(cores))


def rounds_of(found: Sequence[Scaled], block: str) -> int:
    """Return how many rounds of a block are there."""
    return len({one.round for one in found if one.block == block})
