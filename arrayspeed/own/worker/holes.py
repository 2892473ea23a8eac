"""Freed memory of the worker's own modules, taken out of use: a program that is measured would not find it there.

What fits into free memory inside the heap is taken from there at each call, without a page fault. What does not lies at
the heap's end or is mapped, and may go back to the system.
"""

from __future__ import annotations

import ctypes

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from typing import Any

#: Bytes of the blocks with which free memory is filled, the largest first; glibc maps none of them.
SIZES = [2**power for power in range(16, 9, -1)]

#: Of mallinfo(3), in their order; of mallinfo2, the same as ``size_t``.
FIELDS = ["arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"]


def asked(library: Any) -> Any:
    """Return glibc's function that says how its heap is used.

    Raises
    ------
    AttributeError
        It is another C library.
    """
    name, number = ("mallinfo2", ctypes.c_size_t) if hasattr(library, "mallinfo2") else ("mallinfo", ctypes.c_int)
    found = getattr(library, name)
    found.restype = type("Info", (ctypes.Structure,), {"_fields_": [(field, number) for field in FIELDS]})
    return found


def fill() -> None:
    """Take the free memory inside glibc's heap, but for what is less than 1 KiB; of another C library, nothing.

    What lies at the end of the heap stays as it is.
    """
    try:
        library = ctypes.CDLL(None)
        info = asked(library)
    except (OSError, AttributeError):
        return
    library.malloc.restype = ctypes.c_void_p
    library.malloc.argtypes = [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    for size in SIZES:
        while True:
            before = info()
            block = library.malloc(size)
            after = info()
            if not block or after.arena > before.arena or after.keepcost < before.keepcost:
                library.free(block)
                break
