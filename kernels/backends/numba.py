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
    """The signatures that functions are compiled for, and their code."""

    language = watching.ASSEMBLY

    def compilations(self, compiled):
        """Of all functions of the kernels' files."""
        return lambda prepared: signatures()

    def program(self, prepared):
        """Return the processor's, of all functions of the kernels' files that were compiled."""
        prepared.call()
        found = [text for one in compiled() if hasattr(one, "inspect_asm") for text in one.inspect_asm().values()]
        return "\n".join(found) or None


def compiled():
    """Yield what Numba compiles of the kernels' files."""
    for name, module in list(sys.modules.items()):
        if name.startswith("kernels.") and name.endswith(".numba"):
            yield from (value for value in vars(module).values() if type(value).__module__.startswith("numba."))


def signatures():
    """Return how many signatures the kernels' functions are compiled for."""
    # Functions of njit list signatures; those of guvectorize, compiled at their first call, types.
    return sum(len(getattr(one, "nopython_signatures", None) or getattr(one, "types", ())) for one in compiled())
