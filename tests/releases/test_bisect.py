"""Which release did it: the search alone, with processes that are drawn, and in real environments."""

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrayspeed.cli.main import main
from arrayspeed.decide import judge
from arrayspeed.decide.observed import halfway
from arrayspeed.environments.failures import DISK_FULL, UNREACHABLE
from arrayspeed.measure.looking import Limits, OutOfTime
from arrayspeed.model.combination import Combination
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL
from arrayspeed.records.processes import Process
from arrayspeed.releases import outcome
from arrayspeed.releases.bisect import Bisection
from arrayspeed.releases.search import Search
from arrayspeed.subjects import kernels
from arrayspeed.subjects.found import Found, like_the_new, middle, of_row
from arrayspeed.upgrades import compare, pair
from arrayspeed.upgrades.verdict import row_of
from arrayspeed.verdict.verdict import Side
from support import schema
from support.releases import WORK, Simulated, alone, levels, listed, serving, wheel

OTHER = ("other", None, "time_call")


@given(st.data())
def test_a_search_ends_around_the_release_that_did_it(data):
    versions = [f"1.{n}" for n in range(data.draw(st.integers(2, 40)))]
    true = data.draw(st.integers(1, len(versions) - 1))
    silent = data.draw(st.sets(st.sampled_from(versions[1:-1]))) if len(versions) > 2 else set()
    search = Search(versions)
    steps = 0
    while (version := search.next) is not None:
        search.tell(version, None if version in silent else versions.index(version) >= true)
        steps += 1
    assert search.old < true <= search.new
    assert set(search.between) <= silent, "nothing is left that would have said something"
    assert steps <= len(versions) - 2
    if not silent:
        assert search.after == versions[true]
        assert steps <= math.ceil(math.log2(len(versions) - 1))


def bisected(subject, say=lambda text: None, releases=None, again=False, **limits):
    limits = {"rounds": 32, "factor": 1.05} | limits
    releases = releases or listed(*subject.levels)
    return Bisection(subject, releases, Limits(**limits), say, again).run()


def test_a_planted_release_is_found_20_times_of_20(tmp_path):
    for seed in range(20):
        place = 2 + seed % 7
        found = bisected(Simulated(tmp_path / str(seed), levels(slow=place), seed=seed))
        (change,) = found.changes
        assert change.named, outcome.headline(found)
        assert (change.before, change.after) == (f"1.{place - 1}", f"1.{place}")
        assert found.status == 1
        assert len(found.steps) <= 3
        step = change.sides["step"]
        assert step.low < 1.1 < step.high or math.isclose(step.ratio, 1.1, rel_tol=0.03)


def test_of_equal_releases_none_is_named_20_times_of_20(tmp_path):
    for seed in range(20):
        found = bisected(Simulated(tmp_path / str(seed), levels(), seed=100 + seed))
        assert found.changes == [] and found.steps == []
        assert found.status in (0, 2)
        assert "no search" in outcome.headline(found)


def test_a_step_that_says_nothing_is_walked_around(tmp_path):
    known = levels(slow=5, by=1.3)
    del known["1.4"]
    known["1.6"] = {WORK: None}
    said = []
    found = bisected(Simulated(tmp_path, known), said.append, listed(*levels()))
    (change,) = found.changes
    assert (change.before, change.between, change.after) == ("1.3", ("1.4",), "1.5")
    assert not change.named and found.status == 1
    assert "narrowed to after 1.3, by 1.5" in outcome.headline(found)
    assert sum("1.4 is left out: cannot install toy==1.4" in line for line in said) == 1
    assert outcome.as_data(found)["changes"][0]["between"] == ["1.4"]


def test_what_an_index_did_not_give_is_asked_for_again(tmp_path):
    subject = Simulated(tmp_path, levels(slow=5, by=1.3))
    install = subject.install

    def failing(version):
        if version == "1.4":
            raise UserError(f"cannot install toy==1.4: {UNREACHABLE}")
        install(version)

    subject.install = failing
    assert bisected(subject).changes[0].between == ("1.4",)
    subject.install = install
    assert bisected(subject).changes[0].named
    assert len([one for one in subject.measured if one[0].startswith("ends")]) == 1


def test_a_full_disk_blames_no_release(tmp_path):
    subject = Simulated(tmp_path, levels(slow=5, by=1.3))
    install = subject.install

    def failing(version):
        if version not in ("1.1", "1.8"):  # the ends are there
            raise UserError(f"cannot install toy=={version}: {DISK_FULL}")
        install(version)

    subject.install = failing
    with pytest.raises(UserError, match=DISK_FULL):
        bisected(subject)
    subject.install = install
    found = bisected(subject)
    assert found.changes[0].named and not any(step.why for step in found.steps)
    assert len([one for one in subject.measured if one[0].startswith("ends")]) == 1


def test_a_release_that_cannot_import_the_file_is_walked_around(tmp_path):
    known = levels(slow=3, by=1.3) | {"1.5": "broken"}
    found = bisected(Simulated(tmp_path, known))
    assert [change.after for change in found.changes if change.named] == ["1.3"]


def test_what_the_index_rules_out_is_never_tried(tmp_path):
    subject = Simulated(tmp_path, levels(slow=5, by=1.3))
    found = bisected(subject, releases=listed(*subject.levels, v1_4="it loses data", v1_6=""))
    assert found.left_out == {"1.4": "yanked: it loses data", "1.6": "yanked"}
    assert not {"1.4", "1.6"} & {version for _, versions in subject.measured for version in versions}
    (change,) = found.changes
    assert change.named and (change.before, change.after) == ("1.3", "1.5")


def test_an_unclear_end_is_no_reason_to_search(tmp_path):
    found = bisected(Simulated(tmp_path, levels(slow=5, by=1.05), noise=0.1), rounds=4)
    assert found.status == 2 and not found.steps
    assert "not decided: 1 of 1 comparisons" in outcome.headline(found)


def test_an_unclear_release_is_not_taken_for_either_end(tmp_path):
    known = levels(slow=5, by=1.44)
    known["1.4"] = {WORK: 1.2e-3}  # half of the way
    found = bisected(Simulated(tmp_path, known, noise=0.05), rounds=6)
    (change,) = found.changes
    assert (change.before, change.between, change.after) == ("1.3", ("1.4",), "1.5")


def test_several_things_are_searched_for_together(tmp_path):
    known = levels(slow=3, by=1.3)
    for n, version in enumerate(known, 1):
        known[version] = {**known[version], OTHER: 1e-3 * (1.5 if n >= 7 else 1)}
    subject = Simulated(tmp_path, known)
    found = bisected(subject)
    assert {change.target.what: change.after for change in found.changes} == {WORK: "1.3", OTHER: "1.7"}
    assert len(found.steps) <= 6
    assert "toy 1.7 did it; toy 1.3 did it" in outcome.headline(found)


def test_only_what_is_named_is_searched_for(tmp_path):
    known = {version: {**found, OTHER: found[WORK]} for version, found in levels(slow=3, by=1.3).items()}
    subject = Simulated(tmp_path, known)
    found = Bisection(subject, listed(*known), Limits(), lambda text: None, of="^other").run()
    assert {change.target.what: change.named for change in found.changes} == {WORK: False, OTHER: True}
    assert found.status == 1
    assert "toy 1.3 did it; 1 more worse, not searched for" in outcome.headline(found)


def test_a_failure_is_searched_for(tmp_path):
    known = {version: {WORK: 1e-3 if n < 5 else None} for n, version in enumerate(levels())}
    found = bisected(Simulated(tmp_path, known))
    (change,) = found.changes
    assert change.target.verdict == "fails" and change.named and change.after == "1.6"


def test_neighbours_need_no_step(tmp_path):
    found = bisected(Simulated(tmp_path, levels(slow=2, by=1.3, versions=2)))
    (change,) = found.changes
    assert change.named and found.steps == []
    assert "before" not in change.sides and found.packages == {"1.1 → 1.2": {}}


def test_companions_that_changed_and_links(tmp_path):
    found = bisected(Simulated(tmp_path, levels(slow=5, by=1.3)))
    assert outcome.as_data(found)["packages"] == {"1.4 → 1.5": {"mate": ["1.0", "2.0"]}}
    text = outcome.as_markdown(found)
    assert "Other packages that changed, 1.4 → 1.5: mate 1.0 → 2.0." in text
    assert "Changelog: https://example.invalid/changes" in text
    schema.read("bisect", outcome.as_json(found))


def test_wherever_it_is_stopped_it_goes_on_to_the_same_end(tmp_path):
    whole = Simulated(tmp_path / "whole", levels(slow=5, by=1.3))
    expected = outcome.as_data(bisected(whole))
    assert len(whole.measured) == 5
    for stop in range(len(whole.measured)):
        subject = Simulated(tmp_path / str(stop), whole.levels)
        subject.stop_after = stop
        with pytest.raises(KeyboardInterrupt):
            bisected(subject)
        subject.stop_after = math.inf
        found = outcome.as_data(bisected(subject))
        assert subject.measured == whole.measured, "nothing is measured twice"
        for one in (found, expected):
            one["minutes"] = 0
            for step in one["steps"]:
                step["seconds"] = 0
        assert found == expected
    before = list(whole.measured)
    bisected(whole, again=True)
    assert len(whole.measured) == 2 * len(before)
    assert whole.measured[-1][0] != before[-1][0], "other rounds"


def test_the_minutes_end_it_and_what_was_found_is_kept(tmp_path):
    subject = Simulated(tmp_path, levels(slow=5, by=1.3))
    measure = subject.measure

    def late(*arguments):
        if len(subject.measured) == 3:
            raise OutOfTime
        return measure(*arguments)

    subject.measure = late
    found = bisected(subject)
    assert found.status == 2 and len(found.steps) == 2
    assert "time is up" in outcome.headline(found)
    subject.measure = measure
    assert bisected(subject).changes[0].named


def test_a_state_that_is_none_is_said(tmp_path):
    subject = Simulated(tmp_path, levels(slow=5, by=1.3))
    bisected(subject)
    (path,) = tmp_path.rglob("*.state")
    path.write_text("{")
    with pytest.raises(UserError, match="cannot be read: move it away"):
        bisected(subject)


def found(verdict, ratio=None):
    return Found(WORK, "work time", verdict, ratio, ratio and ratio * 0.99, ratio and ratio * 1.01)


@pytest.mark.parametrize(
    ("target", "candidate", "end", "expected"),
    [
        ("slower", "slower", "slower", True),
        ("slower", "same", "slower", None),
        ("slower", "faster", "slower", False),
        ("slower", "unclear", "slower", None),
        ("slower", "fails", "slower", None),
        ("slower", "slower", "unclear", None),
        ("slower", "slower", "same", None),
        ("larger", "larger", "larger", True),
        ("larger", "smaller", "larger", False),
        ("fails", "fails", "fails", True),
        ("fails", "unclear", "fails", False),
        ("fails", "slower", "fails", False),
        ("fails", "sometimes fails", "fails", None),
        ("fails", "fails in both", "fails", None),
        ("differs", "differs", "differs", True),
        ("differs", "same", "differs", False),
    ],
)
def test_what_a_step_says(target, candidate, end, expected):
    assert like_the_new(found(target), found(candidate), found(end)) is expected
    assert like_the_new(found(target), None, found(end)) is None


def test_the_border_is_half_of_the_way():
    assert middle(found("slower", 1.44)) == pytest.approx(1.2)
    assert middle(found("differs")) is None
    assert halfway(1.0, 1.44) == pytest.approx(1.2)
    assert halfway([1.0, None, 4.0], [4.0, 1.0, 1.0]) == [2.0, None, 2.0]
    assert halfway(0.0, 9.0, floor=1.0) == 3.0, "what is lifted is lifted before"
    assert halfway([2.0, 2.0], 8.0) == 4.0
    assert halfway(None, 1.0) is None and halfway([None], [1.0]) is None


# --- our kernels ---


def test_processes_of_kernels_are_compared_by_release(tmp_path):
    one = Combination(
        "env-1", "linalg.matmul_float64.time_call", 0, "linalg", "matmul", "float64", CALL.name, "b", 9, "cpu"
    )
    names = {"1.0": "env-1", "1.1": "env-2", "1.2": "env-3"}
    collected = compare.Collected({"what": SimpleNamespace(name="run.block")})
    for version, value in (("1.0", 1.0), ("1.1", 1.0), ("1.2", 1.5)):
        there = replace(one, environment=names[version])
        played = [Process(there, value, round=number, block="run.block") for number in range(6)]
        collected.take(SimpleNamespace(name="run.block"), played)

    def seen(old, new, beyond=None):
        first = names[old] if isinstance(old, str) else tuple(names[each] for each in old)
        return collected.observed(("what", first, names.get(new, "env-4")), 1.05, beyond)

    assert seen("1.0", "1.3") is None, "what is not there is not compared"
    pairs = [seen("1.0", "1.1", 1.2), seen("1.0", "1.2", 1.2)]
    assert [each.verdict for each in judge(pairs)] == ["same", "slower"]
    assert {each.factor for each in pairs} == {1.2}
    (decided,) = judge([seen(("1.0", "1.2"), "1.1", 1.0)])
    assert (decided.verdict, decided.ratio) == ("faster", pytest.approx(1.5**-0.5))
    assert seen("1.0", "1.2").factor is None


def test_why_a_kernel_fails_is_said():
    one = Combination(
        "old", "linalg.matmul_float64.time_call", 0, "linalg", "matmul", "float64", CALL.name, "b", 9, "cpu"
    )
    works = [Process(one, 1.0, round=number, block="run.block") for number in range(4)]
    fails = [
        Process(replace(one, environment="new"), None, round=number, block="run.block", why="it crashed")
        for number in range(4)
    ]
    sides = compare.Sides(works, fails)
    (row,) = compare.judge_stored({"what": sides}, Limits())
    found = of_row(("what",), row_of(row, (Side("1.0"), Side("1.1"))))
    assert found.verdict == "fails"
    assert found.detail == "fails in 1.1: it crashed"


@pytest.mark.seconds
def test_environments_of_several_releases(config):
    made = pair.several(config, "jax", ["0.4.31", "0.4.33", "0.8.3"], ["numpy==2.0.2"])
    rows = [entry["req"] for entry in made.include]
    assert [row["jax"] for row in rows] == [row["jaxlib"] for row in rows] == ["0.4.31", "0.4.33", "0.8.3"]
    assert {row["numpy"] for row in rows} == {"2.0.2"}
    found = kernels.Kernels(config, "jax", [], ["numpy==2.0.2"])
    assert (found.project, found.label) == ("jax", "kernels")
    assert found.identity != kernels.Kernels(config, "jax", []).identity


@pytest.mark.rest
def test_wheels_of_environments_that_a_search_makes_are_kept(config, monkeypatch):
    made, kept = {}, []
    for version in ("0.4.31", "0.4.33.dev1"):
        made[version] = SimpleNamespace(packages=lambda v=version: {"jax": v}, find_executable=lambda name: name)
    monkeypatch.setattr(kernels, "open_session", lambda *_: SimpleNamespace(environments=made))
    monkeypatch.setattr(kernels, "keep", lambda uv, python, packages, folder, say: kept.append((packages, folder)))
    kernels.Kernels(config, "jax", []).ends(*made)
    folder = Path(config.env_dir).parent / "wheels"
    assert kept == [({"jax": version}, folder) for version in made]


# --- in real environments ---

FILE = """
# /// script
# dependencies = ["toy"]
# ///
import toy


def bench_work():
    return toy.work()
"""


@pytest.mark.clock
def test_wheels_of_an_index(tmp_path, monkeypatch, capsys):
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for n in range(1, 7):
        code = f"def work():\n    return sum(range({60_000 if n >= 6 else 15_000})) and None\n"
        tag = "cp311-cp311-macosx_11_0_arm64" if n == 3 else "py3-none-any"
        needs = ["mate>=2"] if n >= 6 else ["mate<2"]
        wheel(wheels, "toy", f"1.{n}", code, tag, needs, ["Changelog, https://example.invalid/changes"])
    for version in ("1.0", "2.0"):
        wheel(wheels, "mate", version)
    (wheels / "toy-1.5-py3-none-any.whl").write_bytes(b"PK no wheel at all")
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    more = {"toy-1.2-py3-none-any.whl": {"yanked": "it loses data"}}

    def run(*options):
        with pytest.raises(SystemExit) as ended:
            main(["bisect", "toy", "1.1", "1.6", "--file", str(path), "--rounds", "6", "--factor", "1.5", *options])
        return ended.value.code, capsys.readouterr()

    with serving(wheels, more) as address, serving(wheels, status=500) as broken:
        alone(monkeypatch, UV_DEFAULT_INDEX=address)
        status, printed = run("--format", "json")
        assert status == 1, printed.err
        data = schema.read("bisect", printed.out)
        (change,) = data["changes"]
        assert (change["before"], change["between"], change["after"]) == ("1.4", ["1.5"], "1.6")
        assert change["release"] is None, "1.5 may have done it too"
        assert change["confirmed"] and change["sides"]["step"]["ratio"] > 2
        assert data["left_out"] == {"1.2": "yanked: it loses data", "1.3": "no wheel for this platform and Python"}
        (left,) = (step for step in data["steps"] if step["left_out"])
        assert left["release"] == "1.5" and "\n" not in left["left_out"]
        assert data["packages"] == {"1.4 → 1.6": {"mate": ["1.0", "2.0"]}}
        assert data["links"] == {"1.4 → 1.6": {"Changelog": "https://example.invalid/changes"}}
        assert "Traceback" not in printed.err
        status, again = run("--format", "json")
        assert schema.read("bisect", again.out)["changes"] == data["changes"]
        assert "step" not in again.err, "what was found is kept"
        alone(monkeypatch, UV_DEFAULT_INDEX=broken)
        status, printed = run()
        assert status == 2 and printed.out == ""
        assert len([line for line in printed.err.splitlines() if line.startswith("arrayspeed: ")]) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["toy", "1.1", "1.2"], "unknown library 'toy'"),
        (["toy", "1.1", "x", "--file", "mine.py"], "'x' is not a version of toy"),
        (["a b", "1.1", "1.2", "--file", "mine.py"], "'a b' is not the name of a package"),
        (["toy", "1.2", "1.1", "--file", "mine.py"], "toy 1.2 is not older than 1.1"),
        (["toy", "1.1", "1.9", "--file", "mine.py"], "there is no toy 1.9; the nearest are 1.2"),
        (["toy", "1.1", "1.2", "--file", "absent.py"], "absent.py does not exist"),
        (["toy", "1.1", "1.2", "--file", "mine.py", "--bench", "x"], "--bench and --tier are for arrayspeed's own"),
        (["toy", "1.1", "1.2", "--file", "mine.py", "--html", "x.html"], "--html goes with upgrade and compare"),
        (["toy", "1.1", "1.2", "--file", "mine.py", "--minutes", "0"], "--minutes 0 is not valid"),
        (["numpy", "1.1", "1.2", "-k", "x"], "--function goes with --file"),
        (["toy", "1.1", "1.2", "--file", "mine.py", "--of", "("], "--of '(' is not a regular expression"),
        (["numpy", "1.1", "1.2", "--bench", "("], "--bench '(' is not a regular expression"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, capsys, options, said):
    for version in ("1.1", "1.2"):
        wheel(tmp_path, "toy", version)
    (tmp_path / "mine.py").write_text(FILE)
    alone(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["bisect", *options])
    printed = capsys.readouterr()
    assert ended.value.code == 2 and printed.out == ""
    assert said in printed.err and len(printed.err.splitlines()) == 1
