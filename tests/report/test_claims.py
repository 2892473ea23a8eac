"""`arrayspeed claims`: each claim is decided by results alone, as its rule says."""

import pytest

from arrayspeed.claims.comparison import FAILS, HOLDS, LESS, MORE, OPEN, Pair
from arrayspeed.claims.criteria import RULES, Criterion
from arrayspeed.claims.evidence import Evidence
from arrayspeed.claims.table import UNMEASURED, VERDICTS, claims, read
from arrayspeed.cli import main as cli
from arrayspeed.model.errors import UserError
from arrayspeed.records import results
from arrayspeed.records.levels import Case
from kernels import BACKENDS, CATALOGUE
from support import schema
from support.generated import FAILED, NEWEST, row, write_project, write_results

#: Eight processes a value, which differ by 1 %: ratios are known to 1 or 2 %.
QUIET = {"processes": 8, "noise": 0.01}

CLAIMS = claims()

ALL_CASES = {case for claim in CLAIMS for case in claim.criterion.cases}


def rows_of(cases, value=lambda case: 1e-3):
    """A row for each case."""
    return [
        row(c.kernel, c.backend, c.size, value(c), dtype=c.dtype, device=c.device, measure=c.measure) for c in cases
    ]


def evidence_of(folder, rows, **options):
    """The evidence of a results folder that holds these rows."""
    write_results(folder, rows, **QUIET | options)
    return Evidence(results.load(folder), folder)


@pytest.fixture
def judge(tmp_path):
    """What is shown of a criterion by backends' times of matmul at 100 (or at several sizes)."""

    def judged(criterion, noise=0.01, **seconds):
        rows = [
            row("matmul", backend.replace("_", "-"), size, value)
            for backend, given in seconds.items()
            for size, value in (given if isinstance(given, dict) else {100: given}).items()
        ]
        found = criterion.find(evidence_of(tmp_path, rows, noise=noise))
        return None if found is None else criterion.judge(found.measurements)

    return judged


def matmul(backend, size=100):
    """The time of a matrix product."""
    return Case("matmul", size, backend)


def beats(fast, *slow):
    """``fast`` against each of the others."""
    return tuple(Pair(fast, other) for other in slow)


def rule(name, *pairs, **options):
    """A claim of a kind, about pairs."""
    return Criterion(RULES[name], sum(pairs, ()), **options)


def alike(*pairs, within=0.25):
    return rule("alike", *pairs, within=within)


def times(ratio, *pairs):
    return rule("times faster", *pairs, ratio=(ratio, ratio))


JAX_BEATS_NUMPY = beats(matmul("jax"), matmul("numpy"))


def test_there_are_many_claims_of_every_article():
    assert len(CLAIMS) >= 20
    assert {claim.article.number for claim in CLAIMS} == {"000", "001", "002", "003"}
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
    assert verdict.word in VERDICTS and verdict.word != UNMEASURED
    assert verdict.text and claim.criterion.rule.says
    for comparison in verdict.outcome.comparisons:
        assert comparison.ratio.low <= comparison.ratio.ratio <= comparison.ratio.high


def test_a_claim_that_counts_another_way_of_computing_says_so(everything):
    counting = [
        claim for claim in CLAIMS if any("gradient" in c.kernel and c.backend == "numpy" for c in claim.criterion.cases)
    ]
    assert counting
    for claim in CLAIMS:
        told = "numpy's gradient by forward finite differences" in claim.judge(everything).text
        assert told is (claim in counting), claim.text


def test_claims_on_a_gpu_are_decided_as_soon_as_there_is_one(tmp_path):
    only_cpu = evidence_of(tmp_path, rows_of(c for c in ALL_CASES if c.device == "cpu"))
    words = {claim.device: set() for claim in CLAIMS}
    for claim in CLAIMS:
        words[claim.device].add(claim.judge(only_cpu).word)
    assert words["gpu"] == words["tpu"] == {UNMEASURED}
    assert UNMEASURED not in words["cpu"]


@pytest.mark.parametrize(
    ("jax", "numpy", "word"),
    [(1e-3, 2e-3, HOLDS), (2e-3, 1e-3, FAILS), (1e-3, 1e-3, FAILS), (1e-3, 1.05e-3, OPEN), (1e-3, 1.2e-3, HOLDS)],
    ids=["faster", "slower", "the same", "at the factor that matters", "beyond it"],
)
def test_order(judge, jax, numpy, word):
    assert judge(rule("faster", JAX_BEATS_NUMPY), jax=jax, numpy=numpy).word == word
    contrary = {HOLDS: FAILS, FAILS: HOLDS, OPEN: OPEN}[word]
    assert judge(rule("not faster", JAX_BEATS_NUMPY), jax=jax, numpy=numpy).word == contrary


def test_noise_shows_nothing_either_way(judge):
    """A tie of wide intervals is no evidence: of being faster, of not being faster, or of being alike."""
    noisy = {"jax": 1e-3, "numpy": 1.1e-3, "noise": 0.5}
    for criterion in (rule("faster", JAX_BEATS_NUMPY), rule("not faster", JAX_BEATS_NUMPY), alike(JAX_BEATS_NUMPY)):
        outcome = judge(criterion, **noisy)
        assert outcome.word == OPEN, criterion
        assert "unclear" in outcome.text
    assert judge(rule("faster", JAX_BEATS_NUMPY), jax=1e-3, numpy=9e-3, noise=0.5).word == HOLDS


@pytest.mark.parametrize(
    ("numpy", "word"),
    [
        (6e-3, HOLDS),
        (3.2e-3, HOLDS),
        (11.2e-3, HOLDS),
        (2.8e-3, f"holds, {LESS}"),
        (13e-3, f"holds, {MORE}"),
        (3e-3, OPEN),
    ],
)
def test_direction_and_size_are_two_claims(judge, numpy, word):
    outcome = judge(times(6, JAX_BEATS_NUMPY), jax=1e-3, numpy=numpy)
    assert outcome.direction == HOLDS
    assert outcome.word == word
    assert ("reported" in outcome.text) is (word != HOLDS)


def test_a_ratio_near_one_needs_the_direction_too(judge):
    near = times(1.2, JAX_BEATS_NUMPY)
    slower = judge(near, jax=1e-3, numpy=0.8e-3)
    assert (slower.direction, slower.size, slower.word) == (FAILS, HOLDS, FAILS)
    assert judge(near, jax=1e-3, numpy=1e-3).word == FAILS
    assert judge(near, jax=1e-3, numpy=1.3e-3).word == HOLDS


def test_several_comparisons_must_all_agree(judge):
    both = times(4, beats(matmul("numpy"), matmul("jax")), beats(matmul("torch"), matmul("jax")))
    assert judge(both, jax=4e-3, numpy=1e-3, torch=1e-3).word == HOLDS
    assert judge(both, jax=4e-3, numpy=1e-3, torch=5e-3).word == FAILS
    assert judge(both, jax=4e-3, numpy=1e-3, torch=3e-3).word == f"holds, {LESS}"
    assert judge(both, jax=4e-3, numpy=3e-3, torch=0.3e-3).word == OPEN, "less of one and more of the other"


def test_many_comparisons_are_allowed_for(tmp_path):
    """What would be shown alone is not shown as one of many."""
    backends = ("numba", "jax", "jax-jit", "torch", "torch-compile", "tensorflow", "tensorflow-xla")
    rows = [row("matmul", "numpy", 100, 1e-3), *(row("matmul", name, 100, 1.085e-3) for name in backends)]
    evidence = evidence_of(tmp_path, rows, processes=4, noise=0.015)
    words = []
    for against in (backends[:1], backends):
        criterion = rule("faster", beats(matmul("numpy"), *map(matmul, against)))
        words.append(criterion.judge(criterion.find(evidence).measurements).word)
    assert words == [HOLDS, OPEN]


@pytest.mark.parametrize(("numpy", "word"), [(1.25e-3, HOLDS), (1.42e-3, FAILS), (0.8e-3, HOLDS), (1.33e-3, OPEN)])
def test_alike(judge, numpy, word):
    assert judge(alike(JAX_BEATS_NUMPY), jax=1e-3, numpy=numpy).word == word


def test_alike_within_the_share_reported(judge):
    assert judge(alike(JAX_BEATS_NUMPY, within=0.15), jax=1e-3, numpy=1.3e-3).word == FAILS
    assert judge(alike(JAX_BEATS_NUMPY, within=0.05), jax=1e-3, numpy=1.01e-3).word == HOLDS


def test_alike_compares_every_two(judge):
    """Not only each with the first: the others may be on both sides of it."""
    three = alike(beats(matmul("numpy"), matmul("jax"), matmul("torch")), beats(matmul("jax"), matmul("torch")))
    assert judge(three, numpy=1e-3, jax=1.2e-3, torch=0.83e-3).word == FAILS


def pairs_at(fast, slow, *sizes):
    """A comparison of two backends at each size."""
    return tuple(pair for size in sizes for pair in beats(matmul(fast, size), matmul(slow, size)))


def test_somewhere_and_overtakes(judge):
    somewhere = rule("faster somewhere", pairs_at("numpy", "jax", 10, 30, 100), each_size=True)
    overtakes = rule("overtakes", pairs_at("jax", "numpy", 10, 30, 100), each_size=True)
    crossing = {"jax": {10: 2e-6, 100: 1e-6}, "numpy": {10: 1e-6, 100: 2e-6}}
    never = {"jax": {10: 1e-6, 100: 1e-6}, "numpy": {10: 2e-6, 100: 2e-6}}
    assert judge(somewhere, **crossing).word == judge(overtakes, **crossing).word == HOLDS
    assert judge(somewhere, **never).word == judge(overtakes, **never).word == FAILS
    assert judge(overtakes, noise=1, **crossing).word == OPEN
    assert judge(overtakes, jax={10: 1e-6}, numpy={10: 2e-6}) is None, "one size shows no crossing"


def test_best_of_several(judge):
    best = rule("times faster at best", pairs_at("jax", "numpy", 10, 100), ratio=(5, 5), each_size=True)
    jax = {10: 1e-6, 100: 1e-6}
    assert judge(best, jax=jax, numpy={10: 1.1e-6, 100: 6e-6}).word == HOLDS
    assert judge(best, jax=jax, numpy={10: 1.1e-6, 100: 2e-6}).word == f"holds, {LESS}"
    assert judge(best, jax=jax, numpy={10: 1.1e-6, 100: 20e-6}).word == f"holds, {MORE}"
    assert judge(best, jax=jax, numpy={10: 0.9e-6, 100: 1e-6}).word == FAILS


def test_growth(judge):
    pairs = beats(matmul("numpy", 10), matmul("numpy", 100))
    grows, hardly = rule("grows", pairs, ratio=(30, 30)), rule("hardly grows", pairs, ratio=(1.6, 1.6))
    assert judge(grows, numpy={10: 1e-6, 100: 30e-6}).word == HOLDS
    assert judge(grows, numpy={10: 1e-6, 100: 5e-6}).word == f"holds, {LESS}"
    assert judge(grows, numpy={10: 1e-6, 100: 0.5e-6}).word == FAILS
    assert judge(hardly, numpy={10: 1e-6, 100: 1e-6}).word == HOLDS
    assert judge(hardly, numpy={10: 1e-6, 100: 9e-6}).word == FAILS
    assert judge(hardly, numpy={10: 1e-6, 100: 3.2e-6}).word == OPEN


def test_sizes_were_measured_minutes_apart(judge):
    """The same ratio that is shown between backends of one run is not between sizes: the machine may have changed."""
    assert judge(rule("faster", JAX_BEATS_NUMPY), jax=1e-3, numpy=1.2e-3).word == HOLDS
    sizes = rule("faster", beats(matmul("numpy", 10), matmul("numpy", 100)))
    assert judge(sizes, numpy={10: 1e-3, 100: 1.2e-3}).word == OPEN


def test_no_single_winner(judge):
    none = rule("no single winner", pairs_at("numpy", "jax", 10, 100))
    assert judge(none, jax={10: 2e-6, 100: 1e-6}, numpy={10: 1e-6, 100: 2e-6}).word == HOLDS
    assert judge(none, jax={10: 2e-6, 100: 2e-6}, numpy={10: 1e-6, 100: 1e-6}).word == FAILS
    tie = {"jax": {10: 1e-6, 100: 1e-6}, "numpy": {10: 1e-6, 100: 2e-6}}
    assert judge(none, **tie).word == FAILS, "jax is the same in one and faster in the other"
    assert judge(none, noise=1, jax={10: 2e-6, 100: 1e-6}, numpy={10: 1e-6, 100: 2e-6}).word == OPEN


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
    assert rule("faster", JAX_BEATS_NUMPY).find(Evidence(results.load(tmp_path), tmp_path)) is None


def test_the_environment_with_most_libraries_then_the_newest_decides(tmp_path):
    pair = [row("matmul", "numpy", 100, 2e-3), row("matmul", "jax", 100, 1e-3)]
    write_results(tmp_path, pair, requirements={"jax": "0.9.2", "numpy": "2.4.6"}, environment="old")
    write_results(tmp_path, pair, requirements={"jax": "0.10.2", "numpy": "2.4.6"}, environment="new")
    find = rule("faster", JAX_BEATS_NUMPY).find
    assert find(Evidence(results.load(tmp_path), tmp_path)).environment == "new"
    more = [*pair, row("matmul", "torch", 100, 1e-3)]
    older = {"jax": "0.9.2", "numpy": "2.4.6", "torch": "2.13.0"}
    write_results(tmp_path, more, requirements=older, environment="all")
    assert find(Evidence(results.load(tmp_path), tmp_path)).environment == "all"


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
    cpu = [case for case in ALL_CASES if case.device == "cpu"]
    # Backends that differ, so that there are verdicts of all kinds.
    order = list(BACKENDS)
    write_results(write_project(tmp_path), rows_of(cpu, lambda case: 1e-3 * 1.5 ** order.index(case.backend)), **QUIET)
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
    for word in (
        HOLDS,
        f"holds, {LESS}",
        FAILS,
        UNMEASURED,
        *(claim.article.title for claim in CLAIMS),
        "generated-2cpu",
        *(f"{k} {v}" for k, v in NEWEST.items() if k != "mlx"),  # no article speaks of MLX
    ):
        assert word in " ".join(out.split())


def test_json(monkeypatch, capsys, project):
    status, out, _ = command(monkeypatch, capsys, project, "--format", "json")
    data = schema.read("claims", out)
    assert status == 0
    assert len(data["claims"]) == len(CLAIMS) == sum(data["counts"].values())
    decided = [claim for claim in data["claims"] if claim["verdict"] != UNMEASURED]
    assert all(claim["environment"] and claim["measurements"] for claim in decided)
    assert {claim["device"] for claim in decided} == {"cpu"}
    assert set(data["counts"]) == set(VERDICTS) >= {claim["verdict"] for claim in data["claims"]}
    for claim in decided:
        assert claim["direction"] in (HOLDS, FAILS, OPEN)
        assert claim["size"] in (None, HOLDS, LESS, MORE, OPEN)
        assert all(one["low"] <= one["ratio"] <= one["high"] for one in claim["comparisons"])
    assert any(claim["direction"] == HOLDS and claim["verdict"] == f"holds, {claim['size']}" for claim in decided)


def test_one_article(monkeypatch, capsys, project):
    _, out, _ = command(monkeypatch, capsys, project, "--format", "json", "--article", "003")
    assert {claim["article"] for claim in schema.read("claims", out)["claims"]} == {"003"}


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


def test_every_rule_has_a_claim():
    assert {claim.criterion.rule.says for claim in CLAIMS} == {one.says for one in RULES.values()}


ENTRY = """
[[articles]]
number = "009"
title = "An article"
measured_on = "paper"

[[articles.claims]]
text = "JAX is faster than NumPy"
reported = "3×"
rule = "times faster"
ratio = 3
of = ["matmul 100"]
fast = ["jax"]
slow = ["numpy", "torch float32"]
"""


def test_a_claim_is_data():
    (claim,) = read(ENTRY)
    assert (claim.article.number, claim.text, claim.reported) == ("009", "JAX is faster than NumPy", "3×")
    float32 = Case("matmul", 100, "torch", dtype="float32")
    assert claim.criterion.pairs == beats(matmul("jax"), matmul("numpy"), float32)
    assert claim.criterion.ratio == (3, 3)
    (took,) = read(ENTRY.replace("ratio = 3", "took = [2, 12]"))
    assert took.criterion.ratio == (6, 6)
    (sizes,) = read(ENTRY.replace('"matmul 100"', '"matmul"').replace("fast =", "sizes = [10, 100]\nfast ="))
    assert sizes.criterion.each_size
    assert [pair.fast.size for pair in sizes.criterion.pairs] == [10, 10, 100, 100]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('rule = "times faster"', 'rule = "quicker"', "unknown rule 'quicker'"),
        ('rule = "times faster"', 'rule = "faster"', "unknown key 'ratio'"),
        ('rule = "times faster"', "", "'rule' is missing"),
        ("ratio = 3", "", "'ratio' is missing"),
        ("ratio = 3", 'ratio = ["3"]', "values to unpack"),
        ("ratio = 3", "within = 0.1", "unknown key 'within'"),
        ('fast = ["jax"]', "", "'fast' is missing"),
        ('fast = ["jax"]', 'fast = ["jaxx"]', "jaxx"),
        ('fast = ["jax"]', 'fast = ["jax 100"]', "says something twice"),
        ('"matmul 100"', '"matmul"', "unknown size 'None'"),
        ('"matmul 100"', '"matmul 7"', "unknown size '7'"),
        ('slow = ["numpy"', 'slow = ["numpy gpu"', "unknown device 'gpu'"),
        ("title =", "titel =", "'title' is missing"),
        ('text = "JAX', "text = JAX", "line 8"),
    ],
)
def test_an_error_in_the_file_names_the_entry(old, new, complaint):
    with pytest.raises(UserError) as caught:
        read(ENTRY.replace(old, new))
    message = str(caught.value)
    assert complaint in message and message.count("\n") == 0
    assert message.startswith("claims.toml")
    assert "009" in message or "line 8" in message
    assert ("claim 1 (JAX is faster than NumPy)" in message) is (old not in ("title =", 'text = "JAX'))


def test_the_command_says_what_is_wrong_with_the_file(monkeypatch, capsys, project):
    monkeypatch.setattr("arrayspeed.claims.table.PATH", project / "claims.toml")
    (project / "claims.toml").write_text(ENTRY.replace("ratio = 3", "ratios = 3"))
    claims.cache_clear()
    try:
        status, out, err = command(monkeypatch, capsys, project)
    finally:
        claims.cache_clear()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(
        "arrayspeed: claims.toml, article 009, claim 1 (JAX is faster than NumPy): unknown key 'ratios'"
    )
