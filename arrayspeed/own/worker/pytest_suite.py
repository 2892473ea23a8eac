"""Tests that use pytest-benchmark's ``benchmark``, or whole tests."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from .loading import Absent, Mistake, Skipped

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .loading import Size, Use


class Pytest:
    """Tests that use the fixture ``benchmark``; ours takes the place of pytest-benchmark's.

    ``whole``: all tests, each by itself.
    """

    def __init__(self, path: str, whole: bool = False) -> None:
        try:
            import pytest
        except ImportError as error:
            raise Mistake("its environment has no pytest") from error
        self.pytest = pytest
        self.path = os.path.abspath(path)
        self.whole = whole
        self.root = self.path if os.path.isdir(self.path) else os.path.dirname(self.path)
        sys.path.insert(0, self.root)
        started = perf_counter()
        self.found: list[str] = []
        self.errors: list[BaseException] = []
        #: File -> why it cannot be collected.
        self.broken: dict[str, str] = {}
        self.run(["--collect-only", self.path], None)
        self.seconds = perf_counter() - started
        if not self.found:
            nothing = "it has no test" if whole else "it has no test that uses the fixture benchmark"
            raise Mistake(next(iter(self.broken.values()), nothing))

    def run(self, arguments: list[str], use: Use | None) -> None:
        """Run pytest with a fixture that gives what is to be measured to ``use``."""
        # What a project adds to every run may count lines, run side by side or stop at the first failure.
        common = ["-q", "-p", "no:cacheprovider", "-p", "no:benchmark", "-p", "no:xdist", "-o", "addopts="]
        self.pytest.main([*common, "--rootdir", self.root, *arguments], plugins=[plugin(self, use)])

    def items(self) -> list[tuple[str, Size]]:
        """Name and parameters of every test."""
        return [split(node) for node in self.found]

    def notes(self) -> list[str]:
        """Return what a reader must know of the tests as a whole."""
        said = (
            "Tests are measured whole, without the setup of their fixtures."
            if self.whole
            else "Of tests, what they give to benchmark is measured; what they assert is not looked at."
        )
        return [said, *(f"{file} cannot be collected: {why}." for file, why in self.broken.items())]

    def play(self, name: str, size: Size, use: Use) -> None:
        """Run a test; its ``benchmark`` gives what is to be measured to ``use``."""
        node = name if size is None else f"{name}[{size}]"
        if node not in self.found:
            why = self.broken.get(node.split("::")[0])
            raise Absent(f"it cannot be collected: {why}" if why else f"{node} is not defined here")
        self.errors = []
        self.run([os.path.join(self.root, *node.split("::")[0].split("/")) + "::" + node.partition("::")[2]], use)
        # Where something was given to benchmark, it is measured by now.
        raise (
            self.errors[0]
            if self.errors
            else Skipped("it does not run" if self.whole else "it gives nothing to benchmark")
        )


class Rerun:
    """A test, whose own fixtures are made anew before every call; those of its module and session stay."""

    batches, note, every = True, "", 1

    def __init__(self, item: Any) -> None:
        self.item = item

    def __call__(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Take its fixtures down, and make them."""
        state, above = self.item.session._setupstate, Above(self.item.listchain()[:-1])
        state.teardown_exact(above)
        self.item._initrequest()
        state.setup(self.item)
        return arguments

    def state(self, arguments: Sequence[Any]) -> list[str | None]:
        """Return nothing that a call could change: it is set up before every one."""
        return []


class Above:
    """What pytest takes for the next test: one of which everything is kept but the test before."""

    def __init__(self, chain: list[Any]) -> None:
        self.chain = chain

    def listchain(self) -> list[Any]:
        """Return the session, the modules and the classes that stay as they are."""
        return self.chain


def split(node: str) -> tuple[str, str | None]:
    """Return a test's name, and its parameters."""
    name, bracket, rest = node.partition("[")
    return (name, rest[:-1] if bracket else None)


def plugin(suite: Pytest, use: Use | None) -> object:
    """Return a plugin of pytest: collects tests that use ``benchmark``, and is that fixture."""
    import pytest  # as the suite did

    class Benchmark:
        def __init__(self) -> None:
            self.extra_info: dict[str, Any] = {}
            self.group: str | None = None

        def __call__(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
            kept: list[Any] = []

            def call(*given: Any) -> Any:
                kept[:] = [function(*given, **keywords)]
                return kept[0]

            if use is None:
                return function(*arguments, **keywords)
            use(call if keywords else function, arguments)
            return kept[0] if kept else function(*arguments, **keywords)

        def pedantic(
            self,
            target: Callable[..., Any],
            args: Any = (),
            kwargs: Any = None,
            setup: Callable[[], Any] | None = None,
            **options: Any,
        ) -> Any:
            if setup is not None:
                made = setup()
                if made is not None:
                    args, kwargs = made
            return self(target, *args, **(kwargs or {}))

    class Plugin:
        @pytest.fixture
        def benchmark(self) -> Benchmark:
            return Benchmark()

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_call(self, item: pytest.Item) -> None:
            if suite.whole and use is not None:
                use(item.runtest, (), Rerun(item))

        @pytest.hookimpl
        def pytest_itemcollected(self, item: pytest.Item) -> None:
            if suite.whole or "benchmark" in getattr(item, "fixturenames", ()):
                suite.found += [item.nodeid] if item.nodeid not in suite.found else []

        @pytest.hookimpl
        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.failed:
                lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
                said = [line for line in lines if line.startswith("E ")] or lines or ["it cannot be collected"]
                suite.broken[report.nodeid] = said[-1].lstrip("E ")
            elif report.skipped:
                why = report.longrepr[2]  # type: ignore[index]  # of what is skipped: file, line and reason
                suite.broken[report.nodeid] = str(why)

        @pytest.hookimpl
        def pytest_exception_interact(
            self, node: pytest.Item, call: pytest.CallInfo[Any], report: pytest.TestReport | pytest.CollectReport
        ) -> None:
            if call.excinfo is not None and report.failed and report.when != "collect":
                suite.errors.append(call.excinfo.value)

        @pytest.hookimpl
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.skipped and not hasattr(report, "wasxfail"):
                suite.errors.append(Skipped("it skips itself"))

    return Plugin()
