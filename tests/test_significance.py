"""The statistics of an upgrade: on numbers with known answers, and on samples recorded from real processes."""

import json
import math
import random
from pathlib import Path
from statistics import fmean, stdev

import pytest

from arrayspeed.upgrades import significance
from arrayspeed.upgrades.compare import FALSE_DISCOVERY, REGRESSION, verdict
from arrayspeed.upgrades.significance import differ, estimate, false_discovery

#: Seconds of twenty processes of NumPy 2.4.6 each, by kernel and size, in their order: from one version compared with
#: itself on two shared cores, which is a noisy place.
RECORDED = json.loads((Path(__file__).parent / "recorded_processes.json").read_text())

#: The default of --rounds and of --factor.
ROUNDS, FACTOR = 10, 1.05


def normal(rng, mean, deviation, count):
    return [rng.gauss(mean, deviation) for _ in range(count)]


@pytest.mark.parametrize("value", [1e-6, 0.01, 0.3, 1.0, 20.0, 1e6])
def test_inverse_trigamma(value):
    from scipy.special import polygamma

    assert polygamma(1, significance.inverse_trigamma(value)) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("paired", [True, False])
def test_one_comparison_is_student_s_t(paired):
    """Too few comparisons to know what is usual: the result is that of the plain test."""
    from scipy.stats import ttest_ind, ttest_rel

    rng = random.Random(1)
    old, new = normal(rng, 0, 0.1, 8), normal(rng, 0.05, 0.1, 8)
    (found,) = estimate([differ(old, new, paired)])
    expected = (ttest_rel if paired else ttest_ind)(new, old)
    interval = expected.confidence_interval(0.95)
    assert found.chance == pytest.approx(expected.pvalue)
    assert (math.log(found.low), math.log(found.high)) == pytest.approx((interval.low, interval.high))
    assert math.log(found.ratio) == pytest.approx(fmean(new) - fmean(old))


def test_many_comparisons_say_what_noise_is_usual():
    """Variances drawn around a known one with known spread: both are found again."""
    import numpy as np

    rng = np.random.default_rng(2)
    freedom, usual = 6.0, 0.02
    variances = usual * freedom / rng.chisquare(freedom, 4000)
    differences = [
        significance.Difference(0.0, float(v * rng.chisquare(9) / 9), 9, 10, math.sqrt(v / 2)) for v in variances
    ]
    found, worth = significance.usual_variance(differences)
    assert found == pytest.approx(usual, rel=0.1)
    assert worth == pytest.approx(freedom, rel=0.2)


def test_processes_that_agree_exactly_need_no_statistics():
    same, other = estimate([differ([1.0] * 3, [1.0] * 3, True), differ([1.0] * 3, [2.0] * 3, True)])
    assert same.chance == 1.0
    assert other.chance == 0.0
    assert other.ratio == pytest.approx(math.e)


def test_drift_that_both_saw_cancels():
    drift = [0.0, 0.3, 0.1, 0.6, 0.2, 0.5, 0.4, 0.1]
    rng = random.Random(3)
    old = [d + rng.gauss(0, 0.01) for d in drift]
    new = [d + 0.1 + rng.gauss(0, 0.01) for d in drift]
    assert estimate([differ(old, new, True)])[0].chance < 1e-4 < estimate([differ(old, new, False)])[0].chance


def test_false_discovery_is_benjamini_and_hochberg_s():
    assert false_discovery([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert false_discovery([]) == []


def judged(pairs):
    """Verdicts of pairs of logarithms, over all of them together, as an upgrade gives them."""
    estimates = estimate([differ(old, new, True) for old, new in pairs])
    chances = false_discovery([one.chance for one in estimates])
    return [verdict(one, chance, FACTOR) for one, chance in zip(estimates, chances, strict=True)]


def logarithms(noise=None):
    """The recorded processes as logarithms; with their own noise, or scaled to another, their distribution kept."""
    for values in RECORDED.values():
        logs = [math.log(value) for value in values]
        mean, deviation = fmean(logs), stdev(logs)
        yield [(log - mean) * (noise / deviation if noise else 1.0) for log in logs]


def trial(rng, noise=None, slowed=None):
    """Every recorded combination split at random into two sides; the ``slowed`` one 10 % slower on the second."""
    pairs = []
    for number, logs in enumerate(logarithms(noise)):
        drawn = rng.sample(logs, 2 * ROUNDS)
        extra = math.log(1.10) if number == slowed else 0.0
        pairs.append((drawn[:ROUNDS], [log + extra for log in drawn[ROUNDS:]]))
    return pairs


def test_what_was_recorded_is_enough():
    assert len(RECORDED) >= 20
    assert all(len(values) == 2 * ROUNDS for values in RECORDED.values())


def test_a_slowdown_of_a_tenth_is_found_where_processes_differ_by_3_percent():
    rng = random.Random(4)
    trials = [number % len(RECORDED) for number in range(400)]
    found = sum(judged(trial(rng, 0.03, slowed))[slowed] == REGRESSION for slowed in trials)
    assert found / len(trials) >= 0.95


def test_nothing_is_found_where_nothing_differs():
    """With all the noise that was there."""
    rng = random.Random(5)
    verdicts = [judged(trial(rng)) for _ in range(400)]
    wrong = sum(any(one not in ("unchanged", "unclear") for one in trial) for trial in verdicts)
    assert wrong / len(verdicts) <= FALSE_DISCOVERY


def test_a_change_within_the_noise_is_never_reported():
    """However many processes: they differ by 20 %, so 10 % is no news."""
    rng = random.Random(6)
    pairs = [(normal(rng, 0, 0.2, 500), normal(rng, 0.1, 0.2, 500)) for _ in range(20)]
    assert set(judged(pairs)) == {"unchanged"}
