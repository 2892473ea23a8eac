"""How small a slowdown a machine shows: what its noise, measured with copies, leaves to be found.

Copies of one program differ by nothing but noise. A slowdown that is put on top of such noise is shown where the rules
of this room call it slower, look by look, as they would where it is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median

import numpy as np
from scipy.special import chdtri

from arrayspeed.decide.looks import LOOKS, Looks
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.words import FACTOR, SLOWER

#: The share of such slowdowns that must be found: the usual power (Cohen, "Statistical power analysis", 1988).
POWER = 0.8

#: The chance that noise is larger than what it is taken for, as far as so few rounds tell.
DOUBT = 0.2

#: Simulated measurements of each slowdown, and the slowdowns: steps of 1 % and more, up to three times.
DRAWS = 100
SLOWDOWNS = tuple(round(1.05 * 1.01**step, 2) for step in range(1, 106))

#: Fewer rounds say nothing about noise.
FEWEST = 4


def smallest_slowdown(differences: Sequence[float], rounds: int, factor: float = FACTOR, seed: int = 0) -> float | None:
    """Return the smallest slowdown that so many rounds show in four of five measurements; None where none does, or too
    little is known.

    ``differences``: logarithms of a copy's ratio to its reference, round by round. They are drawn from anew, to either
    side of their middle, as far from it as they may be with what so few of them tell of noise: its upper limit, by a
    chance of `DOUBT`.
    """
    if len(differences) < FEWEST or rounds < LOOKS[0]:
        return None
    freedom = len(differences) - 1
    wider = math.sqrt(len(differences) / float(chdtri(freedom, 1 - DOUBT)))
    noise = wider * (np.array(differences) - median(differences))
    rng, shape = np.random.default_rng(seed), (DRAWS, min(rounds, LOOKS[-1]))
    drawn = rng.choice(noise, shape) * rng.choice([-1, 1], shape)
    low, high = 0, len(SLOWDOWNS)
    while low < high:  # what finds a slowdown finds a larger one
        place = (low + high) // 2
        if found(drawn, SLOWDOWNS[place], factor) >= POWER:
            high = place
        else:
            low = place + 1
    return SLOWDOWNS[low] if low < len(SLOWDOWNS) else None


def found(drawn: np.ndarray, slowdown: float, factor: float) -> float:
    """Return the share of simulated measurements, rows of noise, that show a slowdown."""
    return fmean(float(shown(row, slowdown, factor)) for row in drawn)


def shown(noise: np.ndarray, slowdown: float, factor: float) -> bool:
    """Return whether a slowdown with such noise is called slower at one of the looks."""
    looks = Looks(len(noise), factor)
    values = slowdown * np.exp(noise)
    for rounds in looks.plan:
        seen = Observed(dict.fromkeys(range(rounds), 1.0), {n: float(values[n]) for n in range(rounds)})
        decision = looks.look({"": seen})[""]
        if not looks.undecided([""]):
            return decision.verdict == SLOWER
    return False
