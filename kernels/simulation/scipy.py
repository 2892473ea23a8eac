"""Simulations in SciPy: NumPy has no normal distribution."""

import numpy as np
from scipy.special import ndtr

from kernels.shared import bind

shared = bind(__name__, np)


def black_scholes(share, strike, years):
    """By SciPy's normal distribution."""
    return shared.prices(share, strike, years, ndtr)
