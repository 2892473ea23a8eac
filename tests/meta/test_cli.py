"""What commands have in common: help, old names of options, forms of output, and a terminal of 80 columns."""

import json
import subprocess
import sys

import pytest
from rich.cells import cell_len

from arrayspeed import __version__
from arrayspeed.audit.check import load
from arrayspeed.cli import audit, peaks
from arrayspeed.cli.main import COMMANDS, GROUPS, SHELLS, overview, parser, subcommands
from arrayspeed.cli.options import EXAMPLES, FORMATS
from arrayspeed.formats.fitting import show
from arrayspeed.records.peaks import Peaks, Rate
from kernels import BACKENDS
from support import schema
from support.generated import row, write_project, write_results
from tests.conftest import ROOT, command_here
from tests.meta.test_docs import HELP, typed

WIDTH = 80
AUDITED = "amd-epyc-f25m17-2cpu"


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))


@pytest.fixture
def project(tmp_path):
    """Results of every backend, and of six releases of NumPy."""
    results = write_project(tmp_path)
    times = [row(kernel, name, 1000, 1e-6) for kernel in ("add", "convolve_devices") for name in BACKENDS]
    write_results(results, times, requirements=dict.fromkeys(["numpy", "jax"], "1.2.3"), processes=4)
    for minor in range(6):
        rows = [row(kernel, "numpy", 1000, 1e-6 * 2**minor) for kernel in ("add", "sort")]
        write_results(results, rows, requirements={"numpy": f"2.{minor}.10"}, processes=4)
    return tmp_path


def lines_too_wide(text):
    return [line for line in text.splitlines() if cell_len(line) > WIDTH]


def test_every_command_is_in_one_group_and_has_a_line():
    assert len(GROUPS) == 4
    assert len(set(COMMANDS)) == len(COMMANDS)
    text = overview()
    assert lines_too_wide(text) == []
    for name in COMMANDS:
        (line,) = (line for line in text.splitlines() if line.startswith(f"    {name} "))
        assert line.endswith(".")


def test_the_help_lists_the_commands_without_importing_them():
    program = "import sys; from arrayspeed.cli.main import main\ntry: main(['--help'])\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert "upgrade" in done.stdout
    assert "arrayspeed.cli.upgrade" not in done.stdout and "polars" not in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_and_ends_with_three_examples(name):
    text = command_here(name, "--help", cwd=ROOT).stdout
    assert lines_too_wide(text) == []
    assert text.startswith(f"usage: arrayspeed {name} ")
    examples = HELP[f"arrayspeed {name} --help"].partition(EXAMPLES)[2]
    assert len(typed({name: examples}, "arrayspeed")) == 3
    assert text.rstrip().endswith(examples.rstrip().splitlines()[-1])


def test_version():
    assert command_here("--version", cwd=ROOT).stdout == f"arrayspeed {__version__}\n"


@pytest.mark.parametrize("arguments", [["--no-such"], ["--"], ["--print-completion"], ["--print-completion", "fish"]])
def test_a_mistake_before_a_command_gets_one_line(arguments):
    done = command_here(*arguments, cwd=ROOT, status=2)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_printed_and_knows_the_commands_and_their_options(shell):
    script = command_here("--print-completion", shell, cwd=ROOT).stdout
    for word in ("upgrade", "max-unclear"):
        assert word in script or (shell == "tcsh" and word == "max-unclear")
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
        asked = "COMP_WORDS=(arrayspeed bis); COMP_CWORD=1; _shtab_arrayspeed; echo ${COMPREPLY[@]}"
        done = subprocess.run(["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["bisect"]


#: A command with an old name of an option -> the same with the new one.
RENAMED = [
    (["versions", "numpy", "--json"], ["versions", "numpy", "--format", "json"]),
    (["claims", "--json"], ["claims", "--format", "json"]),
    (["audit", "--json"], ["audit", "--format", "json"]),
    (["simulate", "--json"], ["simulate", "--format", "json"]),
    (["findings", "--format", "text"], ["findings", "--format", "table"]),
    (["decide", "x", "--unclear", "0.5"], ["decide", "x", "--max-unclear", "0.5"]),
    (["upgrade", "--unclear", "0.5"], ["upgrade", "--max-unclear", "0.5"]),
    (["bisect", "--of", "time$"], ["bisect", "--only", "time$"]),
]


@pytest.mark.parametrize(("old", "new"), RENAMED, ids=lambda words: " ".join(words))
def test_an_old_name_works_and_says_once_what_takes_its_place(old, new, capsys):
    before = vars(parser(old).parse_args(old))
    (line,) = capsys.readouterr().err.splitlines()
    assert "deprecated" in line and new[-2] in line.partition(": use ")[2]
    assert before == vars(parser(new).parse_args(new))
    assert capsys.readouterr().err == ""


def test_an_old_name_that_is_given_twice_is_reported_once(capsys):
    parser(["decide"]).parse_args(["decide", "x", "--unclear", "0.5", "--unclear", "0.6"])
    assert capsys.readouterr().err.count("--max-unclear") == 1


def test_old_names_are_not_in_the_help():
    for name, sub in subcommands(parser([])).items():
        assert not {"--json", "--unclear", "--of"} & set(sub.format_help().split()), name


def test_every_command_with_forms_has_all_three():
    for name, sub in subcommands(parser([])).items():
        for action in sub._actions:
            if "--format" in action.option_strings:
                assert tuple(action.choices) == FORMATS, name


@pytest.mark.parametrize(
    "arguments",
    [
        ["summary"],
        ["summary", "--backend", "numpy", "--backend", "jax-jit"],
        ["versions", "numpy"],
        ["claims"],
        ["findings"],
        ["copies", "--read", str(ROOT / "docs/measured/noise-21-kernels.json")],
    ],
    ids=" ".join,
)
def test_output_fits_80_columns(project, arguments, capsys):
    status = {"findings": 1, "copies": 2}.get(arguments[0], 0)
    done = command_here(*arguments, cwd=project, status=status)
    assert done.stdout.strip()
    assert lines_too_wide(done.stdout) == []


def test_of_narrow_releases_every_value_is_there_in_several_tables(project):
    wide = command_here("versions", "numpy", "--format", "json", cwd=project).stdout
    shown = command_here("versions", "numpy", cwd=project).stdout
    releases = {point["version"] for series in json.loads(wide)["series"] for point in series["points"]}
    assert len(releases) > 5 and all(name in shown for name in releases)
    assert "Intervals are left out" in shown


def test_a_wide_terminal_shows_every_backend_and_every_interval(project, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    first = command_here("summary", cwd=project).stdout
    assert all(f" {name} " in first for name in BACKENDS)
    assert "left out" not in command_here("versions", "numpy", cwd=project).stdout


def test_the_summary_for_programs_and_pull_requests(project):
    data = schema.read("summary", command_here("summary", "--format", "json", cwd=project).stdout)
    assert {one["kernel"] for one in data["kernels"]} >= {"add"}
    backends = {name: one for each in data["kernels"] for name, one in each["backends"].items()}
    assert backends["numpy"]["seconds"] > 0 and backends["numpy"]["speed_up"] is None
    assert backends["jax"]["low"] < backends["jax"]["speed_up"] < backends["jax"]["high"]
    one = schema.read("summary", command_here("summary", "--backend", "jax", "--format", "json", cwd=project).stdout)
    assert {name for each in one["kernels"] for name in each["backends"]} == {"jax"}
    assert "| add | 1,000 |" in command_here("summary", "--format", "markdown", cwd=project).stdout


def test_versions_and_claims_for_pull_requests(project):
    assert "| kernel | backend |" in command_here("versions", "numpy", "--format", "markdown", cwd=project).stdout
    assert "| verdict | claim |" in command_here("claims", "--format", "markdown", cwd=project).stdout


def test_an_audit_and_rates_fit_80_columns(capsys):
    show(audit.shown(load(ROOT / "results", AUDITED)), "table")
    rates = [
        Rate(what, "float64", cores, size, 1e11)
        for what in ("read", "write", "triad")
        for cores in (1, 16)
        for size in (2**14, 2**28)
    ]
    found = Peaks((*rates, Rate("fma", "float64", 16, 0, 1e12)), "2026-01-01")
    show(peaks.shown(found), "table")
    printed = capsys.readouterr().out
    assert "268435456" not in printed and "256 MiB" in printed
    assert lines_too_wide(printed) == []
    show(peaks.shown(found), "json")
    assert len(schema.read("peaks", capsys.readouterr().out)["rates"]) == 13


def test_run_alone_asks_for_all(project):
    for arguments in ([], ["--rounds", "3"], ["--again"]):
        (line,) = command_here("run", *arguments, cwd=project, status=2).stderr.splitlines()
        assert "--all" in line and "days" in line
    (line,) = command_here("run", "--all", "--kernel", "add", cwd=project, status=2).stderr.splitlines()
    assert "no filter" in line
