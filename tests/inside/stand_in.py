"""NumPy in CuPy's place: CuPy's kernels are NumPy's functions, so their formulas can be checked without a GPU.

What is CuPy's own (the device, waiting, transfers) is not.
"""

import sys
from dataclasses import replace

import numpy as np

from kernels import BACKENDS
from kernels.backends import numpy as numpy_backend


class Adapter(numpy_backend.Adapter):
    library = "cupy"


def numpy_for_cupy():
    """From now on in this process, CuPy is NumPy and runs on the CPU."""
    sys.modules["cupy"] = np
    module = type(sys)("kernels.backends.cupy")
    module.Adapter = Adapter
    sys.modules[module.__name__] = module
    BACKENDS["cupy"] = replace(BACKENDS["cupy"], devices=("cpu",))
