"""What this system lacks of what comparisons use, in sentences: reported once, and kept with what was measured."""

from __future__ import annotations

import platform

from arrayspeed.system import inside, processes


def missing() -> list[str]:
    """Return what is missing here, and what follows from that; empty where nothing is."""
    found = []
    if not processes.can_stop():
        found.append(
            "processes cannot be stopped, so that threads of the sides that wait for their turn may disturb the other"
        )
    if not processes.can_bind():
        found.append(
            "it cannot be chosen on which cores processes run, so that they begin wherever the system puts them"
        )
    if not processes.sees_processes():
        found.append(
            "there is no /proc: threads are not placed, and the peak of memory and busy cores are not measured"
        )
    elif inside.status("VmHWM") is None:
        found.append("/proc does not show the peak of memory, which is not measured")
    if not ends_with_parent():
        found.append("processes do not end with the one that started them: should that be killed, end them yourself")
    return found


def ends_with_parent() -> bool:
    """Return whether the system ends processes whose parent has ended, as Linux does when asked to (prctl(2))."""
    import ctypes

    try:
        return hasattr(ctypes.CDLL(None), "prctl")
    except (OSError, TypeError):
        return False


def sentence() -> str:
    """Return all of it in one sentence; "" where nothing is missing."""
    found = missing()
    return f"Not everything can be measured on this system ({platform.system()}): {'; '.join(found)}." if found else ""
