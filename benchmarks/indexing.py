"""Benchmarks of the indexing kernels."""

from benchmarks import common

globals().update(common.classes("indexing"))
