"""A library over its releases: what met in blocks, what was measured apart, and what is said of both."""

import json
import math
import random
import re

import polars as pl
import pytest

from arrayspeed.cli import main as cli
from arrayspeed.decide.compare import APART
from arrayspeed.records import released, results
from arrayspeed.records.released import Released
from arrayspeed.report import upgrades
from arrayspeed.report.publisher import write as publish
from arrayspeed.report.series import write_series
from arrayspeed.versions.history import measured, order
from arrayspeed.versions.steps import ANCHOR, means, over_versions
from support import schema
from support.browser import served
from support.generated import FAILED, NOT_AVAILABLE, family_of, row, write_project, write_results

RELEASES = ("0.4.35", "0.6.2", "0.9.2", "0.10.2")

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def requirements(version):
    return {"jax": version, "jaxlib": version, "numpy": "2.2.6"}


def write_release(folder, version, rows, processes=(), **options):
    """A release's results, as asv's values and as processes."""
    path = write_results(folder, rows, requirements=requirements(version), **options)
    with path.with_suffix(".processes.jsonl").open("a") as file:
        file.writelines(json.dumps(process) + "\n" for process in processes)


def process(kernel, value, *, backend="jax", size=1000, measure="time_call", device="cpu", **more):
    name = f"{family_of(kernel)}.{kernel}_float64.{measure}"
    return {"benchmark": name, "backend": backend, "size": size, "device": device, "value": value, **more}


def write_blocks(folder, kernels, *, rounds=8, noise=0.05, turns=5, missing=(), seed=1, **options):
    """All releases side by side. ``kernels``: name -> seconds of each release, None where it fails.

    Every round has a spell of the machine of its own, up to ×3, which all releases share; every process differs by
    ``noise`` from the others, and every batch once more. ``missing``: releases and rounds without a process.
    """
    rng = random.Random(seed)
    lines = {version: [] for version in RELEASES}
    for kernel, seconds in kernels.items():
        for number in range(rounds):
            spell = math.exp(rng.uniform(0, math.log(3)))
            for version, usual in zip(RELEASES, seconds, strict=True):
                level = usual and usual * spell * math.exp(rng.gauss(0, noise / math.sqrt(2)))
                batches = [level * math.exp(rng.gauss(0, noise)) for _ in range(turns)] if level else []
                if (version, number) not in missing:
                    met = {"block": f"block of {kernel}", "round": number}
                    lines[version].append(process(kernel, level, batches=batches, **met))
    for place, (version, ones) in enumerate(lines.items()):
        rows = [row(kernel, "jax", 1000, seconds[place] or FAILED) for kernel, seconds in kernels.items()]
        write_release(folder, version, rows, ones, **options)


def series(folder, factor=1.05):
    table = results.load(folder)
    return {one.kernel: one for one in over_versions(measured(folder, table, "jax"), factor)}


def test_releases_are_in_their_order():
    assert sorted(["0.10.2", "0.9.2", "0.4.35", "dev"], key=order) == ["dev", "0.4.35", "0.9.2", "0.10.2"]


def test_a_step_in_blocks_is_found_with_its_interval(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3, 1e-3, 1.2e-3, 1.2e-3)})
    one = series(tmp_path)["matmul"]
    (step,) = one.steps
    assert (step.before, step.version, step.verdict, step.worse) == ("0.6.2", "0.9.2", "slower", True)
    assert 1.05 < step.low < 1.2 < step.high < 1.4
    assert step.side_by_side
    assert step.rounds == 8
    first, second, third, last = one.points
    assert (one.anchor, last.verdict, last.ratio, last.low) == ("0.10.2", ANCHOR, 1.0, None)
    for point in (first, second):
        assert point.verdict == "faster"
        assert point.low < 1 / 1.2 < point.high < 1
    assert third.verdict in ("same", "not slower", "unclear")
    assert third.low < 1 < third.high
    assert one.side_by_side


def test_releases_that_are_equal_have_no_step(tmp_path):
    write_blocks(tmp_path, dict.fromkeys(("matmul", "fft", "sort", "add", "sine", "multiply"), (0.001,) * 4))
    found = series(tmp_path)
    assert len(found) == 6
    assert [one.steps for one in found.values()] == [[]] * 6


def test_a_smaller_step_than_the_factor_is_none(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3, 1e-3, 1.2e-3, 1.2e-3)})
    assert series(tmp_path, factor=1.5)["matmul"].steps == []


@pytest.mark.parametrize("processes", [0, 1, 2])
def test_releases_measured_apart_need_more_than_noise_for_a_step(tmp_path, processes):
    for version, spell in zip(RELEASES, (1e-3, 1.2e-3, 1e-3, 0.8e-3), strict=True):
        stored = [process("matmul", spell * (1 + n / 100)) for n in range(processes)]
        write_release(tmp_path, version, [row("matmul", "jax", 1000, spell)], stored)
    one = series(tmp_path)["matmul"]
    assert one.steps == []
    assert not one.side_by_side
    *others, last = one.points
    assert last.verdict == ANCHOR
    for point in others:
        assert not point.side_by_side
        assert point.high / point.low >= math.exp(2 * 1.95 * APART)


def test_a_large_step_apart_says_that_it_was(tmp_path):
    for version, seconds in zip(RELEASES, (1e-3, 1e-3, 1e-3, 9e-3), strict=True):
        stored = [process("matmul", seconds), process("matmul", 1.01 * seconds)]
        write_release(tmp_path, version, [row("matmul", "jax", 1000, seconds)], stored)
    (step,) = series(tmp_path)["matmul"].steps
    assert (step.version, step.verdict, step.side_by_side) == ("0.10.2", "slower", False)
    assert step.low < 9 < step.high


def test_a_release_that_fails_is_a_step_and_hides_none(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3, 1e-3, None, 2e-3)})
    one = series(tmp_path)["matmul"]
    assert [(step.before, step.version, step.verdict) for step in one.steps] == [
        ("0.6.2", "0.9.2", "fails"),
        ("0.9.2", "0.10.2", "works now"),
        ("0.6.2", "0.10.2", "slower"),
    ]
    assert [step.failed for step in one.steps] == [8, 0, 0]
    assert one.points[2].value is None
    assert one.points[2].ratio is None


def test_the_anchor_is_the_newest_that_works(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3, 1e-3, 1e-3, None), "fft": (1e-3, None, 1e-3, 1e-3)})
    found = series(tmp_path)
    assert {name: one.anchor for name, one in found.items()} == {"matmul": "0.9.2", "fft": "0.10.2"}
    assert [step.verdict for step in found["matmul"].steps] == ["fails"]


def test_a_release_outside_the_blocks_is_no_anchor(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3,) * 4})
    write_release(tmp_path, "0.11.0", [row("matmul", "jax", 1000, 1e-3)], started_at=1_800_000_000_000)
    one = series(tmp_path)["matmul"]
    assert one.anchor == "0.10.2"
    assert [point.side_by_side for point in one.points] == [True, True, True, True, False]
    assert one.points[-1].version == "0.11.0"
    assert one.steps == []


def test_what_is_not_available_in_a_release_has_not_failed(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3,) * 4, "fft": (1e-3,) * 4}, missing={("0.4.35", n) for n in range(8)})
    why = "NotAvailable: no such kernel"
    gone = [process("matmul", None, block="block of matmul", round=n, why=why) for n in range(8)]
    rows = [row("matmul", "jax", 1000, NOT_AVAILABLE), row("fft", "jax", 1000, 1e-3)]
    write_release(tmp_path, "0.4.35", rows, gone)
    found = series(tmp_path)
    assert [point.version for point in found["matmul"].points] == ["0.6.2", "0.9.2", "0.10.2"]
    assert [point.version for point in found["fft"].points] == list(RELEASES)
    assert found["matmul"].steps == []


def test_pairs_stay_pairs_where_a_process_is_missing(tmp_path):
    # Rounds differ by up to ×3: paired by position, the noise would hide a step of 20 %.
    write_blocks(tmp_path, {"matmul": (1e-3, 1e-3, 1.2e-3, 1.2e-3)}, missing={("0.6.2", 0)}, noise=0.01)
    (step,) = series(tmp_path)["matmul"].steps
    assert (step.version, step.rounds) == ("0.9.2", 7)
    assert 1.17 < step.low < 1.2 < step.high < 1.23


def test_blocks_of_the_newest_code_count(tmp_path, monkeypatch):
    write_blocks(tmp_path, {"matmul": (1e-3,) * 4, "fft": (1e-3, 1e-3, 1e-3, 2e-3)})
    write_blocks(tmp_path, {"matmul": (1e-3, 1e-3, 1e-3, 2e-3)}, seed=2, commit="f" * 40, started_at=1_800_000_000_000)
    code = {COMMIT: "old", "f" * 40: "new"}
    monkeypatch.setattr("arrayspeed.versions.history.measured_code", code.get)
    found = series(tmp_path)
    assert {name: len(one.steps) for name, one in found.items()} == {"matmul": 1, "fft": 1}
    assert found["matmul"].steps[0].rounds == 8
    # Commits of the same code are one: the rounds of both count, where they have names of their own.
    monkeypatch.setattr("arrayspeed.versions.history.measured_code", lambda commit: "the same")
    assert len(series(tmp_path)["matmul"].points) == 4


def test_an_error_differs_by_a_factor_of_its_own(tmp_path):
    for version, error in zip(RELEASES, (1e-16, 3e-16, 4e-16, 1e-7), strict=True):
        stored = [process("matmul", error, measure="track_error", block="b", round=n) for n in range(3)]
        write_release(tmp_path, version, [row("matmul", "jax", 1000, error, measure="track_error")], stored)
    (step,) = series(tmp_path)["matmul"].steps
    assert (step.version, step.verdict) == ("0.10.2", "less accurate")


def test_a_value_that_has_no_ratio_is_a_failure(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3,) * 4}, rounds=1)
    write_release(tmp_path, "0.11.0", [row("matmul", "jax", 1000, 0.0)], started_at=1_800_000_000_000)
    assert series(tmp_path)["matmul"].points[-1].value is None


def test_means_are_formed_within_rounds(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3, 1e-3, 1e-3, 2e-3), "fft": (1e-5, 1e-5, 1e-5, 1e-5), "sort": (1e-4,) * 4})
    anchor, over = means(measured(tmp_path, results.load(tmp_path), "jax"))
    assert anchor == "0.10.2"
    assert list(over) == ["0.4.35", "0.6.2", "0.9.2"]
    for mean in over.values():
        assert mean.low < 2 ** (-1 / 3) < mean.high
        assert (mean.comparisons, mean.rounds) == (3, 8)


def test_the_report_has_series_and_means(tmp_path):
    names = ("matmul", "fft", "sort")
    write_blocks(tmp_path, dict.fromkeys(names, (0.001, 0.001, 0.001, 0.002)))
    assert write_series(tmp_path, tmp_path, results.load(tmp_path).drop("samples"), 3) == ["jax"]
    found = json.loads((tmp_path / "library-3-jax.json").read_text())
    assert {one["kernel"] for one in found} == set(names)
    assert {step["version"] for one in found for step in one["steps"]} == {"0.10.2"}
    data = json.loads((tmp_path / "means-3-jax.json").read_text())
    assert data["factor"] == 1.05
    (mean, *_) = data["means"]
    assert (mean["anchor"], mean["label"], len(mean["points"])) == ("0.10.2", "all", 3)


def test_releases_of_different_pythons_are_apart(tmp_path):
    """They differ in more than the library."""
    for python, version in (("3.11", "0.9.2"), ("3.11", "0.10.2"), ("3.12", "0.10.2"), ("3.12", "0.12.0")):
        requirements = {"jax": version, "numpy": "2.2.6"}
        rows = [row("matmul", "jax", 1000, 1e-3 if python == "3.11" else 2e-3)]
        write_results(
            tmp_path, rows, requirements=requirements, environment=f"venv-py{python}-jax{version}", processes=4
        )
    table = results.load(tmp_path)
    assert write_series(tmp_path, tmp_path, table, 0) == ["jax", "jax, Python 3.11"]
    (newer,) = json.loads((tmp_path / "library-0-jax.json").read_text())
    assert [point["version"] for point in newer["points"]] == ["0.10.2", "0.12.0"]
    assert newer["steps"] == []
    (older,) = json.loads((tmp_path / "library-0-jax, Python 3.11.json").read_text())
    assert [point["version"] for point in older["points"]] == ["0.9.2", "0.10.2"]


def test_pythons_are_releases_of_python(tmp_path):
    requirements = {"jax": "0.10.2", "numpy": "2.4.6"}
    for python, seconds in (("3.9", 4e-3), ("3.14", 2e-3), ("3.14t", 2e-3), ("3.13", 3e-3)):
        rows = [row("matmul", "numpy", 1000, seconds), row("matmul", "jax", 1000, seconds)]
        environment = f"venv-py{python}-jax0.10.2-numpy2.4.6-ARRAYSPEED_SUBJECTpython"
        write_results(tmp_path, rows, requirements=requirements, environment=environment, processes=4)
    assert write_series(tmp_path, tmp_path, results.load(tmp_path), 0) == ["python"], "and no release of JAX"
    found = json.loads((tmp_path / "library-0-python.json").read_text())
    assert [one["backend"] for one in found] == ["jax", "numpy"]
    assert [point["version"] for point in found[0]["points"]] == ["3.9", "3.13", "3.14", "3.14t"]


def test_the_dates_of_releases_and_a_newer_one(tmp_path):
    for version in ("0.9.2", "0.10.2"):
        write_results(tmp_path, [row("matmul", "jax", 1000, 1e-3)], requirements={"jax": version, "numpy": "2.2.6"})
    released.save(tmp_path, Released("2026-11-28", {"jax": {"0.10.2": "2026-06-17", "0.12.0": "2026-10-19"}}))
    write_series(tmp_path, tmp_path, results.load(tmp_path), 0)
    found = json.loads((tmp_path / "newest-0-jax.json").read_text())
    assert found["dates"] == {"0.10.2": "2026-06-17"}
    assert found["newer"] == "jax 0.12.0 (2026-10-19) is newer than 0.10.2, which was measured: as of 2026-11-28"


def safety(folder, report):
    """What the report says of each release: whether it is safe."""
    (report / "data").mkdir(parents=True)
    write_series(report / "data", folder, results.load(folder).drop("samples"), 0)
    return json.loads((report / "data/upgrades-0-jax.json").read_text())


def test_each_release_is_safe_or_not_and_has_a_page(tmp_path):
    write_blocks(tmp_path, {"matmul": (1e-3, 1e-3, 1.5e-3, 1.5e-3), "fft": (1e-3,) * 4}, noise=0.01)
    newest, slower, oldest = safety(tmp_path, tmp_path / "report")
    steps = [(one["before"], one["version"], one["status"], one["compared"]) for one in (newest, slower, oldest)]
    assert steps == [("0.9.2", "0.10.2", 0, 2), ("0.6.2", "0.9.2", 1, 2), ("0.4.35", "0.6.2", 0, 2)]
    assert newest["outcome"].startswith("SAFE: nothing is slower; no slowdown beyond ×1.0")
    assert newest["changes"] == []
    assert re.match(r"NOT SAFE: 1 slower \(matmul 1,000 jax ×1\.[45]\d\)\.", slower["outcome"])
    (change,) = slower["changes"]
    assert change["worse"] and change["text"].startswith("matmul 1,000 jax time: slower ×1.")
    assert slower["measured"] == "2023-11-14"
    assert slower["outcome"] in (tmp_path / "report" / slower["page"]).read_text()


def test_releases_that_never_met_are_neither_safe_nor_not(tmp_path):
    for version, seconds in zip(RELEASES, (1e-3, 1e-3, 1e-3, 9e-3), strict=True):
        write_release(tmp_path, version, [row("matmul", "jax", 1000, seconds)], [process("matmul", seconds)])
    assert safety(tmp_path, tmp_path / "report") == []


def test_nothing_measured_alone_is_nothing(tmp_path):
    table = pl.DataFrame(schema=results.SCHEMA)
    assert measured(tmp_path, table, "jax") == []
    write_results(tmp_path, [row("matmul", "jax", 1000, 1e-3)], requirements={"jax": "0.10.2", "torch": "2.15.0"})
    assert measured(tmp_path, results.load(tmp_path), "jax") == []
    assert write_series(tmp_path, tmp_path, results.load(tmp_path), 0) == []


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Four releases of JAX in blocks, and the newest together with another library."""
    folder = write_project(tmp_path)
    write_blocks(folder, {"matmul": (1e-3, 1e-3, 1e-3, 0.5e-3), "fft": (1e-3, None, 1e-3, 1e-3)}, noise=0.01)
    write_results(folder, [row("matmul", "jax", 1000, 9.0)], requirements={"jax": "0.10.2", "torch": "2.15.0"})
    monkeypatch.chdir(tmp_path)
    return folder


def versions(capsys, *arguments):
    with pytest.raises(SystemExit) as exit:
        cli.main(["versions", *arguments])
    captured = capsys.readouterr()
    return exit.value.code, captured.out, captured.err


def line_of(out, kernel):
    (found,) = (line for line in out.splitlines() if line.strip().startswith(kernel))
    return found


def test_the_command_shows_ratios_and_steps(project, capsys):
    status, out, _ = versions(capsys, "jax")
    assert status == 0
    assert line_of(out, "matmul").split()[:3] == ["matmul", "1,000", "jax"]
    assert line_of(out, "matmul").count("×") == 3
    assert "▼" in line_of(out, "matmul")
    assert "▲ failed" in line_of(out, "fft")
    assert "geometric mean" in out
    lines = out.splitlines()
    assert any("0.10.2  matmul 1,000 jax: faster ×" in line and "8 rounds" in line for line in lines)
    assert any("0.6.2  fft 1,000 jax: fails, after 0.4.35" in line for line in lines)
    assert "side by side" not in out


def test_the_command_says_what_was_measured_apart_and_how_to_do_better(tmp_path, monkeypatch, capsys):
    folder = write_project(tmp_path)
    for version, seconds in zip(RELEASES, (1e-3, 1e-3, 1e-3, 1.2e-3), strict=True):
        write_release(folder, version, [row("matmul", "jax", 1000, seconds)])
    monkeypatch.chdir(tmp_path)
    status, out, _ = versions(capsys, "jax")
    assert status == 0
    assert line_of(out, "matmul").count("~×") == 3
    assert "None of it was measured side by side" in out
    assert "arrayspeed run --selection versions --library jax" in out
    assert "0 steps in 1 series" in out


def test_the_command_as_json(project, capsys):
    status, out, _ = versions(capsys, "jax", "--format", "json", "--kernel", "matmul")
    assert status == 0
    data = schema.read("versions", out)
    assert (data["library"], data["factor"], data["side_by_side"], data["to_measure"]) == ("jax", 1.05, True, None)
    (found,) = data["series"]
    assert [point["version"] for point in found["points"]] == list(RELEASES)
    (step,) = found["steps"]
    assert step["low"] < step["ratio"] < step["high"] < 1


def test_what_releases_changed_is_told_in_sentences(tmp_path):
    write_blocks(tmp_path, FIVE, noise=0.02)
    text = "\n".join(upgrades.describe_upgrades(tmp_path, results.load(tmp_path)))
    assert "### jax\n" in text
    assert "0.10.2 against 0.9.2, 5 calls: 5 same." in text
    assert re.search(r"- In 0\.10\.2, calls of `jax` took ×1\.0\d+ \(.*\) as long as in 0\.4\.35, in the", text)
    assert re.search(r"`matmul` 1,000 float64 on `jax`, time of a call: in 0\.9\.2 ×1\.\d+ \(.*\) of that", text)
    assert "`fft` 1,000 float64 on `jax`, time of a call: fails in 0.6.2, after 0.4.35." in text
    assert "sort" not in text, "it did not change"
    (noise,) = re.findall(r"\| jax \| (\d+) \| ([\d.]+) % \(.*\) \| ([\d.]+) % \|", text)
    count, turns, later = map(float, noise)
    assert count == 14, "three pairs of five kernels, but for the release that fails; its neighbours are a pair"
    assert turns < 5 < later, "a spell of the machine is shared in turn, and not a round later"


def test_a_step_that_was_explained_is_told_with_its_program(tmp_path):
    write_blocks(tmp_path, FIVE, noise=0.02)
    one = {"kernel": "matmul", "dtype": "float64", "backend": "jax", "size": 1000, "device": "cpu", "old": "0.6.2"}
    line = {"library": "jax", "new": "0.9.2", "language": "HLO", "why": "", "verdict": "the same program"}
    (machine,) = (path for path in tmp_path.iterdir() if path.is_dir())
    (machine / "explanations.jsonl").write_text(json.dumps(one | line | {"counts": [], "diff": []}) + "\n")
    (told,) = (
        text for text in upgrades.describe_upgrades(tmp_path, results.load(tmp_path)) if text.startswith("- `matmul`")
    )
    assert told.endswith("shows the same program, or the same calls, in both.")


def test_releases_that_never_met_are_not_told_of(tmp_path):
    for version, seconds in zip(RELEASES, (1e-3, 1e-3, 1e-3, 9e-3), strict=True):
        write_release(tmp_path, version, [row("matmul", "jax", 1000, seconds)])
    assert upgrades.describe_upgrades(tmp_path, results.load(tmp_path)) == []


def test_a_choice_of_rows_changes_no_verdict(project, capsys):
    every = schema.read("versions", versions(capsys, "jax", "--format", "json")[1])["series"]
    (one,) = schema.read("versions", versions(capsys, "jax", "--format", "json", "--kernel", "matmul")[1])["series"]
    assert one in every


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["jaxx"], "Did you mean 'jax'"),
        (["torch"], "arrayspeed run --selection versions --library torch"),
        (["jax", "--measure", "track_error"], "no track_error of jax alone"),
        (["jax", "--kernel", "matmull"], "Did you mean 'matmul'"),
        (["jax", "--machine", "nowhere"], "nowhere"),
        (["jax", "--factor", "1"], "1.05"),
        (["jax", "--factor", "nan"], "1.05"),
    ],
)
def test_mistakes_get_one_line_and_status_2(project, capsys, arguments, says):
    status, _, err = versions(capsys, *arguments)
    assert status == 2
    assert len(err.splitlines()) == 1
    assert says in err


#: Five kernels, as many as a chart shows by their mean; one of them took a step and one fails once.
FIVE = {
    "matmul": (1e-3, 1e-3, 1.5e-3, 1.5e-3),
    "fft": (1e-3, None, 1e-3, 1e-3),
    "sort": (1e-3,) * 4,
    "gradient": (1e-3,) * 4,
    "selu": (1e-3,) * 4,
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A report of one machine with blocks, and of another that measured its releases apart."""
    folder = tmp_path_factory.mktemp("versions")
    write_blocks(folder / "results", FIVE, noise=0.02, machine="in-blocks")
    for version in RELEASES:
        rows = [row(kernel, "jax", 1000, 1e-3) for kernel in FIVE]
        write_release(folder / "results", version, rows, machine="measured-apart")
    publish(folder / "report", str(folder / "results"), "arrayspeed")
    (folder / "swallow.ico").write_bytes(b"")
    with served(folder) as there:
        yield there + "report/versions.html?size=all&machine="


def text_of(open_page, url):
    with open_page() as page:
        page.goto(url)
        page.wait_for_selector("body[data-ready]")
        page.wait_for_selector("figure svg")
        return page.inner_text("#view"), page.locator("figure svg text").all_text_contents()


def test_the_page_shows_a_mean_and_the_steps(open_page, address):
    text, _ = text_of(open_page, address + "in-blocks")
    assert "geometric mean" in text
    assert "Not measured side by side" not in text
    assert re.search(
        r"0\.9\.2\s+0\.6\.2\s+time of a call\s+matmul 1,000\s+jax\s+slower\s+▲ 1\.\d+× \(1\.\d+–1\.\d+\)", text
    )
    assert re.search(r"fft 1,000\s+jax\s+fails\s+▲ 8 of 8 failed, 0 of 8 before", text)
    assert "3 steps in 5 series" in text


def test_the_landing_page_begins_with_whether_it_is_safe(open_page, address):
    with open_page() as page:
        page.goto(address.replace("versions.html", "index.html") + "in-blocks")
        page.wait_for_selector("main table")
        assert page.locator("main h2").first.inner_text() == "Is it safe to upgrade?"
        row = page.locator("main table").first.locator("tbody tr")
        assert re.search(r"jax\s+0\.9\.2 → 0\.10\.2\s+SAFE: nothing is slower", row.inner_text())
        row.get_by_role("link", name="comparisons").click()
        page.wait_for_selector("h1")
        assert page.inner_text("h1") == "jax 0.9.2 → 0.10.2"
        page.get_by_role("link", name="Versions").click()
        page.wait_for_url("**/versions.html?machine=in-blocks&library=jax")
    text, _ = text_of(open_page, address + "in-blocks")
    assert re.search(r"0\.9\.2\s+0\.6\.2\s+unknown\s+NOT SAFE: ", text)


def test_the_page_shows_one_kernel_with_its_intervals(open_page, address):
    url = address + "in-blocks"
    text, drawn = text_of(open_page, url + "&kernel=fft")
    assert "Bars are 95 % intervals" in text
    assert "failed" in drawn
    _, drawn = text_of(open_page, url + "&kernel=matmul")
    assert "▲" in drawn
    _, drawn = text_of(open_page, url + "&kernel=sort")
    assert not {"▲", "▼", "failed"} & set(drawn)


def test_the_page_shows_kinds_of_machine_side_by_side(open_page, tmp_path):
    """One kind has the step of the other, a third has other kernels: nothing of it is shown."""
    slow = {"matmul": (1e-3, 1e-3, 2e-3, 2e-3), "fft": (1e-3,) * 4}
    write_blocks(tmp_path / "results", slow, noise=0.01, machine="kind-a")
    write_blocks(
        tmp_path / "results", slow | {"matmul": (2e-3, 2e-3, 6e-3, 6e-3)}, noise=0.01, machine="kind-b", seed=2
    )
    write_blocks(tmp_path / "results", slow | {"matmul": (2e-3,) * 4}, noise=0.01, machine="kind-c", seed=3)
    write_blocks(tmp_path / "results", {"sort": (1e-3,) * 4}, noise=0.01, machine="kind-d", seed=4)
    publish(tmp_path / "report", str(tmp_path / "results"), "arrayspeed")
    (tmp_path / "swallow.ico").write_bytes(b"")
    with served(tmp_path) as there:
        url = there + "report/versions.html?size=all&machine="
        of_kernel, drawn = text_of(open_page, url + "kind-a&kernel=matmul")
        over_all, _ = text_of(open_page, url + "kind-b&kernel=all")
        alone, _ = text_of(open_page, url + "kind-d&kernel=sort")
    beside = of_kernel.partition("Kinds of machine side by side")[2]
    first = {kind: re.search(rf"{kind}\s+0\.10\.2\s+(\d\.\d+)×", beside) for kind in ("kind-a", "kind-b", "kind-c")}
    ratios = {kind: round(float(found[1]), 1) for kind, found in first.items()}
    assert ratios == {"kind-a": 0.5, "kind-b": 0.3, "kind-c": 1.0}
    assert "kind-d" not in beside
    assert {"kind-a", "kind-b", "kind-c"} <= set(drawn)
    assert re.search(r"matmul 1,000\s+jax\s+slower.*shown on 1 of 2", beside)
    assert re.search(r"kind-b\s+0\.10\.2.*kind-a\s+0\.10\.2", over_all, re.S), "the machine that is shown comes first"
    assert "Kinds of machine side by side" not in alone


def test_the_page_says_what_was_measured_apart(open_page, address):
    text, _ = text_of(open_page, address + "measured-apart")
    assert "Not measured side by side" in text
    assert "arrayspeed run --selection versions --library jax" in text
    assert "~1.00×" in text
    assert "geometric mean" not in text
    assert "No two neighbouring releases are shown to differ by more than 5 %" in text
