"""The independent clock: pyperf times one kernel in processes, a loop and a wait of its own.

Run by ``arrayspeed fidelity`` in a measuring environment: KERNEL BACKEND SIZE DTYPE, the folder of pyperf, then
pyperf's own options. Nothing of asv is used here, nor the wait of the adapters.
"""

import os
import sys

kernel, backend, size, dtype, folder = sys.argv[1:6]
#: Behind the environment's own packages, so that none of them is replaced.
sys.path.append(folder)
sys.path.insert(0, os.getcwd())

import pyperf  # noqa: E402


def ready_call():
    """The kernel on its arguments, with the wait as a user of the library writes it; on the CPU only."""
    from kernels.preparation import load

    prepared = load(kernel, backend, int(size), "cpu", dtype)
    function, arguments = prepared.function, prepared.arguments
    result = function(*arguments)
    if prepared.backend.library == "jax":
        if isinstance(result, tuple):

            def call():
                for array in function(*arguments):
                    array.block_until_ready()

        else:

            def call():
                function(*arguments).block_until_ready()

    else:
        # NumPy and Numba return when they are done; PyTorch and TensorFlow too on a CPU.
        def call():
            function(*arguments)

    return call


sys.argv[1:] = sys.argv[6:]
runner = pyperf.Runner(program_args=(__file__, kernel, backend, size, dtype, folder))
args = runner.parse_args()
# Only workers time; the process that starts them needs no array library.
runner.bench_func("call", ready_call() if args.worker else (lambda: None))
