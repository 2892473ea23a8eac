"""What docs/lab says about noise and copies is what its records in docs/measured/ hold."""

import json
import math
from collections import Counter, defaultdict
from statistics import covariance, median, variance

import pytest
from scipy.stats import chi2

from arrayspeed.audit.copies import CORES, CPU, FAULTS, FEWER, LASTING, SWITCHES, noise
from arrayspeed.cli import copies
from arrayspeed.formats.tables import markdown_table
from kernels import BACKENDS, CATALOGUE
from tests.conftest import ROOT, WORDS

#: Records are large.
pytestmark = pytest.mark.seconds

MEASURED = ROOT / "docs" / "measured"
PAGE = "\n".join((ROOT / f"docs/lab/2026-11-{name}.md").read_text() for name in ("noise", "copies"))

#: Without line breaks.
TEXT = " ".join(PAGE.split())


def test_the_table_of_copies_is_that_of_its_run(capsys):
    copies.show(copies.read(MEASURED / "busy-waits.json"), "markdown")
    assert capsys.readouterr().out.strip() in PAGE


def test_what_is_planted_in_copies_is_read():
    found = copies.read(MEASURED / "busy-waits.json")
    assert not any(map(copies.wrong, found))
    by_level = defaultdict(list)
    for copy in found:
        by_level[copy.busy].append(abs(copy.decision.ratio / (1 + copy.busy) - 1) <= 0.03)
    assert set(by_level) == {0, 0.02, 0.05, 0.1, 0.25}
    assert all(sum(near) >= 0.95 * len(near) for near in by_level.values())
    missed = Counter(copy.busy for copy in found if copy.busy >= 0.1 and not copies.found_as_planted(copy))
    assert missed == {0.1: 1} and "all but one of those by 10 %" in TEXT


@pytest.mark.parametrize(
    "name",
    [
        "noise-21-kernels.json",
        "noise.json",
        "noise-one-core.json",
        "noise-small-one-core-family-26.json",
        "copies-together.json",
    ],
)
def test_the_tables_of_noise_are_those_of_their_runs(name):
    rows = copies.noises(copies.read(MEASURED / name))
    assert "\n".join(markdown_table(copies.NOISE, rows)).strip() in PAGE


def test_no_copy_among_all_backends_is_told_apart():
    found = copies.read(MEASURED / "copies-together.json")
    assert not any(map(copies.wrong, found)) and len({one.one.backend for one in found}) == 10
    holding = sum(one.decision.low <= 1 <= one.decision.high for one in found)
    assert f"Of {len(found)} copies none is told apart, and {holding} intervals hold 1." in TEXT


def loud(every):
    """Those whose noise is above 5 %."""
    return [one for one in every if noise(one.in_turn) > copies.QUIET]


def went_along(every):
    """How many loud copies each word of the table of causes is about, the table, and for how many a cause is shown."""
    rows = copies.causes(every)
    of = Counter()
    for *_, names, kernels in rows:
        for name in names.split(", "):
            of[name] += len(kernels.split(", "))
    pointed = sum(len(one[3].split(", ")) for one in rows if {*one[2].split(", ")} & {FAULTS, SWITCHES, FEWER, LASTING})
    return of, "\n".join(markdown_table(copies.CAUSES, rows)).strip(), pointed


def lasting(every):
    """The share of the variance that both halves of a round's turns have in common, in per cent; the median."""
    both = [tuple(zip(*one.halves, strict=True)) for one in every if one.halves]
    shares = [covariance(*each) / variance([(a + b) / 2 for a, b in zip(*each, strict=True)]) for each in both]
    return 100 * median(shares)


def test_what_goes_along_with_noise_is_that_of_its_run():
    found = copies.read(MEASURED / "noise-21-kernels.json")
    of, table, pointed = went_along(found)
    assert table in PAGE
    total = len(loud(found))
    assert (
        f"With {of[CPU]} of the {total} copies above 5 % the CPU time of a call rises, with {of[FAULTS]} the page "
        f"faults, with {of[FEWER]} fewer cores are busy, and with {of[SWITCHES]} the main thread waits more often; "
        f"{of[LASTING]} are lasting. CPU time alone points to no cause, so for {total - pointed} nothing does."
    ) in TEXT
    assert f"In the median of these copies {lasting(loud(found)):.0f} % of the variance is lasting." in TEXT


def test_what_goes_along_with_noise_on_one_core_is_that_of_its_runs():
    found = [*on_one_core("one-core").values()]
    rest = loud(found)
    of, table, pointed = went_along(found)
    assert table in PAGE
    # (n − 1) s² / σ² has a chi-squared distribution, where noise is normal.
    (rounds,) = {len(one.in_turn) for one in found}
    low, high = (((rounds - 1) / chi2.ppf(level, rounds - 1)) ** 0.5 for level in (0.975, 0.025))
    less = sum(low * noise(one.in_turn) <= copies.QUIET for one in rest)
    more = sum(high * noise(one.in_turn) > copies.QUIET for one in found) - len(rest)
    assert (
        f"In an earlier run on one core, with fewer turns, {len(rest)} of the {len(found)} copies have more than 5 %. "
        f"Ten rounds know a standard deviation within ×{low:.2f} to ×{high:.2f} (95 %, of normal noise), so that "
        f"{less} of these may have 5 % or less, and {more} of the other {len(found) - len(rest)} more."
    ) in TEXT
    assert (
        f"With {of[FAULTS]} of the {len(rest)} the page faults rise, with {of[FEWER]} the core is less busy, and with "
        f"{of[SWITCHES]} the main thread waits more often; {of[LASTING]} are lasting. For {len(rest) - pointed} "
        f"none of these is shown. In the median {lasting(rest):.0f} % of the variance is lasting."
    ) in TEXT


#: What was changed when loud copies were measured again on one core -> the record.
CHANGES = {
    "before": "large-one-core",
    "again": "one-core-again",
    "heaps kept": "one-core-kept-heaps",
    "huge pages": "one-core-huge-pages",
    "fixed addresses": "one-core-fixed-addresses",
    "100,000": "one-core-100000",
    "10,000,000": "one-core-10000000",
    "once more": "one-core-once-more",
    "servers first": "one-core-servers-first",
}


@pytest.fixture(scope="module")
def changed():
    """The noise of what was measured again on one core: change -> (backend, kernel) -> per cent."""
    return {
        name: {
            (one.one.backend, one.one.kernel): 100 * noise(one.in_turn)
            for one in by_place(f"noise-{record}.json").values()
        }
        for name, record in CHANGES.items()
    }


def per_cent(value):
    """Noise in a cell; nothing of what was not measured."""
    return "" if value is None else "< 1 %" if value < 1 else f"{value:.0f} %"


def test_what_was_measured_again_on_one_core_is_that_of_its_runs(changed):
    before, *others = changed.values()
    order = [*BACKENDS]
    places = sorted({place for found in others for place in found}, key=lambda place: (order.index(place[0]), place[1]))
    assert all(before[place] > 100 * copies.QUIET for place in places)
    rows = [[*place, *(per_cent(found.get(place)) for found in changed.values())] for place in places]
    assert "\n".join(markdown_table(("backend", "kernel", *CHANGES), rows)).strip() in PAGE


def between(values):
    """The smallest and the largest, in words of the page."""
    return f"{min(values):.0f} to {max(values):.0f} %"


def test_what_explains_noise_on_one_core_is_that_of_its_runs(changed):
    before, again, kept, huge, fixed, smaller, larger, more, first = changed.values()
    passed = [place for place, value in again.items() if value <= 100 * copies.QUIET]
    assert (
        f"{WORDS[len(passed)].capitalize()} of the {len(again)} that were measured again as they are have "
        f"{between([again[place] for place in passed])} now, and had {between([before[place] for place in passed])}."
    ) in TEXT

    jitted = [("jax-jit", kernel) for kernel in ("derivative1", "derivative2", "fft")]
    now, was = ("{:.0f}, {:.0f} and {:.0f} %".format(*(of[place] for place in jitted)) for of in (kept, before))
    assert f"jitted `derivative1`, `derivative2` and `fft` of JAX have {now} instead of {was}." in TEXT
    slow = by_place("noise-large-one-core.json")["derivative1", "jax-jit", 10**6]
    longest = max(
        math.exp(ratio) for ratio, (a, b) in zip(slow.in_turn, slow.counted[FAULTS], strict=True) if a < 1 and b > 1_900
    )
    assert f"`derivative1` takes up to {longest:.0f} times as long with 2,000 page faults as without." in TEXT

    louder, quieter = (("torch", kernel) for kernel in ("derivative2", "derivative3"))
    assert kept[louder] > before[louder] and kept[quieter] < before[quieter]
    assert "`derivative2` has more noise than before, `derivative3` less." in TEXT

    # Elementwise, and still loud when they were measured again.
    cached = [place for place, value in again.items() if value > 8 and place in smaller]
    assert len(cached) == 7
    assert (
        f"Seven calls on a million numbers have {between([again[place] for place in cached])} again: `add` and "
        "`multiply` of eager and compiled PyTorch, its compiled `derivative1` and `derivative3`, and jitted "
        f"`derivative3`. On 100,000 numbers they have {between([smaller[place] for place in cached])}"
    ) in TEXT
    assert {*cached} == {
        ("jax-jit", "derivative3"),
        *(("torch", kernel) for kernel in ("add", "multiply")),
        *(("torch-compile", kernel) for kernel in ("add", "derivative1", "derivative3", "multiply")),
    }
    of_torch = [("torch", kernel) for kernel in ("add", "multiply")]
    assert (
        "and of ten million, eager `add` and `multiply` have {:.0f} and {:.0f} %.".format(
            *(larger[place] for place in of_torch)
        )
        in TEXT
    )
    loudest = ("tensorflow", "polynomial"), ("torch", "derivative2"), ("tensorflow-xla", "multiply")
    then, now = ("{:.0f}, {:.0f} and {:.0f} %".format(*(of[place] for place in loudest)) for of in (more, first))
    assert f"have {now} instead of {then}." in TEXT

    tried = [place for place in cached if place in fixed]
    assert len(tried) == 3
    for of in (huge, fixed):
        assert all(of[place] > 2 * smaller[place] and of[place] > 10 for place in tried)


#: Arrays of TensorFlow that begin at the same place within so many bytes.
ALIKE = 2**22


def where_results_lie(item):
    """In words of the page, of a line of `tools/places.py`."""
    if item["backend"] == "tensorflow-xla":
        (result,) = item["results"]
        return f"{'' if (int(result) - item['inputs'][0]) % ALIKE == 0 else 'not '}at the input's place within 4 MiB"
    return {1: "in one place", 2: "in two places"}.get(len(item["results"]), "in more places")


@pytest.fixture(scope="module")
def places():
    """Milliseconds of a call in each process, by backend, kernel and where results lie."""
    found = defaultdict(list)
    for one in map(json.loads, (MEASURED / "places.jsonl").read_text().splitlines()):
        found[one["backend"], one["kernel"], where_results_lie(one)].append(1e3 * one["seconds"])
    return found


def test_the_table_of_where_results_lie_is_that_of_its_run(places):
    order = [*BACKENDS]
    rows = [
        [*place, str(len(times)), f"{median(times):.3g} ({min(times):.3g}–{max(times):.3g})"]
        for place, times in sorted(places.items(), key=lambda row: (order.index(row[0][0]), row[0][1], median(row[1])))
    ]
    assert "\n".join(markdown_table(("backend", "kernel", "results", "processes", "ms"), rows)).strip() in PAGE


def test_what_follows_from_where_results_lie_is_that_of_its_run(places):
    calls = {place[:2] for place in places if place[2] == "in two places"}
    assert len(calls) == 7
    assert all(median(places[*call, "in one place"]) < median(places[*call, "in two places"]) for call in calls)
    one, more = (places["jax-jit", "derivative3", where] for where in ("in one place", "in more places"))
    assert (
        f"those with one take {min(one):.2f} to {max(one):.2f} ms, and those with more than two {min(more):.2f} to "
        f"{max(more):.2f}." in TEXT
    )
    there, elsewhere = (
        places["tensorflow-xla", "polynomial", f"{word}at the input's place within 4 MiB"] for word in ("", "not ")
    )
    assert f"takes {median(there) / median(elsewhere):.2f} times as long in processes whose result begins" in TEXT
    assert max(elsewhere) < min(there)


def places_of(every):
    """Kernel, backend and size of each copy."""
    return [(one.one.kernel, one.one.backend, one.one.size) for one in every]


def on_one_core(name):
    """The copies of a run at both sizes, by kernel, backend and size."""
    return by_place(f"noise-small-{name}.json") | by_place(f"noise-large-{name}.json")


def by_place(name):
    """The copies of a record, by kernel, backend and size."""
    found = copies.read(MEASURED / name)
    return dict(zip(places_of(found), found, strict=True))


def quiet(every, way="in_turn"):
    """How many copies have little noise."""
    return sum(noise(getattr(one, way)) <= copies.QUIET for one in every)


def medians(every):
    """The medians of noise in turn and one after the other, in per cent."""
    return [100 * median(noise(getattr(one, way)) for one in every) for way in ("in_turn", "apart")]


def same_and_unclear(every):
    """How many copies are shown to be the same, and how many are unclear; none is called anything else."""
    of = Counter(one.decision.verdict for one in every)
    assert of.keys() <= {"same", "unclear"}
    return of["same"], of["unclear"]


def faults_of(item):
    return [count for pair in item.counted[FAULTS] for count in pair]


def test_what_arenas_and_huge_pages_do_to_noise_is_that_of_their_runs():
    usual, one_arena, no_huge_pages = (
        by_place(f"noise-{name}.json") for name in ("21-kernels", "one-arena", "no-huge-pages")
    )

    def told(*place):
        return f"{100 * noise(one_arena[place].in_turn):.0f} % instead of {100 * noise(usual[place].in_turn):.0f} %"

    cured = [("fft", "jax", 10**6), ("fft", "jax-jit", 10**6), ("elementwise", "jax-jit", 10**6)]
    first, second, third = (told(*place) for place in cured)
    assert f"`fft` has {first}, jitted `fft` {second}, and jitted `elementwise` {third}." in TEXT
    for place in cured:
        assert max(faults_of(usual[place])) > 1_000 and max(faults_of(one_arena[place])) <= 3
    others = one_arena.keys() - {*cured}
    assert {(kernel, backend) for kernel, backend, _ in others} == {(f"derivative{n}", "jax") for n in (1, 2, 3)}
    for place in others:
        assert min(faults_of(one_arena[place])) < 10 and max(faults_of(one_arena[place])) > 1_000
    assert len(no_huge_pages) == 5
    assert all(noise(one.in_turn) >= noise(usual[place].in_turn) for place, one in no_huge_pages.items())


def test_what_keeping_heaps_does_to_noise_is_that_of_its_runs():
    usual, kept = (by_place(f"noise-{name}.json") for name in ("large", "kept-heaps"))
    assert sorted(kept) == [(f"derivative{n}", "jax", 10**6) for n in (1, 2, 3)]

    def told(every):
        first, second, third = (f"{100 * noise(every[place].in_turn):.0f}" for place in sorted(kept))
        many = [count > 100 for place in kept for count in faults_of(every[place])]
        return sum(many), len(many), (first, second, third)

    (before, total, was), (now, _, (first, second, third)) = told(usual), told(kept)
    assert (
        f"{now} of {total} processes of these three have more than 100 page faults a call, instead of {before} of "
        f"{total}, and the noise is {first}, {second} and {third} % instead of {was[0]}, {was[1]} and {was[2]} %."
    ) in TEXT


def test_what_threads_on_cores_of_their_own_change_is_that_of_the_runs():
    before, every = (by_place(f"noise-{name}.json") for name in ("21-kernels", "large"))
    after = {place: one for place, one in every.items() if place[1] in ("jax", "jax-jit")}
    jitted, eager = (("sine", backend, 10**6) for backend in ("jax-jit", "jax"))
    were, are = ([count for pair in found[jitted].counted[CORES] for count in pair] for found in (before, after))
    assert min(were) < 1.1 and max(were) > 1.8 and min(are) >= 1.7
    was, now = ([f"{100 * noise(found[place].in_turn):.0f}" for place in (jitted, eager)] for found in (before, after))
    were_quiet, are_quiet = (quiet(found[place] for place in after) for found in (before, after))
    assert (
        f"the noise is {now[0]} % instead of {was[0]} %, that of eager `sine` {now[1]} % instead of {was[1]} %. Of all "
        f"{len(after)} large copies of JAX, {are_quiet} have at most 5 % now, and {were_quiet} had before"
    ) in TEXT


@pytest.mark.parametrize("name", ["noise-21-kernels.json", "noise-21-kernels-xeon.json"])
def test_how_many_copies_have_little_noise_is_that_of_the_run(name):
    found = copies.read(MEASURED / name)
    (in_turn, apart), (same, unclear) = medians(found), same_and_unclear(found)
    assert (
        f"{quiet(found)} of {len(found)} copies ({100 * quiet(found) / len(found):.0f} %) have a noise of at most 5 %, "
        f"and one after the other {quiet(found, 'apart')}; the medians are {in_turn:.1f} and {apart:.1f} "
        f"%. None was called slower or faster: {same} are shown to be the same, and {unclear} are unclear."
    ) in TEXT


def test_the_copies_of_a_quiet_machine_are_those_of_its_run():
    found = copies.read(MEASURED / "noise-small-one-core-family-26.json")
    assert same_and_unclear(found) == (len(found), 0)
    assert f"All {len(found)} copies are shown to be the same." in TEXT


def test_how_many_copies_have_little_noise_on_one_core_is_that_of_the_runs():
    small, large = ([*by_place(f"noise-{size}-one-core-more-turns.json").values()] for size in ("small", "large"))
    both = [*small, *large]
    assert {*places_of(both)} == by_place("noise-21-kernels.json").keys()
    assert {len(one.in_turn) for one in both} == {10}
    assert "\n".join(markdown_table(copies.NOISE, copies.noises(both))).strip() in PAGE
    (in_turn, apart), (same, unclear) = medians(both), same_and_unclear(both)
    assert (
        f"{quiet(small)} of {len(small)} small copies and {quiet(large)} of {len(large)} large ones have a noise of at "
        f"most 5 %, which is {quiet(both)} of {len(both)} ({100 * quiet(both) / len(both):.0f} %); one after the "
        f"other, {quiet(both, 'apart')} have. The medians are {in_turn:.1f} % in turn and {apart:.1f} % one after the "
        f"other. None was called slower or faster: {same} are shown to be the same, and {unclear} are unclear."
    ) in TEXT


def test_what_stays_above_with_more_turns_is_that_of_the_runs():
    now, before = map(on_one_core, ("one-core-more-turns", "one-core"))
    rest = loud(now.values())
    of, table, pointed = went_along([*now.values()])
    assert table in PAGE
    still = sum(noise(now[place].in_turn) > copies.QUIET for place in places_of(loud(before.values())))
    assert (
        f"with more turns, {len(rest)} of {len(now)} have more than 5 %, and {still} of these had before. "
        f"With {of[FAULTS]} the page faults rise, and {of[LASTING]} are lasting; for {len(rest) - pointed} no cause is "
        "shown."
    ) in TEXT


def test_what_pools_on_all_cores_changed_is_that_of_its_runs():
    before, after = (
        {one.one.kernel: noise(one.in_turn) for one in copies.read(MEASURED / name) if large(one)}
        for name in ("noise-before.json", "noise.json")
    )
    assert len(before) == 6 and before.keys() <= after.keys()
    medians = [f"{median(each[kernel] for kernel in before):.1%}".replace("%", " %") for each in (before, after)]
    adds = [f"{each['add']:.1%}".replace("%", " %") for each in (before, after)]
    assert f"the median went from {medians[0]} to {medians[1]}, that of `add` from {adds[0]} to {adds[1]}" in TEXT


def large(item):
    """Whether a copy is of jitted JAX at a kernel's large size."""
    return item.one.backend == "jax-jit" and item.one.size == CATALOGUE[item.one.kernel].large


def test_the_limitations_have_how_many_copies_are_quiet():
    text = " ".join((ROOT / "docs/limits.md").read_text().split())
    first, xeon = (copies.read(MEASURED / f"noise-21-kernels{name}.json") for name in ("", "-xeon"))
    one = [*on_one_core("one-core-more-turns").values()]
    few, many, most = (f"{100 * quiet(each) / len(each):.0f} %" for each in (first, xeon, one))
    assert (
        f"Of {len(first)} copies of kernels against themselves, {few} had a noise of at most 5 % on both cores of the "
        f"shared EPYC, {many} on the Xeon, and {most} on one core of the EPYC"
    ) in text
