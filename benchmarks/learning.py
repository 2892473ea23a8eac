"""Benchmarks of the learning kernels."""

from benchmarks import common

globals().update(common.classes("learning"))
