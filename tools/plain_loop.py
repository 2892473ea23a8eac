"""Times the functions of a bench file as a script of its user would: `python plain_loop.py FILE.py`.

    python plain_loop.py FILE.py [--function NAME] [--size SIZE] [--growth] [--list]

Nothing of arrayspeed is in it, so that what arrayspeed says can be held against it: the garbage collector stays on, the
allocator is left as it is, and nothing is pinned. It needs the standard library, and takes NumPy's random numbers where
NumPy is installed. Each function and size gives a line of JSON: the median time of a call, the first call, and with
--growth by how much the process grows with each call. Functions change the allocator's state for each other, so a
figure that counts comes from a process of its own: --function and --size choose. --list only says what there is.
"""

import argparse
import inspect
import json
import os
import random
import statistics
import sys
import types
from time import perf_counter

#: What random inputs are drawn from: the number that arrayspeed takes, so that both see the same inputs.
SEED = 20_250_101

#: The size where a file has inputs that want one, and no sizes.
DEFAULT_SIZE = 1000

#: A function is warm after so many calls and seconds.
WARM_CALLS, WARM_SECONDS = 3, 0.1

#: Batches, seconds of each, and seconds after which no further one begins.
BATCHES, BATCH, LONGEST = 9, 0.03, 1.0

#: Calls and seconds after which growth has been seen for long enough, and seconds after which there are no more.
GROWTH_CALLS, GROWTH_SECONDS, GROWTH_LONGEST = 200, 1.0, 2.0


def load(path):
    """Return the module of a file, loaded from its source: nothing is written beside it."""
    path = os.path.abspath(path)
    sys.path[0] = os.path.dirname(path)  # as `python FILE.py` has it
    module = types.ModuleType(os.path.splitext(os.path.basename(path))[0])
    module.__file__ = path
    sys.modules[module.__name__] = module
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), module.__dict__)
    return module


def wanted(inputs):
    """How many of `rng` and `size` a file's `inputs` takes."""
    if inputs is None:
        return 0
    parameters = inspect.signature(inputs).parameters.values()
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return 2
    return sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in parameters)


def items(module):
    """Every function with every size; the size is None where nothing asks for one."""
    sizes = getattr(module, "sizes", None)
    if sizes is None:
        sizes = (DEFAULT_SIZE if wanted(getattr(module, "inputs", None)) == 2 else None,)
    elif isinstance(sizes, (int, float, str)):
        sizes = (sizes,)
    names = [name for name, value in vars(module).items() if name.startswith("bench_") and callable(value)]
    return [(name, size) for name in names for size in sizes]


def arguments_of(module, size):
    """Return what `inputs` returns, as arguments."""
    inputs = getattr(module, "inputs", None)
    if inputs is None:
        return ()
    try:
        import numpy

        rng = numpy.random.default_rng(SEED)
    except ImportError:
        rng = random.Random(SEED)
    given = inputs(*(rng, size)[: wanted(inputs)])
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def waiter(result):
    """Return what waits for results like this; None where a call returns when it is done."""
    jax = sys.modules.get("jax")
    if jax is None or not any(isinstance(leaf, jax.Array) for leaf in jax.tree_util.tree_leaves(result)):
        return None
    return jax.block_until_ready


def private():
    """Bytes of this process alone that are in memory; None where the system does not say.

    Clean pages do not count: they are those of files, or were freed and are about to be taken back.
    """
    try:
        with open("/proc/self/smaps_rollup") as lines:
            return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:"))
    except (OSError, StopIteration):
        return None


def time_calls(function, arguments, wait, number):
    """Seconds of so many calls."""
    times = range(number)
    start = perf_counter()
    if wait is None:
        for _ in times:
            function(*arguments)
    else:
        for _ in times:
            wait(function(*arguments))
    return perf_counter() - start


def growth(before, after, calls):
    """Bytes of growth a call."""
    return None if before is None or after is None else (after - before) / calls


def measure(module, name, size, grows):
    """Return the figures of a function at a size. ``grows``: also by how much each call makes the process grow."""
    function, arguments = getattr(module, name), arguments_of(module, size)
    start = perf_counter()
    result = function(*arguments)
    wait = waiter(result)
    if wait is not None:
        wait(result)
    first = perf_counter() - start
    del result
    made, spent, each = 1, 0.0, first
    while made < WARM_CALLS or spent < WARM_SECONDS:
        each = time_calls(function, arguments, wait, 1)
        made, spent = made + 1, spent + each
    # The last call may have been a slow one by chance, or a quick one.
    number = max(1, round(BATCH / min(max(each, 1e-9), spent / (made - 1))))
    begun, measured, times = private(), made, []
    start = perf_counter()
    while len(times) < BATCHES and (not times or perf_counter() - start < LONGEST):
        times.append(time_calls(function, arguments, wait, number) / number)
        made += number
    ended, seconds = private(), statistics.median(times)
    if not grows:
        return {"seconds": seconds, "first": first, "calls": made}
    more, start = 0, perf_counter()
    some = max(1, round(0.02 / seconds))
    # A call that takes longer than this whole part has shown in the batches what it keeps.
    while seconds < GROWTH_LONGEST and (spent := perf_counter() - start) < GROWTH_LONGEST:
        if more >= GROWTH_CALLS and spent >= GROWTH_SECONDS:
            break
        time_calls(function, arguments, wait, some)
        more += some
    return {
        "seconds": seconds,
        "first": first,
        "calls": made,
        "growth": growth(begun, ended, made - measured),
        "growth_further": growth(ended, private(), more) if more else None,
        "calls_further": more,
    }


def main():
    """Measure what is asked for, a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.py")
    parser.add_argument("--function", metavar="NAME", help="one function, bench_ and all")
    parser.add_argument("--size", help="one of the file's sizes")
    parser.add_argument("--growth", action="store_true", help="also by how much the process grows with each call")
    parser.add_argument("--list", action="store_true", help="measure nothing: a line for each function and size")
    args = parser.parse_args()
    if not os.path.isfile(args.file):
        parser.exit(2, f"{args.file} is not a file\n")
    module = load(args.file)
    chosen = [
        (name, size) for name, size in items(module) if args.function in (None, name) and args.size in (None, str(size))
    ]
    if not chosen:
        parser.exit(2, f"{os.path.basename(args.file)} has no such function and size\n")
    failed = False
    for name, size in chosen:
        line = {"function": name, "size": size}
        if not args.list:
            try:
                line.update(measure(module, name, size, args.growth))
            except Exception as error:  # of the function, whatever it is: the others can still be measured
                line["failed"] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
                failed = True
        print(json.dumps(line), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
