"""NumPy: synchronous, on the host."""

import numpy as np

from kernels.backends import base
from kernels.backends.base import IS_VIEW, NOT_CONTIGUOUS


class Adapter(base.Adapter):
    """NumPy arrays."""

    library = "numpy"

    def put(self, array):
        """Return a copy of the array."""
        return np.array(array)

    def send(self, array):
        """Return the array itself: it is on the host."""
        return array

    def get(self, array):
        """Return the array itself: it is on the host."""
        return np.asarray(array)

    def layout_problem(self, result, inputs, any_order):
        """NumPy's flags, and the memory that arrays take."""
        flags = result.flags
        if not (flags.c_contiguous or (any_order and flags.f_contiguous)):
            return NOT_CONTIGUOUS
        return IS_VIEW if any(np.may_share_memory(result, array) for array in inputs) else None

    def device_of(self, array):
        """Return the host, always."""
        return "cpu"
