"""Functions that read the same in several libraries: one file a family, loaded once for each library's names."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType


def bind(module: str, xp: ModuleType) -> ModuleType:
    """``kernels/<family>/shared.py`` with ``xp`` as a global name in it: where a library keeps its functions.

    A module of its own for each library, so that a call costs what it would in the library's own file. As an argument,
    even one with a default, ``xp`` would add a tenth to NumPy's addition of ten numbers. For the same reason it is the
    library's own module: Python finds a name in NumPy's and PyTorch's by a slower way than in a plain module, which is
    a tenth of the sine of ten numbers, and part of what users wait for.

    Parameters
    ----------
    module
        ``__name__`` of the library's file in the family.
    xp
        The library's module; of TensorFlow, which has other names, `kernels.names.tensorflow`.
    """
    family, _, library = module.rpartition(".")
    name = f"{family}.shared_{library}"
    if name not in sys.modules:
        path = Path(__file__).with_name(family.rpartition(".")[2]) / "shared.py"
        spec = spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None  # a path that ends in .py has both
        made = module_from_spec(spec)
        vars(made)["xp"] = xp
        # Registered, as PyTorch's compiler looks up the globals of a function by its module's name.
        sys.modules[name] = made
        try:
            spec.loader.exec_module(made)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]
