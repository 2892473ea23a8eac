"""Stands beside `kernels` and `benchmarks` in a wheel's ``arrayspeed/suite/``, as the package itself does in a clone.

The audit runs modules of `arrayspeed.audit.worker` in the environments that are measured, with that folder on their
path. Where the wheel is installed there are other packages too, NumPy among them, which must not be on it.
"""

from pathlib import Path

__path__ = [str(Path(__file__).parents[2])]
