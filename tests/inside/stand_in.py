"""NumPy and SciPy in CuPy's place: CuPy's kernels are their functions, so their formulas can be checked without a GPU.

What is CuPy's own (the device, waiting, transfers) is not.
"""

import sys
from dataclasses import replace

import numpy as np
import scipy.special

from kernels import BACKENDS
from kernels.backends import numpy as numpy_backend


class Adapter(numpy_backend.Adapter):
    library = "cupy"


def numpy_for_cupy():
    """From now on in this process, CuPy is NumPy and runs on the CPU."""
    sys.modules["cupy"] = np
    for name, found in (("cupyx", scipy), ("cupyx.scipy", scipy), ("cupyx.scipy.special", scipy.special)):
        sys.modules[name] = found
    module = type(sys)("kernels.backends.cupy")
    module.Adapter = Adapter
    sys.modules[module.__name__] = module
    BACKENDS["cupy"] = replace(BACKENDS["cupy"], devices=("cpu",))
