"""The programs of an environment: shown by processes in it, and kept, so that what depends on nothing else is not made
again.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from asv.environment import Environment

from arrayspeed.environments.project import importable
from arrayspeed.measure import interrupts
from arrayspeed.measure.plan import Selection, can_run, in_catalogue, nothing, wanted
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.records import files
from arrayspeed.records.fingerprints import digest, fingerprint, whole
from kernels import CATALOGUE, LIBRARIES

#: What tells combinations of one environment apart.
NAMES = ("kernel", "backend", "size", "device", "dtype")

WORKER = "arrayspeed.explain.worker"
PROFILER = "arrayspeed.own.worker.programs"


@dataclass(frozen=True)
class Program:
    """A program as its library shows it, or why there is none."""

    language: str = ""
    text: str = ""
    failed: str | None = None


def chosen(library: str, kernels: list[str], patterns: list[str], sizes: list[str], device: str) -> list[Combination]:
    """Return what is compared of a library, one of each kernel, backend and size; a pattern may name any measure.

    Raises
    ------
    UserError
        Nothing that is selected can run here.
    """
    selection = Selection(kernels=kernels, patterns=patterns, sizes=sizes, devices=[device], dtypes=["float64"])
    found = {
        tuple(getattr(one, name) for name in NAMES): one
        for one in in_catalogue("", [library], selection)
        if one.kernel in CATALOGUE and wanted(one, selection) and can_run(one)
    }
    if not found:
        raise UserError(nothing([selection]))
    return list(found.values())


class Shower:
    """What shows the programs of one environment.

    Parameters
    ----------
    env
        asv's environment.
    folder
        Where programs are kept.
    seconds
        The time that a program may take.
    again
        Take none of those that are kept.
    """

    def __init__(self, env: Environment, folder: Path, seconds: int, again: bool = False) -> None:
        self.name: str = env.name
        self.python: str = env.find_executable("python")
        self.packages: dict[str, str] = env.packages()
        self.folder: Path = folder / self.name
        self.seconds = seconds
        self.again = again

    def programs(
        self, ones: Iterable[Combination], report: Callable[[str, Combination], None]
    ) -> dict[Combination, Program]:
        """Return the program of each; ``report`` is told of each that was made. Each is kept as soon as it is known."""
        found = {}
        missing = defaultdict(list)
        for one in ones:
            kept = None if self.again else self.kept(one)
            if kept:
                found[one] = kept
            else:
                missing[one.backend].append(one)
        for backend, each in missing.items():
            for one, program in self.made(backend, each):
                interrupts.check()
                found[one] = program
                if program.failed is None:
                    self.keep(one, program)
                report(self.name, one)
        return found

    def made(self, backend: str, ones: list[Combination]) -> Iterator[tuple[Combination, Program]]:
        """Programs of a backend, one after the other as they are made."""
        command = [self.python, "-m", WORKER, backend, str(self.seconds)]
        # Where a hash decides about an order or a name, it is the same hash.
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
            "PYTHONHASHSEED": "0"
        }
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(
                command,
                cwd=importable(),
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            ) as process,
        ):
            try:
                for one in ones:
                    yield one, self.asked(process, one, errors)
                assert process.stdin is not None
                process.stdin.close()
            finally:
                process.kill()

    def asked(self, process: subprocess.Popen[str], combination: Combination, errors: IO[bytes]) -> Program:
        """Return the answer to one request; how the process ended where it gives none."""
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):  # it has ended, and there is no answer
            process.stdin.write(json.dumps({name: getattr(combination, name) for name in NAMES}) + "\n")
            process.stdin.flush()
        for line in process.stdout:
            if line.startswith("@"):
                return Program(**json.loads(line[1:]))
        errors.seek(0)
        last = errors.read().decode(errors="replace").strip().splitlines()
        return Program(failed=f"nothing can be shown in {self.name}: {last[-1] if last else 'its process ended'}")

    def place(self, combination: Combination) -> Path:
        """Return where a program is kept: a name that follows from all that it depends on."""
        library = whole(f"kernels.backends.{combination.library}")
        settings = sorted(
            (name, value)
            for name, value in os.environ.items()
            if name.endswith("FLAGS") or name.lower().startswith(LIBRARIES)
        )
        known = [fingerprint(combination, self.packages), library, whole(WORKER), whole(PROFILER), repr(settings)]
        names = [str(getattr(combination, name)) for name in NAMES]
        return self.folder / f"{'-'.join(names)}-{digest(known)}.json"

    def kept(self, combination: Combination) -> Program | None:
        """Return a program that an earlier run left; None where there is none that can be read."""
        with suppress(OSError, ValueError, TypeError):
            return Program(**json.loads(self.place(combination).read_text(encoding="utf-8")))
        return None

    def keep(self, combination: Combination, program: Program) -> None:
        """Keep a program, whole or not at all."""
        files.replace(self.place(combination), json.dumps(vars(program)))
