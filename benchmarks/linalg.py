"""Benchmarks of the linalg kernels."""

from benchmarks import common

globals().update(common.classes("linalg"))
