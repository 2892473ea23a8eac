"""Named selections: everything at every size would take days, so these are what is worth measuring first.

A selection is a list of parts, most important first; a run goes through them in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from arrayspeed.measure.plan import OWN, Selection
from arrayspeed.measure.session import newest_of_all, of_one_library
from kernels import BACKENDS
from kernels.backends import BASELINE
from kernels.catalogue import in_tier

if TYPE_CHECKING:
    from asv.config import Config

#: Elementwise arithmetic, matrix product, gradient, transform, sort: the five operations of article 001.
OPERATIONS = ["elementwise", "matmul", "gradient", "fft", "sort"]

#: With an activation and a loop of training: what the articles compile.
TELLING = [*OPERATIONS, "selu", "linear_regression"]

#: What has a first call that differs from the others.
COMPILED = [name for name, backend in BACKENDS.items() if backend.compiles]

#: What has no kernel.
IMPORTS = Selection(measures=["timeraw_import"])

#: What article 001 compares.
EAGER = [BASELINE, "jax", "torch"]

BATCHES = ["vmap_mapped", "vmap_vectorised", "vmap_loop"]


def part(*measures: str, dtype: str = "float64", **filters: list[str]) -> Selection:
    """Return some measures of one precision."""
    return Selection(measures=list(measures), dtypes=[dtype], **filters)


#: What `make bench` measures: something for every page.
BENCH = [
    part("time_call", kernels=OPERATIONS, sizes=["small", "large"], devices=["cpu"]),
    part(
        "time_call",
        kernels=[name for name in in_tier("bench") if name not in OPERATIONS],
        sizes=["large"],
        devices=["cpu"],
    ),
    # The processes that take the times of small arrays measure these as well.
    part("track_first_call", kernels=OPERATIONS, sizes=["small"], devices=["cpu"]),
    part("track_error", kernels=OPERATIONS, sizes=["small"], devices=["cpu"]),
]

#: Which backend? Each kernel in its own precision, and those of the core tier in the other one as well.
IN_TURN = [
    part("time_call", sizes=["small", "large"], dtype=OWN),
    part("track_first_call", kernels=TELLING, sizes=["small"]),
    part("track_error", kernels=TELLING, sizes=["small"]),
    part("time_call", kernels=in_tier("core"), sizes=["small", "large"], dtype="float32"),
]

#: What the four articles measured, then every other measure of the same kernels.
ARTICLES = [
    part("time_call", sizes=["small", "large"]),
    part("time_call", kernels=["linear_regression", "convolve_devices"]),
    part("time_call", kernels=["matmul_transposed"], backends=["numpy", "jax", "jax-jit"]),
    part("time_call", kernels=BATCHES, backends=["numpy", "jax", "jax-jit"]),
    part("time_call", kernels=["matmul_transposed", "selu", "polynomial"], sizes=["large"], dtype="float32"),
    part("track_first_call", kernels=OPERATIONS, sizes=["small"]),
    part("track_first_call", kernels=["matmul_transposed", "selu"], sizes=["large"], dtype="float32"),
    IMPORTS,
    part("track_error", sizes=["small"]),
    part("time_round_trip", "time_pipelined", kernels=OPERATIONS, sizes=["small", "large"]),
    part("time_round_trip", kernels=["matmul_transposed"], sizes=["large"], dtype="float32"),
    part("track_memory", "peakmem_call", kernels=OPERATIONS, sizes=["large"]),
    part("track_first_call", "track_kept", "track_resident", sizes=["small"]),
    part("time_call", kernels=OPERATIONS),
    # Transfers and memory matter where arrays are large, and a queue of calls where they are small.
    part("time_round_trip", "track_memory", "peakmem_call", sizes=["large"]),
    part("time_pipelined", sizes=["small"]),
    part("time_call", sizes=["large"], dtype="float32"),
]

#: What every version of a library is measured on. Of the bench tier, four rounds of all of asv.conf.json took 82
#: minutes on two cores. First calls, errors and imports are of the kernels that say most.
VERSIONS = [
    part("time_call", kernels=in_tier("core"), sizes=["small", "large"]),
    IMPORTS,
    part(
        "track_first_call", kernels=TELLING, sizes=["small"], backends=[name for name in BACKENDS if name != BASELINE]
    ),
    part("track_error", kernels=TELLING, sizes=["small"]),
]


def gpu(*measures: str, **filters: list[str]) -> list[Selection]:
    """Return some measures on the GPU, float32 first: it is what GPUs are for."""
    return [part(*measures, dtype=dtype, devices=["gpu"], **filters) for dtype in ("float32", "float64")]


#: What is worth a few minutes of a GPU, and the same on the CPU beside it.
GPU = [
    part("time_call", kernels=in_tier("bench"), sizes=["large"], devices=["gpu"], dtype="float32"),
    # What the articles claim, with the backends that they claim it of.
    part("time_call", kernels=OPERATIONS, sizes=["large"], backends=EAGER, devices=["gpu", "cpu"]),
    part("time_call", kernels=OPERATIONS, sizes=["small"], backends=EAGER, devices=["gpu", "cpu"]),
    part("time_call", kernels=["linear_regression"], backends=["numpy", "numba", "jax-jit"], devices=["gpu", "cpu"]),
    part("time_call", kernels=["matmul_transposed", "selu"], sizes=["large"], devices=["gpu", "cpu"], dtype="float32"),
    part("time_round_trip", kernels=["matmul_transposed"], sizes=["large"], devices=["gpu"], dtype="float32"),
    part(
        "time_call",
        kernels=["polynomial", "matmul_transposed"],
        sizes=["10000"],
        backends=["jax", "jax-jit"],
        devices=["gpu", "cpu"],
        dtype="float32",
    ),
    part("time_call", kernels=["convolve_devices", *BATCHES], backends=["jax", "jax-jit"], devices=["cpu"]),
    part("time_call", kernels=["polynomial"], sizes=["10000"], backends=["numpy", "jax-jit"], devices=["cpu"]),
    part("time_call", kernels=["matmul_transposed"], backends=["numpy", "jax", "jax-jit"], devices=["cpu"]),
    part("time_call", kernels=in_tier("bench"), sizes=["large"], devices=["cpu"], dtype="float32"),
    part("time_call", kernels=["add"], sizes=["100000000"], devices=["gpu"], dtype="float32"),
    *gpu("track_to_device", "track_from_device", kernels=["sine"], sizes=["1000000", "100000000"]),
    part("track_device_time", kernels=TELLING, sizes=["small", "large"], devices=["gpu"], dtype="float32"),
    part("time_call", kernels=TELLING, sizes=["large"], devices=["gpu", "cpu"]),
    *gpu("time_call", kernels=["matmul"], sizes=["3000"]),
    *gpu("time_call", kernels=["elementwise"], sizes=["100000000"]),
    *gpu("track_error", kernels=TELLING, sizes=["small"]),
    part("time_call", kernels=in_tier("bench"), sizes=["small"], devices=["gpu", "cpu"], dtype="float32"),
    part("time_call", kernels=in_tier("core"), sizes=["large"], devices=["gpu", "cpu"], dtype="float32"),
    part("time_call", kernels=TELLING, sizes=["small"], devices=["gpu", "cpu"]),
    *gpu("time_round_trip", "track_memory", kernels=OPERATIONS, sizes=["large"]),
    *gpu("time_pipelined", "track_first_call", kernels=TELLING, sizes=["small"]),
    *gpu("track_device_time", kernels=TELLING, sizes=["small", "large"]),
    *gpu("time_call", "track_error", sizes=["small", "large"]),
    *gpu("time_call"),
]


def in_tier_only(parts: list[Selection], tier: str) -> list[Selection]:
    """Return the parts with the kernels of a tier alone; what has no kernel, such as an import, stays."""
    kernels = in_tier(tier)
    found = []
    for one in parts:
        if one == IMPORTS:
            found.append(one)
        elif held := [name for name in one.kernels or kernels if name in kernels]:
            found.append(replace(one, kernels=held))
    return found


NAMED = {"backends": IN_TURN, "bench": BENCH, "articles": ARTICLES, "versions": VERSIONS, "gpu": GPU}

#: Where they are measured: the names of environments, from asv's configuration.
WHERE: dict[str, Callable[[Config], list[str]]] = {
    "backends": lambda config: [newest_of_all(config)],
    "bench": lambda config: [newest_of_all(config)],
    "articles": lambda config: [newest_of_all(config)],
    "versions": of_one_library,
    "gpu": lambda config: [newest_of_all(config)],
}
