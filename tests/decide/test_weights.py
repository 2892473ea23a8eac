"""Means over kernels, by families and by a reader's weights: the rule, the files, and the pages in a real browser."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from arrayspeed.decide.compare import levels, levels_in_turn
from arrayspeed.decide.means import geometric_mean
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.weighted import mean, part, weighted_mean, weighted_order
from arrayspeed.decide.words import FASTER, SAME, SLOWER, UNCLEAR
from arrayspeed.records import results
from arrayspeed.records.levels import Case, levels_of
from arrayspeed.report.publisher import write
from arrayspeed.report.weights import comparable
from arrayspeed.report.weights import weights as page_weights
from kernels import CATALOGUE
from support.browser import served
from support.generated import FAILED, row, write_results

# --- the rule ---


def parts(subject, reference):
    """Parts of tables of seconds, kernels by rounds."""
    pairs = zip(*(levels(dict(enumerate(table.tolist()))).values() for table in (subject, reference)), strict=True)
    return [part(*pair) for pair in pairs]


def made(rng, shifts, rounds, own, shared):
    """Seconds of two backends: noise of each process, and noise that all kernels of a backend's round share."""
    noise = (rng.normal(0, own, (len(shifts), rounds)) + rng.normal(0, shared, rounds) for _ in range(2))
    subject, reference = noise
    return np.exp(subject + np.reshape(shifts, (-1, 1))), np.exp(reference)


def test_with_equal_weights_it_is_the_mean_of_rounds():
    rng = np.random.default_rng(1)
    subject, reference = made(rng, [0.3, -0.1, 0.5], 6, 0.05, 0.05)
    known = [
        Observed(dict(enumerate(b.tolist())), dict(enumerate(a.tolist())))
        for a, b in zip(subject, reference, strict=True)
    ]
    expected, found = geometric_mean(known), weighted_mean(parts(subject, reference), [2.0] * 3)
    assert (found.ratio, found.low, found.high) == pytest.approx((expected.ratio, expected.low, expected.high))


def test_a_weight_of_two_is_the_kernel_twice():
    subject, reference = made(np.random.default_rng(2), [0.3, -0.1], 6, 0.05, 0.0)
    one, other = parts(subject, reference)
    twice, thrice = weighted_mean([one, other], [2, 1]), weighted_mean([one, one, other], [1, 1, 1])
    assert (twice.ratio, twice.low, twice.high) == pytest.approx((thrice.ratio, thrice.low, thrice.high))
    assert weighted_mean([one, other], [0, 5]) == weighted_mean([other], [1])


@pytest.mark.parametrize("rounds", [2, 8])
@pytest.mark.parametrize(("own", "shared"), [(0.1, 0.0), (0.03, 0.1)])
def test_intervals_hold_the_truth(rounds, own, shared):
    """Also where all kernels of a backend's round move together, which margins added as if they were independent do
    not survive.
    """
    rng = np.random.default_rng(3)
    shifts, weights = [0.5, 0.0, -0.2, 0.1, 0.3], [3.0, 1.0, 1.0, 0.5, 2.0]
    truth, tries = math.exp(np.average(shifts, weights=weights)), 400
    found = [weighted_mean(parts(*made(rng, shifts, rounds, own, shared)), weights) for _ in range(tries)]
    held = sum(one.low <= truth <= one.high for one in found)
    assert held >= 0.92 * tries


def test_few_rounds_are_taken_to_move_together():
    subject, reference = made(np.random.default_rng(4), [0.2, 0.2], 2, 0.05, 0.0)
    known = parts(subject, reference)
    assert not known[0].rounds
    (alone, other), both = (mean([one], [1]) for one in known), mean(known, [3, 1])
    for place in (0, 1):
        assert both.interval[place] == pytest.approx(0.75 * alone.interval[place] + 0.25 * other.interval[place])
        assert both.strict[place] == pytest.approx(0.75 * alone.strict[place] + 0.25 * other.strict[place])


def taken_in_turn(rng, shifts, rounds, noise, shared=0.0):
    """Levels of two backends that take turns in each of some kernels, whose rounds share some of their noise; and of
    ten further kernels, as many as say how noisy they usually are.
    """
    spell, batches = rng.normal(0, shared, rounds), {}
    for place, shift in enumerate([*shifts, *[0.0] * 10]):
        own = shift + noise(rng, rounds) + spell
        batches["jax", place] = {(place, number): [math.exp(one)] * 5 for number, one in enumerate(own)}
        batches["numpy", place] = {(place, number): [1.0] * 5 for number in range(rounds)}
    anchors = {(name, place): ("numpy", place) for name, place in batches}
    found = levels_in_turn(batches, anchors, {key: key[0] for key in batches})
    return [[found[name, place] for place in range(len(shifts))] for name in ("jax", "numpy")]


def normal(rng, rounds):
    return rng.normal(0, 0.1, rounds)


def two_kinds(rng, rounds):
    """A process in five is half as slow again, as the states of a process are."""
    return rng.normal(0, 0.03, rounds) + 0.4 * (rng.random(rounds) < 0.2)


@pytest.mark.parametrize(
    ("rounds", "noise", "shared", "middle"), [(2, normal, 0.03, 0.0), (5, normal, 0.03, 0.0), (5, two_kinds, 0.0, 0.08)]
)
def test_intervals_of_what_took_turns_hold_the_truth(rounds, noise, shared, middle):
    """Not of two kinds of process in two rounds: in a tenth of such runs, none of ten processes is of the rare kind."""
    rng = np.random.default_rng(8)
    shifts, tries = [0.5, 0.0, -0.2, 0.1, 0.3], 300
    truth, found = math.exp(float(np.mean(shifts)) + middle), []
    for _ in range(tries):
        pairs = zip(*taken_in_turn(rng, shifts, rounds, noise, shared), strict=True)
        found.append(weighted_mean([part(*pair) for pair in pairs], [1.0] * 5, among=8))
    assert sum(one.low <= truth <= one.high for one in found) >= 0.92 * tries


def test_many_kernels_in_turn_say_more_than_one():
    """Not so where they were measured apart: what moves them together is not known there."""
    rng = np.random.default_rng(9)
    pairs = list(zip(*taken_in_turn(rng, [0.2] * 8, 2, normal), strict=True))
    known = [part(*pair) for pair in pairs]
    widths = [mean([one], [1.0], 8).strict[1] - one.shift for one in known]
    found = mean(known, [1.0] * 8, 8)
    assert found.strict[1] - found.shift < 0.8 * float(np.mean(widths))
    mixed = mean([*known[1:], replace(known[0], in_turn=False)], [1.0] * 8, 8)
    assert mixed.strict[1] - mixed.shift == pytest.approx(float(np.mean(widths)))


def test_rounds_that_agree_by_chance_are_not_without_noise():
    found = weighted_mean(parts(np.full((2, 8), 2.0), np.full((2, 8), 1.0)), [1, 1])
    assert found.low < 0.95 * found.ratio


def test_a_process_that_failed_shifts_no_round():
    gave = {"whole": [1.0, 1.1, 0.9, 1.0], "broken": [1.0, None, 1.1, 0.9, 1.0]}
    found = levels(gave)
    assert found["whole"].rounds == pytest.approx([math.log(value) for value in gave["whole"]])
    assert found["broken"].rounds == () and found["broken"].processes == 4
    assert not part(found["whole"], found["broken"]).rounds


@pytest.mark.parametrize("weights", [[], [0.0], [-1.0], [-1.0, 2.0]])
def test_weights_that_mean_nothing(weights):
    known = parts(np.full((2, 2), 2.0), np.full((2, 2), 1.0))
    with pytest.raises(ValueError, match="weight"):
        mean(known[: len(weights)], weights)


def test_words():
    rng = np.random.default_rng(5)

    def said(ratio, noise):
        return weighted_mean(parts(*made(rng, [math.log(ratio)] * 3, 8, noise, 0.0)), [1, 2, 3]).verdict

    assert (said(1.5, 0.01), said(0.6, 0.01), said(1.0, 0.003), said(1.1, 0.3)) == (SLOWER, FASTER, SAME, UNCLEAR)


def best_of(*arguments):
    """Those that are shown to be slower than none, the fastest first."""
    return [name for name, behind in weighted_order(*arguments).items() if behind is None]


def test_the_best_depend_on_the_weights():
    rng = np.random.default_rng(6)
    seconds = {"one": (1.0, 4.0), "other": (4.0, 1.0), "tied": (4.0, 1.001)}
    known = {
        name: list(
            levels({n: (value * np.exp(rng.normal(0, 0.01, 6))).tolist() for n, value in enumerate(pair)}).values()
        )
        for name, pair in seconds.items()
    }
    assert best_of(known, [5, 1]) == ["one"]
    assert best_of(known, [1, 5]) == ["other", "tied"]
    assert set(best_of(known, [1, 1])) == set(known)
    order = weighted_order(known, [5, 1])
    assert list(order) == ["one", "tied", "other"] and order["one"] is None
    for name in ("tied", "other"):
        behind, found = order[name]
        there = mean([part(*pair) for pair in zip(known["one"], known[name], strict=True)], [5, 1], 2)
        assert behind == "one" and found.shift == pytest.approx(-there.shift)
        assert found.strict == pytest.approx(there.inverse().strict)


# --- the files ---

MACHINES = {"generated-2processes": 2, "generated-8processes": 8}
BACKENDS = ("numpy", "numba", "jax", "jax-jit", "torch", "tensorflow-xla")


def rows():
    """Times of all kernels: JAX a third of NumPy's for Fourier transforms, Numba half of it elsewhere. Numba has no
    Fourier transforms; a solve of PyTorch failed.
    """
    found = []
    for kernel in CATALOGUE.values():
        for backend in BACKENDS:
            if kernel.why_not(backend, backend.partition("-")[0]):
                continue
            better = {"jax-jit": 1 / 3, "torch": 1 / 2.95} if kernel.family == "fft" else {"numba": 1 / 2}
            for place, size in enumerate((kernel.small, kernel.large)):
                seconds = 1e-5 * (1 + place) * better.get(backend, 1.1 if backend != "numpy" else 1)
                failed = (kernel.name, backend, place) == ("cholesky", "torch", 0)
                found.append(row(kernel.name, backend, size, FAILED if failed else seconds, dtype=kernel.dtypes[0]))
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    for number, (machine, count) in enumerate(MACHINES.items()):
        path = write_results(folder / "results", rows(), machine=machine, processes=count)
        shuffle(path.with_suffix(".processes.jsonl"), number)
    write(folder / "report", str(folder / "results"), "arrayspeed")
    return folder / "report"


def shuffle(path, seed):
    """Have each process differ by chance, and not all backends alike in the same order."""
    rng = np.random.default_rng(seed)
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    noisy = [json.dumps(one | {"value": one["value"] * math.exp(rng.normal(0, 0.02))}) for one in lines]
    path.write_text("\n".join(noisy) + "\n")


def read(site, kind, machine):
    meta = json.loads((site / "data/meta.json").read_text())
    (number,) = (n for n, one in enumerate(meta["environments"]) if meta["machines"][one["machine"]]["name"] == machine)
    return json.loads((site / "data" / f"{kind}-{number}.json").read_text())


def known_levels(site, machine):
    """Measure, precision, label and kernel -> backend -> level, from the results themselves."""
    folder = site.parent / "results"
    (found,) = levels_of(results.load(folder).filter(machine=machine), folder).values()
    return {key[2:]: value for key, value in comparable(found).items() if key[:2] == ("time_call", "float64")}


@pytest.mark.seconds
@pytest.mark.parametrize("machine", MACHINES)
def test_a_family_s_mean_is_that_of_the_decisions(site, machine):
    known = known_levels(site, machine)
    (fft,) = (
        one
        for one in read(site, "families", machine)
        if (one["family"], one["label"], one["dtype"]) == ("fft", "large", "float64")
    )
    names = fft["names"]
    assert "numba, cpu" not in names, "it has no Fourier transforms"
    of_family = [known["large", name] for name in fft["kernels"]]
    assert len(of_family) == sum(one.family == "fft" for one in CATALOGUE.values())
    expected = weighted_mean([part(one["numpy, cpu"], one["jax-jit, cpu"]) for one in of_family], [1] * len(of_family))
    ratio, low, high, word, count = fft["times"][names.index("jax-jit, cpu")][names.index("numpy, cpu")]
    assert (ratio, low, high) == pytest.approx((expected.ratio, expected.low, expected.high), rel=1e-3)
    assert ratio == pytest.approx(3, rel=0.05) and word == "better" and count == len(of_family)


def test_what_computes_in_another_way_is_in_no_mean(site):
    """NumPy's derivatives are finite differences."""
    (found,) = (
        one
        for one in read(site, "families", "generated-8processes")
        if (one["family"], one["label"]) == ("calculus", "large")
    )
    names = found["names"]
    count = found["times"][names.index("jax, cpu")][names.index("numpy, cpu")][4]
    ours = [one for one in CATALOGUE.values() if one.family == "calculus"]
    assert count == sum(not one.other_way("numpy", "numpy") for one in ours) < len(found["kernels"]) == len(ours)
    data = read(site, "weights", "generated-8processes")
    (gradient,) = (one for one in data["groups"] if (one["kernel"], one["label"]) == ("gradient", "large"))
    assert gradient["shifts"][data["names"].index("numpy, cpu")] is None
    assert gradient["shifts"][data["names"].index("jax, cpu")] is not None


def test_rounds_are_written_only_where_they_are_used(site):
    few, many = (read(site, "weights", machine)["groups"] for machine in MACHINES)
    assert not any(rounds for one in few for rounds in one["rounds"])
    lengths = {len(rounds) for one in many for rounds in one["rounds"]}
    assert lengths == {0, 8}


# --- in a browser ---


@pytest.fixture(scope="module")
def address(site):
    (site.parent / "swallow.ico").write_bytes(b"")
    with served(site.parent) as there:
        yield there + "report/"


@pytest.fixture
def page(open_page):
    with open_page() as page:
        yield page


def visit(page, url):
    page.goto(url)
    page.wait_for_selector("body[data-ready]", timeout=20_000)


def here(page):
    """The address, as the page itself has it: what drives the browser hears of changes a little later."""
    return page.evaluate("location.href")


WEIGHTS = [
    {"fft-large": 1.0},
    {"fft-large": 1.0, "solve-small": 1.0},
    {"fft-large": 0.2, "solve-small": 3.0, "matmul-large": 1.7, "sort-small": 0.01},
]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_page_s_sums_are_those_of_the_decisions(page, address, site, machine, weights):
    data, known = read(site, "weights", machine), known_levels(site, machine)
    page.goto(address + "weights.html")
    tables = [known[tuple(name.split("-")[::-1])] for name in weights]
    compare_with_the_page(page, data, weights, tables)


def compare_with_the_page(page, data, weights, tables):
    """``tables``: of each weight, backend -> level."""
    found = page.evaluate(
        """async ([data, weights]) => {
          const weigh = await import("./static/weigh.js");
          const groups = new Map(data.groups.filter((one) => one.measure === "time_call" && one.dtype === "float64")
            .map((one) => [`${one.kernel}-${one.label}`, one]));
          const shares = new Map(Object.entries(weights));
          const { whole, lacking } = weigh.sides(data, groups, shares, () => true);
          const best = weigh.best(data, groups, shares, whole, 1.05).map((one) => one.name);
          const pairs = whole.flatMap((one) => whole.filter((other) => other !== one).map((other) => {
            const mean = weigh.mean(data, groups, shares, one.number, other.number);
            return [one.name, other.name, mean.shift, ...mean.interval, ...mean.strict, weigh.word(mean, 1.05)];
          }));
          return { best, pairs, lacking: lacking.map((one) => one.name) };
        }""",
        [data, weights],
    )
    among = len(data["names"]) - 1
    whole = {name: [one[name] for one in tables] for name in data["names"] if all(name in one for one in tables)}
    assert set(found["lacking"]) == set(data["names"]) - set(whole)
    assert set(found["best"]) == set(best_of(whole, list(weights.values()), 1.05, among))
    assert len(found["pairs"]) == len(whole) * (len(whole) - 1) > 0
    for one, other, shift, *ends, word in found["pairs"]:
        pairs = zip(whole[one], whole[other], strict=True)
        expected = mean([part(*pair) for pair in pairs], list(weights.values()), among)
        assert shift == pytest.approx(expected.shift, abs=1e-5)
        assert ends == pytest.approx([*expected.interval, *expected.strict], rel=1e-3, abs=1e-5)
        assert word == expected.word(1.05)


def test_the_page_s_sums_of_what_took_turns(page, address):
    """Also where memory is retained, and beside one that was measured alone."""
    rng, levels_here = np.random.default_rng(10), {}
    for kernel, two_times in (("matmul", ()), ("solve", ("numpy",)), ("sort", ())):
        cases = {name: Case(kernel, CATALOGUE[kernel].large, name) for name in BACKENDS}
        usual, again = (
            {
                case: {number: [math.exp(rng.normal(place, 0.1))] * 5 for number in range(3)}
                for place, case in enumerate(cases.values())
            }
            for _ in range(2)
        )
        anchors, kinds = dict.fromkeys(usual, cases["numpy"]), {case: case.backend for case in usual}
        levels_here |= levels_in_turn(usual, anchors, kinds, again, [cases[name] for name in two_times])
    alone = Case("sort", CATALOGUE["sort"].large, "torch")
    levels_here[alone] = levels({alone: [2.0, 2.1, 1.9, 2.0]})[alone]
    data = json.loads(json.dumps(page_weights(levels_here)))
    tables = {key[3]: found for key, found in comparable(levels_here).items()}
    page.goto(address + "weights.html")
    for chosen in ({"matmul": 1.0, "solve": 2.0}, {"matmul": 1.0}, {"matmul": 1.0, "solve": 1.0, "sort": 0.5}):
        compare_with_the_page(
            page, data, {f"{name}-large": one for name, one in chosen.items()}, [tables[name] for name in chosen]
        )


def test_an_address_holds_the_weights(page, address):
    visit(page, address + "weights.html?machine=1")
    assert "Nothing has a weight yet" in page.inner_text("#result")
    page.fill("input[name='fft*-large']", "2")
    page.click("button.toggle:text-is('linalg')")
    page.fill("input[name='solve-small']", "0.5")
    assert here(page).endswith("machine=1&w=fft*-large-2&w=solve-small-0.5"), here(page)
    said = page.inner_text("#result")
    assert "Best, and not told apart: " in said or "Best: jax-jit" in said, said
    url = here(page)
    visit(page, url)
    assert page.inner_text("#result") == said
    assert page.input_value("input[name='fft*-large']") == "2" and page.is_visible("input[name='solve-small']")
    assert re.search(r"numba: ", said) and "Not compared, since something is missing" in said


def test_words_and_intervals_of_the_page_agree(page, address):
    for machine in range(len(MACHINES)):
        visit(page, f"{address}weights.html?machine={machine}&w=linalg*-large-1&w=sorting*-small-2")
        for line in page.locator("#result tbody tr").all()[1:]:
            text = line.inner_text()
            low = float(line.locator("td").nth(1).inner_text().split("–")[0])
            assert ("slower than" in text) == (low > 1.05) != ("not told apart" in text), text


def test_what_is_missing_is_said_and_not_filled(page, address):
    visit(page, address + "weights.html?machine=1&w=cholesky-small-1&w=gradient-large-1")
    lacking = page.locator("#result li").all_inner_texts()
    assert any(re.match(r"torch: cholesky [\d,]+ \(failed\)", text) for text in lacking), lacking
    assert any(text.startswith("numpy: gradient") and "finite differences" in text for text in lacking), lacking
    assert "torch" not in " ".join(page.locator("#result tbody").all_inner_texts()).split()


def test_an_address_of_nonsense_has_no_weights(page, address):
    bad = (
        "fft*-huge-1",
        "nothing-large-1",
        "fft*-large-x",
        "fft*-large--2",
        "constructor-large-1",
        "fft-large-1-2",
        "<b>",
    )
    visit(page, address + "weights.html?" + "&".join(f"w={one}" for one in bad))
    assert "Nothing has a weight yet" in page.inner_text("#result")


def test_families_unfold_and_the_address_says_which(page, address):
    visit(page, address + "overview.html?machine=1")
    table = page.locator("table.heat")
    assert table.locator("tr.family:visible").count() == len(families()) and not table.locator("td a:visible").count()
    button = page.locator("button.toggle:text-is('fft')")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true" and "open=fft" in here(page)
    visit(page, here(page))
    assert table.locator("th.inner:visible").count() == sum(one.family == "fft" for one in CATALOGUE.values())


def families():
    return {one.family for one in CATALOGUE.values() if any(not one.why_not(b, b.partition("-")[0]) for b in BACKENDS)}


def test_search_and_filters_are_in_the_address(page, address):
    visit(page, address + "overview.html?machine=1")
    page.locator("input[name=q]").press_sequentially("cumul")
    assert page.evaluate("document.activeElement.name") == "q" and "q=cumul" in here(page)
    assert [text.split()[0] for text in page.locator("th.inner:visible").all_inner_texts()] == ["cumulative_sum"]
    page.uncheck("input[name='show jax, cpu']")
    assert "jax" not in page.locator("table.heat thead th").all_inner_texts()
    visit(page, here(page))
    assert page.input_value("input[name=q]") == "cumul"
    assert not page.is_checked("input[name='show jax, cpu']")
    assert [text.split()[0] for text in page.locator("th.inner:visible").all_inner_texts()] == ["cumulative_sum"]
    page.fill("input[name=q]", "no such kernel")
    assert "Nothing fits" in page.inner_text("#view")


def test_all_families_are_on_one_screen_of_a_phone(page, address):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, address + "overview.html?machine=1")
    bottom = page.locator("table.heat tr.family").last.evaluate("line => line.getBoundingClientRect().bottom")
    assert bottom <= 844
    for there in ("overview.html?machine=1&q=a", "weights.html?machine=1&w=linalg*-large-1&w=solve-small-1"):
        visit(page, address + there)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
