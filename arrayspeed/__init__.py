"""What asv lacks: the command line, environments, comparisons of versions, and the report."""

import sys
from importlib import import_module
from pathlib import Path

#: What is said on Windows, which has neither `fork` nor signals that stop a process.
WINDOWS = "Windows is not supported: use WSL, the Windows Subsystem for Linux"

__version__ = "1.0.0"

# A wheel holds `kernels` and `benchmarks` in here. In a clone they are beside this package.
_suite = Path(__file__).parent / "suite"
if _suite.is_dir():
    # First, since another folder on the path may hold a package of such a common name.
    sys.path.insert(0, str(_suite))


def __getattr__(name: str) -> object:
    """Import `arrayspeed.api` when one of its functions is asked for: workers and hosts need none of it."""
    if name in ("upgrade", "compare"):
        if sys.platform == "win32":
            raise ImportError(WINDOWS)
        return getattr(import_module("arrayspeed.api"), name)
    raise AttributeError(f"module 'arrayspeed' has no attribute {name!r}")
