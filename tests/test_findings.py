"""Findings: each follows from the results, and the pages have what they show."""

import json
import re
import shutil
import subprocess
from collections import Counter, defaultdict

import polars as pl
import pytest

from arrayspeed.claims import compiled, findings
from arrayspeed.claims.comparison import FAILS, HOLDS, OPEN
from arrayspeed.claims.findings import judged, read, verdicts
from arrayspeed.claims.table import UNMEASURED, claims
from arrayspeed.cli import findings as command
from arrayspeed.cli import main as cli
from arrayspeed.measure.players import BATCH
from arrayspeed.measure.selections import BENCH, OPERATIONS
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL
from arrayspeed.records import processes, results
from arrayspeed.report.findings import as_data
from arrayspeed.versions.history import measured
from arrayspeed.versions.reasons import NAMES, reasons
from arrayspeed.versions.steps import over_versions
from kernels import BACKENDS, CATALOGUE, LIBRARIES
from kernels.catalogue import in_tier
from tests.conftest import ROOT
from tests.generated import row, write_project, write_results

ENTRY = """
[[findings]]
text = "NumPy multiplies faster than JAX"
machines = ["generated-2cpu"]
rule = "faster"
of = ["matmul 100"]
fast = ["numpy"]
slow = ["jax"]
"""


#: Small numbers as texts have them.
WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The results that belong to the repository; a user's own may lie beside them."""
    folder = tmp_path_factory.mktemp("committed")
    listed = subprocess.run(["git", "ls-files", "-z", "results"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder / "results"


@pytest.fixture(scope="module")
def committed(folder):
    return command.evidence_of(folder)


@pytest.fixture(scope="module")
def every(committed):
    return judged({name: verdicts(name, one) for name, one in committed.items()})


def test_every_finding_follows_from_the_results(every):
    assert len(every) >= 10
    lost = {
        one.finding.text: {name: found.text for name, found in one.verdicts.items()} for one in every if not one.follows
    }
    assert not lost


def test_the_page_is_what_the_results_show(every, committed, folder):
    shown = (ROOT / "docs/findings.md").read_text()
    page = command.markdown(every, committed, command.upgrades_of(folder))
    assert shown == page, "arrayspeed findings --format markdown > docs/findings.md"


def words_of(text):
    """A text in one line."""
    return " ".join(text.split())


def page(name):
    return words_of((ROOT / name).read_text())


def of_machine(committed, part):
    """What became of the articles' claims on the machine with that in its name."""
    (evidence,) = (one for name, one in committed.items() if part in name)
    counts = Counter(claim.judge(evidence).word for claim in claims())
    measured = counts.total() - counts[UNMEASURED]
    held = measured - counts[OPEN] - counts[FAILS]
    told = (
        f"{held} hold, {WORDS[held - counts[HOLDS]]} of them by less or by more; {counts[FAILS]} do not; "
        f"{counts[OPEN]} are not shown"
    )
    return measured, held, told


def claims_told(committed):
    """What became of the articles' claims on the two machines where more of them were measured than on any other."""
    measured, held, told = of_machine(committed, "nvidia")
    measured_there, held_there, told_there = of_machine(committed, "amd-epyc")
    assert sorted(of_machine(committed, name)[0] for name in committed)[-2:] == sorted((measured, measured_there))
    for share in (held / measured, held_there / measured_there):
        assert 0.45 < share < 0.55, "this is called about half"
    articles = WORDS[len({claim.article for claim in claims()})]
    return (
        "**About half of the articles' claims that were measured hold, beside a GPU and on two cores.** "
        f"Of {len(claims())} claims in {articles} articles, {measured} were measured on the machine with a GPU: "
        f"{told}. On two cores of an AMD EPYC it is {measured_there}: {told_there} "
        "([docs/findings.md](docs/findings.md))"
    )


def numbers(text):
    return set(re.findall(r"\d+(?:[.,]\d+)*", text))


def stands_elsewhere(text):
    """Whether a page that a text links to has a paragraph with all of its numbers."""
    pages = re.findall(r"\]\((docs/[^)#]*)", text)
    return any(numbers(text) <= numbers(part) for name in pages for part in (ROOT / name).read_text().split("\n\n"))


def test_what_the_readme_says_is_found_or_stands_on_the_page_that_it_names(every, committed):
    section = (ROOT / "README.md").read_text().partition("## Some findings")[2].partition("\n## ")[0]
    told = [words_of(one).rstrip(".") for one in section.split("\n- ")[1:]]
    known = {f"**{one.finding.text}.** {next(iter(one.verdicts.values())).text}" for one in every if one.follows}
    assert claims_told(committed) in told
    others = [one for one in told if one not in known | {claims_told(committed)}]
    assert len(told) - len(others) >= 6
    assert all(stands_elsewhere(one) for one in others), others


def test_the_readme_s_findings_are_of_the_machines_and_precisions_that_it_names(every):
    for one in every:
        if f"**{one.finding.text}.**" in page("README.md"):
            gpu = "-nvidia-h100-" in next(iter(one.verdicts))
            assert gpu or next(iter(one.verdicts)).endswith("-2cpu")
            assert {case.dtype for case in one.finding.criterion.cases} == {"float32" if gpu else "float64"}


def test_the_readme_counts_the_regressions_that_are_found():
    recall = page("docs/recall.md")
    ((found, of),) = re.findall(r"Found (\d+) of (\d+);", recall)
    (controls,) = re.findall(r"Reported of (\d+) controls: 0 of", recall)
    (compared,) = re.findall(r"of old releases against themselves: 0 of (\d+) comparisons", recall)
    files = [(path.stem, path.read_text()) for path in (ROOT / "examples/reported").glob("*.py")]
    reproduced = [name for name, text in files if not re.search("^Control:", text, re.MULTILINE)]
    assert (len(reproduced), len(files)) == (int(of), int(of) + int(controls))
    libraries = WORDS[len({name.partition("_")[0] for name in reproduced})]
    assert (
        f"Users of {libraries} libraries reported {of} regressions that could be reproduced. With a file of ours for "
        f"each, `arrayspeed upgrade` finds {found}, and in {compared} comparisons of a release with itself it reports "
        "nothing"
    ) in page("README.md")


def test_the_readme_counts_what_is_measured():
    kernels = {name for part in BENCH for name in part.kernels}
    backends = [one for one in BACKENDS.values() if "cpu" in one.devices]
    readme = page("README.md")
    assert f"measures {WORDS[len(kernels)]} kernels on {WORDS[len(backends)]} backends" in readme
    assert f"measured in turn, every {1000 * BATCH:.0f} ms" in readme


def test_what_was_measured_on_a_gpu_is_told(committed, folder):
    (one,) = (evidence for name, evidence in committed.items() if "nvidia" in name)
    ((environment, levels),) = one.environments.items()
    told = page("docs/gpu.md")
    assert (
        "an NVIDIA H100, with JAX {jax}, PyTorch {torch} and CuPy {cupy};".format(**one.versions[environment]) in told
    )
    every = {case: level for case, level in levels.items() if case.measure == CALL.name}
    others = levels.keys() - every
    first = {case.kernel for case in others if case.measure == "track_first_call"}
    assert first - {"sine"} == {"elementwise", "matmul_transposed", "selu"}
    assert {case.kernel for case in others if case.measure not in ("time_round_trip", "track_first_call")} == {"sine"}
    assert {case.kernel for case in others if case.measure == "time_round_trip"} == {"matmul_transposed"}
    articles = {case: level for case, level in every.items() if case.dtype == "float64"}
    assert {case.kernel for case, level in articles.items() if level.processes == 4} == {
        *OPERATIONS,
        "linear_regression",
    }
    two = ("polynomial", "vmap_mapped", "vmap_vectorised", "vmap_loop", "convolve_devices")
    assert {case.kernel: level.processes for case, level in articles.items() if level.processes != 4} == dict.fromkeys(
        ("matmul_transposed", *two), 2
    )
    assert all(f"`{kernel}`" in told for kernel in two)
    for kernel in (*OPERATIONS, "linear_regression"):
        jax = "jax-jit" if kernel == "linear_regression" else "jax"
        assert {(case.backend, case.device) for case in articles if case.kernel == kernel} == {
            ("numpy", "cpu"),
            *((name, device) for name in (jax, "torch") for device in ("cpu", "gpu")),
            *([("numba", "cpu")] if kernel == "linear_regression" else []),
        }
    assert (
        "in float64 and four processes each: the five operations of article 001 in NumPy, JAX and PyTorch, and the "
        "linear regression of article 003 in NumPy, Numba, jitted JAX and PyTorch, on the CPU and, but for NumPy and "
        "Numba, on the GPU. "
        "In two processes each: `matmul_transposed` in float64 on that CPU, and in float32 on both, and `selu` in "
        "float32 on the CPU"
    ) in told
    beside_tiers = {
        case: level
        for case, level in every.items()
        if case.dtype == "float32"
        and (case.kernel in ("matmul_transposed", "polynomial") or (case.kernel, case.device) == ("selu", "cpu"))
    }
    assert {case.device for case in beside_tiers if case.kernel == "matmul_transposed"} == {"cpu", "gpu"}
    assert {level.processes for level in beside_tiers.values()} == {2}
    calls = {case: level for case, level in every.items() if case.dtype == "float32" and case not in beside_tiers}
    assert {level.processes for level in calls.values()} == {2}

    def measured(device, label, tier):
        """Kernel -> the backends that have its time at that size."""
        found = {}
        for case in calls:
            if case.device == device and case.size == getattr(CATALOGUE[case.kernel], label):
                found.setdefault(case.kernel, set()).add(case.backend)
        assert found.keys() <= set(in_tier(tier))
        return found

    large, small = measured("gpu", "large", "core"), measured("gpu", "small", "core")
    beside = measured("cpu", "large", "bench")
    assert len(beside) == len(in_tier("bench"))
    pair = sum(backends == {"numpy", "torch"} for backends in beside.values())
    assert (
        f"in two processes each: {len(large)} kernels of the core tier at their large size, and {len(small)} at their "
        "small one; transfers of `sine` in one process each; and the bench tier on the 16 "
        f"cores beside the GPU, {WORDS[pair]} of its kernels in NumPy and PyTorch alone"
    ) in told
    lines = sum(len(path.read_text().splitlines()) for path in folder.glob("*nvidia*/*.processes.jsonl"))
    assert f"{lines} processes in all" in told


def test_what_the_committed_results_are_is_told(committed, folder):
    table = results.load(folder)
    counts = dict(table.group_by("machine").len().iter_rows())
    most = max(counts, key=counts.get)
    of_machine = table.filter(pl.col("machine") == most)
    calls = of_machine.filter(pl.col("measure") == CALL.name, pl.col("value") > 0)
    width = ((calls["high"] - calls["low"]) / calls["value"]).median()
    between = [one.between for one in processes.noise(folder, of_machine).values()]
    together = next(iter(committed[most].environments.values()))
    processes_of = Counter(level.processes for case, level in together.items() if case.measure == CALL.name)
    assert processes_of.most_common(1)[0][0] == 2 and processes_of[1] < 0.2 * processes_of.total()
    every = [one for library in LIBRARIES for one in measured(folder, of_machine, library)]
    calls_of = [one for one in every if one.measure == CALL.name]
    assert {one.key[2] for one in calls_of} == set(in_tier("bench"))
    assert min(len(rounds) for one in calls_of for rounds in one.rounds.values()) == 4
    assert sum(name.endswith("-2cpu") for name in counts) == 2 and sum("nvidia" in name for name in counts) == 1
    assert (
        "They come from two shared machines with two cores, and from one with a GPU ([gpu.md](gpu.md)). On "
        f"`{most}`, most times in the environment with all libraries are of two processes; releases took turns, in "
        "four rounds or more of the ten kernels of the bench tier. Between processes the time of a call has a standard "
        f"deviation of {100 * min(between):.0f}–{100 * max(between):.0f} %, by backend, and asv's 99 % interval of it "
        f"is {100 * width:.0f} % wide in the median."
    ) in page("docs/reading.md")


def test_where_every_kernel_was_measured_is_told(committed):
    """Calls in each kernel's own precision, small and large, by every library."""
    ((name, evidence),) = ((name, one) for name, one in committed.items() if name.startswith("intel-xeon-f6m167"))
    (levels,) = evidence.environments.values()
    assert {case.measure for case in levels} == {CALL.name}
    assert {case.device for case in levels} == {"cpu"}
    backends = [one for one in BACKENDS.values() if "cpu" in one.devices]
    assert {(case.kernel, case.backend, case.size, case.dtype) for case in levels} == {
        (kernel.name, one.name, size, kernel.dtypes[0])
        for kernel in CATALOGUE.values()
        for one in backends
        if kernel.why_not(one.name, one.library, "cpu", kernel.dtypes[0]) is None
        for size in (kernel.small, kernel.large)
        if size <= (kernel.largest(one.name, one.library, "cpu") or size)
    }
    assert {level.processes for level in levels.values()} == {2}
    assert (
        f"`{name}` has how long a call takes, and nothing else, of all {len(CATALOGUE)} kernels on each of "
        f"{WORDS[len(backends)]} backends that can run it, at their small and large sizes and in their own precision: "
        f"{len(levels):,} times, of two processes each."
    ) in page("docs/reading.md")


def test_each_reason_is_of_a_step_of_the_results(folder):
    machine, known = reasons()
    table, steps = results.load(folder).filter(machine=machine), set()
    for library in LIBRARIES:
        for one in over_versions(measured(folder, table, library)):
            found = (vars(one) | vars(step) for step in one.steps if step.side_by_side)
            steps |= {(library, *(each[name] for name in NAMES)) for each in found}
    assert known and known.keys() <= steps


def project(tmp_path, monkeypatch, numpy, jax):
    write_project(tmp_path)
    values = [row("matmul", "numpy", 100, numpy), row("matmul", "jax", 100, jax)]
    write_results(tmp_path / "results", values, processes=8)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(findings, "findings", lambda: read(ENTRY))


def test_each_claim_that_does_not_hold_has_a_reason(committed):
    judged = [(claim, claim.judge(one)) for claim in claims() for one in committed.values()]
    assert {claim.text for claim, verdict in judged if verdict.word == FAILS and not verdict.why} == set()
    assert not any(verdict.why for _, verdict in judged if verdict.word != FAILS)


def test_of_no_claim_the_reason_is_not_known(committed):
    judged = [claim.judge(one) for claim in claims() for one in committed.values()]
    assert not any("not known" in verdict.why for verdict in judged)


def test_what_reasons_say_of_a_gpu_holds_in_each_process(folder):
    """The texts of ``claims.toml`` and of docs/gpu.md; no process is left out."""
    found = defaultdict(list)
    for path in folder.glob("*nvidia*/*.processes.jsonl"):
        for one in processes.of_file(path, processes.environment_of(path)):
            if one.one.measure == CALL.name and one.one.dtype == "float64":
                found[one.one.kernel, one.one.backend, one.one.device, one.one.size].append(one.value)
    for kernel in ("elementwise", "fft"):
        small, large = (found[kernel, "jax", "gpu", size] for size in (1_000, 1_000_000))
        assert max(large) < 2 * min(small)
        small, large = (found[kernel, "jax", "cpu", size] for size in (1_000, 1_000_000))
        assert min(large) > 100 * max(small)
    for (kernel, _, device, size), values in found.items():
        if (kernel, size) == ("matmul", 2_000):
            assert max(values) < 1e-3 if device == "gpu" else min(values) > 20e-3
    assert {key[2] for key in found if key[0] == "matmul"} == {"cpu", "gpu"}
    regression = {key[1:]: values for key, values in found.items() if key[0] == "linear_regression"}
    assert min(regression["torch", "cpu", 2]) > 5 * max(regression["torch", "cpu", 5])
    assert min(regression["jax-jit", "cpu", 50]) > 3 * max(regression["jax-jit", "cpu", 20])


def test_each_call_that_compiling_makes_slower_by_most_has_a_reason(committed):
    machine, reasons = compiled.reasons()
    found = compiled.slower(committed[machine])
    assert 5 <= len(found) <= compiled.COUNT
    assert [str(one.comparison.pair.fast) for one in found if not one.why] == []
    assert {(one.comparison.pair.fast.kernel, one.comparison.pair.fast.backend) for one in found} == reasons.keys()


def test_a_finding_that_follows_is_told_with_its_ratio(tmp_path, monkeypatch, capsys):
    project(tmp_path, monkeypatch, 1e-5, 3e-5)
    with pytest.raises(SystemExit) as ended:
        cli.main(["findings", "--format", "json"])
    assert ended.value.code == 0
    (found,) = json.loads(capsys.readouterr().out)
    (shown,) = found["shown"]
    assert "3.0× (" in shown["measured"] and "kernel=matmul" in shown["view"]


@pytest.mark.parametrize(("numpy", "jax", "word"), [(3e-5, 1e-5, "does not hold"), (1e-5, 1.05e-5, "not shown")])
@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_a_finding_that_does_not_follow_is_an_error(tmp_path, monkeypatch, capsys, numpy, jax, word, form):
    project(tmp_path, monkeypatch, numpy, jax)
    with pytest.raises(SystemExit) as ended:
        cli.main(["findings", "--format", form])
    assert ended.value.code == 1
    out = capsys.readouterr().out
    if form == "text":
        assert word in out and "0 of 1 findings" in out
    else:
        assert "NumPy multiplies faster" not in out


def test_a_finding_needs_all_of_its_machines(tmp_path, monkeypatch):
    project(tmp_path, monkeypatch, 1e-5, 3e-5)
    monkeypatch.setattr(findings, "findings", lambda: read(ENTRY.replace('"]\nrule', '", "another"]\nrule')))
    evidence = command.evidence_of(tmp_path / "results")
    (found,) = judged({name: verdicts(name, one) for name, one in evidence.items()})
    assert not found.follows and as_data([found]) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("text =", "txt =", "'text' is missing"),
        ("machines =", "machine =", "unknown key 'machine'"),
        ('"faster"', '"fastest"', "unknown rule"),
        ("matmul 100", "matmull 100", "unknown kernel"),
        ("matmul 100", "matmul 101", "unknown size"),
        ('["jax"]', '["jaxx"]', "jaxx"),
    ],
)
def test_a_mistake_in_the_file_names_the_entry(old, new, message):
    with pytest.raises(UserError) as raised:
        read(ENTRY.replace(old, new, 1))
    assert "findings.toml, finding 1" in str(raised.value) and message in str(raised.value)


def test_a_text_stands_once():
    with pytest.raises(UserError, match=r"finding 2 .*already"):
        read(ENTRY + ENTRY)
