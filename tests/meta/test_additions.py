"""A kernel, a measure and a backend, each added by the files that CONTRIBUTING.md names and by no other: planned,
measured, compared and published.

The backend is a toy library that hands out NumPy's functions, in an interpreter of its own: no other library is needed.
"""

import ast
import json
import subprocess
import sys
import sysconfig

import pytest

from arrayspeed.records import results
from kernels import CATALOGUE, LIBRARIES
from kernels.catalogue import FAMILIES
from tests.conftest import ARRAYSPEED, command, commit, working_tree

pytestmark = pytest.mark.environment

TOY, FAST = "toyarrays", "toyarrays-fast"

KERNEL = """
    Kernel(
        "hypotenuse",
        "√(a² + b²)",
        inputs=two_vectors,
        reference=hypotenuse,
        flops=lambda n: 4 * n,
        bytes=lambda n, item: 3 * n * item,
        **COMMON,
    ),
"""

REFERENCE = '''
def hypotenuse(a, b):
    """NumPy's hypot, imported when it is needed."""
    import numpy as np

    return np.hypot(a, b)
'''

FUNCTION = '''

def hypotenuse(a, b):
    """√(a² + b²)."""
    return (a * a + b * b) ** 0.5
'''

MEASURE = """
        Measure(
            "track_result_size",
            "memory of the result",
            "result",
            "Memory that the result itself takes.",
            BYTES,
            exact=True,
            upgrade=SMALLEST,
        ),
"""

METHOD = '''
    def track_result_size(self, backend, size, device):
        """Bytes of the result."""
        return self.prepared.to_host(self.call()).nbytes

    track_result_size.unit = "bytes"
'''

BACKEND = f'''
    Backend(
        name="{TOY}",
        library="{TOY}",
        colour="#123456",
        settings={{"toys": "many"}},
    ),
    Backend(
        name="{FAST}",
        library="{TOY}",
        compiled=True,
        eager="{TOY}",
        colour="#654321",
    ),
'''

ADAPTER = f'''"""A toy: NumPy's arrays and functions under another name."""

import {TOY}

from kernels.backends import numpy


class Adapter(numpy.Adapter):
    """NumPy's arrays."""

    library = "{TOY}"

    def settings(self):
        """How many toys there are."""
        return {{"toys": {TOY}.TOYS}}
'''


def insert(path, before, text):
    """Put a text before another in a file."""
    old = path.read_text()
    assert old.count(before) == 1, (path, before)
    path.write_text(old.replace(before, text.strip("\n") + "\n" + before))


def functions(path):
    """What a library's file of a family gives the suite."""
    tree = ast.parse(path.read_text())
    named = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    named += [target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return [name for name in named if name != "shared" and not (name in CATALOGUE and CATALOGUE[name].derived)]


def add_kernel(tree):
    """As CONTRIBUTING.md has it: the family's ``__init__`` and a file for each library."""
    family = tree / "kernels/elementwise"
    insert(family / "__init__.py", "\n#: The largest size is for GPUs", REFERENCE)
    path = family / "__init__.py"
    before, bracket, after = path.read_text().rpartition("\n)\n")
    path.write_text(before + "\n" + KERNEL.strip("\n") + bracket + after)
    for library in LIBRARIES:
        with (family / f"{library}.py").open("a") as file:
            file.write(FUNCTION)
    return {f"kernels/elementwise/{name}.py" for name in ("__init__", *LIBRARIES)}


def add_measure(tree):
    """An entry and a method."""
    insert(tree / "arrayspeed/model/measures.py", "        ACCURACY,\n        IMPORT,\n", MEASURE)
    insert(tree / "benchmarks/common.py", "    time_pipelined.timer = _pipeline.timer\n", METHOD)
    return {"arrayspeed/model/measures.py", "benchmarks/common.py"}


def add_backend(tree):
    """An entry, an adapter, a file for each family or the reason why it has none, and a line for its environment."""
    insert(tree / "kernels/backends/table.py", ")\n\nBACKENDS = {", BACKEND)
    (tree / f"kernels/backends/{TOY}.py").write_text(ADAPTER)
    touched = {"kernels/backends/table.py", f"kernels/backends/{TOY}.py", "asv.conf.json"}
    for family in FAMILIES:
        path = tree / "kernels" / family / "numpy.py"
        if path.exists():
            lines = [f'"""As NumPy, for {family}."""', "", f"from kernels.{family} import numpy as theirs", ""]
            lines += [f"{name} = theirs.{name}" for name in functions(path)]
            path.with_name(f"{TOY}.py").write_text("\n".join(lines) + "\n")
            touched.add(f"kernels/{family}/{TOY}.py")
    reasons = {
        "gradients": ("NO_DIFFERENTIATION = {\n", f'    "{TOY}": "toys differentiate nothing",\n'),
        "parallel": ("        unavailable={\n", f'            "{TOY}": "toys have no devices",\n'),
        "random": ('dict.fromkeys(("numpy", ', f'"{TOY}", '),
    }
    for family, (behind, text) in reasons.items():
        path = tree / "kernels" / family / "__init__.py"
        old = path.read_text()
        assert behind in old, family
        path.write_text(old.replace(behind, behind + text, 1))
        touched.add(f"kernels/{family}/__init__.py")
    newest = "Which JAX? jaxlib"
    entry = f'        {{"python": "3.11", "req": {{"{TOY}": "1.0", "numpy": "2.4.6"}}}},\n'
    insert(tree / "asv.conf.json", f"\n        // {newest}", entry)
    return touched


def interpreter(folder):
    """A virtualenv with what this one has, and the toy library."""
    command(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"), cwd=folder)
    toys = folder / "toys"
    (toys / f"{TOY}-1.0.dist-info").mkdir(parents=True)
    (toys / f"{TOY}-1.0.dist-info/METADATA").write_text(f"Metadata-Version: 2.1\nName: {TOY}\nVersion: 1.0\n")
    (toys / f"{TOY}.py").write_text('from numpy import *\n\nTOYS = "many"\n')
    (packages,) = (folder / "venv/lib").glob("python*/site-packages")
    (packages / "all.pth").write_text(f"{sysconfig.get_path('purelib')}\n{toys}\n")
    return folder / "venv/bin/python"


PRINTS = """
import json
from arrayspeed.records.fingerprints import source_parts
from kernels import BACKENDS, CATALOGUE
every = [("add", name, "time_call") for name in BACKENDS] + [("matmul", "numpy", "track_error")]
print(json.dumps({"-".join(one): source_parts(*one) for one in every}))
"""


def prints(tree):
    return json.loads(command(sys.executable, "-c", PRINTS, cwd=tree).stdout)


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """The tree with all three, and what that touched."""
    folder = tmp_path_factory.mktemp("additions")
    tree = working_tree(folder / "arrayspeed")
    commit(tree)
    before = prints(tree)
    touched = add_kernel(tree) | add_measure(tree) | add_backend(tree)
    changed = command("git", "status", "--porcelain", "--untracked-files=all", cwd=tree).stdout.splitlines()
    assert {line[3:] for line in changed} == touched
    commit(tree)
    return tree, before, str(interpreter(folder))


@pytest.fixture(scope="module")
def measured(added):
    """What a run of all three prints, and its results. NumPy is there too, but only as what the toys need."""
    tree, _, python = added
    where = ("--environment", f"existing:{python}", "--kernel", "hypotenuse", "--size", "1000", "--dtype", "float64")
    measures = ("--measure", "time_call", "--measure", "track_first_call", "--measure", "track_result_size")
    done = command(*ARRAYSPEED, "run", *where, *measures, "--rounds", "2", cwd=tree)
    return done, results.load(tree / "results")


def test_the_catalogue_is_whole(added):
    tree, _, _ = added
    rows = json.loads(command(sys.executable, "-m", "kernels", "--json", cwd=tree).stdout)
    (row,) = (row for row in rows if (row["kernel"], row["dtype"]) == ("hypotenuse", "float64"))
    assert {"numpy", TOY} <= set(row["backends"])
    tests = ("tests/kernels/test_catalogue.py", "-k", "function_or_the_catalogue or sizes or not_imported")
    command(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=tree)


def test_values_of_everything_else_stay_up_to_date(added):
    tree, before, _ = added
    after = prints(tree)
    assert {name for name in before if before[name] != after[name]} == set()
    assert after.keys() - before.keys() == {f"add-{TOY}-time_call", f"add-{FAST}-time_call"}


def test_all_three_are_measured(measured):
    done, table = measured
    assert f"{TOY} 7.81 KiB" in done.stderr, done.stderr
    sizes = table.filter(measure="track_result_size")
    assert dict(zip(sizes["backend"], sizes["value"], strict=True)) == {TOY: 8000, FAST: 8000}
    times = table.filter(measure="time_call")
    assert sorted(times["backend"]) == [TOY, FAST]
    assert (times["value"] > 0).all()
    assert times.filter(backend=TOY)["version"].to_list() == ["1.0"]
    assert times["alone"].all()


def test_a_wrong_result_of_the_new_kernel_is_no_time(added, measured):
    tree, _, python = added
    path = tree / f"kernels/elementwise/{TOY}.py"
    right = path.read_text()
    path.write_text(right.replace("hypotenuse = theirs.hypotenuse", "hypotenuse = theirs.add"))
    where = ("--environment", f"existing:{python}", "--kernel", "hypotenuse", "--size", "1000", "--dtype", "float64")
    how = ("--backend", TOY, "--measure", "time_call", "--rounds", "1", "--again")
    done = subprocess.run([*ARRAYSPEED, "run", *where, *how], cwd=tree, capture_output=True, text=True)
    path.write_text(right)
    assert done.returncode == 1
    assert "WrongResult" in done.stderr


def test_the_summary_shows_them(added, measured):
    tree, _, _ = added
    text = command(*ARRAYSPEED, "summary", "--all-sizes", cwd=tree).stdout
    assert "hypotenuse" in text
    assert TOY in text
    assert FAST in text


def test_an_upgrade_measures_the_new_measure_and_the_new_library(added):
    tree, _, _ = added
    code = (
        "from arrayspeed.environments.project import load_config\n"
        "from arrayspeed.upgrades import compare, pair\n"
        "found = [one for each in compare.default_selections([], ['cpu'], []) for one in each.measures]\n"
        "assert 'track_result_size' in found, found\n"
        f"both = pair.pair_config(load_config(), '{TOY}', '1.0', '1.1').include\n"
        f"print([each['req'] for each in both])"
    )
    text = command(sys.executable, "-c", code, cwd=tree).stdout
    assert text.strip() == repr([{TOY: "1.0", "numpy": "2.4.6"}, {TOY: "1.1", "numpy": "2.4.6"}])


def test_the_audit_checks_the_new_backend(added):
    tree, _, python = added
    module = "arrayspeed.audit.worker.checks"
    lines = command(python, "-m", module, TOY, "cpu", "hypotenuse", cwd=tree).stdout.splitlines()
    rows = [json.loads(line[1:]) for line in lines if line.startswith("@")]
    assert {row["check"]: row["passed"] for row in rows} == dict.fromkeys(
        ("result", "compilation", "transfer", "work", "wait", "settings"), True
    )
    code = (
        "from arrayspeed.audit import script\n"
        "from arrayspeed.model.combination import Combination\n"
        "name = 'elementwise.hypotenuse_float64.time_call'\n"
        f"one = Combination('', name, 0, 'elementwise', 'hypotenuse', 'float64', 'time_call', '{TOY}', 10, 'cpu')\n"
        "exec(script.clock(one))"
    )
    done = subprocess.run([python, "-c", code], cwd=tree, input="3\n", capture_output=True, text=True)
    assert [list(json.loads(line)) for line in done.stdout.splitlines()] == [["ready"], ["seconds"]], done.stderr


def test_all_three_are_published(added, measured):
    tree, _, _ = added
    command(*ARRAYSPEED, "site", "--cdn", cwd=tree)
    (path,) = (tree / "html").rglob("meta.json")
    meta = json.loads(path.read_text())
    assert "hypotenuse" in meta["kernels"]
    assert meta["backends"][TOY] == {"library": TOY, "compiled": False, "colour": "#123456"}
    said = meta["measures"]["track_result_size"]
    assert (said["title"], said["what"]) == ("memory of the result", "Memory that the result itself takes.")
    values = json.loads(path.with_name("environment-0.json").read_text())
    found = zip(*(values[name] for name in ("kernel", "measure", "backend", "value")), strict=True)
    assert ("hypotenuse", "track_result_size", TOY, 8000) in list(found)
    decided = json.loads(path.with_name("decisions-0.json").read_text())
    (group,) = (each for each in decided["groups"] if each["measure"] == "time_call")
    assert group["names"] == [f"{TOY}, cpu", f"{FAST}, cpu"]
    *ratio, word = group["times"][0][1]
    assert word in ("better", "worse", "same", "unclear")
    assert ratio[1] <= ratio[0] <= ratio[2]
    (compiling,) = decided["compiling"]
    assert (compiling["backend"], compiling["eager"]) == (FAST, TOY)
