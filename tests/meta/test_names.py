"""Names of measures, backends and libraries stand in tables alone: a new one is an entry, and nothing else changes."""

import ast
import re

import pytest

from arrayspeed.model.measures import MEASURES
from kernels import BACKENDS, LIBRARIES
from tests.conftest import ROOT

MODULES = sorted(path for room in ("arrayspeed", "benchmarks") for path in (ROOT / room).rglob("*.py"))
SCRIPTS = sorted((ROOT / "arrayspeed/report/static").glob("*.js"))

#: A name as a word of its own; ``jax-jit`` is not ``jax``.
NAME = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted({*MEASURES, *BACKENDS, *LIBRARIES}, key=len, reverse=True))})(?![\w-])"
)

#: Comments of a script.
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)

#: Module -> the names that may stand in it, and why.
ALLOWED = {
    "model/measures.py": ({*MEASURES}, "the table of measures"),
    "measure/selections.py": (
        {*MEASURES, "numpy", "numba", "jax", "jax-jit", "torch"},
        "selections: what the articles measured, and what is worth measuring first",
    ),
    "measure/peaks.py": ({"numba"}, "what compiles the loops that measure a machine"),
    "upgrades/pair.py": ({"numpy"}, "an example of a requirement"),
    "cli/upgrade.py": ({"jax"}, "an example of the command line"),
    "cli/own/upgrade.py": ({"jax"}, "an example of the command line"),
    "cli/compare.py": ({"jax"}, "an example of the command line"),
    "cli/bisect.py": ({"jax"}, "an example of the command line"),
    "cli/explain.py": ({"jax"}, "an example of the command line"),
    "own/sides.py": ({"jax"}, "an example of the command line"),
    "own/peers/pyhpc.py": ({*BACKENDS} - {"cupy", "mlx", "mlx-compile"}, "what another project calls its own backends"),
    "own/peers/npbench.py": ({"numpy", "numba", "jax", "jax-jit"}, "what another project calls its own backends"),
    "own/worker/waiting.py": (set(LIBRARIES), "runs where only the user's packages are: a table of all that is known"),
    "own/worker/programs.py": ({"jax", "torch", "numba"}, "runs where only the user's packages are"),
    "own/worker/values.py": ({"numpy", "torch", "cupy"}, "runs where only the user's packages are"),
    "own/worker/pools.py": ({"torch"}, "a link to the one below"),
    "system/pools.py": ({"torch"}, "runs where only the user's packages are: what is linked into PyTorch"),
    "audit/script.py": ({"numpy"}, "the host's arrays, of which a script makes the library's"),
    "benchmarks/common.py": (
        {"time_call", "time_round_trip", "time_pipelined", "track_first_call", "track_memory", "track_error"},
        "the methods themselves",
    ),
}


def docstrings(tree):
    """The docstrings of a module and of what it defines."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, kinds) and ast.get_docstring(node)}


def names_in(source):
    """The names in the texts of a module."""
    tree = ast.parse(source)
    left_out = docstrings(tree)
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in left_out)
    return {name for node in texts if isinstance(node.value, str) for name in NAME.findall(node.value)}


def names_in_script(source):
    """The names in a script, comments apart."""
    return set(NAME.findall(COMMENT.sub("", source)))


def place(path):
    return path.relative_to(ROOT).as_posix().removeprefix("arrayspeed/")


def test_modules_read_the_tables_and_no_exception_is_left_over():
    found = {place(path): names_in(path.read_text()) for path in MODULES}
    allowed = {where: names for where, (names, _) in ALLOWED.items()}
    assert {where: names for where, names in found.items() if names} == allowed


def test_scripts_read_the_tables():
    assert [path.name for path in SCRIPTS if names_in_script(path.read_text())] == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("measure == 'time_call'", {"time_call"}),
        ("f'arrayspeed run --measure track_error --size {size}'", {"track_error"}),
        ("first = 'numpy, cpu'", {"numpy"}),
        ("EAGER = {'jax-jit': 'jax'}", {"jax-jit", "jax"}),
        ("'NumPy, JAX and PyTorch'", set()),
        ("def f():\n    'Of time_call.'", set()),
        ("numpy = jax(time_call)", set()),
        ("'jaxlib and my-jax'", set()),
    ],
)
def test_what_is_found_in_a_module(source, names):
    assert names_in(source) == names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('row.measure === "time_call" // of numpy', {"time_call"}),
        ("`arrayspeed run --measure track_error`", {"track_error"}),
        ("/** As jax has it. */ meta.call", set()),
        ('"http://there/numpy"', {"numpy"}),
    ],
)
def test_what_is_found_in_a_script(source, names):
    assert names_in_script(source) == names


def test_every_measure_of_the_benchmarks_is_in_the_table():
    from benchmarks.common import _KernelBenchmark

    measured = {name for name in dir(_KernelBenchmark) if re.match("(time|track|peakmem)_", name)}
    assert measured == {name for name, one in MEASURES.items() if not one.of_library}
    for name, one in MEASURES.items():
        unit = getattr(getattr(_KernelBenchmark, name, None), "unit", None)
        assert unit in (None, one.unit), name
        assert one.what.endswith(".") and one.title and one.short


def test_every_backend_has_a_colour_of_its_own_and_every_compiled_one_an_eager_form():
    from arrayspeed.report.backends import BASELINE, BASELINE_DEVICE, COLOURS, EAGER

    assert len(set(COLOURS.values())) == len(BACKENDS)
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in COLOURS.values())
    assert BASELINE_DEVICE in BACKENDS[BASELINE].devices
    assert EAGER.keys() >= {one.name for one in BACKENDS.values() if one.compiled}
    assert {BACKENDS[name].library for name in EAGER.values()} <= set(LIBRARIES)
    of_one_library = {"jax-jit": "jax", "torch-compile": "torch", "tensorflow-xla": "tensorflow", "mlx-compile": "mlx"}
    assert {**of_one_library, "numba": "numpy"} == EAGER
