"""Measure what the machine can do, by loops that no kernel shares: `arrayspeed.measure.peaks_worker`."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from asv import environment
from asv.config import Config

from arrayspeed.environments.machine import describe
from arrayspeed.environments.plugin import isolated
from arrayspeed.measure.host import only_run
from arrayspeed.measure.session import create
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import held
from arrayspeed.model.text import printable
from arrayspeed.records.peaks import Peaks, Rate, load, parse, save

#: The program of the loops, which is imported nowhere: Numba is in the environments alone.
WORKER = Path(__file__).with_name("peaks_worker.py")

#: What compiles the loops, and seconds that all of them may take.
COMPILER, TIMEOUT = "numba", 600.0


def measure(config: Config, say: Callable[[Rate], None], wait: bool = False) -> Peaks:
    """Measure this machine and store it; return what it can do.

    ``say`` is told of each rate. ``wait``: for another measurement on this host to end.

    Raises
    ------
    UserError
        No environment has Numba, or the loops fail.
    """
    with only_run(config.results_dir, wait):
        python = interpreter(config)
        command = [python, str(WORKER)]
        rates = []
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                command, env=isolated(), stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, text=True
            )
            # A loop that hangs says nothing that could be waited for.
            watchdog = threading.Timer(TIMEOUT, process.kill)
            watchdog.start()
            try:
                assert process.stdout is not None
                for line in process.stdout:
                    rates.append(parse(json.loads(line)))
                    say(rates[-1])
                process.wait()
            finally:
                watchdog.cancel()
                process.kill()
                process.wait()
            errors.seek(0)
            said = errors.read()
        if process.returncode or not rates:
            last = said.strip().splitlines()[-1:] or ["it said nothing"]
            raise UserError(f"the loops that measure this machine failed: {printable(last[0])}")
        peaks = Peaks(tuple(rates), datetime.now(UTC).isoformat(timespec="seconds"))
        save(config.results_dir, describe()["machine"], peaks)
    return peaks


def interpreter(config: Config) -> str:
    """Return the Python of the environment that has most libraries, Numba among them; it is made where it is not there.

    Raises
    ------
    UserError
        There is none.
    """
    able = [env for env in environment.get_environments(config, None) if COMPILER in held(env)]
    if not able:
        raise UserError(f"asv.conf.json lists no environment with {COMPILER}, which compiles the loops")
    env = max(able, key=lambda each: len(each.requirements))
    create([env])
    python: str = env.find_executable("python")
    return python


def known(config: Config) -> bool:
    """Return whether this machine was measured."""
    return load(config.results_dir, describe()["machine"]) is not None
