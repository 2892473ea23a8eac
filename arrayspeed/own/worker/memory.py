"""Memory of a process: what it held at its peak."""

from __future__ import annotations

import gc
from time import sleep

from .inside import reset_peak, status
from .keeping import SETTLING, handed_out, libc, resident, small_blocks

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable


def held() -> dict[str, int | None]:
    """Return the bytes that are resident of this process alone, and those that its allocators have handed out, which is
    exact; each None where it is not known.
    """
    gc.collect()
    library = libc()
    sleep(SETTLING)  # other threads free what the last calls returned
    counted = handed_out(library)
    return {"resident": resident(), "counted": None if counted is None else counted + small_blocks()}


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
