"""Numba: NumPy arrays, functions compiled by the ``njit`` of the kernels' own files at their first call."""

import sys

import numba

from kernels.backends import numpy, watching


class Adapter(numpy.Adapter):
    """NumPy arrays for functions that Numba compiles."""

    library = "numba"

    def settings(self):
        """Threads of parallel loops."""
        return {"threads": str(numba.get_num_threads())}


class Watch(watching.Watch):
    """The signatures that functions are compiled for."""

    def compilations(self, compiled):
        """Of all functions of the kernels' files."""
        return lambda prepared: signatures()


def signatures():
    """How many signatures the kernels' functions are compiled for."""
    count = 0
    for name, module in list(sys.modules.items()):
        if name.startswith("kernels.") and name.endswith(".numba"):
            # Functions of njit list signatures; those of guvectorize, compiled at their first call, types.
            for value in vars(module).values():
                if type(value).__module__.startswith("numba."):
                    count += len(getattr(value, "nopython_signatures", None) or getattr(value, "types", ()))
    return count
