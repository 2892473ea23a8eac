"""Benchmarks of the ocean kernels."""

from benchmarks import common

globals().update(common.classes("ocean"))
