"""How long a library takes to import, in a fresh process each."""

from importlib.util import find_spec

from kernels import LIBRARIES, NotAvailable
from kernels.backends import module


class library:
    """One library with everything that it imports."""

    params = (LIBRARIES,)
    param_names = ("library",)
    rounds = 2
    # A first import reads the disk, and asv_runner's own warm-up is one. Imports are long: few are enough.
    repeat = (2, 3, 30.0)
    number = 1
    timeout = 300

    def setup(self, library):
        """n/a where it is not installed."""
        if find_spec(library) is None:
            raise NotAvailable(f"{library} is not installed")

    def timeraw_import(self, library):
        """Seconds of the import statement."""
        return f"import {module(library)}"
