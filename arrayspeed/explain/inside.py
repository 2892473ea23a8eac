"""What shows programs, inside a measuring environment: ``python -m … BACKEND SECONDS``.

It reads requests, a line of JSON each, and answers each with a line that begins with ``@``: ``language`` and ``text``,
or ``failed`` and why. Each program is made in a process of its own, forked after the library was imported: what another
kernel compiled is not there, and what ends the process is an answer as well.
"""

from __future__ import annotations

import cProfile
import gc
import json
import os
import pstats
import re
import signal
import sys
import sysconfig
import tempfile
from pathlib import Path

from benchmarks.preload import preload
from kernels import NotAvailable
from kernels.backends import watch
from kernels.preparation import Prepared, load

#: The language of a profile.
PROFILE = "profile"

#: Calls that are profiled, after as many that are not: what happens at first calls is no part of a call.
CALLS = 10


def program(request: dict) -> dict:
    """The answer to a request."""
    try:
        prepared = load(*(request[name] for name in ("kernel", "backend", "size", "device", "dtype")))
        with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:
            prepared.adapter.forget_compiled(folder)
            return shown(prepared)
    except NotAvailable as error:
        return {"failed": str(error)}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"[:300]}


def shown(prepared: Prepared) -> dict:
    """The compiler's program, or a profile where nothing is compiled."""
    if not prepared.backend.compiles:
        return {"language": PROFILE, "text": profile(prepared)}
    asked = watch(prepared.backend.library)
    if asked.language is None:
        return {"failed": "its compiler shows no program"}
    text = asked.program(prepared)
    return {"language": asked.language, "text": text} if text else {"failed": "its compiler shows no program of this"}


def profile(prepared: Prepared) -> str:
    """A line for each function: how often it is called in a call of the kernel, its share of the time, its name."""
    for _ in range(CALLS):
        prepared.call()
    gc.collect()
    gc.disable()
    seen = cProfile.Profile()
    seen.enable()
    for _ in range(CALLS):
        prepared.call()
    seen.disable()
    calls: dict[str, int] = {}
    times: dict[str, float] = {}
    for place, (_, count, own, _, _) in pstats.Stats(seen).stats.items():
        name = name_of(*place)
        if "_lsprof" not in name:
            calls[name] = calls.get(name, 0) + count
            times[name] = times.get(name, 0.0) + own
    total = sum(times.values()) or 1.0
    ordered = sorted(calls, key=lambda name: (-times[name], name))
    return "\n".join(f"{calls[name] / CALLS:g}\t{times[name] / total:.3f}\t{name}" for name in ordered)


def name_of(file: str, line: int, function: str) -> str:
    """A function's name without lines, addresses and the places of environments."""
    if file == "~":
        return re.sub(r" at 0x[0-9a-f]+", "", function)
    folders = [sysconfig.get_path(name) for name in ("purelib", "platlib")] + [
        os.getcwd(),
        sysconfig.get_path("stdlib"),
    ]
    for folder in folders:
        if Path(file).is_relative_to(folder):
            file = Path(file).relative_to(folder).as_posix()
    return f"{file}:{function}"


def answer(request: dict, seconds: int) -> dict:
    """The answer of a new process; how that ended where it gave none."""
    with tempfile.TemporaryFile("w+") as file:
        child = os.fork()
        if child == 0:
            signal.alarm(seconds)
            try:
                file.write(json.dumps(program(request)))
                file.flush()
            finally:
                os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        file.seek(0)
        text = file.read()
    if status == -signal.SIGALRM:
        return {"failed": f"it took longer than {seconds} s"}
    if status < 0 or not text:
        return {"failed": f"its process ended with {signal.Signals(-status).name if status < 0 else status}"}
    return json.loads(text)


def main(backend: str, seconds: int) -> None:
    """Answer until the other end closes."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    preload(backend)
    for line in sys.stdin:
        print("@" + json.dumps(answer(json.loads(line), seconds)), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
