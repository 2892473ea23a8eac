"""Which BLAS and OpenMP an environment's libraries load. ``python -m … FINDER BACKEND…``; prints a line of JSON.

A multiplication of small matrices is called first on each backend: what is loaded at the first call is there then.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress

from arrayspeed.system.pools import pools
from kernels import CATALOGUE, prepare

#: The kernel that is called: every BLAS has it.
KERNEL = "matmul"


def main(finder: str, backends: list[str]) -> None:
    """Call the kernel on some backends, and say what is loaded then."""
    for backend in backends:
        with suppress(Exception):  # whatever is wrong with it, comparisons will say so
            prepare(KERNEL, backend, CATALOGUE[KERNEL].small)()
    print("@" + json.dumps(pools(finder)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
