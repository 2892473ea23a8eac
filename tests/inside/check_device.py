"""Why a CPU has none of the measures of a device apart from its host."""

from benchmarks import device
from kernels import NotAvailable
from kernels.preparation import load


def main(backend):
    prepared = load("add", backend, 10)
    for measure in (device.device_time, device.to_device, device.from_device):
        try:
            measure(prepared)
        except NotAvailable as error:
            yield {"measure": measure.__name__, "why": str(error)}
