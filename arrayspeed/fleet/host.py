"""A host's own process, which a worker starts: opens the session of a plan, then plays the blocks that it is asked for.

It reads lines of JSON and answers each with one: first the plan, then ``{"blocks": [[block, [round, …]], …],
"known": {file: text}}``. Answers are ``{"files": {name: text}}``, ``{"busy": why}`` or ``{"failed": why}``. Its results
folder is its own, and holds one request's records at a time.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from arrayspeed.environments.project import load_config
from arrayspeed.fleet.plan import Plan, block_of, code
from arrayspeed.measure.block_results import in_both_states, stored, write_results
from arrayspeed.measure.blocks import group_by_process, rounds
from arrayspeed.measure.host import Busy, locked, only_run
from arrayspeed.measure.session import open_session
from arrayspeed.model.errors import UserError
from arrayspeed.records import processes
from arrayspeed.records.merge import BENCHMARKS
from benchmarks.preload import end_with_parent

#: Another name than the host's, for containers and tests. A name is a part of a block's.
HOST = "ARRAYSPEED_HOST"


class Playing:
    """A plan's session on this host."""

    def __init__(self, plan: Plan, folder: str, removed: dict[str, str]) -> None:
        self.plan, self.folder = plan, Path(folder)
        config = plan.configured(load_config())
        config.results_dir = folder
        self.name = re.sub(r"[^\w-]", "_", os.environ.get(HOST) or socket.gethostname())
        env_dir = Path(config.env_dir)
        env_dir.mkdir(parents=True, exist_ok=True)
        # Hosts may share the folder; only_run keeps this from disturbing who measures.
        with only_run(folder), locked(env_dir / ".lock", "making environments", wait=True):
            self.session = open_session(config, list(plan.selections))
        self.session.origin = {"host": self.name} | ({"removed": removed} if removed else {})

    def joined(self) -> dict[str, Any]:
        """Return what this host is, and what it would measure."""
        return {
            "host": self.name,
            "machine": self.session.machine["machine"],
            "code": code(),
            "commit": self.session.commit,
            "blocks": [asdict(block) for block in self.plan.blocks(self.session)],
            "files": self.files() | {BENCHMARKS: (self.folder / BENCHMARKS).read_text()},
        }

    def play(self, request: dict[str, Any]) -> dict[str, Any]:
        """Play rounds of blocks; their records, with the known ones of the same blocks."""
        started = time.monotonic()
        for path in self.folder.rglob(f"*{processes.SUFFIX}"):
            path.unlink()
        for path in self.folder.glob("*/*-*.json"):
            path.unlink()
        for name, text in request["known"].items():
            (self.folder / name).write_text(text)
        asked = [(block_of(block), set(numbers)) for block, numbers in request["blocks"]]
        found = stored(self.session, {block.name: block for block, _ in asked})
        with only_run(self.folder), rounds(self.session, retained=in_both_states(found)) as next_round:
            for number in sorted(set().union(*(numbers for _, numbers in asked))):
                now = next_round(number)
                for gang in group_by_process(block for block, numbers in asked if number in numbers):
                    for block, played in zip(gang, now.play(gang), strict=True):
                        for process in played:
                            processes.store(self.session, process.one.environment, [process])
                        found[block.name] += played
        if not self.plan.pair:
            write_results(self.session, found)
        return {"files": self.files(), "seconds": time.monotonic() - started}

    def files(self) -> dict[str, str]:
        """Return what its results folder holds of this machine."""
        paths = [path for path in self.folder.glob("*/*") if path.is_file() and not path.name.startswith(".")]
        return {f"{path.parent.name}/{path.name}": path.read_text() for path in paths}


def attempt(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return an answer, whatever happens."""
    try:
        return make()
    except Busy as error:
        return {"busy": str(error)}
    except UserError as error:
        return {"failed": str(error)}
    except Exception as error:  # the host is set aside with this line, and the run goes on
        return {"failed": f"{type(error).__name__}: {error}".splitlines()[0]}


def main() -> None:
    """Answer until nobody asks."""
    end_with_parent()
    with os.fdopen(os.dup(1), "w") as answers, tempfile.TemporaryDirectory(prefix="arrayspeed-fleet-") as folder:
        os.dup2(2, 1)
        first = json.loads(sys.stdin.readline())
        made: list[Playing] = []

        def join() -> dict[str, Any]:
            if not made:
                made.append(Playing(Plan.of(first["plan"]), folder, first["removed"]))
            return made[0].joined()

        def play(request: dict[str, Any]) -> dict[str, Any]:
            if not made:
                join()
            return made[0].play(request)

        def reply(request: dict[str, Any]) -> dict[str, Any]:
            return play(request) if request else join()

        for line in sys.stdin:
            answer = attempt(partial(reply, json.loads(line)))
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
