"""Benchmarks of the loops kernels."""

from benchmarks import common

globals().update(common.classes("loops"))
