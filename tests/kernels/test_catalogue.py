"""The path from names to a call: catalogue, mistakes, what is not available, and what is not imported."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import kernels
from kernels import BACKENDS, CATALOGUE, DEVICES, LIBRARIES, NotAvailable
from kernels.backends import Backend, hardware, why_not
from kernels.preparation import choose_size, load

ROOT = Path(__file__).parents[2]


def python(*arguments, program=sys.executable):
    return subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True)


def test_importing_the_suite_imports_no_array_library(newest):
    """In an environment that has them all; the tools' own has NumPy, which asv takes where it finds it."""
    code = (
        "import sys, pkgutil, importlib, benchmarks, kernels\n"
        "for m in pkgutil.walk_packages(benchmarks.__path__, 'benchmarks.'): importlib.import_module(m.name)\n"
        "names = set(kernels.LIBRARIES)\n"
        "print(names & set(sys.modules)); assert not names & set(sys.modules)"
    )
    done = python("-c", code, program=newest.find_executable("python"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_catalogue_as_json():
    rows = json.loads(python("-m", "kernels", "--json").stdout)
    assert {"kernel", "family", "backends", "sizes", "dtype", "devices"} <= rows[0].keys()
    assert {(row["kernel"], row["dtype"]) for row in rows} == {
        (k.name, d) for k in CATALOGUE.values() for d in k.dtypes
    }


def test_catalogue_for_people_names_every_kernel_and_every_reason():
    text = python("-m", "kernels").stdout
    for kernel in CATALOGUE.values():
        assert f".{kernel.name} " in text
        for why in kernel.unavailable.values():
            assert why in text


@pytest.mark.parametrize("kernel", CATALOGUE.values(), ids=lambda kernel: kernel.name)
def test_sizes_are_ascending_and_hold_small_and_large(kernel):
    assert list(kernel.sizes) == sorted(set(kernel.sizes))
    assert {kernel.small, kernel.large} <= set(kernel.sizes)


@pytest.mark.parametrize("kernel", CATALOGUE.values(), ids=lambda kernel: kernel.name)
def test_a_library_has_the_function_or_the_catalogue_has_the_reason(kernel):
    for library in LIBRARIES:
        path = ROOT / "kernels" / kernel.family / f"{library}.py"
        tree = ast.parse(path.read_text()) if path.exists() else ast.Module([], [])
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assigned = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
        functions |= {target.id for target in assigned if isinstance(target, ast.Name)}
        names = [b.name for b in BACKENDS.values() if b.library == library]
        possible = [name for name in names if kernel.why_not(name, library) is None]
        made = kernel.derived and (ROOT / "kernels" / "gradients" / f"{library}.py").exists()
        assert (kernel.name in functions) == bool(possible and not made), f"{path}, {kernel.name}"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"kernel": "matmull"}, "'matmul'"),
        ({"backend": "cupyy"}, "numpy, numba, jax, jax-jit"),
        ({"device": "fpga"}, "cpu, gpu, tpu"),
        ({"dtype": "int8"}, "float64, float32"),
        ({"size": 0}, "1 or more"),
        ({"size": -1}, "1 or more"),
        ({"size": 2.5}, "whole number"),
        ({"size": True}, "whole number"),
        ({"size": "100"}, "whole number"),
        ({"kernel": None}, "unknown kernel None"),
        ({"kernel": ["matmul"]}, "unknown kernel"),
    ],
)
def test_a_mistake_gets_one_line_that_names_what_is_valid(arguments, says):
    valid = {"kernel": "matmul", "backend": "numpy", "size": 10, "device": "cpu"}
    with pytest.raises(ValueError) as caught:
        kernels.prepare(**(valid | arguments))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_any_integer_type_is_a_size():
    class Index:
        def __index__(self):
            return 3

    assert choose_size(Index()) == 3


@pytest.mark.parametrize("device", ["gpu", "tpu"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_device_that_is_missing_is_said_without_importing_the_library(monkeypatch, backend, device):
    monkeypatch.setattr(hardware, "glob", lambda pattern: [])
    monkeypatch.setattr("kernels.backends.installed", lambda library: True)
    with pytest.raises(NotAvailable) as caught:
        load("add", backend, 10, device)
    assert device in str(caught.value).lower()
    assert "\n" not in str(caught.value)


def test_a_library_that_is_not_installed_is_said(monkeypatch):
    monkeypatch.setattr("kernels.backends.installed", lambda library: False)
    for backend in BACKENDS:
        with pytest.raises(NotAvailable, match="is not installed"):
            load("add", backend, 10)


def test_a_driver_that_is_there_leaves_the_answer_to_the_library(monkeypatch):
    monkeypatch.setattr(hardware, "glob", lambda pattern: ["/dev/nvidia0"])
    monkeypatch.setattr("kernels.backends.installed", lambda library: True)
    assert why_not(Backend(name="x", library="x", devices=DEVICES), "gpu") is None
    assert why_not(Backend(name="x", library="x", devices=DEVICES), "cpu") is None


@pytest.mark.seconds
def test_every_kernel_has_its_benchmarks():
    from asv_runner.discovery import disc_benchmarks

    found = {benchmark.name for benchmark in disc_benchmarks(str(ROOT / "benchmarks"))}
    wanted = {f"{k.family}.{k.name}_{dtype}.time_call" for k in CATALOGUE.values() for dtype in k.dtypes}
    assert wanted <= found
