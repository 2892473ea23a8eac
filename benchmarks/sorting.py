"""Benchmarks of the sorting kernels."""

from benchmarks import common

globals().update(common.classes("sorting"))
