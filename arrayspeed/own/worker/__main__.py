"""``python FOLDER`` runs the worker: loads this folder as a package whose name nobody else uses."""

import importlib.util
import os
import sys

NAME = "_arrayspeed_worker"


def load() -> None:
    """Load the package, under its own name."""
    here = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        NAME, os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    assert spec is not None and spec.loader is not None  # of a file whose name ends with .py
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]


if __name__ == "__main__":
    load()
    importlib.import_module(NAME + ".serving").main()
