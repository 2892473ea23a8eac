"""Findings: each follows from the results, and the pages have what they show."""

import re
import shutil
import subprocess
from collections import Counter, defaultdict
from dataclasses import replace

import polars as pl
import pytest

from arrayspeed.claims import compiled, findings
from arrayspeed.claims.comparison import FAILS
from arrayspeed.claims.findings import judged, read, verdicts
from arrayspeed.claims.table import claims
from arrayspeed.cli import findings as command
from arrayspeed.cli import main as cli
from arrayspeed.decide.looks import LOOKS
from arrayspeed.measure.players import BATCH
from arrayspeed.measure.selections import BENCH, OPERATIONS
from arrayspeed.model.errors import UserError
from arrayspeed.model.measures import CALL, measure_of
from arrayspeed.records import processes, results
from arrayspeed.report.findings import as_data
from arrayspeed.versions.history import by_python, measured
from arrayspeed.versions.reasons import NAMES, reasons
from arrayspeed.versions.steps import over_versions
from kernels import BACKENDS, CATALOGUE, LIBRARIES
from kernels.catalogue import in_tier
from support import schema
from support.generated import row, write_project, write_results
from tests.conftest import ROOT, WORDS, tool_of

ENTRY = """
[[findings]]
text = "NumPy multiplies faster than JAX"
machines = ["generated-2cpu"]
rule = "faster"
of = ["matmul 100"]
fast = ["numpy"]
slow = ["jax"]
"""


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
    assert shown == page, "tools/pages"


def words_of(text):
    """A text in one line."""
    return " ".join(text.split())


def page(name):
    return words_of((ROOT / name).read_text())


def of_library(library):
    """What docs/findings.md has of a library's newest releases."""
    return (ROOT / "docs/findings.md").read_text().partition(f"\n### {library}\n")[2].partition("\n### ")[0]


def safety(library):
    """What docs/releases/index.md has of a library's newest release: whether it is safe."""
    (row,) = re.findall(rf"^\| {library} .*$", (ROOT / "docs/releases/index.md").read_text(), re.MULTILINE)
    return row


def test_what_the_readme_says_of_releases_is_found():
    """Each of its findings names a library in bold and its outcome, and all of its numbers are in that library's parts
    of two pages.
    """
    section = (ROOT / "README.md").read_text().partition("Three [findings]")[2].partition("\n## ")[0]
    told = [words_of(one) for one in re.split(r"^- ", section, flags=re.MULTILINE)[1:]]
    assert len(told) == 3
    for one in told:
        (name,) = re.findall(r"\*\*(NumPy|JAX|PyTorch) ", one)
        library = {"NumPy": "numpy", "JAX": "jax", "PyTorch": "torch"}[name]
        part, one = of_library(library), re.sub(r"\]\([^)]*\)", "]", one)
        assert numbers(one) <= numbers(part) | numbers(safety(library)), one
        (outcome,) = re.findall(r"\*\* is (NOT SAFE|SAFE|UNDECIDED) after ", one)
        assert f"| {outcome}: " in safety(library)
        newest = re.search(r"^([\d.]+) against ", part, re.MULTILINE)[1]
        assert f"**{name} {newest}** " in one


def numbers(text):
    return set(re.findall(r"\d+(?:[.,]\d+)*", text))


def test_the_readme_counts_the_regressions_that_are_found():
    recall = page("docs/lab/2026-11-recall.md")
    # Of the first table: a part of it was measured again.
    (found, of), *_ = re.findall(r"Found (\d+) of (\d+);", recall)
    controls, *_ = re.findall(r"Reported of (\d+) controls: 0 of", recall)
    compared, *_ = re.findall(r"of old releases against themselves: 0 of (\d+) comparisons", recall)
    files = [(path.stem, path.read_text()) for path in (ROOT / "examples/reported").glob("*.py")]
    reproduced = [name for name, text in files if not re.search("^Control:", text, re.MULTILINE)]
    assert (len(reproduced), len(files)) == (int(of), int(of) + int(controls))
    libraries = WORDS[len({name.partition("_")[0] for name in reproduced})]
    assert (
        f"Of {of} regressions that users reported and that could be reproduced, it finds {found} with files that we "
        f"wrote; in {compared} comparisons of a release with itself it reports nothing."
    ) in page("README.md")
    limits = page("docs/limits.md")
    assert (
        f"Users of {libraries} libraries reported {of} regressions that could be reproduced; `upgrade` finds {found}, "
        f"with a file for each in `examples/reported/`, and reports nothing in {compared} comparisons of a release "
        "with itself"
    ) in limits
    ((also_of, by_calls),) = re.findall(r"Counted by calls alone, \d+ of (\d+) are found: (\d+) are slower", recall)
    ((by_kernels, of_these),) = re.findall(r"(\d+) of (\d+) regressions show", recall)
    assert of == also_of == of_these
    assert f"slower calls alone are {by_calls}." in limits
    assert f"without a file for the report, {by_kernels} of the {of} are found." in limits
    assert f"{WORDS[int(controls)].capitalize()} more reports could not be reproduced on two cores" in limits


def test_pages_count_what_is_measured():
    kernels = {name for part in BENCH for name in part.kernels}
    backends = [one for one in BACKENDS.values() if "cpu" in one.devices]
    assert f"measures the {WORDS[len(kernels)]} kernels of the *bench* tier on {WORDS[len(backends)]} backends" in page(
        "docs/measure.md"
    )
    assert f"Calls of both versions alternate every {1000 * BATCH:.0f} ms" in page("README.md")
    assert f"interleaved, every {1000 * BATCH:.0f} ms" in page("docs/index.md")
    assert f"It also measures {len(CATALOGUE)} kernels" in page("docs/index.md")


def test_what_was_measured_on_a_gpu_is_told(committed, folder):
    (one,) = (evidence for name, evidence in committed.items() if "nvidia" in name)
    ((environment, levels),) = one.environments.items()
    told = page("docs/lab/2026-11-gpu.md")
    assert (
        "an NVIDIA H100, with JAX {jax}, PyTorch {torch} and CuPy {cupy};".format(**one.versions[environment]) in told
    )
    calls = {case: level for case, level in levels.items() if case.measure == CALL.name}
    others = levels.keys() - calls
    first = {case for case in others if case.measure == "track_first_call"}
    assert {case.kernel for case in others - first} == {"sine"} and {levels[case].processes for case in others} == {1}
    beside = {case for case in calls if case.device == "cpu"}
    large = {(name, CATALOGUE[name].large) for name in OPERATIONS}
    again = large | {("gradient", CATALOGUE["gradient"].small)}
    assert {(case.kernel, case.size) for case in beside if case.dtype == "float64"} == again
    assert {(case.kernel, case.size) for case in beside if case.dtype == "float32"} == {
        (name, CATALOGUE[name].large) for name in ("gradient", "add")
    }
    assert {case.device for case in calls.keys() - beside} == {"gpu"} and {case.device for case in first} == {"cpu"}
    assert {case.backend for case in first} == {"jax", "jax-jit"}
    count = WORDS[len({case.kernel for case in first})]
    assert f"`gradient` and `add` in float32 at their large sizes, and JAX's first calls of {count} kernels." in told
    doubles = {case: level for case, level in calls.items() if case.dtype == "float64"}
    articles = {case for case, level in doubles.items() if level.processes == 4}
    assert {case.device for case in articles} == {"gpu"}
    beyond = doubles.keys() - articles
    assert {doubles[case].processes for case in beyond} == {3}
    assert {(case.kernel, case.size) for case in beyond} == again
    assert {(case.kernel, case.size, case.backend, case.device) for case in doubles if case.kernel in OPERATIONS} >= {
        (name, size, backend.name, device)
        for name, size in again
        for backend in BACKENDS.values()
        for device in {"cpu", "gpu"} & set(backend.devices)
        if backend.library in one.versions[environment]
        and CATALOGUE[name].why_not(backend.name, backend.library, device, "float64") is None
    }
    assert (
        "`gradient` at both sizes, and the other four operations at their large size, are also there in float64 and "
        "three processes each: on every other backend of the GPU, and on every backend of the 16 cores beside it."
    ) in told
    backends = {
        kernel: {case.backend for case in articles if case.kernel == kernel}
        for kernel in {case.kernel for case in articles}
    }
    assert backends == {key: {"jax", "torch"} for key in OPERATIONS} | {"linear_regression": {"jax-jit", "torch"}}
    assert (
        "in float64 and four processes each: the five operations of article 001 in JAX and PyTorch, and the linear "
        "regression of article 003 in jitted JAX and PyTorch."
    ) in told
    single = {case: level for case, level in calls.items() if case.dtype == "float32"}
    assert doubles.keys() | single.keys() == calls.keys()
    assert {(case.kernel, case.size, level.processes) for case, level in single.items() if level.processes != 2} == {
        ("gradient", CATALOGUE["gradient"].large, 4),
        ("add", 10**8, 3),
    }
    assert "`gradient` at its large size in four, and `add` of 100,000,000 numbers in three;" in told

    def kernels_at(label):
        return {case.kernel for case in single if case.size == getattr(CATALOGUE[case.kernel], label)}

    core = set(in_tier("core"))
    assert (kernels_at("large") | kernels_at("small")) - core == {"matmul_transposed"}
    assert (
        f"in two processes each: {len(kernels_at('large') & core)} kernels of the core tier at their large size, and "
        f"{len(kernels_at('small') & core)} at their small one, and `matmul_transposed`;"
    ) in told
    assert {case.dtype for case in others - first} == {"float32", "float64"}
    assert "transfers of `sine`, in float64 too, in one process each." in told
    lines = sum(len(path.read_text().splitlines()) for path in folder.glob("*nvidia*/*.processes.jsonl"))
    assert f"{lines:,} processes in all" in told


def test_what_the_committed_results_are_is_told(committed, folder):
    table = results.load(folder)
    counts = dict(table.group_by("machine").len().iter_rows())
    most = max(counts, key=counts.get)
    of_machine = table.filter(pl.col("machine") == most)
    calls = of_machine.filter(pl.col("measure") == CALL.name, pl.col("value") > 0)
    width = ((calls["high"] - calls["low"]) / calls["value"]).median()
    between = [one.between for one in processes.noise(folder, of_machine).values()]
    together = max(committed[most].environments.values(), key=len)
    processes_of = Counter(level.processes for case, level in together.items() if case.measure == CALL.name)
    assert processes_of.most_common(1)[0][0] == 2 and processes_of[1] < 0.2 * processes_of.total()
    every = [
        one
        for library in LIBRARIES
        for _, part in by_python(of_machine, library)
        for one in measured(folder, part, library)
    ]
    calls_of = [one for one in every if one.measure == CALL.name]
    assert {one.key[2] for one in calls_of} == set(in_tier("core"))
    rounds, more = (
        [len(these) for one in calls_of if (one.key[2] in in_tier("bench")) == tier for these in one.rounds.values()]
        for tier in (True, False)
    )
    assert (min(rounds), max(rounds)) == (LOOKS[0], LOOKS[-1])
    assert {one.key[4] for one in calls_of if one.key[2] not in in_tier("bench")} == {
        *("jax", "jax-jit", "numpy", "torch", "torch-compile")
    }
    assert sum(name.endswith("-2cpu") for name in counts) == 2 and sum("nvidia" in name for name in counts) == 1
    assert (
        "They come from two shared machines with two cores, and from one with a GPU ([GPU](2026-11-gpu.md)). On "
        f"`{most}`, most times in the environment with all libraries are of two processes; releases took turns, in "
        f"{min(rounds)} to {max(rounds)} rounds of the ten kernels of the bench tier, and the newest two of JAX, "
        f"of NumPy and of PyTorch in {min(more)} to {max(more)} of the others of the core tier. Between "
        "processes the time of a call has a standard deviation of "
        f"{100 * min(between):.0f}–{100 * max(between):.0f} %, by backend, and asv's 99 % interval of it "
        f"is {100 * width:.0f} % wide in the median."
    ) in page("docs/lab/2026-11-results.md")
    (newest,) = (of for of in committed[most].environments.values() if any(level.met for level in of.values()))
    core = set(in_tier("core"))
    rounds_of = {
        tier: {
            len({number for _, number in level.met})
            for case, level in newest.items()
            if case.measure == CALL.name and (case.kernel in core) == tier
        }
        for tier in (True, False)
    }
    assert rounds_of == {True: {3, 4, 5, 8, 9}, False: {2}}
    assert (
        f"the {len(core)} kernels of the core tier in both precisions, in three to nine rounds, and the others in "
        "their own precision, in two"
    ) in page("docs/lab/2026-11-results.md")


def calls_wanted(kernels, sizes, dtypes):
    """Calls on a CPU by every backend that can run a kernel: kernel, backend, size and precision."""
    return {
        (kernel.name, one.name, size, dtype)
        for kernel in kernels
        for one in BACKENDS.values()
        if "cpu" in one.devices
        for dtype in dtypes(kernel)
        if kernel.why_not(one.name, one.library, "cpu", dtype) is None
        for size in sizes(kernel)
        if size <= (kernel.largest(one.name, one.library, "cpu") or size)
    }


def test_which_sizes_have_calls_is_told(committed):
    together = max(committed["amd-epyc-f25m17-2cpu"].environments.values(), key=len)
    had = {(case.kernel, case.backend, case.size, case.dtype) for case in together if case.measure == CALL.name}
    tier = [CATALOGUE[name] for name in in_tier("core")]
    wanted = calls_wanted(tier, lambda kernel: kernel.sizes, lambda kernel: kernel.dtypes)
    everywhere = calls_wanted(
        CATALOGUE.values(), lambda kernel: (kernel.small, kernel.large), lambda kernel: kernel.dtypes[:1]
    )
    assert wanted and {dtype for *_, dtype in wanted} == {"float64", "float32"}
    assert wanted - had == set() and everywhere - had == set()
    assert (
        f"There, the {len(tier)} kernels of the core tier have a time of a call in both precisions and at "
        "every size that the catalogue has for a backend, and the others in their own precision at their small and "
        "large sizes."
    ) in page("docs/lab/2026-11-results.md")


def test_where_every_kernel_was_measured_is_told(committed):
    """Calls in each kernel's own precision, small and large, by every library."""
    ((name, evidence),) = ((name, one) for name, one in committed.items() if name.startswith("intel-xeon-f6m167"))
    (levels,) = evidence.environments.values()
    assert {case.measure for case in levels} == {CALL.name}
    assert {case.device for case in levels} == {"cpu"}
    backends = [one for one in BACKENDS.values() if "cpu" in one.devices]
    assert {(case.kernel, case.backend, case.size, case.dtype) for case in levels} == calls_wanted(
        CATALOGUE.values(), lambda kernel: (kernel.small, kernel.large), lambda kernel: kernel.dtypes[:1]
    )
    assert {level.processes for level in levels.values()} == {2}
    assert (
        f"`{name}` has how long a call takes, and nothing else, of all {len(CATALOGUE)} kernels on each of "
        f"{WORDS[len(backends)]} backends that can run it, at their small and large sizes and in their own precision: "
        f"{len(levels):,} times, of two processes each."
    ) in page("docs/lab/2026-11-results.md")


@pytest.mark.seconds
def test_each_reason_is_of_a_step_of_the_results(folder):
    machine, known = reasons()
    table, steps = results.load(folder).filter(machine=machine), set()
    for library in LIBRARIES:
        for _, part in by_python(table, library):
            for one in over_versions(measured(folder, part, library)):
                found = (vars(one) | vars(step) for step in one.steps if step.side_by_side)
                steps |= {(library, *(each[name] for name in NAMES)) for each in found}
    assert known and known.keys() <= steps


def test_each_release_that_a_search_named_is_that_of_its_record():
    tool = tool_of("searches")
    told = {
        (one["package"], one["old"], one["new"], change["of"]): tool["sentence"](tool["change_of"](change))
        for one in tool["read"](ROOT / "docs/measured/searches.jsonl")
        for change in one["changes"]
    }
    searched = {place: why for place, why in reasons()[1].items() if "bisect" in why}
    assert searched
    for (library, before, version, kernel, size, backend, measure), why in searched.items():
        name = f"{kernel}({size:,}) {backend} {measure_of(measure).short}"
        assert told[library, before, version, name] in why


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
    """The texts of ``claims.toml``; no process is left out."""
    found = defaultdict(list)
    for path in folder.glob("*nvidia*/*.processes.jsonl"):
        for one in processes.of_file(path, processes.environment_of(path)):
            if one.one.measure == CALL.name and one.one.dtype == "float64":
                found[one.one.kernel, one.one.backend, one.one.device, one.one.size].append(one.value)
    for kernel in ("elementwise", "fft"):
        small, large = (found[kernel, "jax", "gpu", size] for size in (1_000, 1_000_000))
        assert max(large) < 2 * min(small)
    product = ("matmul", "gpu", 2_000)
    products = [values for (name, _, device, size), values in found.items() if (name, device, size) == product]
    assert len(products) == 5 and all(max(values) < 1e-3 for values in products)


def test_each_call_that_compiling_makes_slower_by_most_has_a_reason(committed):
    machine, reasons = compiled.reasons()
    found = compiled.slower(committed[machine])
    assert 5 <= len(found) <= compiled.COUNT
    assert [str(one.comparison.pair.fast) for one in found if not one.why] == []
    assert {(one.comparison.pair.fast.kernel, one.comparison.pair.fast.backend) for one in found} == reasons.keys()


def test_what_a_reason_says_of_float32_was_measured(committed):
    """The time of the compiled backend there, and where two are told, also that of the eager one."""
    machine, _ = compiled.reasons()
    levels = max(committed[machine].environments.values(), key=len)
    told = [
        (one.comparison.pair, said.groups())
        for one in compiled.slower(committed[machine])
        if (said := re.search(r"in float32, .* took ([\d.]+)(?: and ([\d.]+))? ms", one.why))
    ]
    assert {pair.fast.kernel for pair, _ in told} == {"conv2d", "top_k"}
    for pair, times in told:
        took = [f"{1000 * levels[replace(case, dtype='float32')].value:.1f}" for case in (pair.fast, pair.slow)]
        assert [one or there for one, there in zip(times, took, strict=True)] == took


def test_a_finding_that_follows_is_told_with_its_ratio(tmp_path, monkeypatch, capsys):
    project(tmp_path, monkeypatch, 1e-5, 3e-5)
    with pytest.raises(SystemExit) as ended:
        cli.main(["findings", "--format", "json"])
    assert ended.value.code == 0
    (found,) = schema.read("findings", capsys.readouterr().out)["findings"]
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
