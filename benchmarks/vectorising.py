"""Benchmarks of the vectorising kernels."""

from benchmarks import common

globals().update(common.classes("vectorising"))
