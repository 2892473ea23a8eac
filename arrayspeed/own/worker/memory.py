"""Memory of a process: what it held at its peak."""

from __future__ import annotations

import gc
from time import sleep

from .inside import reset_peak, status
from .keeping import SETTLING, libc

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable


def peak_of(call: Callable[[], object]) -> int | None:
    """Bytes that a call takes at its peak on top of what the process holds before; None where that is not known."""
    gc.collect()
    sleep(SETTLING)
    library = libc()
    if library is not None:
        library.malloc_trim(0)  # what was freed and kept for later would hide what the call takes
    if not reset_peak():
        call()
        return None
    before = status("VmRSS")
    call()
    peak = status("VmHWM")
    return None if before is None or peak is None else max(0, peak - before)
