"""`arrayspeed claims`: each claim is decided by results alone, as its rule says."""

import json

import pytest

from arrayspeed import cli, criteria, results
from arrayspeed.claims import CLAIMS, FAILS, HOLDS, UNMEASURED, at, beats, each_size, faster, times
from arrayspeed.criteria import Alike, BestTimesFaster, Grows, NoSingleWinner, NotFaster, Overtakes, Somewhere
from arrayspeed.evidence import Evidence
from kernels import BACKENDS, CATALOGUE
from tests.generated import FAILED, NEWEST, row, write_project, write_results

ALL_CASES = {case for claim in CLAIMS for case in claim.criterion.cases}


def rows_of(cases, value=lambda case: 1e-3):
    """A row for each case."""
    return [
        row(c.kernel, c.backend, c.size, value(c), dtype=c.dtype, device=c.device, measure=c.measure) for c in cases
    ]


def evidence_of(folder, rows, **options):
    """The evidence of a results folder that holds these rows."""
    write_results(folder, rows, **options)
    return Evidence(results.load(folder))


@pytest.fixture
def judge(tmp_path):
    """Whether a criterion holds for backends' times of matmul at 100 (or at several sizes)."""

    def judged(criterion, **seconds):
        rows = [
            row("matmul", backend.replace("_", "-"), size, value)
            for backend, given in seconds.items()
            for size, value in (given if isinstance(given, dict) else {100: given}).items()
        ]
        found = criterion.find(evidence_of(tmp_path, rows))
        return None if found is None else criterion.judge(found.measurements)

    return judged


matmul = at("matmul", 100)
JAX_BEATS_NUMPY = beats(matmul("jax"), matmul("numpy"))


def test_there_are_many_claims_of_every_article():
    assert len(CLAIMS) >= 20
    assert {claim.article for claim in CLAIMS} == {"000", "001", "002", "003"}
    assert len({(claim.article, claim.text) for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.device for claim in CLAIMS} == {"cpu", "gpu", "tpu"}


@pytest.mark.parametrize("case", sorted(ALL_CASES, key=str), ids=str)
def test_everything_that_a_claim_needs_can_be_measured(case):
    kernel, backend = CATALOGUE[case.kernel], BACKENDS[case.backend]
    assert case.size in kernel.sizes
    assert case.dtype in kernel.dtypes
    assert kernel.why_not(backend.name, backend.library) is None
    assert case.device in backend.devices


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text)
def test_every_claim_without_results(claim):
    verdict = claim.judge(Evidence(results.load("/nonexistent")))
    assert verdict.word == UNMEASURED
    assert verdict.text


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """Evidence of all cases of all claims, all devices on one machine, all values alike."""
    return evidence_of(tmp_path_factory.mktemp("everything"), rows_of(ALL_CASES))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text)
def test_every_claim_with_all_results(claim, everything):
    verdict = claim.judge(everything)
    assert verdict.word in (HOLDS, FAILS)
    assert verdict.text and claim.rule


def test_claims_on_a_gpu_are_decided_as_soon_as_there_is_one(tmp_path):
    only_cpu = evidence_of(tmp_path, rows_of(c for c in ALL_CASES if c.device == "cpu"))
    words = {claim.device: set() for claim in CLAIMS}
    for claim in CLAIMS:
        words[claim.device].add(claim.judge(only_cpu).word)
    assert words["gpu"] == words["tpu"] == {UNMEASURED}
    assert UNMEASURED not in words["cpu"]


@pytest.mark.parametrize(
    ("jax", "numpy", "holds"),
    [(1e-3, 2e-3, True), (2e-3, 1e-3, False), (1e-3, 1.08e-3, False), (1e-3, 1.2e-3, True)],
    ids=["faster", "slower", "within the noise", "beyond the noise"],
)
def test_order(judge, jax, numpy, holds):
    assert judge(faster(JAX_BEATS_NUMPY), jax=jax, numpy=numpy).holds is holds
    assert judge(NotFaster(JAX_BEATS_NUMPY), jax=jax, numpy=numpy).holds is not holds


def test_overlapping_intervals_are_a_tie(tmp_path):
    wide = [row("matmul", "jax", 100, 1e-3, high=2.5e-3), row("matmul", "numpy", 100, 2e-3)]
    criterion = faster(JAX_BEATS_NUMPY)
    outcome = criterion.judge(criterion.find(evidence_of(tmp_path, wide)).measurements)
    assert not outcome.holds
    assert "a tie" in outcome.text


@pytest.mark.parametrize(
    ("numpy", "holds"), [(5.9e-3, True), (3.1e-3, True), (2.9e-3, False), (11.9e-3, True), (12.1e-3, False)]
)
def test_a_ratio_holds_within_a_factor_of_two(judge, numpy, holds):
    assert judge(times(6, JAX_BEATS_NUMPY), jax=1e-3, numpy=numpy).holds is holds


def test_a_ratio_near_one_needs_the_direction_too(judge):
    assert not judge(times(1.2, JAX_BEATS_NUMPY), jax=1e-3, numpy=0.8e-3).holds
    assert not judge(times(1.2, JAX_BEATS_NUMPY), jax=1e-3, numpy=1e-3).holds
    assert judge(times(1.2, JAX_BEATS_NUMPY), jax=1e-3, numpy=1.3e-3).holds


@pytest.mark.parametrize(("numpy", "holds"), [(1.3e-3, True), (1.4e-3, False), (0.76e-3, True)])
def test_alike(judge, numpy, holds):
    assert judge(Alike(JAX_BEATS_NUMPY), jax=1e-3, numpy=numpy).holds is holds


def test_alike_within_the_share_reported(judge):
    assert not judge(Alike(JAX_BEATS_NUMPY, within=0.15), jax=1e-3, numpy=1.3e-3).holds
    assert judge(Alike(JAX_BEATS_NUMPY, within=0.01), jax=1e-3, numpy=1.08e-3).holds, "a tie by their intervals"


def pairs_at(fast, slow, *sizes):
    """A comparison of two backends at each size."""
    return tuple(pair for size in sizes for pair in beats(at("matmul", size)(fast), at("matmul", size)(slow)))


def test_somewhere_and_overtakes(judge):
    somewhere = each_size(Somewhere(pairs_at("numpy", "jax", 10, 30, 100)))
    overtakes = each_size(Overtakes(pairs_at("jax", "numpy", 10, 30, 100)))
    crossing = {"jax": {10: 2e-6, 100: 1e-6}, "numpy": {10: 1e-6, 100: 2e-6}}
    never = {"jax": {10: 1e-6, 100: 1e-6}, "numpy": {10: 2e-6, 100: 2e-6}}
    assert judge(somewhere, **crossing).holds and judge(overtakes, **crossing).holds
    assert not judge(somewhere, **never).holds and not judge(overtakes, **never).holds
    assert judge(overtakes, jax={10: 1e-6}, numpy={10: 2e-6}) is None, "one size shows no crossing"


def test_best_of_several(judge):
    best = each_size(BestTimesFaster(pairs_at("jax", "numpy", 10, 100), ratio=(5, 5)))
    assert judge(best, jax={10: 1e-6, 100: 1e-6}, numpy={10: 1.1e-6, 100: 6e-6}).holds
    assert not judge(best, jax={10: 1e-6, 100: 1e-6}, numpy={10: 1.1e-6, 100: 2e-6}).holds


def test_growth(judge):
    grows = Grows(beats(at("matmul", 10)("numpy"), at("matmul", 100)("numpy")), ratio=(1.6, 1.6))
    assert judge(grows, numpy={10: 1e-6, 100: 1e-6}).holds
    assert not judge(grows, numpy={10: 1e-6, 100: 9e-6}).holds


def test_no_single_winner(judge):
    groups = tuple(tuple(at("matmul", size)(b) for b in ("numpy", "jax")) for size in (10, 100))
    assert judge(NoSingleWinner(groups), jax={10: 2e-6, 100: 1e-6}, numpy={10: 1e-6, 100: 2e-6}).holds
    assert not judge(NoSingleWinner(groups), jax={10: 2e-6, 100: 2e-6}, numpy={10: 1e-6, 100: 1e-6}).holds
    tie = {"jax": {10: 1e-6, 100: 1e-6}, "numpy": {10: 1e-6, 100: 2e-6}}
    assert not judge(NoSingleWinner(groups), **tie).holds, "jax is never beaten"


def test_the_nearest_size_stands_in_and_is_named(tmp_path):
    claim = next(claim for claim in CLAIMS if "JAX with JIT is 6 times faster" in claim.text)
    evidence = evidence_of(
        tmp_path, [row("polynomial", b, n, v) for b, v in (("numpy", 6e-2), ("jax-jit", 1e-2)) for n in (100, 3_000)]
    )
    verdict = claim.judge(evidence)
    assert verdict.word == HOLDS
    assert "at 3,000, the nearest size measured" in verdict.text
    far = evidence_of(tmp_path / "far", [row("polynomial", b, 100, 1e-2) for b in ("numpy", "jax-jit")])
    assert claim.judge(far).word == UNMEASURED


def test_a_failed_measurement_decides_nothing_and_is_named(tmp_path):
    claim = next(claim for claim in CLAIMS if "JAX with JIT is 6 times faster" in claim.text)
    rows = [row("polynomial", "numpy", 10_000, FAILED), row("polynomial", "jax-jit", 10_000, 1e-2)]
    verdict = claim.judge(evidence_of(tmp_path, rows))
    assert verdict.word == UNMEASURED
    assert verdict.text.startswith("failed")


def test_environments_are_not_mixed(tmp_path):
    write_results(tmp_path, [row("matmul", "numpy", 100, 2e-3)], requirements={"numpy": "2.4.6"})
    write_results(tmp_path, [row("matmul", "jax", 100, 1e-3)], requirements={"jax": "0.10.2"})
    assert faster(JAX_BEATS_NUMPY).find(Evidence(results.load(tmp_path))) is None


def test_the_environment_with_most_libraries_then_the_newest_decides(tmp_path):
    pair = [row("matmul", "numpy", 100, 2e-3), row("matmul", "jax", 100, 1e-3)]
    write_results(tmp_path, pair, requirements={"jax": "0.9.2", "numpy": "2.4.6"}, environment="old")
    write_results(tmp_path, pair, requirements={"jax": "0.10.2", "numpy": "2.4.6"}, environment="new")
    find = faster(JAX_BEATS_NUMPY).find
    assert find(Evidence(results.load(tmp_path))).environment == "new"
    more = [*pair, row("matmul", "torch", 100, 1e-3)]
    older = {"jax": "0.9.2", "numpy": "2.4.6", "torch": "2.13.0"}
    write_results(tmp_path, more, requirements=older, environment="all")
    assert find(Evidence(results.load(tmp_path))).environment == "all"


def test_the_generated_files_are_asvs(tmp_path):
    from asv.results import Results

    path = write_results(tmp_path, [row("matmul", "numpy", 100, 2e-3), row("matmul", "jax", 10, FAILED)])
    loaded = Results.load(str(path))
    name = "linalg.matmul_float64.time_call"
    assert loaded.params["machine"] == "generated-2cpu"
    assert 2e-3 in loaded.get_result_value(name, loaded.get_result_params(name))


def command(monkeypatch, capsys, folder, *arguments):
    """Exit status, stdout and stderr of ``arrayspeed claims``."""
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as exit:
        cli.main(["claims", *arguments])
    captured = capsys.readouterr()
    return exit.value.code, captured.out, captured.err


@pytest.fixture
def project(tmp_path):
    """A project whose results decide every CPU claim."""
    write_results(write_project(tmp_path), rows_of(case for case in ALL_CASES if case.device == "cpu"))
    return tmp_path


@pytest.mark.parametrize("columns", [None, "70", "110", "200"])
def test_the_table_tells_every_claim_whole(monkeypatch, capsys, project, columns):
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    status, out, err = command(monkeypatch, capsys, project)
    assert (status, err) == (0, "")
    assert "…" not in out
    for claim in CLAIMS:
        for text in (*claim.text.split(), *claim.reported.split()):
            assert text in out
    for word in (HOLDS, FAILS, UNMEASURED, "generated-2cpu", *(f"{k} {v}" for k, v in NEWEST.items())):
        assert word in " ".join(out.split())


def test_json(monkeypatch, capsys, project):
    status, out, _ = command(monkeypatch, capsys, project, "--json")
    data = json.loads(out, parse_constant=pytest.fail)
    assert status == 0
    assert len(data["claims"]) == len(CLAIMS) == sum(data["counts"].values())
    decided = [claim for claim in data["claims"] if claim["verdict"] != UNMEASURED]
    assert all(claim["environment"] and claim["measurements"] for claim in decided)
    assert {claim["device"] for claim in decided} == {"cpu"}


def test_one_article(monkeypatch, capsys, project):
    _, out, _ = command(monkeypatch, capsys, project, "--json", "--article", "003")
    assert {claim["article"] for claim in json.loads(out)["claims"]} == {"003"}


@pytest.mark.parametrize("arguments", [["--machine", "no such"], ["--machine", "../../etc"], ["--article", "004"]])
def test_bad_arguments(monkeypatch, capsys, project, arguments):
    status, out, err = command(monkeypatch, capsys, project, *arguments)
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert repr(arguments[1]) in err.splitlines()[-1]


def test_without_results_it_says_what_to_run(monkeypatch, capsys, tmp_path):
    write_project(tmp_path)
    status, out, err = command(monkeypatch, capsys, tmp_path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "arrayspeed run" in err


def test_hostile_names_are_shown_as_text(monkeypatch, capsys, tmp_path):
    hostile = "[bold]<script>\x1b[31m../"
    rows = rows_of(case for case in ALL_CASES if case.device == "cpu")
    requirements = NEWEST | {"jax": "[link=x]\x1b]0;y"}
    options = {"machine": hostile, "machine_folder": "hostile", "requirements": requirements, "environment": "e"}
    write_results(write_project(tmp_path), rows, **options)
    status, out, _ = command(monkeypatch, capsys, tmp_path, "--machine", hostile)
    assert status == 0
    assert "\x1b" not in out
    assert "[bold]<script>" in out and "[link=x]" in out


def test_no_rule_is_left_out_of_the_tests():
    kinds = {type(claim.criterion).__name__ for claim in CLAIMS}
    assert kinds <= set(dir(criteria))
    assert kinds == {
        "Alike",
        "BestTimesFaster",
        "Faster",
        "Grows",
        "NoSingleWinner",
        "NotFaster",
        "Overtakes",
        "Somewhere",
        "TimesFaster",
    }
