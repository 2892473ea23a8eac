"""Benchmarks of the parallel kernels."""

from benchmarks import common

globals().update(common.classes("parallel"))
