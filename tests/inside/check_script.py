"""Whether what the audit's clock times computes the right result, of every kernel of a backend."""

from types import SimpleNamespace

from arrayspeed.audit.script import preparation
from kernels import BACKENDS, CATALOGUE
from kernels.preparation import exact_result, host_inputs, leaves, to_host


def main(backend, *names):
    """Some kernels, or all."""
    way = BACKENDS[backend]
    able = [kernel for kernel in CATALOGUE.values() if kernel.dtypes[0] in kernel.dtypes_on(backend, way.library)]
    able = [kernel for kernel in able if not names or kernel.name in names]
    # A kernel of several devices splits the host, which a process does before anything else.
    for kernel in sorted(able, key=lambda kernel: kernel.devices is None):
        names = {}
        what = {"kernel": kernel.name, "backend": backend, "size": kernel.small, "dtype": kernel.dtypes[0]}
        exec(preparation(SimpleNamespace(**what, device="cpu")), names)
        result = names["function"](*names["arguments"])
        static = kernel.static(kernel.small, kernel.dtypes[0])
        inputs = host_inputs(kernel, kernel.small)
        reference = exact_result(kernel, inputs, kernel.dtypes[0], static)
        error = max(kernel.errors(inputs, leaves(to_host(result)), leaves(reference)))
        yield {
            "kernel": kernel.name,
            "error": error,
            "allowed": kernel.allowed_error(backend, way.library, kernel.dtypes[0]),
        }
