"""Result files that are truncated, empty, foreign or hostile: left out with a line, by every command, and not lost."""

import ast
import json
import re
import subprocess

import pytest
from asv import util
from asv.results import Results

from arrayspeed.audit import check
from arrayspeed.model.errors import UserError
from arrayspeed.records import guard, results
from arrayspeed.report.data import audits
from tests.conftest import ARRAYSPEED, ASV, ROOT, command, stored
from tests.meta.test_faults import EVERY, RUN, attempt, lines

pytestmark = pytest.mark.faults

#: What `make test-all` has besides: each makes a site, or measures.
MORE = pytest.mark.rest
DEEP = pytest.param("[" * 100_000, marks=MORE)

FEWER = "fewer values than parameters"

#: Name -> what becomes of the text of a good file.
FILES = {
    "empty": lambda text: "",
    "truncated": lambda text: text[: len(text) // 2],
    "not text": lambda text: "\0\1\2",
    "a list": lambda text: "[]",
    "an object": lambda text: "{}",
    "of another kind": lambda text: '{"version": 2}',
    "of another version": lambda text: text.replace('"version": 2', '"version": 99'),
    "deep": lambda text: "[" * 100_000,
    "a number for results": lambda text: altered(text, lambda data: data.update(results=5)),
    "a number for a benchmark": lambda text: altered(text, lambda data: data["results"].update({key(data): 5})),
    "values that are text": lambda text: altered(text, lambda data: value(data).__setitem__(0, ["x"] * 168)),
    FEWER: lambda text: altered(text, lambda data: value(data).__setitem__(0, [1.0])),
    "parameters that are none": lambda text: altered(text, lambda data: value(data).__setitem__(1, 7)),
}


def altered(text, alter):
    data = json.loads(text)
    alter(data)
    return json.dumps(data)


def key(data):
    return next(iter(data["results"]))


def value(data):
    return data["results"][key(data)]


@pytest.fixture(scope="module")
def measured(clone, tmp_path_factory):
    """A clone with three results, whose files each test puts back."""
    folder = tmp_path_factory.mktemp("hostile") / "arrayspeed"
    command("git", "clone", "--quiet", str(clone), str(folder), cwd=ROOT)
    if not (folder / ".asv").exists():
        (folder / ".asv").symlink_to(ROOT / ".asv")
    command(*ARRAYSPEED, *RUN, cwd=folder)
    return folder


@pytest.fixture
def good(measured):
    """The file of results, put back afterwards."""
    kept = {path: path.read_bytes() for path in (measured / "results").rglob("*") if path.is_file()}
    (path,) = (path for path in kept if "-venv-" in path.name and path.suffix == ".json")
    yield path
    for each in [each for each in (measured / "results").rglob("*") if each.is_file()]:
        if each not in kept:
            each.unlink()
    for each, content in kept.items():
        each.write_bytes(content)


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_no_result(measured, good, name):
    good.write_text(FILES[name](good.read_text()))
    with pytest.raises(UserError, match="is not a result file of asv") as raised:
        results.read(good)
    assert len(str(raised.value).splitlines()) == 1
    with pytest.raises(util.UserError, match="left out"):
        guard.load(Results, str(good))
    assert len(results.load(measured / "results")) == 0


@pytest.mark.parametrize("name", ["truncated", *(pytest.param(name, marks=MORE) for name in ("empty", FEWER))])
def test_a_run_sets_a_bad_file_aside_and_measures_anew(measured, good, name):
    bad = FILES[name](good.read_text())
    good.write_text(bad)
    done = attempt(measured, *RUN)
    assert done.returncode == 0, done.stderr
    (line,) = lines(done.stderr)
    assert line.startswith("warning: left out: ")
    assert good.with_name(good.name + ".broken").read_text() == bad
    assert stored(measured) == EVERY


def test_reading_leaves_bad_files_out(measured, good):
    others = [good.with_name(f"{number:08}-venv-py3.11-other.json") for number in range(len(FILES))]
    for other, change in zip(others, FILES.values(), strict=True):
        other.write_text(change(good.read_text()))
    for arguments in (["summary"], ["site", "--cdn"]):
        done = attempt(measured, *arguments)
        assert done.returncode == 0, done.stderr
        for other in others:
            assert f"warning: left out: {other}" in done.stderr or f"{other.parent.name}/{other.name}" in done.stderr
    meta = json.loads((measured / "html/report/data/meta.json").read_text())
    assert [one["values"] for one in meta["environments"]] == [3]


@MORE
def test_asv_s_own_commands_leave_it_out_too(measured, good):
    for number, name in enumerate(FILES):
        good.with_name(f"{number:08}-venv-py3.11-other.json").write_text(FILES[name](good.read_text()))
    for arguments in (["publish"], ["show", "--machine", good.parent.name, "HEAD"]):
        done = subprocess.run([*ASV, *arguments], cwd=measured, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    "bad", [*(pytest.param(one, marks=MORE) for one in ("", "[]", '{"machine": 5, "version": 1}')), DEEP]
)
def test_a_machine_s_description_that_is_none(measured, good, bad):
    (good.parent / "machine.json").write_text(bad)
    done = attempt(measured, "site", "--cdn")
    assert done.returncode in (0, 2)
    assert len(lines(done.stderr)) <= 1


@pytest.mark.parametrize("bad", [*(pytest.param(one, marks=MORE) for one in ("[]", '{"version": 2, "x": 5}')), DEEP])
def test_a_list_of_benchmarks_that_is_none(measured, good, bad):
    (good.parent.parent / "benchmarks.json").write_text(bad)
    done = attempt(measured, "site", "--cdn")
    assert done.returncode == 2
    (line,) = lines(done.stderr)
    assert "benchmarks.json" in line


@pytest.mark.rest
def test_a_run_writes_descriptions_anew(measured, good):
    (good.parent / "machine.json").write_text("[]")
    (good.parent.parent / "benchmarks.json").write_text("[" * 100_000)
    assert attempt(measured, *RUN).returncode == 0
    assert attempt(measured, "site", "--cdn").returncode == 0


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "[]",
        "null",
        "{}",
        "[" * 100_000,
        '{"checks": 5}',
        '{"checks": [{"check": 1}], "noise": {}}',
        '{"noise": []}',
    ],
)
def test_an_audit_that_is_none_is_no_audit(tmp_path, bad):
    (tmp_path / "machine").mkdir()
    (tmp_path / "machine" / check.FILE).write_text(bad)
    assert check.load(tmp_path, "machine") is None
    assert audits(tmp_path) == {}


def test_an_audit_is_what_was_saved(tmp_path):
    rows = [check.Check("clock", "jax", "add", None, "<script>"), check.Check("noise", "jax", None, True, "3 %")]
    audit = check.Audit("machine", "venv", "f" * 40, "2026-01-01", "cpu", rows, {"jax": check.Noise(2, 0.03)})
    check.save(tmp_path, audit)
    assert check.load(tmp_path, "machine") == audit
    assert [path.name for path in (tmp_path / "machine").iterdir()] == [check.FILE]


# --- nothing read is executed ---


def test_names_in_results_are_never_executed(measured, good):
    """Parameters, benchmarks and machines that are programs, in every language that they could meet."""
    programs = (
        "__import__('pathlib').Path('executed').touch()",
        "$(touch executed)",
        "`touch executed`; touch executed",
        "../../executed",
        "<img src=x onerror=document.title='executed'>",
    )

    def alter(data):
        found = value(data)
        found[1][0] = list(programs) + found[1][0][len(programs) :]
        for program in programs:
            data["results"][program] = found
            data["requirements"][program] = program
            data["params"][program] = program

    other = good.with_name("0" * 8 + "-venv-py3.11-other.json")
    other.write_text(altered(good.read_text(), alter))
    for arguments in (
        ["site", "--cdn"],
        ["summary"],
        ["claims"],
        ["versions", "numpy"],
        ["plots", "--output-dir", "p"],
    ):
        attempt(measured, *arguments)
    assert not list(measured.rglob("executed*"))
    assert not list(measured.parent.glob("executed*"))


#: Where objects are unpickled: in an environment of a user's own code, what the other side's process made of it.
UNPICKLING = "arrayspeed/own/worker/objects.py"

#: What would execute text.
EXECUTING = {"eval", "exec", "compile", "system", "popen", "loads_pickle", "__import__"}


@pytest.mark.parametrize("folder", ["arrayspeed", "benchmarks", "kernels"])
def test_no_code_executes_text_or_gives_a_shell_a_string(folder):
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                attribute = ast.unparse(node.func) if isinstance(node.func, ast.Attribute) else ""
                assert name not in EXECUTING, f"{path}:{node.lineno}"
                executing = {"os.system", "os.popen", "pickle.loads", "pickle.load", "yaml.load"}
                if path.relative_to(ROOT).as_posix() == UNPICKLING:
                    executing.remove("pickle.load")
                assert attribute not in executing, path
                shell = [keyword for keyword in node.keywords if keyword.arg == "shell"]
                assert not shell, f"{path}:{node.lineno} gives a shell a string"


def test_no_page_puts_text_into_markup():
    """Pages build elements; text that is markup would be needed only to put strings into it."""
    for path in (ROOT / "arrayspeed/report/static").glob("*.js"):
        text = path.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path
        )


def test_reading_results_needs_no_private_trust(tmp_path):
    """What is no result is left out of the table, whatever it holds."""
    (tmp_path / "m").mkdir()
    (tmp_path / "m/machine.json").write_text('{"machine": "m", "version": 1}')
    for number, bad in enumerate(('{"results": {"a": [[1e999]]}}', "[[[[", '{"commit_hash": {}}')):
        (tmp_path / "m" / f"{number}-x.json").write_text(bad)
    assert len(results.load(tmp_path)) == 0
