"""How noisy comparisons of a kind usually are, so that few rounds of each are enough to judge its noise.

From few rounds a variance is hardly known. The variances of comparisons of one kind are alike, so each is moved towards
the usual one, the more so the more alike they are: Smyth, "Linear models and empirical Bayes methods for assessing
differential expression in microarray experiments", 2004, sections 3 and 6.2.

Where variances are unlike (a few comparisons far noisier than the rest), their spread makes the usual one worth
little, and each keeps its own. The spread itself is estimated from few comparisons; its upper confidence limit is
taken, so that noise is believed to be alike only where that was shown.

Where comparisons are too few for that, what is usual of their measure on any machine is worth a little. It is worth
no more because machines differ, and one is busy on another day: what is believed too firmly hides slowdowns there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri, digamma, polygamma

from arrayspeed.decide.effects import Effect, inverse_trigamma

#: Fewer comparisons than this do not say what noise is usual.
ENOUGH = 5

#: Confidence of the upper limit of the spread of variances.
CONFIDENCE = 0.7

#: The usual variance is never worth more degrees of freedom than this.
MOST = 60.0

#: What is usual on any machine is worth so many: the least that `prior` finds in what copies of the examples showed of
#: times, imports and first calls, 1.6 to 1.9, rounded down (docs/measured/gate.jsonl).
ANYWHERE = 1.5


@dataclass(frozen=True)
class Prior:
    """The usual variance, and the degrees of freedom that it is worth."""

    variance: float = 0.0
    worth: float = 0.0

    def moderate(self, effect: Effect) -> tuple[float, float]:
        """Variance of a comparison's shift, and the degrees of freedom of its t."""
        if not effect.variance:
            return effect.extra, math.inf
        share = effect.worth + self.worth
        own = (self.worth * self.variance + effect.worth * effect.variance) / share / effect.count
        freedom = effect.freedom + self.worth
        if not effect.extra:
            return own, freedom
        # What is known without error dilutes what is estimated (Satterthwaite, 1946).
        return own + effect.extra, freedom * ((own + effect.extra) / own) ** 2


def prior(effects: Sequence[Effect], usual: float = 0.0) -> Prior:
    """Return the prior of comparisons of one kind; where there are too few to tell, that of ``usual``, the standard
    deviation that is usual on any machine, or an empty one where that is 0.
    """
    known = [one for one in effects if one.variance > 0]
    if len(known) < ENOUGH:
        return Prior(usual**2, ANYWHERE) if usual else Prior()
    half = np.array([one.worth / 2 for one in known])
    logs = np.log([one.variance for one in known]) - digamma(half) + np.log(half)
    total = float(logs.var(ddof=1)) * (len(known) - 1) / float(chdtri(len(known) - 1, CONFIDENCE))
    spread = total - float(polygamma(1, half).mean())
    worth = min(MOST, 2 * inverse_trigamma(spread)) if spread > 0 else MOST
    return Prior(float(np.exp(logs.mean() + digamma(worth / 2) - np.log(worth / 2))), worth)
