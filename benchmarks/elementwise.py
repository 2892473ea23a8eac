"""Benchmarks of the elementwise kernels."""

from benchmarks import common

globals().update(common.classes("elementwise"))
