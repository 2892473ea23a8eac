"""What shows programs, inside a measuring environment: ``python -m … BACKEND SECONDS``.

It reads requests, a line of JSON each, and answers each with a line that begins with ``@``: ``language`` and ``text``,
or ``failed`` and why. Each program is made in a process of its own, forked after the library was imported: what another
kernel compiled is not there, and what ends the process is an answer as well.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from typing import TYPE_CHECKING

from arrayspeed.own.worker.programs import PROFILE, profile
from benchmarks.preload import preload
from kernels import NotAvailable
from kernels.backends import watch
from kernels.preparation import Prepared, load

if TYPE_CHECKING:
    from typing import Any


def program(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request."""
    try:
        prepared = load(*(request[name] for name in ("kernel", "backend", "size", "device", "dtype")))
        with tempfile.TemporaryDirectory(prefix="arrayspeed-") as folder:
            prepared.adapter.forget_compiled(folder)
            return shown(prepared)
    except NotAvailable as error:
        return {"failed": str(error)}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"[:300]}


def shown(prepared: Prepared) -> dict[str, Any]:
    """Return the compiler's program, or a profile where nothing is compiled."""
    if not prepared.backend.compiles:
        return {"language": PROFILE, "text": profile(prepared.call)}
    asked = watch(prepared.backend.library)
    if asked.language is None:
        return {"failed": "its compiler shows no program"}
    text = asked.program(prepared)
    return {"language": asked.language, "text": text} if text else {"failed": "its compiler shows no program of this"}


def answer(request: dict[str, Any], seconds: int) -> dict[str, Any]:
    """Return the answer of a new process; how that ended where it gave none."""
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
    found: dict[str, Any] = json.loads(text)
    return found


def main(backend: str, seconds: int) -> None:
    """Answer until the other end closes."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    preload(backend)
    for line in sys.stdin:
        print("@" + json.dumps(answer(json.loads(line), seconds)), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
