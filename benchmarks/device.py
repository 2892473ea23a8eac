"""What a device does apart from its host: its own time of a call, and the way to it and back."""

from __future__ import annotations

from time import perf_counter

from kernels import NotAvailable
from kernels.backends.events import seconds_on_device
from kernels.preparation import Prepared, leaves

#: Samples of one process.
SAMPLES = 20


def sampled(samples: list[float]) -> dict:
    """Return samples as asv takes them from a benchmark that is not a time of its own."""
    return {"samples": samples, "number": 1}


def device_time(prepared: Prepared) -> dict:
    """Seconds of a call by the device's own clock.

    Raises
    ------
    NotAvailable
        The library offers no such clock, or a call cannot be queued as a whole.
    """
    return sampled(
        seconds_on_device(prepared.adapter.events(), lambda: prepared.function(*prepared.arguments), SAMPLES)
    )


def transferred(prepared: Prepared) -> None:
    """Refuse where nothing is transferred.

    Raises
    ------
    NotAvailable
        The device is the host.
    """
    if prepared.device == "cpu":
        raise NotAvailable("the CPU's memory is the host's: nothing is transferred")


def to_device(prepared: Prepared) -> dict:
    """Seconds from host arrays to the kernel's inputs on the device, complete."""
    transferred(prepared)
    samples = []
    for _ in range(SAMPLES):
        start = perf_counter()
        sent = prepared.send()
        if prepared.adapter.wait is not None:
            prepared.adapter.wait(sent)
        samples.append(perf_counter() - start)
    return sampled(samples)


def from_device(prepared: Prepared) -> dict:
    """Seconds from a complete result on the device to host arrays; a new result each time, since JAX keeps copies."""
    transferred(prepared)
    samples = []
    for _ in range(SAMPLES):
        arrays = leaves(prepared.call())
        start = perf_counter()
        for array in arrays:
            prepared.adapter.get(array)
        samples.append(perf_counter() - start)
    return sampled(samples)
