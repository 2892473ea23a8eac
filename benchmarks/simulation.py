"""Benchmarks of the simulation kernels."""

from benchmarks import common

globals().update(common.classes("simulation"))
