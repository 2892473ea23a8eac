"""Findings: each follows from the results, and the page has what they show."""

import json
import shutil
import subprocess

import pytest

from arrayspeed.claims import findings
from arrayspeed.claims.findings import judged, read, verdicts
from arrayspeed.cli import findings as command
from arrayspeed.cli import main as cli
from arrayspeed.model.errors import UserError
from arrayspeed.report.findings import as_data
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


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """The evidence of the results that belong to the repository; a user's own may lie beside them."""
    folder = tmp_path_factory.mktemp("committed")
    listed = subprocess.run(["git", "ls-files", "-z", "results"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return command.evidence_of(folder / "results")


@pytest.fixture(scope="module")
def every(committed):
    return judged({name: verdicts(name, one) for name, one in committed.items()})


def test_every_finding_follows_from_the_results(every):
    assert len(every) >= 10
    lost = {
        one.finding.text: {name: found.text for name, found in one.verdicts.items()} for one in every if not one.follows
    }
    assert not lost


def test_the_page_is_what_the_results_show(every, committed):
    shown = (ROOT / "docs/findings.md").read_text()
    assert shown == command.markdown(every, committed), "arrayspeed findings --format markdown > docs/findings.md"


def test_what_the_readme_says_is_found_or_has_a_page(every):
    section = (ROOT / "README.md").read_text().partition("## Some findings")[2].partition("\n## ")[0]
    told = [" ".join(one.split()) for one in section.split("\n- ")[1:]]
    known = {f"**{one.finding.text}.** {next(iter(one.verdicts.values())).text}" for one in every if one.follows}
    others = [one for one in told if one.rstrip(".") not in known]
    assert len(told) - len(others) >= 5
    assert all("](docs/" in one for one in others), others


def project(tmp_path, monkeypatch, numpy, jax):
    write_project(tmp_path)
    values = [row("matmul", "numpy", 100, numpy), row("matmul", "jax", 100, jax)]
    write_results(tmp_path / "results", values, processes=8)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(findings, "findings", lambda: read(ENTRY))


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
