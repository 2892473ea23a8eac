"""``python FOLDER`` runs the worker: loads this folder as a package whose name nobody else uses."""

import importlib.util
import mmap
import os
import sys
from importlib.machinery import SourceFileLoader

NAME = "_arrayspeed_worker"

#: Bytes from which a compiled module is mapped: less than glibc takes from the system by mmap, and learns from.
LARGE = 2**16


def mapped(loader: SourceFileLoader, path: str) -> "bytes | mmap.mmap":
    """Return what a file holds, without a large block of glibc's."""
    if path.endswith(".pyc") and os.path.getsize(path) >= LARGE:
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return super(SourceFileLoader, loader).get_data(path)


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
    # Python reads a compiled module as one block. To free one above 128 KiB, as that of `inspect`, has glibc retain
    # more (`allocator.retain`), which the program that is measured may not do.
    SourceFileLoader.get_data = mapped  # type: ignore[method-assign, assignment]
    load()
    serving = importlib.import_module(NAME + ".serving")
    del SourceFileLoader.get_data
    serving.main()
