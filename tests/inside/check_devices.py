"""Kernels that spread their work over several devices, each size in this process."""

from kernels import BACKENDS, CATALOGUE, NotAvailable
from kernels.preparation import leaves, load


def main(backend):
    several = [kernel for kernel in CATALOGUE.values() if kernel.devices is not None]
    for kernel in several:
        if kernel.why_not(backend, BACKENDS[backend].library) is None:
            for size in kernel.sizes:
                prepared = load(kernel.name, backend, size)
                prepared.verify()
                used = {d for array in leaves(prepared.call()) for d in array.devices()}
                yield {"kernel": kernel.name, "size": size, "devices": len(used)}
    try:
        load(several[0].name, backend, 64)
    except NotAvailable as error:
        yield {"too many": str(error)}
