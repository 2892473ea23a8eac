"""Benchmarks of the fft kernels."""

from benchmarks import common

globals().update(common.classes("fft"))
