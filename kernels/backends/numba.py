"""Numba: NumPy arrays, functions compiled by the ``njit`` of the kernels' own files at their first call."""

import numba

from kernels.backends import numpy


class Adapter(numpy.Adapter):
    """NumPy arrays for functions that Numba compiles."""

    library = "numba"

    def settings(self):
        """Threads of parallel loops."""
        return {"threads": str(numba.get_num_threads())}
