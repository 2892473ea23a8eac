"""What pages and charts need of each backend beside `kernels.BACKENDS`: its colour, and what it is compared with."""

from __future__ import annotations

from kernels import BACKENDS

#: One hue a library, from the palette of Okabe and Ito, which colour-blind people can tell apart; light is eager and
#: dark is compiled.
COLOURS = {
    "numpy": "#5b6770",
    "numba": "#b8649a",
    "jax": "#7cc0ea",
    "jax-jit": "#0067a5",
    "torch": "#f4a261",
    "torch-compile": "#c8500a",
    "tensorflow": "#6fcdb0",
    "tensorflow-xla": "#00795a",
    "cupy": "#9c8f00",
    "mlx": "#e6d95c",
    "mlx-compile": "#8a4f1d",
}

#: What all others are compared with, and the device on which it is.
BASELINE, BASELINE_DEVICE = "numpy", "cpu"

#: Compiled backend -> its eager form; NumPy is that of Numba.
EAGER = {
    one.name: other.name
    for one in BACKENDS.values()
    for other in BACKENDS.values()
    if one.compiled and other.library == one.library and not other.compiled
} | {"numba": BASELINE}
