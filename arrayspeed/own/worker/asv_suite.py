"""The benchmarks of a folder of asv's, found and set up by asv_runner, as ``asv run`` does."""

from __future__ import annotations

import importlib
import itertools
import os
from contextlib import contextmanager
from time import perf_counter

from . import figures
from .again import Setup
from .loading import Absent, Mistake, Skipped, describe_error

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .loading import Size, Use


class Asv:
    """A folder of asv benchmarks."""

    def __init__(self, path: str) -> None:
        try:
            from asv_runner._aux import update_sys_path
            from asv_runner.discovery import disc_benchmarks
        except ImportError as error:
            raise Mistake("its environment has no asv_runner") from error
        self.path = os.path.abspath(path)
        # Not its parent, where the project itself may lie, and would be imported in place of what is installed.
        update_sys_path(self.path)
        #: Module -> why it cannot be imported.
        self.broken: dict[str, str] = {}
        started = perf_counter()
        errors = list(filter(None, map(self.imported, self.modules())))
        self.seconds = perf_counter() - started
        found = disc_benchmarks(self.path, ignore_import_errors=True)
        self.benchmarks: dict[str, Any] = {each.name: each for each in found}
        self.caches: dict[object, object] = {}
        if not self.benchmarks:
            nothing = "it has no function or method whose name begins with time_, track_, peakmem_, mem_ or timeraw_"
            raise errors[0] if errors else Mistake(nothing)

    def modules(self) -> list[str]:
        """Return the names of all modules in the folder."""
        top = os.path.basename(self.path)
        found = []
        for folder, folders, files in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
            inner = os.path.relpath(folder, self.path)
            parts = [top] + ([] if inner == os.curdir else inner.split(os.sep))
            for file in sorted(files):
                if file.endswith(".py"):
                    found.append(".".join(parts + ([] if file == "__init__.py" else [file[:-3]])))
        return found

    def imported(self, module: str) -> BaseException | None:
        """Import a module; the error where that is impossible, which leaves the other modules as they are."""
        try:
            importlib.import_module(module)
        except (Exception, SystemExit) as error:  # whatever a module raises
            self.broken[module.partition(".")[2] or module] = describe_error(error)
            return error
        return None

    def parameters(self, name: str) -> dict[Size, int]:
        """Return all combinations of a benchmark's parameters: the text that names it -> its number."""
        benchmark = self.benchmarks[name]
        texts = itertools.product(*map(alike, benchmark.params, benchmark._params))
        return {", ".join(each) if each else None: number for number, each in enumerate(texts)}

    def items(self) -> list[tuple[str, Size]]:
        """Name and parameters of everything that there is to measure."""
        return [(name, text) for name in self.benchmarks for text in self.parameters(name)]

    def notes(self) -> list[str]:
        """Modules that cannot be imported. What benchmarks return is not looked at, by asv neither."""
        return [f"Its module {module} cannot be imported: {why}." for module, why in self.broken.items()]

    def figures(self) -> dict[str, str]:
        """Return what gives a figure, and what figure: benchmarks that are no times of calls."""
        kinds = ((name, figures.kind_of(benchmark)) for name, benchmark in self.benchmarks.items())
        return {name: kind for name, kind in kinds if kind is not None}

    def play(self, name: str, size: Size, use: Use) -> None:
        """Set a benchmark up as asv does, and give it to ``use``."""
        with self.set_up(name, size) as benchmark:
            use(benchmark.func, benchmark._build_params(), Setup(benchmark))

    def figure(self, name: str, size: Size) -> Any:
        """Return the figure that a benchmark gives."""
        with self.set_up(name, size) as benchmark:
            return figures.taken(benchmark)

    @contextmanager
    def set_up(self, name: str, size: Size) -> Iterator[Any]:
        """Within, a benchmark is set up as asv does."""
        if name not in self.benchmarks or size not in self.parameters(name):
            raise Absent(self.absence(name, size))
        benchmark = self.benchmarks[name]
        if benchmark._params:
            benchmark.set_param_idx(self.parameters(name)[size])
        benchmark.set_cache(self.cached(benchmark))
        if benchmark.do_setup():
            raise Skipped("it skips itself")
        try:
            yield benchmark
        finally:
            benchmark.do_teardown()

    def absence(self, name: str, size: Size) -> str:
        """Return why a benchmark that another side has is not here."""
        for module, why in self.broken.items():
            if name.startswith(module + "."):
                return f"its module {module} cannot be imported: {why}"
        return f"{name} is not defined here{f' for {size}' * (name in self.benchmarks)}"

    def cached(self, benchmark: Any) -> object:
        """Return what ``setup_cache`` returns, made once in a process."""
        key = benchmark.setup_cache_key
        if key is not None and key not in self.caches:
            self.caches[key] = benchmark.do_setup_cache()
        return self.caches.get(key)


def alike(texts: list[str], parameters: Sequence[Any]) -> list[str]:
    """Return the texts of a list of parameters; NumPy's scalars as Python's, since NumPy 2 writes them in
    another way.
    """
    found = [
        repr(value.item()) if hasattr(value, "item") and getattr(value, "shape", None) == () else text
        for text, value in zip(texts, parameters)
    ]
    return found if len(set(found)) == len(found) else texts
