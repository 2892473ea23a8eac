"""The four targets: every test belongs to one of them, and nothing is silently never run."""

import ast
import re
import tomllib

import pytest

from tests.conftest import ROOT
from tests.markers import ALONE, COLLECTED, COMMANDS, LEVELS, MARKERS, level

DECLARED = [
    line.partition(":")[0]
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["markers"]
]

#: pytest's own.
BUILT_IN = {"parametrize", "skipif", "skip", "xfail", "usefixtures", "filterwarnings", "hypothesis"}

MODULES = sorted((ROOT / "tests").rglob("test_*.py"))


def runs():
    """Target -> of each call of pytest in it, the levels, whether it runs side by side, and whether it is for what runs
    alone.
    """
    rules = dict(re.findall(r"^(check|test|test-ci|test-all):.*\n((?:\t.+\n)+)", (ROOT / "Makefile").read_text(), re.M))
    return {
        target: [
            (set(re.findall(r"--level (\w+)", line)), "BESIDE" in line or "--numprocesses" in line, "--alone" in line)
            for line in rule.splitlines()
            if "$(PYTEST)" in line
        ]
        for target, rule in rules.items()
    }


def test_every_level_runs_once_in_all_and_what_compares_times_runs_alone():
    assert [len(each) for each in runs().values()] == [1, 2, 2, 2]
    assert {target: each[0][0] for target, each in runs().items()} == {
        "check": {"check"},
        "test": {"test"},
        "test-ci": {"ci"},
        "test-all": {"test", "ci", "all"},
    }
    for levels, beside, alone in (each for calls in runs().values() for each in calls):
        assert beside != alone, levels
    assert all({alone for *_, alone in calls} == {False, True} for name, calls in runs().items() if name != "check")


def test_a_test_belongs_to_one_target_by_its_markers():
    assert {marker for those in LEVELS.values() for marker in those} == set(DECLARED)
    assert level([]) == "check"
    assert level([ALONE]) == level(["environment"]) == "test"
    assert level(["environment", "commands"]) == "ci"
    assert level(["browser", "mutation"]) == "all"


def test_a_target_does_first_what_the_one_before_it_does():
    lines = (ROOT / "Makefile").read_text().splitlines()
    assert {"test: check", "test-ci: test", "test-all: check"} <= set(lines)


def test_ci_does_each_once():
    called = re.findall(r"^make (?:--assume-old=(\S+) )?(\S+)$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert called == [("", "check"), ("check", "test"), ("test", "test-ci"), ("", "vulnerabilities")]


def test_every_marker_is_declared_and_used(request):
    collected = request.config.stash[COLLECTED]
    used = set().union(*collected.values()) - BUILT_IN
    assert used <= set(DECLARED)
    if not left_out(collected):
        assert used == set(DECLARED), "a marker that no test has is a target that tests nothing"
    assert set(MARKERS.values()) <= set(DECLARED)


def test_what_make_test_has_of_commands_is_there():
    for module, sample in COMMANDS.items():
        (path,) = (ROOT / "tests").rglob(f"{module}.py")
        tree = ast.parse(path.read_text())
        assert {*sample} <= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def left_out(collected):
    """The modules that this session was not asked for, as where somebody runs one alone."""
    return {str(path.relative_to(ROOT)) for path in MODULES} - {name.partition("::")[0] for name in collected}


def test_every_module_has_tests_that_a_target_runs(request):
    collected = request.config.stash[COLLECTED]
    if request.config.args_source.name != "TESTPATHS":
        pytest.skip("only some modules were asked for")
    assert left_out(collected) == set()


def test_every_file_with_tests_has_a_name_that_is_collected():
    others = set((ROOT / "tests").rglob("*.py")) - set(MODULES)
    for path in others:
        functions = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef))
        assert [node.name for node in functions if node.name.startswith("test_")] == [], path


def test_the_page_about_tests_names_every_marker_and_target():
    page = (ROOT / "docs/testing.md").read_text()
    for name in (*DECLARED, *(f"make {target}" for target in runs())):
        assert f"`{name}`" in page
