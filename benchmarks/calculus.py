"""Benchmarks of the calculus kernels."""

from benchmarks import common

globals().update(common.classes("calculus"))
