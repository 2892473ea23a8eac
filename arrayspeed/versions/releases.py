"""Measure all releases of a library side by side: in each block every release meets one anchor, the newest.

What is measured is stored process by process, with its block and round, and from that asv's own results are written. A
block is named after what it compares, so that a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from asv.config import Config

from arrayspeed.decide import Observed
from arrayspeed.measure.blocks import Block, blocks_of
from arrayspeed.measure.host import only_run
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.plan import Selection, combinations
from arrayspeed.measure.session import Session, open_session
from arrayspeed.measure.until_decided import go_on
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import PYTHON, held, of_python
from arrayspeed.model.measures import measure_of
from arrayspeed.records.measures import observed_in_both_states
from arrayspeed.records.processes import Process
from arrayspeed.versions.history import order

#: Block, release and the allocator's state -> what is decided: the release against the anchor.
Key = tuple[str, str, str]


def run(
    config: Config, selections: list[Selection], limits: Limits, timeout: float | None = None, wait: bool = False
) -> int:
    """Measure what is selected until every release is decided against the anchor; returns the exit status.

    ``wait``: for another measurement on this host to end.

    Raises
    ------
    UserError
        No library has two releases among the environments, or nothing that is selected can run.
    """
    with only_run(config.results_dir, wait):
        session = open_session(config, selections)
        if timeout is not None:
            for benchmark in session.benchmarks.values():
                benchmark["timeout"] = timeout
        blocks = {one.name: one for one in all_blocks(session, selections)}
        if not blocks:
            raise UserError(
                "no library has two environments in this selection, and releases are compared with each other"
            )
        return go_on(session, blocks, observed, limits)


def all_blocks(session: Session, selections: Sequence[Selection]) -> list[Block]:
    """Return a block for each combination of each library, all of its releases in it, the newest first."""
    every = list(dict.fromkeys(one for selection in selections for one in combinations(session, selection)))
    releases: dict[str, dict[str, str]] = defaultdict(dict)
    for name, env in session.environments.items():
        libraries = held(env)
        if of_python(env.env_vars):
            releases[PYTHON][name] = env.python
        elif len(libraries) == 1:
            ((library, version),) = libraries.items()
            releases[library][name] = version
    found = []
    for library, versions in releases.items():
        newest_first = sorted(versions, key=lambda name: order(versions[name]), reverse=True)
        ones = [one for one in every if one.environment in versions and library in (PYTHON, one.library)]
        found += [one.with_first(measure_of(one.one.measure).rounds) for one in blocks_of(ones, newest_first)]
    return found


def observed(blocks: Mapping[str, Block], by_name: Mapping[str, list[Process]]) -> dict[Key, Observed]:
    """Return every release against its anchor."""
    made: dict[Key, Observed] = {}
    for name, ones in by_name.items():
        anchor, *others = (one.environment for one in blocks[name].sides)
        of = defaultdict(list)
        for process in ones:
            of[process.one.environment].append(process)
        for other in others:
            if of[anchor] and of[other]:
                states = observed_in_both_states(of[anchor], of[other])
                made |= {(name, other, state): found for state, found in states.items()}
    return made
