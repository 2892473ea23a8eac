"""The whole audit of one machine: what is checked inside an environment, the cores, and the clocks."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from asv.config import Config

from arrayspeed.audit import clocks
from arrayspeed.audit.check import Audit, Check, Report
from arrayspeed.audit.sides import SAMPLE, Sides
from arrayspeed.environments.project import importable
from arrayspeed.measure.looking import Clock
from arrayspeed.measure.plan import OWN, Selection, combinations
from arrayspeed.measure.session import Session, open_session
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL
from arrayspeed.system.processes import affinity, bind, can_bind
from kernels import BACKENDS, CATALOGUE

#: Seconds after which checks of one backend are given up.
TIMEOUT = 1800


def inside(python: str, module: str, *arguments: str, cores: set[int] | None = None) -> Iterator[dict[str, Any]]:
    """Yield what a module of `arrayspeed.audit.worker` says, as it comes.

    Raises
    ------
    UserError
        It ended with an error.
    """
    limit = None if cores is None else lambda: bind(0, cores)
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            [python, "-m", f"arrayspeed.audit.worker.{module}", *arguments],
            cwd=importable(),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=limit,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("@"):
                yield json.loads(line[1:])
        if process.wait() != 0:
            errors.seek(0)
            last = (errors.read().strip().splitlines() or [f"exit status {process.returncode}"])[-1]
            raise UserError(f"the checks of {arguments[0]} failed to run: {last}")


def check_calls(python: str, backend: str, device: str, kernels: list[str]) -> list[Check]:
    """Results, compilation, transfers, work and settings of a backend."""
    try:
        return [Check(**row) for row in inside(python, "checks", backend, device, *kernels)]
    except UserError as error:
        return [Check("result", backend, None, False, str(error))]


def check_cores(python: str, backend: str) -> list[Check]:
    """Return whether a backend keeps to one core, and its threads to all of them."""
    if not can_bind():
        return [Check("cores", backend, None, None, "on this system, processes cannot be kept to a core")]
    every = affinity()
    try:
        (alone,) = inside(python, "cores", backend, cores={min(every)})
        (free,) = inside(python, "cores", backend, cores=every)
    except (UserError, ValueError) as error:
        return [Check("cores", backend, None, False, str(error))]
    if missing := alone.get("missing") or free.get("missing"):
        return [Check("cores", backend, None, None, missing)]
    passed = alone["cpu"] <= 1.05 and not alone["elsewhere"] and not free["elsewhere"]
    detail = (
        f"one core allowed: {alone['cpu']:.2f} s of CPU time per second; {free['cores']} allowed: {free['cpu']:.2f}; "
        f"{alone['elsewhere'] + free['elsewhere']} threads elsewhere"
    )
    return [Check("cores", backend, None, passed, detail)]


def timed(session: Session, backend: str, device: str, kernels: list[str], sizes: list[str]) -> list[Combination]:
    """Return the times of calls that are compared with the clock, of each kernel in its own precision."""
    selection = Selection(
        kernels=kernels, backends=[backend], sizes=sizes, devices=[device], measures=[CALL.name], dtypes=[OWN]
    )
    return list(combinations(session, selection))


def audit(
    config: Config,
    environment: str,
    device: str,
    backends: list[str],
    kernels: list[str],
    sizes: list[str],
    rounds: int,
    report: Report,
    clock: Clock,
) -> Audit:
    """Return every check; ``report`` is given each group of them as it comes. ``clock`` is as of `clocks.measure`.

    Raises
    ------
    UserError
        The environment cannot be made, or nothing is there to check.
    """
    with tempfile.TemporaryDirectory() as folder:
        session = open_session(config, [Selection(environments=[environment])], scratch=folder)
        if len(session.environments) > 1:
            raise UserError(f"{len(session.environments)} environments match {environment}: give more of its name")
        ((environment, env),) = session.environments.items()
        python = env.find_executable("python")
        chosen = [
            name
            for name in backends or BACKENDS
            if device in BACKENDS[name].devices and timed(session, name, device, kernels, sizes)
        ]
        if not chosen:
            raise UserError(f"none of the chosen kernels and backends runs on the {device} in {environment}")
        checks = []
        for backend in chosen:
            report(f"{backend}: results, compilation, transfers, waiting, settings", [])
            found = check_calls(python, backend, device, kernels)
            if device == "cpu":
                found += check_cores(python, backend)
            report(f"{backend}: calls", found)
            checks += found
        ones = [one for backend in chosen for one in timed(session, backend, device, kernels, sizes)]
        sides = Sides(python, session.benchmarks.benchmark_dir, folder, "pyperf" in env.packages())
        if any((one.kernel, one.backend) in SAMPLE for one in ones) and not sides.has_pyperf:
            report(f"pyperf is not in {environment}: no comparison with its times", [])
        timings, decisions, complete = clocks.measure(sides, ones, rounds, report, clock)
        judged = clocks.judge(timings, decisions)
        report("clocks", judged)
        return Audit(
            machine=session.machine["machine"],
            environment=environment,
            commit=session.commit,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            device=device,
            checks=checks + judged,
            noise=clocks.noise_of(decisions),
            complete=complete,
        )


def without_a_row(audit: Audit, kernels: list[str]) -> list[str]:
    """Kernel and backend pairs that could be checked and have no row of each check: an audit must not lose any."""
    backends = {one.backend for one in audit.checks}
    seen = {(one.check, one.kernel, one.backend) for one in audit.checks}
    return [
        f"{kernel.name} on {backend}: {check}"
        for kernel in CATALOGUE.values()
        for backend in sorted(backends)
        for check in ("result", "clock", "turns")
        if (not kernels or kernel.name in kernels)
        and kernel.why_not(backend, BACKENDS[backend].library, dtype=kernel.dtypes[0]) is None
        and (check, kernel.name, backend) not in seen
    ]
