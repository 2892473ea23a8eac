"""The interval of a mean, for tools that judge plain scripts by other means than `arrayspeed.decide`."""

import math
from statistics import fmean, stdev

from scipy.stats import t


def of_mean(values):
    """Return the mean of values and Student's 95 % interval of it; of fewer than two, nothing is known."""
    mean = fmean(values)
    if len(values) < 2:
        return mean, -math.inf, math.inf
    half = t.ppf(0.975, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half
