"""Work spread over several devices of one kind. Size is the number of devices; the work stays the same.

On a CPU the host is split into devices that share its cores: the curve shows what spreading costs, and gains only
where one device leaves cores idle.
"""

from kernels.kernel import Kernel

SIGNALS = 8
SAMPLES = 200_000
TAPS = 64


def signals(devices):
    """Return how many signals: divisible among the devices, so the next multiple where 8 is none."""
    return -(-SIGNALS // devices) * devices


def signals_and_filter(rng, devices):
    """Return normal signals, shape (signals, samples), and one normal filter, shape (taps,)."""
    return rng.standard_normal((signals(devices), SAMPLES)), rng.standard_normal(TAPS)


def convolve_each(signals, taps):
    """NumPy's convolution, signal by signal."""
    import numpy as np

    return np.stack([np.convolve(signal, taps, mode="valid") for signal in signals])


KERNELS = (
    Kernel(
        "convolve_devices",
        f"{SIGNALS} signals of {SAMPLES:,} samples convolved with {TAPS} taps, spread over n devices",
        sizes=(1, 2, 4),
        small=1,
        large=4,
        inputs=signals_and_filter,
        reference=convolve_each,
        flops=lambda n: 2 * TAPS * signals(n) * (SAMPLES - TAPS + 1),
        bytes=lambda n, item: (signals(n) * (2 * SAMPLES - TAPS + 1) + TAPS) * item,
        devices=lambda n: n,
        operations=("convolution|conv",),
        unavailable={
            "numpy": "NumPy has no devices",
            "numba": "Numba's CPU code runs on threads, not on devices",
            "torch": "PyTorch spreads a tensor over devices with one process a device, and this is one process",
            "cupy": "a CuPy array is on one device",
            "mlx": "MLX spreads work over devices with one process a device, and this is one process",
            "tensorflow": "a TensorFlow tensor is on one device, except in the experimental DTensor",
        },
    ),
)
