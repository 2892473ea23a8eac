"""Ten programs of npbench by its own code or by ours, on its inputs: bench_<kernel>_<backend>.

`arrayspeed peers npbench` runs it in an environment of array libraries, once for each side. ARRAYSPEED_PEER_PATH is a
checkout of https://github.com/spcl/npbench, whose functions are called and nothing else; ARRAYSPEED_PEER_ROOT is where
`kernels` is. Size 1 is npbench's preset S, and 2 its M.

npbench works in place where it can. Its inputs are then copied in each call, or the second call would see others.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

OURS = os.environ["ARRAYSPEED_PEER_SIDE"] == "ours"
PATH = Path(os.environ["ARRAYSPEED_PEER_PATH"])
sys.path.insert(0, os.environ["ARRAYSPEED_PEER_ROOT"] if OURS else str(PATH))

#: Our backend -> the ending of the peer's file. Its Numba without threads, since both sides have one core.
BACKENDS = {"numpy": "numpy", "numba": "numba_n", "jax-jit": "jax"}

PRESETS = {1: "S", 2: "M"}

sizes = tuple(PRESETS)


@dataclass(frozen=True)
class Program:
    """One program.

    Attributes
    ----------
    place, function
        The folder and name of its files, below ``npbench/benchmarks``, and its function.
    theirs
        From its inputs (the preset's numbers and what ``initialize`` makes of them) to its arguments, copied where the
        function changes them.
    result
        From what the function returns and its arguments, which it may have changed, to what is compared.
    kernel, ours, dtype, static
        Our kernel, its inputs from the same, its precision, and its static values.
    same
        From our result to what is compared.
    backends
        Those that both have.
    """

    place: str
    function: str
    theirs: Callable[[dict[str, Any], Any], tuple[Any, ...]]
    result: Callable[[Any, tuple[Any, ...]], Any]
    kernel: str
    ours: Callable[[dict[str, Any], Any], tuple[Any, ...]]
    dtype: str = "float64"
    static: Callable[[dict[str, Any]], dict[str, Any]] = field(default=lambda preset: {})
    same: Callable[[Any, dict[str, Any]], Any] = field(default=lambda result, preset: result)
    backends: tuple[str, ...] = tuple(BACKENDS)


def tril(matrix: Any) -> Any:
    """Without what is above the diagonal, by the library whose matrix it is."""
    return numpy_of(matrix).tril(matrix)


def numpy_of(array: Any) -> ModuleType:
    """NumPy, or JAX's NumPy."""
    return importlib.import_module("numpy" if type(array).__module__ == "numpy" else "jax.numpy")


def changed(place: int) -> Callable[[Any, tuple[Any, ...]], Any]:
    """Return what a function returns, or the argument in this place that it changed instead."""
    return lambda result, arguments: arguments[place] if result is None else result


def iterations(count: Any, preset: dict[str, Any]) -> Any:
    """Return how often a point was within, as the peer counts: from 0, and 0 where it stays within; rows
    are imaginary.
    """
    xp = numpy_of(count)
    last = count.T - 1
    return xp.where(last == preset["maxiter"] - 1, 0, last)


PROGRAMS = {
    "arc_distance": Program(
        "pythran/arc_distance",
        "arc_distance",
        lambda preset, made: made,
        lambda result, arguments: result,
        "arc_distance",
        lambda preset, made: made,
    ),
    "floyd_warshall": Program(
        "polybench/floyd_warshall",
        "kernel",
        lambda preset, path: (path.copy(),),
        changed(0),
        "floyd_warshall",
        lambda preset, path: (path,),
    ),
    "cholesky": Program(
        "polybench/cholesky2",
        "kernel",
        lambda preset, matrix: (matrix.copy(),),
        # Above the factor it leaves the matrix. Both sides take that away, or only one would be timed with it.
        lambda result, arguments: tril(arguments[0] if result is None else result),
        "cholesky",
        lambda preset, matrix: (matrix,),
        same=lambda result, preset: tril(result),
    ),
    "fft": Program(
        "stockham_fft",
        "stockham_fft",
        lambda preset, made: (made[0], preset["R"], preset["K"], made[1].real + 0j, made[2]),
        changed(4),
        "fft",
        lambda preset, made: (made[1].real,),
        backends=("numpy", "jax-jit"),
    ),
    "qr": Program(
        "polybench/gramschmidt",
        "kernel",
        lambda preset, matrix: (matrix.copy(),),
        # The signs of rows are free.
        lambda result, arguments: abs(result[1]),
        "qr",
        lambda preset, matrix: (matrix,),
        same=lambda result, preset: abs(result[1]),
    ),
    "solve": Program(
        "polybench/ludcmp",
        "kernel",
        lambda preset, made: (made[0].copy(), made[1]),
        lambda result, arguments: result[0],
        "solve",
        lambda preset, made: made,
    ),
    "softmax": Program(
        "deep_learning/softmax",
        "softmax",
        lambda preset, scores: (scores,),
        lambda result, arguments: result.reshape(-1, result.shape[-1]),
        "softmax",
        lambda preset, scores: (scores.reshape(-1, scores.shape[-1]),),
        dtype="float32",
    ),
    "jacobi_2d": Program(
        "polybench/jacobi_2d",
        "kernel",
        # Its two grids have other edges; with one edge, its sweeps are ours.
        lambda preset, made: (preset["TSTEPS"], made[0].copy(), made[0].copy()),
        lambda result, arguments: arguments[1] if result is None else result[0],
        "jacobi_2d",
        lambda preset, made: (made[0],),
        static=lambda preset: {"sweeps": 2 * (preset["TSTEPS"] - 1)},
    ),
    "mandelbrot": Program(
        "mandelbrot1",
        "mandelbrot",
        lambda preset, made: tuple(preset[name] for name in ("xmin", "xmax", "ymin", "ymax", "XN", "YN", "maxiter")),
        lambda result, arguments: result[1].astype("int32"),
        "mandelbrot",
        lambda preset, made: (
            spaced(preset["xmin"], preset["xmax"], preset["XN"]),
            spaced(preset["ymin"], preset["ymax"], preset["YN"]),
        ),
        static=lambda preset: {"iterations": preset["maxiter"]},
        same=iterations,
    ),
    "conv2d": Program(
        "deep_learning/conv2d_bias",
        "conv2d",
        lambda preset, made: made[:2],
        lambda result, arguments: result,
        "conv2d",
        lambda preset, made: made[:2],
        dtype="float32",
    ),
}


def spaced(start: float, stop: float, count: int) -> Any:
    """Numbers at equal distances."""
    return importlib.import_module("numpy").linspace(start, stop, count)


def inputs(rng: object, size: int) -> tuple[int]:
    """Return the size alone: both sides have the peer's inputs."""
    return (size,)


def made(program: Program, size: int) -> tuple[dict[str, Any], Any]:
    """Return the preset's numbers, and what the peer makes of them."""
    name = program.place.rpartition("/")[2]
    about = json.loads((PATH / f"bench_info/{name}.json").read_text())["benchmark"]
    preset = about["parameters"][PRESETS[size]]
    if "init" not in about or not about["init"].get("func_name"):
        return preset, ()
    module = loaded(program, "")
    return preset, getattr(module, about["init"]["func_name"])(**{n: preset[n] for n in about["init"]["input_args"]})


def loaded(program: Program, ending: str) -> ModuleType:
    """Return a file of the peer's."""
    folder = PATH / "npbench/benchmarks" / program.place
    name = next(iter(sorted(folder.glob("*_numpy.py")))).stem.removesuffix("_numpy") + ending
    spec = importlib.util.spec_from_file_location(f"npbench_{name}", folder / f"{name}.py")
    assert spec is not None and spec.loader is not None  # of a file whose name ends with .py
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def theirs(program: Program, backend: str, size: int) -> Callable[[], Any]:
    """Return the peer's function with its inputs."""
    if backend == "jax-jit":
        importlib.import_module("jax").config.update("jax_enable_x64", True)
    function = getattr(loaded(program, f"_{BACKENDS[backend]}"), program.function)
    preset, drawn = made(program, size)
    if backend == "jax-jit":
        arguments = on_device(program.theirs(preset, drawn))
        return lambda: program.result(function(*arguments), arguments)

    def call() -> Any:
        arguments = program.theirs(preset, drawn)
        return program.result(function(*arguments), arguments)

    return call


def on_device(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays as JAX has them, whose functions change none; numbers as they are."""
    numpy, jax = importlib.import_module("numpy"), importlib.import_module("jax.numpy")
    return tuple(jax.asarray(one) if isinstance(one, numpy.ndarray) else one for one in arguments)


def ours(program: Program, backend: str, size: int) -> Callable[[], Any]:
    """Our function with the peer's inputs."""
    preset, drawn = made(program, size)
    catalogue = importlib.import_module("kernels").CATALOGUE
    kernel, static = catalogue[program.kernel], program.static(preset)
    given = {"static": lambda size, dtype: static} if static else {}
    peer = importlib.import_module("kernels.kernel").Peer("npbench", "", (), lambda size: program.ours(preset, drawn))
    # This process measures nothing else of that kernel.
    catalogue[program.kernel] = replace(kernel, peer=peer, **given)
    load = importlib.import_module("kernels.preparation").load
    prepared = load(program.kernel, backend, kernel.small, "cpu", program.dtype, peer=True)
    return lambda: program.same(prepared.call(), preset)


def of(program: Program, backend: str) -> Callable[[int], Any]:
    """Return a function that prepares at its first call."""
    prepared = cache(partial(ours if OURS else theirs, program, backend))
    return lambda size: prepared(size)()


for _name, _program in PROGRAMS.items():
    for _backend in _program.backends:
        globals()[f"bench_{_name}_{_backend.replace('-', '_')}"] = of(_program, _backend)
