"""Benchmarks of the random kernels."""

from benchmarks import common

globals().update(common.classes("random"))
