"""A process of `tools/surroundings`: loads a file and times its functions, as a script would or in another way.

    python surroundings_inside.py DESCRIPTOR REQUEST

Standard library only, from Python 3.8 on. REQUEST is JSON: the ``file``; ``module``, whether it is imported as
arrayspeed's worker does it or run as ``__main__``; ``before``, whether what it imports is imported first; ``fork``,
whether a child goes on then. It answers on the descriptor with ``items`` and ``pid``. Requests ``{"function", "size"}``
are answered with ``{"ready": seconds}`` of a call, and ``[way, number of calls]`` with ``{"seconds": seconds}``.
"""

import gc
import json
import os
import sys
from functools import partial
from time import perf_counter

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORKER = os.path.join(ROOT, "arrayspeed", "own", "inside")

#: Seconds of calls before a function is ready, and before each batch: a script's calls come one after the other.
WARM_UP, WARM = 0.1, 0.002

#: A shorter call is made once before a batch that follows a stop, as arrayspeed does.
SHORT = 0.01


def module_of(name, path, **options):
    """Load a module from its file."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(name, path, **options)
    sys.modules[name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def import_first(path):
    """Import what a file imports, as far as that is possible before it runs."""
    import ast
    from contextlib import suppress

    with open(path, "rb") as file:
        tree = ast.parse(file.read())
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            with suppress(ImportError):  # the file changes sys.path before
                exec(compile(ast.Module([node], []), path, "exec"), {})


def loaded(request):
    """Return the file's functions, by the worker's own class."""
    path = request["file"]
    if request.get("before") or request.get("fork"):
        import_first(path)
    if request.get("fork"):
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            os._exit(0)
        import ctypes

        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG: a stopped process must not be left behind
    if request.get("module"):
        return worker_part("loading").File(path)
    module = type(sys)("__main__")
    module.__file__ = path
    sys.argv, sys.path[0] = [path], os.path.dirname(path)
    sys.modules["__main__"] = module
    with open(path, "rb") as source:
        exec(compile(source.read(), path, "exec"), vars(module))
    # Only now: a script would not have imported what the worker needs.
    File = worker_part("loading").File
    file = File.__new__(File)
    file.path, file.module, file.inputs = path, module, getattr(module, "inputs", None)
    file.functions = {key: value for key, value in vars(module).items() if key.startswith("bench_") and callable(value)}
    return file


def worker_part(name):
    """Load a module of arrayspeed's worker, which is a package under a name that nobody else uses."""
    if "_arrayspeed_worker" not in sys.modules:
        module_of("_arrayspeed_worker", os.path.join(WORKER, "__init__.py"), submodule_search_locations=[WORKER])
    from importlib import import_module

    return import_module("_arrayspeed_worker." + name)


class Timed:
    """A function with its arguments, warm."""

    def __init__(self, function, arguments, again=None):
        self.function, self.arguments = function, arguments
        self.wait, _ = worker_part("waiting").waiter(function(*arguments))
        spent, number = 0.0, 1
        while spent < WARM_UP:
            self.each = self.loop(number)
            spent += self.each * number
            number *= 2

    def loop(self, number):
        """Seconds of a call."""
        function, arguments, wait = self.function, self.arguments, self.wait
        start = perf_counter()
        if wait is None:
            for _ in range(number):
                function(*arguments)
        else:
            for _ in range(number):
                wait(function(*arguments))
        return (perf_counter() - start) / number

    def gc_off(self, number):
        """As the worker's loop."""
        gc.disable()
        try:
            return self.loop(number)
        finally:
            gc.enable()

    def large_frame(self, number):
        """As kernels are timed, but for the short frames."""
        return stack().with_room(partial(self.loop, number))()

    def short_frames(self, number):
        """As kernels are timed, but for the large frame."""
        return stack().below_short_frames(partial(self.loop, number))()

    def module_level(self, number):
        """Return a loop at the level of a module, whose names are globals."""
        known = {f"argument{place}": value for place, value in enumerate(self.arguments)}
        call = f"function({', '.join(known)})"
        known.update(function=self.function, wait=self.wait, clock=perf_counter)
        loop = f"for _ in range({number}):\n    {call if self.wait is None else f'wait({call})'}"
        exec(compile(f"start = clock()\n{loop}\nend = clock()", "loop", "exec"), known)
        return (known["end"] - known["start"]) / number

    def batch(self, way, number):
        """Seconds of a call, the mean of so many."""
        if way == "frozen":
            gc.collect()
            gc.freeze()
        elif way == "trimmed":
            import ctypes

            ctypes.CDLL(None).malloc_trim(0)
        if self.each < SHORT:
            self.loop(1 if way == "stopped" else max(1, int(WARM / self.each)))
        try:
            return getattr(self, way, self.loop)(number)
        finally:
            if way == "frozen":
                gc.unfreeze()


def stack():
    """Load the module that gives kernels a place on Python's stack."""
    return sys.modules.get("_stack") or module_of("_stack", os.path.join(ROOT, "benchmarks", "stack.py"))


def main():
    """Load, and answer until the other end closes."""
    channel, request = int(sys.argv[1]), json.loads(sys.argv[2])

    def say(row):
        os.write(channel, (json.dumps(row) + "\n").encode())

    now = []
    try:
        file = loaded(request)
        say({"items": file.items(), "pid": os.getpid()})
        for line in os.fdopen(os.dup(channel), "r"):
            asked = json.loads(line)
            try:
                if isinstance(asked, dict):
                    now.clear()  # what the last function holds is freed
                    file.play(asked["function"], asked["size"], lambda *what: now.append(Timed(*what)))
                    say({"ready": now[0].each})
                else:
                    say({"seconds": now[0].batch(*asked)})
            except Exception as error:
                say({"failed": f"{type(error).__name__}: {error}"[:300]})
    except BrokenPipeError:
        pass
    except BaseException as error:
        say({"failed": f"{type(error).__name__}: {error}"[:300]})
    os._exit(0)


if __name__ == "__main__":
    main()
