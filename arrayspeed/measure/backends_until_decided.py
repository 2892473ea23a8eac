"""Backends in turn, round after round, until every pair of them is decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from asv.config import Config

from arrayspeed.decide import Observed
from arrayspeed.measure.backends import TURNS, blocks_of_backends, planned
from arrayspeed.measure.blocks import Block
from arrayspeed.measure.host import only_run
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection
from arrayspeed.measure.session import open_session
from arrayspeed.measure.until_decided import go_on
from arrayspeed.model.errors import UserError
from arrayspeed.records.measures import observed_in_both_states
from arrayspeed.records.processes import Process

#: Block, two of its sides, and the allocator's state.
Key = tuple[str, str, str, str]


def run(
    config: Config, selections: Sequence[Selection], limits: Limits, timeout: float | None = None, wait: bool = False
) -> int:
    """Measure what is selected until every pair of backends is decided; return the exit status.

    ``timeout``: seconds after which a process is ended. ``wait``: for another measurement on this host to end.

    Raises
    ------
    UserError
        Nothing that is selected can run, or no environment has two backends.
    """
    with only_run(config.results_dir, wait):
        session = open_session(config, list(selections))
        if timeout is not None:
            for benchmark in session.benchmarks.values():
                benchmark["timeout"] = timeout
        blocks = {one.name: one for one in blocks_of_backends(planned(session, selections))}
        if not blocks:
            raise UserError("this selection has no two backends of one environment to compare")
        return go_on(session, blocks, observed, limits, TURNS)


def observed(blocks: Mapping[str, Block], by_block: Mapping[str, list[Process]]) -> dict[Key, Observed]:
    """Return every pair of backends of each block, the earlier one as the reference; and again, where either takes
    another time where freed memory is retained, in that state.
    """
    made = {}
    for name, ones in by_block.items():
        of = defaultdict(list)
        for process in ones:
            of[process.one].append(process)
        for (first, one), (second, other) in combinations(blocks[name].named, 2):
            if of[one] and of[other]:
                for state, found in observed_in_both_states(of[one], of[other]).items():
                    made[name, first, second, state] = replace(found, group=(one.measure, first, second, state))
    return made
