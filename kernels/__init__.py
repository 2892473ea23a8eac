"""Pure kernels of array libraries, and one function that leads from names to a ready call.

>>> import kernels
>>> call = kernels.prepare("matmul", backend="numpy", size=100, device="cpu")
>>> kernels.to_host(call()).shape
(100, 100)
"""

from kernels.backends import BACKENDS, DEVICES, LIBRARIES
from kernels.catalogue import CATALOGUE, rows
from kernels.errors import NotAvailable, WrongResult
from kernels.preparation import load, prepare, to_host

__all__ = [
    "BACKENDS",
    "CATALOGUE",
    "DEVICES",
    "LIBRARIES",
    "NotAvailable",
    "WrongResult",
    "load",
    "prepare",
    "rows",
    "to_host",
]
