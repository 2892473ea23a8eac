"""Every part of `arrayspeed.decide` on numbers with known answers, and what must hold whatever the numbers."""

import ast
import math
import random
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import polygamma
from scipy.stats import norm

from arrayspeed import decide
from arrayspeed.decide import LOOKS, Looks, Observed, exit_status, judge
from arrayspeed.decide.along import along
from arrayspeed.decide.compare import PROCESS_NOISE, Level, best, compare, crossover, levels
from arrayspeed.decide.discovery import adjusted
from arrayspeed.decide.effects import Effect, centre, effect, inverse_trigamma, ratio_of, worth
from arrayspeed.decide.failures import chance, judge_failures
from arrayspeed.decide.looks import plan, spending
from arrayspeed.decide.means import geometric_mean, shown
from arrayspeed.decide.observed import level
from arrayspeed.decide.prior import Prior, prior
from arrayspeed.decide.student import density, quantile, tail
from arrayspeed.decide.words import MOST_A_LOOK, SAME, SIZES, WORKS, Word
from arrayspeed.model.measures import MEASURES

FOLDER = Path(decide.__file__).parent


def observed(reference, subject, **options):
    return Observed(dict(enumerate(reference)), dict(enumerate(subject)), **options)


def drawn(seed, count=8, shift=0.0, noise=0.05, drift=0.0):
    """A comparison with normal noise of its logarithms."""
    rng = np.random.default_rng(seed)
    common = drift * rng.standard_normal(count)
    old = common + noise * rng.standard_normal(count)
    new = common + noise * rng.standard_normal(count) + shift
    return observed(np.exp(old).tolist(), np.exp(new).tolist())


def one(*arguments, **options):
    (found,) = judge([observed(*arguments, **options)])
    return found


# What may be here at all


def test_decide_is_pure():
    """It reads no file and knows nothing of asv, kernels or the rest of the project."""
    allowed = {"arrayspeed.decide", "numpy", "scipy", "__future__"} | set(sys.stdlib_module_names) - {
        "pathlib",
        "os",
        "io",
    }
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert any(name == good or name.startswith(f"{good}.") for good in allowed), (
                    f"{path.name} imports {name}"
                )
        assert "open(" not in path.read_text()


# words


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        (["same"] * 20, 0),
        (["same"] * 19 + ["unclear"], 0),
        (["same"] * 18 + ["unclear"] * 2, 2),
        (["same", "faster", "works now"], 0),
        (["same"] * 19 + ["slower"], 1),
        (["unclear"] * 19 + ["slower"], 1),
        (["same"] * 19 + ["sometimes fails"], 1),
        (["same"] * 19 + ["fails"], 1),
        (["larger"], 1),
        (["less accurate"], 1),
        (["fails in both"], 2),
        (["fails in both", "same"], 0),
        ([], 2),
    ],
)
def test_exit_status(verdicts, status):
    assert exit_status(map(Word, verdicts)) == status


def test_what_stays_below_the_limit_does_not_count_as_undecided():
    assert exit_status([Word("unclear", bounded=True), Word("not slower", bounded=True), Word("negligible")]) == 0
    assert exit_status([Word("unclear", bounded=True), Word("slower")]) == 1
    assert exit_status([Word("unclear", bounded=True), Word("unclear")]) == 2
    assert exit_status([Word("accepted"), Word("same")]) == 0


def test_exit_status_with_another_share():
    verdicts = [*map(Word, ["same"] * 3 + ["unclear"])]
    assert [exit_status(verdicts, share) for share in (0.0, 0.2, 0.25, 1.0)] == [2, 2, 0, 0]
    assert exit_status([Word("same")], 0.0) == 0


# observed


def test_only_rounds_of_both_sides_are_pairs():
    found = Observed({0: 1.0, 1: None, 2: 2.0, 3: 4.0}, {3: 8.0, 2: 2.0, 1: 1.0, 4: 5.0})
    assert found.rounds == [2, 3]
    assert found.differences() == pytest.approx([0.0, math.log(2)])
    assert found.failures() == (1, 4, 0, 4)


def test_batches_are_compared_with_their_neighbours():
    """The drift from batch to batch is 100 times the difference, and cancels."""
    found = observed([[1.0, 100.0, None, 10_000.0]], [[1.1, 110.0, 7.0, 11_000.0]])
    assert found.differences() == pytest.approx([math.log(1.1)])


def test_batches_without_neighbours_are_compared_by_their_medians():
    found = observed([[1.0, None, 3.0, None]], [[None, 4.0, None, 8.0]])
    assert found.differences() == pytest.approx([math.log(6 / 2)])


def test_batches_against_one_number():
    assert observed([[1.0, None, 3.0]], [4.0]).differences() == pytest.approx([math.log(2)])


def test_a_process_without_any_batch_failed():
    assert observed([[None, None], 1.0], [1.0, 1.0]).failures() == (1, 2, 0, 2)
    assert level([3.0, None, 1.0]) == 2.0


def test_lift_and_least():
    assert observed([1e-9], [1e-3], floor=1e-3).differences() == [0.0]
    found = observed([2.0, 8.0], [1.0, 1.0], least=1.0)
    assert found.threshold(1.05) == pytest.approx(math.log(1 + 1 / 4))
    assert found.threshold(2.0) == pytest.approx(math.log(2))
    assert observed([1.0], [1.0], factor=2.0).threshold(1.05) == pytest.approx(math.log(2))


# student


@pytest.mark.parametrize("freedom", [1, 2.5, 9, 200, math.inf])
def test_student_is_scipy_s(freedom):
    spread = stats.norm if math.isinf(freedom) else stats.t(freedom)
    for value in (-2.0, 0.0, 0.7, 5.0):
        assert tail(value, freedom) == pytest.approx(spread.sf(value))
    for share in (0.4, 0.025, 1e-4):
        assert quantile(share, freedom) == pytest.approx(spread.isf(share))
    assert density(1.3, freedom) == pytest.approx(spread.pdf(1.3))


# effects


def test_the_centre_of_few_values_is_their_mean():
    shift, variance, freedom = centre([1.0, 2.0, 3.0, 6.0])
    assert (shift, variance, freedom) == pytest.approx((3.0, np.var([1, 2, 3, 6], ddof=1), 3))


def test_the_centre_of_many_values_is_scipy_s_trimmed_mean():
    values = np.random.default_rng(1).standard_t(3, 16)
    shift, variance, freedom = centre(values)
    assert shift == pytest.approx(stats.trim_mean(values, 1 / 8))
    assert math.sqrt(variance / 16) == pytest.approx(stats.mstats.trimmed_stde(values, (1 / 8, 1 / 8)))
    assert freedom == 11


def test_one_wild_process_of_eight_moves_nothing():
    values = [0.0, 0.01, -0.01, 0.02, -0.02, 0.01, -0.01, 0.0]
    assert centre([*values[:-1], 50.0])[0] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("value", [1e-6, 0.01, 0.3, 1.0, 20.0, 1e6])
def test_inverse_trigamma(value):
    assert polygamma(1, inverse_trigamma(value)) == pytest.approx(value, rel=1e-6)


def test_worth_lies_between_the_freedom_of_trimmed_and_of_all_values():
    assert [worth(count) for count in (2, 4, 7)] == [1, 3, 6]
    assert 4 < worth(8) < 7
    assert 15 < worth(32) < 31


def test_two_samples_are_yuen_s():
    rng = np.random.default_rng(2)
    old, new = np.exp(rng.normal(0, 0.1, 16)), np.exp(rng.normal(0.2, 0.3, 24))
    found = effect(Observed(dict(enumerate(old)), {("other", n): value for n, value in enumerate(new)}))
    expected = stats.ttest_ind(np.log(new), np.log(old), equal_var=False, trim=1 / 8)
    # Yuen's denominator is h (h - 1), Tukey's and McLaughlin's n h² / n²: the same but for (n - 1) / (h - 1) · h / n.
    assert found.shift / math.sqrt(found.variance / found.count) == pytest.approx(expected.statistic, rel=0.05)
    assert not found.paired


@pytest.mark.parametrize(
    ("reference", "subject"),
    [({}, {}), ({0: 1.0}, {}), ({0: 1.0}, {0: 2.0}), ({0: 1.0}, {1: 2.0}), ({0: None}, {0: 1.0})],
)
def test_too_little_has_no_effect(reference, subject):
    assert effect(Observed(reference, subject)) is None


def test_a_single_process_has_the_noise_that_is_known():
    found = effect(Observed({0: 1.0}, {1: 2.0}, known=0.1, extra=0.05))
    assert found.shift == pytest.approx(math.log(2))
    assert found.extra == pytest.approx(2 * 0.1**2 + 0.05**2)


@pytest.mark.parametrize("shift", [-1e6, -1.0, 0.0, 1.0, 1e6])
def test_a_ratio_is_a_number_above_0(shift):
    assert 0 < ratio_of(shift) < math.inf


# prior


def test_many_comparisons_say_what_noise_is_usual():
    """Variances drawn around a known one with known spread: both are found again, the spread with a margin."""
    rng = np.random.default_rng(2)
    freedom, usual = 6.0, 0.02
    variances = usual * freedom / rng.chisquare(freedom, 4000) * rng.chisquare(9, 4000) / 9
    found = prior([Effect(0.0, float(variance), 10, 9, 9) for variance in variances])
    assert found.variance == pytest.approx(usual, rel=0.1)
    assert found.worth == pytest.approx(freedom, rel=0.2)


def test_few_comparisons_say_nothing_about_others():
    assert prior([Effect(0.0, 0.01, 10, 9, 9)] * 4) == Prior()
    assert prior([]) == Prior()


def test_what_is_usual_is_worth_a_little_where_comparisons_are_few():
    few = [Effect(0.0, 0.01, 10, 9, 9)] * 4
    assert prior(few, 0.1) == Prior(0.1**2, 1.5)
    assert prior([*few, few[0]], 0.1) == prior([*few, few[0]])
    own, freedom = prior(few, 0.1).moderate(Effect(0.0, 0.04, 4, 3, 3))
    assert (own, freedom) == pytest.approx(((1.5 * 0.01 + 3 * 0.04) / 4.5 / 4, 4.5))


def test_usual_noise_counts_for_a_lone_comparison_and_not_for_sides_that_never_met():
    sides = {n: math.exp(0.03 * (-1) ** n) for n in range(4)}, dict.fromkeys(range(4), 1.0)
    alone, usual = (judge([Observed(*sides, usual=noise)])[0] for noise in (0.0, 0.02))
    assert (alone.freedom, usual.freedom) == (3, 4.5)
    assert usual.bound < alone.bound
    apart = {f"other {n}": value for n, value in sides[1].items()}
    alone, usual = (judge([Observed(sides[0], apart, usual=noise)])[0] for noise in (0.0, 0.02))
    assert alone == usual


def test_unlike_comparisons_say_less_than_like_ones():
    rng = np.random.default_rng(3)
    like = [Effect(0.0, 0.01 * rng.chisquare(9) / 9, 10, 9, 9) for _ in range(40)]
    unlike = [replace(each, variance=each.variance * 10 ** rng.uniform(-2, 2)) for each in like]
    assert prior(unlike).worth < 2 < 10 < prior(like).worth


def test_what_is_known_without_error_adds_to_the_variance():
    own, freedom = Prior().moderate(Effect(0.0, 0.04, 4, 3, 3))
    assert (own, freedom) == pytest.approx((0.01, 3))
    more, many = Prior().moderate(Effect(0.0, 0.04, 4, 3, 3, extra=0.03))
    assert more == pytest.approx(0.04)
    assert many == pytest.approx(3 * 4**2)


# judge


def test_one_comparison_is_student_s_t():
    """Too few comparisons to know what is usual: the interval is that of the plain test."""
    found = drawn(1, count=6, shift=0.05)
    expected = stats.ttest_1samp(found.differences(), 0).confidence_interval(0.95)
    (decision,) = judge([found])
    assert (math.log(decision.low), math.log(decision.high)) == pytest.approx((expected.low, expected.high))
    assert math.log(decision.ratio) == pytest.approx(np.mean(found.differences()))
    assert decision.noise == pytest.approx(np.std(found.differences(), ddof=1))
    assert decision.rounds == 6


def test_the_chance_of_a_change_is_mccarthy_s_and_smyth_s():
    """TREAT at the very level: decided on one side of it, unclear on the other."""
    found = drawn(2, count=6, shift=0.3, noise=0.1)
    differences = found.differences()
    error = np.std(differences, ddof=1) / math.sqrt(6)
    edge = math.log(1.05)
    chances = stats.t.sf((np.mean(differences) - edge) / error, 5) + stats.t.sf(
        (np.mean(differences) + edge) / error, 5
    )
    assert judge([found], level=chances * 1.001)[0].verdict == "slower"
    assert judge([found], level=chances * 0.999)[0].verdict != "same"


def test_the_chance_of_a_bound_is_that_of_one_side():
    found = drawn(3, count=6, shift=-0.1, noise=0.05)
    differences = found.differences()
    mean, error = np.mean(differences), np.std(differences, ddof=1) / math.sqrt(6)
    for edge, said in ((1.25, lambda item: item.bounded), (1.05, lambda item: item.verdict == "not slower")):
        below = stats.t.sf((math.log(edge) - mean) / error, 5)
        assert said(judge([found], level=min(0.5, below * 1.001))[0])
        assert not said(judge([found], level=below * 0.999)[0])


def test_bounds_are_below_the_limit_for_just_those_that_are_bounded():
    """As intervals of what was chosen are, they are as wide as Benjamini and Hochberg's rule needs."""
    ones = [replace(drawn(n, count=5, shift=0.01 * n, noise=0.06), group=n) for n in range(30)]
    found = judge(ones)
    assert 5 < sum(each.bounded for each in found) < 28
    for each in found:
        assert each.bounded == (each.bound <= 1.25)


def test_a_difference_that_never_matters_is_negligible_and_not_the_same():
    def word(old, new, **options):
        rounds = range(6)
        noise = {n: 1 + 0.001 * (-1) ** n for n in rounds}
        sides = ({n: value * noise[n] for n in rounds} for value in (old, new))
        return judge([Observed(*sides, words=SIZES, **options)])[0].verdict

    assert word(1e6, 1e6, least=2.0**20) == "same"
    assert word(1e6, 1.5e6, least=2.0**20) == "negligible"
    assert word(1e6, 3e6, least=2.0**20) == "larger"
    assert word(36.0, 92.0, floor=64.0, least=64.0) == "negligible"
    assert word(36.0, 60.0, floor=64.0, least=64.0) == "negligible"
    assert word(0.0, 0.0, floor=64.0, least=64.0) == "same"


def test_a_bound_that_bounds_nothing_is_none():
    """Two rounds that differ threefold: by Student's t with one degree of freedom, a thousand times the ratio."""
    (few,) = judge([observed([1.0, 1.0], [1.0, 3.0])])
    assert few.bound is None and not few.bounded and few.high > 100 * few.ratio
    (many,) = judge([observed([1.0, 1.0] * 4, [1.0, 3.0] * 4)])
    assert many.high / 2 < many.bound < 100 * many.ratio


def test_until_the_limit_a_bound_is_enough():
    data = {n: drawn(n, 4, shift=0.03, noise=0.03) for n in range(50)}
    gate, person = Looks(until="limit"), Looks()
    for looks in (gate, person):
        looks.look(data)
    assert len(gate.decisions) > 40 > len(person.decisions)
    assert {one.verdict for one in gate.decisions.values()} <= {"unclear", "not slower", "same"}
    assert all(one.bounded for one in gate.decisions.values())


def test_a_gate_gives_up_what_no_round_could_bound():
    """A ratio at the limit itself, of which words would still be found."""
    gate, person = Looks(until="limit", factor=1.25), Looks(factor=1.05)
    for count in (4, 6, 8):
        for looks in (gate, person):
            looks.look({"at": drawn(1, count, shift=math.log(1.25), noise=0.04)})
    assert gate.given_up == {"at"}
    assert person.words == {"at": "slower"}


def test_the_chance_of_the_same_is_schuirmann_s():
    found = drawn(3, count=6, noise=0.01)
    differences = found.differences()
    error = np.std(differences, ddof=1) / math.sqrt(6)
    chances = stats.t.sf((math.log(1.05) - abs(np.mean(differences))) / error, 5)
    assert judge([found], level=chances * 1.001)[0].verdict == "same"
    assert judge([found], level=chances * 0.999)[0].verdict != "same"


def test_of_many_comparisons_each_must_be_clearer():
    """Benjamini and Hochberg: what is decided alone is not among a hundred that are pure noise."""
    alone = drawn(4, count=6, shift=0.2, noise=0.05)
    others = [replace(drawn(100 + n, noise=0.5), group=n) for n in range(99)]
    assert judge([alone])[0].verdict == "slower"
    assert judge([alone, *others])[0].verdict == "unclear"


def test_the_interval_of_what_was_chosen_is_wider():
    """Benjamini and Yekutieli: one of ten was chosen, so its interval leaves out a tenth of 5 %."""
    clear = drawn(5, count=6, shift=1.0, noise=0.01)
    others = [replace(drawn(200 + n, count=6, noise=0.3), group=n) for n in range(9)]
    found = judge([clear, *others])
    assert [each.verdict for each in found] == ["slower", *["unclear"] * 9]
    expected = stats.ttest_1samp(clear.differences(), 0).confidence_interval(1 - 0.05 / 10)
    assert math.log(found[0].high) == pytest.approx(expected.high)


def test_drift_that_both_saw_cancels():
    found = drawn(6, count=10, shift=0.2, noise=0.01, drift=0.7)
    assert judge([found])[0].verdict == "slower"
    apart = Observed(found.reference, {("other", key): value for key, value in found.subject.items()})
    assert judge([apart])[0].verdict == "unclear"
    assert not judge([apart])[0].paired


@pytest.mark.parametrize(
    ("values", "exact", "verdict"),
    [
        ((1.0, 1.0), False, "unclear"),
        ((1.0, 1.0), True, "same"),
        ((1.0, 1.0, 1.0), False, "same"),
        ((2.0, 2.0), True, "larger"),
        ((2.0, 2.0, 2.0), False, "larger"),
        ((0.5, 0.5, 0.5), False, "smaller"),
        ((1.05, 1.05, 1.05), False, "same"),
    ],
)
def test_rounds_that_agree_exactly(values, exact, verdict):
    found = one([1.0] * len(values), values, exact=exact, words=SIZES)
    assert found.verdict == verdict
    assert found.low == found.ratio == found.high == pytest.approx(values[0])


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_rounds(count):
    found = one([1.0, 1.1, 0.9][:count], [2.0, 2.1, 2.3][:count])
    assert found.rounds == count
    assert found.verdict in ("unclear", "slower")
    assert (found.low is None) == (count < 2)
    assert (found.ratio is None) == (count == 0)


def test_one_side_without_processes():
    found = judge([Observed({0: 1.0}, {}), Observed({}, {0: 1.0}), Observed({}, {})])
    assert [(each.verdict, each.ratio, each.rounds) for each in found] == [("unclear", None, 0)] * 3
    assert judge([]) == []


def test_values_of_any_size():
    found = one([1e-300, 1e-300, 1.1e-300, 1e-300], [1e300, 1e300, 1e300, 1.2e300])
    assert found.verdict == "slower"
    assert all(math.isfinite(value) for value in (found.ratio, found.low, found.high))


def test_thousands_of_comparisons_take_seconds():
    """CPU time against that of a hundred, since no test may depend on the machine: it grows as their number does."""
    warm, few, many = ([drawn(n, count=32) for n in range(count)] for count in (100, 100, 2000))
    judge(warm)  # imports, and tables for so many rounds; what a comparison itself keeps is not shared
    begin = time.process_time()
    judge(few)
    middle = time.process_time()
    judge(many)
    assert time.process_time() - middle < 20 * 5 * (middle - begin)


logarithm = st.floats(-2, 2).map(lambda value: round(value, 3))
pairs = st.lists(st.tuples(logarithm, logarithm), min_size=2, max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.lists(pairs, min_size=1, max_size=8))
def test_a_word_and_its_interval_agree(data):
    found = judge([observed([math.exp(a) for a, _ in rows], [math.exp(b) for _, b in rows]) for rows in data])
    for each in found:
        assert each.low <= each.ratio <= each.high
        if each.verdict == "slower":
            assert each.low > 1.05
        if each.verdict == "faster":
            assert each.high < 1 / 1.05
        if each.verdict == "same":
            assert 1 / 1.05 <= each.low <= each.high <= 1.05


@settings(max_examples=60, deadline=None)
@given(pairs, st.lists(st.floats(-3, 3), min_size=12, max_size=12), st.randoms())
def test_neither_drift_nor_unit_nor_order_matters(rows, drift, rng):
    old, new = ([math.exp(row[side]) for row in rows] for side in (0, 1))
    before = one(old, new)
    rounds = list(range(len(rows)))
    rng.shuffle(rounds)
    moved = Observed(
        {n: 1e3 * math.exp(drift[n]) * old[n] for n in rounds},
        {n: 1e3 * math.exp(drift[n]) * new[n] for n in reversed(rounds)},
    )
    (after,) = judge([moved])
    assert (after.ratio, after.low, after.high) == pytest.approx((before.ratio, before.low, before.high), rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(pairs)
def test_exchanged_sides_give_the_mirrored_word(rows):
    old, new = ([math.exp(row[side]) for row in rows] for side in (0, 1))
    forth, back = one(old, new), one(new, old)
    mirrored = {"slower": {"faster"}, "faster": {"slower"}, "same": {"same"}}
    assert back.verdict in mirrored.get(forth.verdict, {"unclear", "not slower"})
    assert back.low == pytest.approx(1 / forth.high)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-0.2, 0.2), min_size=3, max_size=7), st.floats(-0.3, 0.3), st.floats(1, 10))
def test_more_noise_never_decides_more(residuals, shift, times):
    """The same ratio with its noise enlarged keeps its word or one that says less, and bounds no more."""
    centred = np.array(residuals) - np.mean(residuals)
    if centred.std() < 1e-6:
        return
    less, more = (one([1.0] * len(centred), np.exp(shift + scale * centred).tolist()) for scale in (1.0, times))
    says_less = {"same": {"not slower", "unclear"}, "faster": {"not slower", "unclear"}}
    assert more.verdict in {less.verdict} | says_less.get(less.verdict, {"unclear"})
    assert less.bounded or not more.bounded


# failures


@pytest.mark.parametrize("count", [0, 1, 2, 5, 200])
def test_many_tests_are_adjusted_as_scipy_does(count):
    rng = np.random.default_rng(count)
    for chances in (rng.uniform(size=count), rng.uniform(size=count) ** 8, np.round(rng.uniform(size=count), 1)):
        expected = stats.false_discovery_control(chances) if count else []
        assert adjusted(chances.tolist()) == pytest.approx(list(expected), rel=1e-12)


@pytest.mark.parametrize("table", [(1, 10, 0, 10), (5, 10, 0, 10), (10, 10, 3, 12), (0, 10, 4, 10)])
def test_the_chance_of_failures_is_fisher_s(table):
    failed, processes, other, others = table
    expected = stats.fisher_exact([[failed, processes - failed], [other, others - other]], "greater").pvalue
    assert chance(*table) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reference", "subject", "word"),
    [
        ((0, 10), (0, 10), None),
        ((0, 10), (10, 10), "fails"),
        ((0, 1), (1, 1), "fails"),
        ((10, 10), (0, 10), "works now"),
        ((10, 10), (10, 10), "fails in both"),
        ((0, 10), (5, 10), "sometimes fails"),
        ((0, 10), (1, 10), None),
        ((5, 10), (0, 10), "works now"),
        ((5, 10), (10, 10), "fails"),
        ((3, 10), (4, 10), None),
        ((0, 0), (4, 4), None),
    ],
)
def test_words_of_failures(reference, subject, word):
    sides = ([None] * failed + [1.0] * (count - failed) for failed, count in (reference, subject))
    assert judge_failures([observed(*sides)]) == [word]


def test_some_failures_among_many_are_chance():
    """Where all fail often, one in twenty looks like more on one side: adjusted over all that have failures."""
    rng = random.Random(1)
    flaky = [observed(*([None if rng.random() < 0.3 else 1.0 for _ in range(10)] for _ in "ab")) for _ in range(300)]
    assert sum(word is not None for word in judge_failures(flaky)) <= 15


def test_a_failure_does_not_shift_the_pairs_after_it():
    drift = [1.0, 1.5, 0.7, 2.0, 1.2, 0.9]
    found = one(drift, [None, *(1.2 * value for value in drift[1:])])
    assert found.ratio == pytest.approx(1.2)
    assert (found.rounds, found.failed_subject, found.processes_subject) == (5, 1, 6)


# looks


@pytest.mark.parametrize(
    ("rounds", "expected"), [(32, LOOKS), (10, (3, 4, 6, 8, 10)), (4, (3, 4)), (3, (3,)), (50, (*LOOKS, 50))]
)
def test_looks_of_so_many_rounds(rounds, expected):
    assert plan(rounds) == expected


@pytest.mark.parametrize("rounds", [2, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 64])
def test_looks_spend_no_more_than_the_error_rate(rounds):
    """The chance that the mean of normal values crosses the bound of any look: sums of 400,000 walks."""
    looks = plan(rounds)
    spent = spending(len(looks))
    assert len(spent) == len(looks)
    assert all(0 < level <= MOST_A_LOOK for level in spent)
    assert crossing(looks, spent) <= 0.051


def crossing(looks, levels):
    """The chance that a mean of normal values crosses the bound of any look."""
    steps = np.random.default_rng(1).standard_normal((400_000, len(looks))) * np.sqrt(np.diff((0, *looks)))
    means = steps.cumsum(axis=1) / np.sqrt(looks)
    return (means > norm.isf(levels)).any(axis=1).mean()


@pytest.mark.parametrize("rounds", [6, 12, 32, 64])
def test_a_time_limit_spends_no_more_than_the_error_rate(monkeypatch, rounds):
    """Wherever time is up: after the looks before spend their parts, the last one spends what a last look may."""
    asked = []

    def noting(ones, factor, level, *rest):
        asked.append(level)
        return judge(ones, factor, level, *rest)

    monkeypatch.setattr("arrayspeed.decide.looks.judge", noting)
    for stop in range(len(plan(rounds))):
        looks = Looks(rounds)
        for count in plan(rounds)[:stop]:
            looks.look({"one": drawn(1, count)})
        # Just before the next look.
        looks.look({"one": drawn(1, plan(rounds)[stop] - 1)}, last=True)
        levels, asked[:] = list(asked), []
        assert levels[:-1] == spending(len(plan(rounds)))[:stop]
        assert levels[-1] >= spending(len(plan(rounds)))[stop]
        assert crossing((*plan(rounds)[:stop], plan(rounds)[stop] - 1), levels) <= 0.051


def test_a_time_limit_decides_more_than_a_look_that_others_follow():
    data = {n: drawn(n, 5, noise=0.02) for n in range(100)}
    words = [Looks().look(data, last=last) for last in (False, True)]
    unclear = [sum(one.verdict == "unclear" for one in found.values()) for found in words]
    assert unclear[1] < unclear[0]


@pytest.mark.parametrize("measure", [one for one in MEASURES.values() if one.rounds])
def test_rounds_that_are_enough_for_the_first_look_decide_where_they_agree(measure):
    """Else every one of them would be measured again after it."""
    sides = (dict.fromkeys(range(measure.rounds), 100.0) for _ in range(2))
    limit = measure.threshold
    data = {measure.name: Observed(*sides, least=limit.least, floor=limit.floor, exact=measure.exact)}
    looks = Looks(8)
    looks.look(data)
    assert looks.words == {measure.name: "same"}


def test_what_is_decided_stays_decided_and_gets_no_more_processes():
    looks = Looks()
    data = {"equal": drawn(1, 4, noise=0.002), "slower": drawn(2, 4, shift=0.5, noise=0.002), "open": drawn(3, 4)}
    found = looks.look(data)
    assert [found[key].verdict for key in ("equal", "slower", "open")] == ["same", "slower", "unclear"]
    assert looks.undecided(data) == ["open"]
    data["open"] = drawn(3, 8)
    data["slower"] = drawn(2, 4, shift=0.0, noise=0.5)  # whatever it looks like now
    assert looks.look(data)["slower"].verdict == "slower"


def test_what_no_look_would_decide_is_given_up():
    """Of equals with a noise of ×4 not even a bound would be known; with 28 %, bounds are, and words never."""
    looks = Looks()
    for count in LOOKS[:5]:
        data = {n: drawn(n, count, noise=1.0) for n in range(40)}
        looks.look(data)
    assert len(looks.undecided(data)) <= 4
    assert len(looks.given_up) >= 36
    assert looks.words == {}


def test_what_has_no_bound_goes_on_although_no_word_is_in_sight():
    looks = Looks()
    for count in LOOKS[:-1]:
        data = {n: drawn(n, count, noise=0.2) for n in range(40)}
        found = looks.look(data)
    bounded = [key for key, one in found.items() if one.bounded]
    assert len(bounded) > 10
    assert looks.words == {}
    assert looks.given_up.issuperset(bounded)


def test_patience_gives_nothing_up():
    looks = Looks(patient=True)
    for count in LOOKS[:4]:
        data = {n: drawn(n, count, noise=0.2) for n in range(40)}
        looks.look(data)
    assert not looks.given_up
    assert len(looks.undecided(data)) == 40 - len(looks.words) > 30


def test_what_lies_near_the_last_look_goes_on():
    looks = Looks()
    data = {"open": drawn(1, 4, noise=0.03)}
    looks.look(data)
    assert looks.undecided(data) == ["open"]


def test_a_process_that_failed_on_one_side_keeps_a_comparison_open():
    """More rounds may show that it fails more often; equal times do not settle that."""
    rng = random.Random(2)
    looks = Looks()
    for count in LOOKS:
        values = [[rng.gauss(1, 0.002) for _ in range(count)] for _ in "ab"]
        values[1][2::3] = [None] * len(values[1][2::3])
        data = {"flaky": observed(*values)}
        found = looks.look(data)["flaky"]
        if found.verdict == "sometimes fails":
            break
        assert looks.undecided(data) == ["flaky"]
    assert found.verdict == "sometimes fails"
    assert looks.undecided(data) == []


def test_a_look_before_two_rounds_gives_nothing_up():
    looks = Looks()
    data = {"a": observed([1.0], [2.0]), "b": observed([], [])}
    looks.look(data)
    assert looks.undecided(data) == ["a", "b"]


# means


def test_a_mean_is_formed_within_rounds():
    """A round's effect on all comparisons is no evidence that repeats: the interval comes from the rounds' means."""
    table = np.array([[0.1, -0.1, 0.3, 0.0], [0.3, 0.1, 0.5, 0.2], [0.2, 0.1, 0.4, 0.0]])
    mean = geometric_mean([observed([1.0] * 4, np.exp(row).tolist()) for row in table])
    expected = stats.ttest_1samp(table.mean(axis=0), 0).confidence_interval(0.95)
    assert math.log(mean.ratio) == pytest.approx(table.mean())
    assert (math.log(mean.low), math.log(mean.high)) == pytest.approx((expected.low, expected.high))
    assert (mean.comparisons, mean.rounds) == (3, 4)


def test_a_mean_without_rounds():
    assert geometric_mean([]) is None
    assert geometric_mean([observed([None], [1.0])]) is None
    lone = geometric_mean([observed([1.0], [2.0]), observed([1.0], [8.0])])
    assert lone.ratio == pytest.approx(4)
    assert (lone.low, lone.high) == (None, None)
    assert shown(lone, 1.05) == "unclear"


def test_a_mean_of_comparisons_that_got_more_rounds_than_others():
    """Later rounds hold only what was not decided: they do not count, and the mean is of all comparisons."""
    short = [observed([1.0] * 4, [2.0, 2.1, 1.9, 2.0])] * 9
    long = [observed([1.0] * 8, [1.0, 1.1, 0.9, 1.0] * 2)]
    mean = geometric_mean([*short, *long])
    assert mean.rounds == 4
    assert mean.ratio == pytest.approx(geometric_mean([*short, observed([1.0] * 4, [1.0, 1.1, 0.9, 1.0])]).ratio)


def test_a_missing_process_does_not_pull_the_mean():
    rows = [[2.0] * 5, [8.0, 8.0, None, 8.0, 8.0], *[[4.0] * 5] * 9]
    assert geometric_mean([observed([1.0] * 5, row) for row in rows]).ratio == pytest.approx(4.0)


# compare


def test_a_level_is_a_geometric_mean_with_the_variance_of_it():
    values = [1.0, 1.2, 0.9, 1.1]
    (found,) = levels({"a": values}).values()
    assert found.value == pytest.approx(stats.gmean(values))
    assert found.variance == pytest.approx(np.var(np.log(values), ddof=1) / 4)
    assert (found.freedom, found.processes) == (3, 4)


def test_a_level_of_one_process_has_the_usual_noise():
    alone = levels({"a": [2.0]})["a"]
    assert (alone.variance, alone.freedom) == (PROCESS_NOISE**2, math.inf)
    rng = np.random.default_rng(4)
    others = {n: np.exp(rng.normal(0, 0.02, 5)).tolist() for n in range(20)}
    groups = dict.fromkeys([*others, "a"], "kind")
    assert levels(others | {"a": [2.0]}, groups)["a"].variance == pytest.approx(0.02**2, rel=0.5)
    assert levels({"none": []}) == {}


def test_processes_that_agree_by_chance_are_not_without_noise():
    assert levels({"a": [2.0, 2.0]})["a"].variance == pytest.approx(PROCESS_NOISE**2 / 2)


def test_two_levels_are_compared_by_welch_s_test():
    rng = np.random.default_rng(5)
    old, new = np.exp(rng.normal(0, 0.1, 5)).tolist(), np.exp(rng.normal(0.5, 0.3, 6)).tolist()
    found = levels({"old": old, "new": new})
    ratio = compare(found["new"], found["old"])
    expected = stats.ttest_ind(np.log(new), np.log(old), equal_var=False).confidence_interval(0.95)
    assert (math.log(ratio.low), math.log(ratio.high)) == pytest.approx((expected.low, expected.high))


def sharp(value, noise=0.001):
    return Level(math.log(value), noise**2, math.inf, 10)


@pytest.mark.parametrize(
    ("value", "noise", "word"),
    [
        (1.0, 0.001, "same"),
        (1.2, 0.001, "slower"),
        (0.8, 0.001, "faster"),
        (1.05, 0.001, "unclear"),
        (1.2, 0.2, "unclear"),
    ],
)
def test_words_of_levels(value, noise, word):
    assert compare(sharp(value, noise), sharp(1.0, noise)).verdict == word


def test_what_was_measured_apart_shows_less():
    assert compare(sharp(1.2), sharp(1.0), apart=0.2).verdict == "unclear"


def test_best_names_all_that_cannot_be_told_apart():
    assert best({"a": sharp(1.0), "b": sharp(1.03), "c": sharp(1.2)}) == ["a", "b"]
    assert best({"a": sharp(1.0), "noisy": sharp(1.3, 0.3), "c": sharp(1.2)}) == ["a", "noisy"]
    assert best({"alone": sharp(1.0)}) == ["alone"]
    assert best({}) == []


def test_a_crossover_lies_between_measured_sizes():
    one = {10: sharp(2.0), 100: sharp(1.0), 1000: sharp(0.99), 10_000: sharp(0.5)}
    other = {size: sharp(1.0) for size in (10, 100, 1000, 10_000, 100_000)}
    found = crossover(one, other)
    assert (found.last, found.first) == (10, 10_000)
    assert crossover(other, one) is None
    assert crossover(one, one) is None
    assert crossover({}, other) is None


def cases(seed, count, shared):
    """Ratios of eight rounds, and two counts: one shares so much with the ratio, the other shares nothing."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        ratio, other, apart = rng.standard_t(3, (3, 8))
        found.append((ratio, {"with": shared * ratio + (1 - shared) * other, "apart": apart}))
    return found


def test_what_goes_along_with_noise_is_found():
    names = along(cases(1, 100, 0.95))
    assert sum("with" in each for each in names) > 80
    assert sum("apart" in each for each in names) < 15


def test_what_goes_along_with_nothing_is_not_found():
    """In at most 5 % of all families of cases is anything found that is not there."""
    wrong = sum(any(along(cases(seed, 5, 0.0))) for seed in range(60))
    assert wrong <= stats.binom.ppf(0.999, 60, 0.05)


def test_what_falls_or_never_differs_does_not_go_along():
    ratios = [float(n) for n in range(8)]
    assert along([(ratios, {"rises": ratios, "falls": ratios[::-1], "constant": [0.0] * 8})]) == [["rises"]]
    assert along([([1.0], {"one round": [1.0]}), ([], {})]) == [[], []]
    with pytest.raises(ValueError, match="2 ratios and 1 differences"):
        along([([1.0, 2.0], {"short": [1.0]})])


@pytest.mark.parametrize(
    ("within", "new", "verdict"),
    [
        (0.0, 0.0, "same"),
        (100.0, 0.0, "negligible"),
        (5_000.0, 0.0, "unclear"),
        (0.0, 20_000.0, "larger"),
        (5_000.0, 5_500.0, "unclear"),
        (5_000.0, 1e6, "larger"),
    ],
)
@pytest.mark.parametrize("noise", [0.0, 1e-3])
def test_what_values_may_be_wrong_by_is_never_called_the_same(within, new, verdict, noise):
    """Rounds that agree, as those do in which the same is hidden, show no more than each of them does."""
    rounds = range(6)
    made = Observed(
        dict.fromkeys(rounds, 0.0),
        {number: new * (1 + noise * (-1) ** number) for number in rounds},
        least=1024.0,
        floor=1024.0,
        within=within,
        words=SIZES,
    )
    (decision,) = judge([made])
    assert decision.verdict == verdict
    if within:
        assert decision.high / decision.low >= (1 + within / 1024) ** 2 * 0.99


def test_more_rounds_are_not_made_for_what_no_round_can_show():
    looks = Looks(32, 1.05)
    made = Observed(dict.fromkeys(range(4), 0.0), dict.fromkeys(range(4), 0.0), least=1.0, floor=1.0, within=9.0)
    assert looks.look({"one": made})["one"].verdict == "unclear"
    assert looks.undecided({"one": made}) == []


def test_what_the_reference_cannot_run_is_no_comparison():
    assert exit_status([Word(WORKS, True)]) == 2
    assert exit_status([Word(WORKS, True), Word(SAME, True)]) == 0
