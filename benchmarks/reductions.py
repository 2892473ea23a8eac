"""Benchmarks of the reductions kernels."""

from benchmarks import common

globals().update(common.classes("reductions"))
