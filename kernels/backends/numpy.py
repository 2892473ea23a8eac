"""NumPy: synchronous, on the host."""

import numpy as np

from kernels.backends import base


class Adapter(base.Adapter):
    """NumPy arrays."""

    library = "numpy"

    def put(self, array):
        """A copy of the array."""
        return np.array(array)

    def send(self, array):
        """The array itself: it is on the host."""
        return array

    def get(self, array):
        """The array itself: it is on the host."""
        return np.asarray(array)

    def device_of(self, array):
        """Always the host."""
        return "cpu"
