"""The four targets: every test belongs to one of them, and nothing is silently never run."""

import ast
import itertools
import re
import tomllib
from typing import NamedTuple

import pytest

from tests.conftest import ROOT
from tests.markers import COLLECTED, COMMANDS, MARKERS

DECLARED = [
    line.partition(":")[0]
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["markers"]
]

#: pytest's own.
BUILT_IN = {"parametrize", "skipif", "skip", "xfail", "usefixtures", "filterwarnings", "hypothesis"}

MODULES = sorted((ROOT / "tests").rglob("test_*.py"))


class Phase(NamedTuple):
    """A call of pytest in a target: the expression by which it chooses tests, and whether they run side by side."""

    expression: str
    side_by_side: bool


def phases():
    """Target -> the calls of pytest by which it runs the tests that the targets before it have not run."""
    text = (ROOT / "Makefile").read_text()
    variables = dict(re.findall(r"^(SAMPLED|LONG) := (.+)$", text, re.MULTILINE))
    variables["LONG"] = variables["LONG"].replace("$(SAMPLED)", variables["SAMPLED"])
    rules = dict(re.findall(r"^(check|test|test-ci|test-all):.*\n((?:\t.+\n)+)", text, re.MULTILINE))
    found = {}
    for target, rule in rules.items():
        calls = re.findall(r"^\t\$\(PYTEST\)(.*) -m \"(.+)\"$", rule, re.MULTILINE)
        found[target] = [
            Phase(re.sub(r"\$\((\w+)\)", lambda match: variables[match[1]], expression), "SIDE_BY_SIDE" in options)
            for options, expression in calls
        ]
    return found


def chosen(expression, markers):
    return eval(expression, {}, {name: name in markers for name in DECLARED})


def test_whatever_markers_a_test_has_it_runs_once_in_all():
    every = phases()
    assert list(every) == ["check", "test", "test-ci", "test-all"]
    assert [len(one) for one in every.values()] == [1, 2, 2, 2]
    for count in range(len(DECLARED) + 1):
        for markers in itertools.combinations(DECLARED, count):
            check, test, ci, rest = (sum(chosen(one.expression, markers) for one in of) for of in every.values())
            assert check + rest == 1, markers
            assert test + ci <= rest, markers


def test_what_compares_times_runs_alone():
    for others in itertools.chain.from_iterable(itertools.combinations(DECLARED, count) for count in range(4)):
        for of in phases().values():
            assert not any(one.side_by_side and chosen(one.expression, {"clock", *others}) for one in of), others
    assert any(one.side_by_side and chosen(one.expression, {"environment"}) for one in phases()["test"])


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
        tree = ast.parse((ROOT / f"tests/{module}.py").read_text())
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
    for name in (*DECLARED, *(f"make {target}" for target in phases())):
        assert f"`{name}`" in page
