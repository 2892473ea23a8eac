"""Suites that exist: the ``time_*`` of an asv suite, and tests that use pytest-benchmark's ``benchmark``."""

from __future__ import annotations

import importlib
import inspect
import itertools
import os
import sys
from time import perf_counter

from .loading import Mistake


class Asv:
    """A folder of asv benchmarks."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        sys.path.insert(0, os.path.dirname(self.path))
        self.benchmarks = {}
        self.caches = {}
        started = perf_counter()
        for module in map(importlib.import_module, self.modules()):
            self.collect(module)
        self.seconds = perf_counter() - started
        if not self.benchmarks:
            raise Mistake("it has no function or method whose name begins with time_")

    def modules(self):
        """The names of all modules in the folder."""
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

    def collect(self, module):
        """The benchmarks of a module: its functions, and the methods of its classes."""
        short = module.__name__.partition(".")[2]
        for name, value in sorted(vars(module).items()):
            if inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_"):
                for key in sorted(dir(value)):
                    if key.startswith("time_") and callable(getattr(value, key)):
                        self.benchmarks[".".join(filter(None, [short, name, key]))] = (module, value, key)
            elif name.startswith("time_") and inspect.isfunction(value):
                self.benchmarks[".".join(filter(None, [short, name]))] = (module, None, name)

    def parameters(self, name):
        """All combinations of a benchmark's parameters, each with the text that names it."""
        module, owner, key = self.benchmarks[name]
        holder = owner if owner is not None else getattr(module, key)
        params = getattr(getattr(holder, key, None), "params", None) or getattr(holder, "params", None) or []
        if params and not isinstance(params[0], (list, tuple)):
            params = [params]
        combinations = list(itertools.product(*params))
        return {", ".join(map(repr, each)) if each else None: each for each in combinations}

    def items(self):
        """Name and parameters of everything that there is to measure."""
        return [(name, text) for name in self.benchmarks for text in self.parameters(name)]

    def notes(self):
        """Nothing: asv's rules are known."""
        return []

    def play(self, name, size, use):
        """Set a benchmark up as asv does, and give it to ``use``."""
        if name not in self.benchmarks or size not in self.parameters(name):
            raise LookupError(f"{name} is not defined here")
        module, owner, key = self.benchmarks[name]
        parameters = self.parameters(name)[size]
        instance = owner() if owner is not None else None
        function = getattr(instance, key) if instance is not None else getattr(module, key)
        arguments = (*self.cached(instance, function), *parameters)
        for holder in (module, instance, function):
            setup = getattr(holder, "setup", None)
            if setup is not None:
                setup(*arguments)
        try:
            use(function, arguments)
        finally:
            for holder in (function, instance, module):
                teardown = getattr(holder, "teardown", None)
                if teardown is not None:
                    teardown(*arguments)

    def cached(self, instance, function):
        """What ``setup_cache`` returns, made once in a process."""
        maker = getattr(instance, "setup_cache", None) or getattr(function, "setup_cache", None)
        if maker is None:
            return ()
        key = getattr(maker, "__func__", maker)
        if key not in self.caches:
            self.caches[key] = maker()
        return () if self.caches[key] is None else (self.caches[key],)


class Pytest:
    """Tests that use the fixture ``benchmark``; ours takes the place of pytest-benchmark's."""

    def __init__(self, path):
        try:
            import pytest
        except ImportError as error:
            raise Mistake("its environment has no pytest") from error
        self.pytest = pytest
        self.path = os.path.abspath(path)
        self.root = self.path if os.path.isdir(self.path) else os.path.dirname(self.path)
        sys.path.insert(0, self.root)
        started = perf_counter()
        self.found, self.errors = [], []
        self.run(["--collect-only", self.path], None)
        self.seconds = perf_counter() - started
        if self.errors:
            raise self.errors[0]
        if not self.found:
            raise Mistake("it has no test that uses the fixture benchmark")

    def run(self, arguments, use):
        """Run pytest with a fixture that gives what is to be measured to ``use``."""
        common = ["-q", "-p", "no:cacheprovider", "-p", "no:benchmark", "--rootdir", self.root]
        return self.pytest.main([*common, *arguments], plugins=[plugin(self, use)])

    def items(self):
        """Name and parameters of every test."""
        return [split(node) for node in self.found]

    def notes(self):
        """What a reader must know of the tests as a whole."""
        return ["Of tests, what they give to benchmark is measured; what they assert is not looked at."]

    def play(self, name, size, use):
        """Run a test; its ``benchmark`` gives what is to be measured to ``use``."""
        node = name if size is None else f"{name}[{size}]"
        if node not in self.found:
            raise LookupError(f"{node} is not defined here")
        self.errors = []
        self.run([os.path.join(self.root, *node.split("::")[0].split("/")) + "::" + node.partition("::")[2]], use)
        if self.errors:
            raise self.errors[0]


def split(node):
    """A test's name, and its parameters."""
    name, bracket, rest = node.partition("[")
    return (name, rest[:-1] if bracket else None)


def plugin(suite, use):
    """A plugin of pytest: collects tests that use ``benchmark``, and is that fixture."""
    pytest = suite.pytest

    class Benchmark:
        def __init__(self):
            self.extra_info = {}
            self.group = None

        def __call__(self, function, *arguments, **keywords):
            kept = []

            def call(*given):
                kept[:] = [function(*given, **keywords)]
                return kept[0]

            if use is None:
                return function(*arguments, **keywords)
            use(call if keywords else function, arguments)
            return kept[0] if kept else function(*arguments, **keywords)

        def pedantic(self, target, args=(), kwargs=None, setup=None, **options):
            if setup is not None:
                made = setup()
                if made is not None:
                    args, kwargs = made
            return self(target, *args, **(kwargs or {}))

    class Plugin:
        @pytest.fixture
        def benchmark(self):
            return Benchmark()

        @pytest.hookimpl
        def pytest_itemcollected(self, item):
            if "benchmark" in getattr(item, "fixturenames", ()):
                suite.found += [item.nodeid] if item.nodeid not in suite.found else []

        @pytest.hookimpl
        def pytest_collectreport(self, report):
            if report.failed:
                lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
                told = [line for line in lines if line.startswith("E ")] or lines or ["it cannot be collected"]
                suite.errors.append(Mistake(told[-1].lstrip("E ")))

        @pytest.hookimpl
        def pytest_exception_interact(self, node, call, report):
            if call.excinfo is not None and report.failed and report.when != "collect":
                suite.errors.append(call.excinfo.value)

    return Plugin()
