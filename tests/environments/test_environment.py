"""Environments: requirements, one install under pip's configuration, failures, records.

Nothing is fetched: the packages are wheels of a few bytes, and pip's configuration names their folder.
"""

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import asv_runner
import pytest
from asv import util
from asv.config import Config
from asv.environment import EnvironmentUnavailable, get_environment_class_by_name
from asv.machine import Machine
from packaging.requirements import Requirement

from arrayspeed.environments import failures, pip_options
from arrayspeed.environments.plugin import Venv, find_python, recorded_packages
from arrayspeed.environments.requirements import requirement, requirements, satisfied
from arrayspeed.environments.uv import Uv, find_uv, to_download
from arrayspeed.model.errors import UserError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PYTHON = "{}.{}".format(*sys.version_info)
RUNNER = f"asv_runner=={version('asv_runner')}"
ROOT = Path(__file__).parents[2]

#: For tests that make environments, if small ones.
makes = pytest.mark.environment


def wheel(folder: Path, name: str, release: str, requires=(), files=None) -> None:
    """A wheel with a line of code in it."""
    info = f"{name}-{release}.dist-info"
    extras = {match[1] for each in requires if (match := re.search(r"extra == '(\w+)'", each))}
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {release}"]
    metadata += [f"Provides-Extra: {each}" for each in extras] + [f"Requires-Dist: {each}" for each in requires]
    files = dict(files or {f"{name}.py": f"__version__ = {release!r}\n"})
    files[f"{info}/METADATA"] = "\n".join(metadata) + "\n"
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in files)
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-{release}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def runner_wheel(folder: Path) -> None:
    """The installed asv_runner as a wheel."""
    package = Path(asv_runner.__file__).parent
    files = {str(path.relative_to(package.parent)): path.read_text() for path in package.rglob("*.py")}
    wheel(folder, "asv_runner", version("asv_runner"), files=files)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    # uv separates places by commas, pip by spaces: a folder with a comma must work with both.
    folder = tmp_path_factory.mktemp("packages") / "wheels,all"
    for release in ("1.0", "1.5", "2.0"):
        wheel(folder, "alpha", release, requires=["fast; extra == 'quick'"])
    wheel(folder, "beta", "2.1", requires=["alpha<2"])
    wheel(folder, "beta", "2.1+cu121", requires=["alpha<2"])
    wheel(folder, "beta", "2.2", requires=["absent>=3"])
    wheel(folder, "fast", "0.1")
    runner_wheel(folder)
    return folder


@pytest.fixture(autouse=True)
def isolated(tmp_path, tmp_path_factory, wheels, monkeypatch):
    """Only the wheels of this file, told to pip alone; each test starts in a folder of its own."""
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_", "ARRAYSPEED_", "ASV_")):
            monkeypatch.delenv(name)
    pip_conf(monkeypatch, tmp_path, f"[global]\nno-index = true\n[install]\nfind-links = {wheels}\n")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "uv-cache"))
    monkeypatch.setattr(Machine, "hardcoded_machine_name", "box")
    monkeypatch.chdir(tmp_path)
    pip_options.warn_once.cache_clear()
    find_python.cache_clear()


def pip_conf(monkeypatch, folder: Path, text: str) -> None:
    path = folder / "pip.conf"
    path.write_text(text)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(path))


@pytest.fixture
def warnings(monkeypatch):
    said = []
    monkeypatch.setattr("arrayspeed.environments.plugin.log.warning", said.append)
    return said


def environment(matrix, python=PYTHON, variables=None) -> Venv:
    conf = Config()
    conf.project, conf.env_dir, conf.results_dir = "test", ".asv/env", "results"
    return Venv(conf, python, matrix, {("build", name): value for name, value in (variables or {}).items()})


def packages(env: Venv) -> dict[str, str]:
    lines = Path(env._path, "packages.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def broken(*_):
    raise AssertionError("not expected to be made")


# --- requirements ---


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("jax", "0.10.2", "jax==0.10.2"),
        ("pip+jax", "0.10.2", "jax==0.10.2"),
        ("jax[cuda13]", "0.10.2", "jax[cuda13]==0.10.2"),
        ("pip+jax[cuda13,k8s]", "", "jax[cuda13,k8s]"),
        ("numpy", "", "numpy"),
        ("numpy", ">=0.9,<0.10", "numpy<0.10,>=0.9"),
        ("numpy", "==2.4.*", "numpy==2.4.*"),
        ("numpy", "2.4.*", "numpy==2.4.*"),
        ("numpy", "~=2.4", "numpy~=2.4"),
        ("torch", "2.5.1+cu121", "torch==2.5.1+cu121"),
    ],
)
def test_requirements_are_what_the_matrix_says(key, value, expected):
    assert str(requirement(key, value)) == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("jax", "latest"),
        ("jax", "=1.0"),
        ("jax", ">=0.9 <0.10"),
        ("jax[cuda", "1.0"),
        ("", "1.0"),
        ("jax; python_version > '3'", ""),
        ("jax @ https://example.org/jax.whl", ""),
        ("jax", 1.0),
    ],
)
def test_a_requirement_that_is_none_is_one_clear_line(key, value):
    with pytest.raises(util.UserError, match=re.escape(f'"{key}": "{value}"')) as error:
        environment({key: value})
    assert "\n" not in str(error.value)


def test_environments_get_the_runner_that_goes_with_asv():
    assert [str(each) for each in requirements({"numpy": "2.4.6"})] == ["numpy==2.4.6", RUNNER]
    assert [str(each) for each in requirements({"pip+asv_runner": "0.3.1"})] == ["asv_runner==0.3.1"]


def test_what_is_installed_is_compared_with_what_is_asked_for():
    wanted = [Requirement("beta[x]==2.1"), Requirement("Al_pha>=1")]
    assert satisfied(wanted, {"beta": "2.1+cu121", "al-pha": "1.0rc1"}) is False
    assert satisfied(wanted, {"beta": "2.1+cu121", "al-pha": "1.5rc1"})
    assert not satisfied(wanted, {"beta": "2.1"})


# --- pip's configuration for uv ---


def test_pip_says_what_its_files_and_variables_hold(tmp_path, monkeypatch):
    text = "[global]\nindex-url = https://a/simple\nretries = 2\n[install]\nfind-links =\n  one\n  two\nretries = 3\n"
    pip_conf(monkeypatch, tmp_path, text + "[download]\nretries = 9\n")
    monkeypatch.setenv("PIP_INDEX_URL", "https://b/simple")
    options = pip_options.pip_options(os.environ)
    assert options["index-url"] == "https://b/simple"
    assert options["retries"] == "3"
    assert options["find-links"].split() == ["one", "two"]


def test_pip_is_asked_once_for_each_environment(tmp_path, monkeypatch):
    pip_conf(monkeypatch, tmp_path, "[global]\nretries = 2\n")
    first = pip_options.pip_options(os.environ)
    first["retries"] = "9"
    monkeypatch.setattr(pip_options.subprocess, "run", None)
    assert pip_options.pip_options(os.environ)["retries"] == "2"
    with pytest.raises(TypeError):
        pip_options.pip_options({**os.environ, "PIP_RETRIES": "3"})


def test_a_configuration_that_pip_cannot_read_is_one_clear_line(tmp_path, monkeypatch):
    pip_conf(monkeypatch, tmp_path, "index-url = https://user:secret@a/simple\n")
    with pytest.raises(UserError, match=r"^pip cannot read its configuration: ") as error:
        pip_options.pip_options(os.environ)
    assert "secret" not in str(error.value)


def test_pips_options_become_uvs():
    options = {
        "index-url": "https://a/simple",
        "extra-index-url": "https://b/simple\nhttps://c/simple",
        "constraint": "one.txt two.txt",
        "trusted-host": "a b",
        "cert": "/ca.pem",
        "pre": "true",
        "no-index": "0",
        "only-binary": ":all:",
        "no-binary": "x,y",
        "timeout": "7",
    }
    settings, flags = pip_options.uv_settings(options, {"SSL_CERT_FILE": "/other.pem"})
    assert settings == {
        "UV_DEFAULT_INDEX": "https://a/simple",
        "UV_INDEX": "https://b/simple https://c/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_COMPILE_BYTECODE": "1",
        "UV_CONSTRAINT": "one.txt two.txt",
        "UV_INSECURE_HOST": "a b",
        "SSL_CERT_FILE": "/ca.pem",
        "UV_PRERELEASE": "allow",
        "UV_NO_BUILD": "1",
        "UV_NO_BINARY_PACKAGE": "x y",
        "UV_HTTP_TIMEOUT": "7",
    }
    assert flags == []
    assert pip_options.uv_settings({"no-index": "true"}, {})[1] == ["--no-index"]


def test_wheels_that_were_kept_are_found_beside_all_other_places(tmp_path):
    env = {"UV_FIND_LINKS": "https://a/links"}
    assert "UV_FIND_LINKS" not in pip_options.uv_settings({}, env, tmp_path)[0], "there is none"
    (tmp_path / "toy-1.0.dev1-py3-none-any.whl").touch()
    assert pip_options.uv_settings({}, env, tmp_path)[0]["UV_FIND_LINKS"] == f"https://a/links,{tmp_path.as_uri()}"
    found, _ = pip_options.uv_settings({"find-links": "https://b/links"}, {}, tmp_path)
    assert found["UV_FIND_LINKS"] == f"https://b/links,{tmp_path.as_uri()}"


@pytest.mark.parametrize("name", ["UV_DEFAULT_INDEX", "UV_INDEX_URL"])
def test_what_the_user_has_set_for_uv_stays(name):
    settings, _ = pip_options.uv_settings({"index-url": "https://a/simple"}, {name: "https://mine/simple"})
    assert "UV_DEFAULT_INDEX" not in settings


def test_find_links_that_do_not_exist_are_left_out(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(pip_options.log, "warning", said.append)
    there = tmp_path / "a,b"
    there.mkdir()
    value = f"{there}\n{tmp_path}/absent https://a/x,y file://{tmp_path}/gone"
    assert list(pip_options.find_links(value)) == [there.as_uri().replace(",", "%2C"), "https://a/x%2Cy"]
    assert len(said) == 2


# --- what went wrong ---

UV = "Using Python 3.11.7 environment at: v\nerror: No solution found when resolving dependencies\n  cause: "
SO = "we can conclude that your requirements are unsatisfiable."
NETWORK = "a package index could not be reached"


@pytest.mark.parametrize(
    ("wanted", "output", "expected"),
    [
        (
            ["jax==99.0", "numpy==2.4.6"],
            f"{UV}Because there is no version of jax==99.0 and you require jax==99.0, {SO}",
            "cannot install jax==99.0: no such version",
        ),
        (
            ["jax==99.0"],
            f"  × No solution found when resolving dependencies:\n  ╰─▶ Because there is no version of jax==99.0\n"
            f"      and you require jax==99.0, {SO}",
            "cannot install jax==99.0: no such version",
        ),
        (
            ["jax>=99", "numpy"],
            f"{UV}Because only jax<=0.12.0.1 is available and you require jax>=99, {SO}\n\nhint: like numpy",
            "cannot install jax>=99: no such version",
        ),
        (
            ["jaxx==1.0", "jax"],
            f"{UV}Because jaxx was not found in the package registry and you require jaxx==1.0, {SO}",
            "cannot install jaxx==1.0: no such package",
        ),
        (
            ["beta==2.2"],
            f"{UV}Because absent was not found in the package registry and beta==2.2 depends on absent>=3, we can "
            f"conclude that beta==2.2 cannot be used.\n  And because you require beta==2.2, {SO}",
            "cannot install beta==2.2: it needs absent, and there is no such package",
        ),
        (
            ["jax==0.9.2", "numpy==1.25.0", "torch"],
            f"{UV}Because jax==0.9.2 depends on numpy>=2.0 and you require jax==0.9.2, we can conclude that you require"
            f" numpy>=2.0.\n         And because you require numpy==1.25.0, {SO}",
            "cannot install jax==0.9.2, numpy==1.25.0: these contradict each other",
        ),
        (
            ["jax==0.10.2", "numpy==2.4.6"],
            f"{UV}Because you require numpy==2.4.6 and numpy==2.3.0, {SO}",
            "cannot install numpy==2.4.6: another requirement or a constraint forbids it",
        ),
        (
            ["numpy==2.5.0", "jax"],
            f"{UV}Because the current Python version (3.11.7) does not satisfy Python>=3.12 and numpy==2.5.0 depends on"
            f" Python>=3.12, we can conclude that numpy==2.5.0 cannot be used.\n And because you require numpy==2.5.0,",
            "cannot install numpy==2.5.0: it does not support this version of Python",
        ),
        (
            ["tensorflow==2.9.0"],
            f"{UV}Because tensorflow==2.9.0 has no wheels with a matching Python ABI tag (e.g., `cp311`) and you "
            f"require tensorflow==2.9.0, {SO}",
            "cannot install tensorflow==2.9.0: it has no build for this Python and system",
        ),
        (
            ["numpy", "jax==0.9.2"],
            "error: Failed to fetch: `http://127.0.0.1:9/simple/jax/`\n  cause: error sending request",
            f"cannot install numpy, jax==0.9.2: {NETWORK}",
        ),
        (
            ["numpy"],
            "error: Failed to install: numpy.whl\n  cause: No space left on device (os error 28)",
            "cannot install numpy: the disk is full",
        ),
        (
            ["numpy", "jax"],
            "error: Something new at https://user:secret@host/simple",
            "cannot install numpy, jax: error: Something new at an index",
        ),
    ],
)
def test_failures_name_the_requirement_and_the_reason(wanted, output, expected):
    assert failures.diagnose(output, [Requirement(each) for each in wanted]) == expected


@pytest.mark.parametrize(
    "text", ["no asv-runner here", "no Asv.Runner.", "`asv_runner`", "asv_runner==1", "/asv-runner/"]
)
def test_a_package_is_recognised_in_any_spelling(text):
    assert failures.mentions(text, "asv_runner")


@pytest.mark.parametrize("text", ["my-asv-runner", "asv-runner-more", "asv-runner.x", "asvrunner", "asv_runners"])
def test_a_package_is_not_recognised_in_another_name(text):
    assert not failures.mentions(text, "asv_runner")


# --- making environments ---


@pytest.fixture(scope="module")
def made(wheels, tmp_path_factory):
    """One environment that several tests look at."""
    with pytest.MonkeyPatch.context() as patch:
        isolated.__wrapped__(tmp_path_factory.mktemp("made"), tmp_path_factory, wheels, patch)
        env = environment({"alpha[quick]": "", "pip+beta": "2.1+cu121"})
        env.create()
        yield env


@makes
def test_everything_is_resolved_in_one_install(made):
    # alpha alone would be 2.0, which beta forbids; the extra brings fast; the local version is exact.
    expected = {"alpha": "1.5", "beta": "2.1+cu121", "fast": "0.1", "asv_runner": version("asv_runner")}
    assert packages(made) == expected
    assert made.run(["-c", "import alpha; print(alpha.__version__)"]).strip() == "1.5"


@makes
def test_asvs_own_extras_are_not_installed(made):
    assert {"build", "pympler", "setuptools", "wheel"}.isdisjoint(packages(made))


@makes
def test_the_record_starts_with_the_exact_python(made):
    first = Path(made._path, "packages.txt").read_text().splitlines()[0]
    assert first == f"# Python {sys.version.split()[0]} ({sys.implementation.name.replace('cpython', 'CPython')})"


@makes
def test_bytecode_is_compiled_when_the_environment_is_made(made):
    assert list(Path(made._path).glob("lib*/python*/site-packages/__pycache__/alpha.*.pyc"))


@makes
def test_the_packages_are_kept_next_to_the_results(made):
    Path(made._path, "packages.txt").unlink()
    made.install_project(None, None, COMMIT)
    kept = Path(made._results_dir, "box", f"01234567-{made.name}.packages.txt")
    assert kept.read_text() == Path(made._path, "packages.txt").read_text()
    assert made.installed_commit_hash == COMMIT
    assert made._global_env_vars["ASV_COMMIT"] == COMMIT
    kept.unlink()
    assert made.installed_commit_hash is None


@makes
def test_packages_can_be_kept_elsewhere(made, tmp_path):
    before = made._results_dir
    made.keep_in(str(tmp_path / "scratch"))
    made.install_project(None, None, COMMIT)
    made.keep_in(before)
    assert (tmp_path / f"scratch/box/01234567-{made.name}.packages.txt").exists()


@makes
def test_an_environment_that_is_there_is_not_made_again(made, monkeypatch):
    again = environment(made.requirements)
    monkeypatch.setattr(again, "_path", made._path)
    monkeypatch.setattr(again, "_env_dir", made._env_dir)
    assert again.check_presence()
    monkeypatch.setattr(Uv, "making", broken)
    again.create()
    monkeypatch.setattr(again, "_wanted", [Requirement("alpha==2.0")])
    assert not again.check_presence()


@makes
def test_pips_constraint_and_find_links_count(tmp_path, wheels, monkeypatch):
    (tmp_path / "limits.txt").write_text("alpha<1.5\n")
    more = tmp_path / "more"
    wheel(more, "gamma", "1.0")
    wheel(more, "gamma", "2.0rc1")
    links = f"find-links =\n    {wheels}\n    {more}\n    {tmp_path}/absent\n"
    pip_conf(
        monkeypatch, tmp_path, f"[global]\nno-index = true\nconstraint = limits.txt\n[install]\npre = true\n{links}"
    )
    env = environment({"alpha": ">=1,<2", "gamma": ""})
    env.create()
    assert packages(env)["alpha"] == "1.0"
    assert packages(env)["gamma"] == "2.0rc1"


def results(date: int, commit: str, env: Venv, *lines: str) -> Path:
    """Results of an environment at a commit, with the packages that it had."""
    folder = Path("results", "box")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{commit}-{env.name}.json").write_text(json.dumps({"date": date}))
    path = folder / f"{commit}-{env.name}.packages.txt"
    path.write_text("\n".join(["# Python 3.11.15 (CPython)", *lines, ""]))
    return path


@makes
def test_an_environment_gets_the_packages_of_its_newest_results():
    env = environment({"alpha": ">=1"})
    results(2, "aaaaaaaa", env, "alpha==1.5", "beta==2.1")
    results(1, "ffffffff", env, "alpha==1.0")
    results(3, "eeeeeeee", environment({"beta": ""}), "alpha==1.0")
    env.create()
    # beta is not needed, so it is not installed.
    assert packages(env) == {"alpha": "1.5", "asv_runner": version("asv_runner")}


@makes
def test_the_constraints_of_the_user_count_beside_the_recorded_packages(tmp_path, wheels, monkeypatch):
    (tmp_path / "limits.txt").write_text("fast==0.1\nalpha<1.5\n")
    pip_conf(
        monkeypatch, tmp_path, f"[global]\nno-index = true\nconstraint = limits.txt\n[install]\nfind-links = {wheels}\n"
    )
    env = environment({"alpha[quick]": ""})
    results(1, "aaaaaaaa", env, "fast==0.1")
    env.create()
    assert (packages(env)["alpha"], packages(env)["fast"]) == ("1.0", "0.1")


@makes
def test_recorded_packages_that_cannot_be_installed_any_more_give_way_and_it_is_told(warnings):
    env = environment({"alpha": "", "beta": ""})
    path = results(1, "aaaaaaaa", env, "alpha==1.4", "beta==2.1")
    env.create()
    assert packages(env)["alpha"] == "1.5"
    assert warnings == [f"{env.name}: what {path} lists cannot be installed any more, so its values are out of date"]


@makes
@pytest.mark.parametrize(
    ("output", "status", "why"),
    [
        ("error: Failed to fetch: `beta`", 2, "a package index could not be reached"),
        ("error: Failed to install: alpha\n  cause: No space left on device (os error 28)", 2, "the disk is full"),
        ("", -9, "uv failed without a word"),
    ],
)
def test_recorded_packages_do_not_give_way_to_a_failure_that_passes(warnings, monkeypatch, output, status, why):
    env = environment({"alpha": ""})
    path = results(1, "aaaaaaaa", env, "alpha==1.0")
    call = env._call

    def fails_with_recorded(uv, command):
        return (output, status) if any(path.name in word for word in command) else call(uv, command)

    monkeypatch.setattr(env, "_call", fails_with_recorded)
    with pytest.raises(util.UserError, match=rf"^cannot install .*: {why} \(environment"):
        env.create()
    assert warnings == []


@makes
def test_a_failure_is_not_blamed_on_recorded_packages(warnings):
    env = environment({"alpha": "99.0"})
    results(1, "aaaaaaaa", env, "alpha==1.0")
    with pytest.raises(util.UserError, match=r"^cannot install alpha==99\.0: no such version \(environment"):
        env.create()
    assert warnings == []


def test_results_that_are_damaged_come_last():
    env = environment({"alpha": ""})
    good, bad = results(1, "aaaaaaaa", env), results(2, "bbbbbbbb", env)
    for text in ("{", "[]", '{"date": null}', "{}"):
        bad.with_name(bad.name.removesuffix(".packages.txt") + ".json").write_text(text)
        assert recorded_packages("results", "box", env.name) == good
    assert recorded_packages("results", "other", env.name) is None


@makes
def test_pips_indexes_count(tmp_path, wheels, monkeypatch):
    # Neither index knows every package, and the second has the newer version.
    for index, names in {"one": ["alpha-1.0"], "two": ["alpha-1.5", "asv_runner", "fast"]}.items():
        for file in (file for name in names for file in wheels.glob(f"{name}*")):
            page = tmp_path / index / file.name.split("-")[0].replace("_", "-") / "index.html"
            page.parent.mkdir(parents=True)
            page.write_text(f'<!DOCTYPE html><a href="{file.as_uri()}">{file.name}</a>')
    one, two = ((tmp_path / each).as_uri() for each in ("one", "two"))
    pip_conf(monkeypatch, tmp_path, f"[global]\nindex-url = {one}\nextra-index-url = {two}\n")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    env = environment({"alpha[quick]": ""})
    env.create()
    assert packages(env)["alpha"] == "1.5"


@makes
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ({"alpha": "99.0", "fast": ""}, "cannot install alpha==99.0: no such version"),
        ({"alpha": "2.0", "beta": "2.1"}, "cannot install alpha==2.0, beta==2.1: these contradict each other"),
        ({"beta": "2.2"}, "cannot install beta==2.2: it needs absent, and there is no such package"),
    ],
)
def test_a_failure_is_one_line_and_leaves_nothing(matrix, message):
    env = environment(matrix)
    with pytest.raises(util.UserError) as error:
        env.create()
    log = re.fullmatch(rf"{re.escape(message)} \(environment {re.escape(env.name)}, see (\S+)\)", str(error.value))
    assert "alpha" in Path(log[1]).read_text() or "beta" in Path(log[1]).read_text()
    assert log[1].startswith(".asv/")
    assert os.listdir(".asv/env") == []


@makes
def test_a_python_that_cannot_be_used_is_one_line(monkeypatch):
    env = environment({})
    env._executable = "/absent/python"
    with pytest.raises(util.UserError, match="cannot make a virtualenv of /absent/python"):
        env.create()


@makes
def test_an_extra_that_does_not_exist_is_told(warnings):
    environment({"alpha[slow]": "1.0"}).create()
    assert len(warnings) == 1
    assert "'slow'" in warnings[0].replace("`", "'")


@makes
def test_no_network(monkeypatch, tmp_path):
    nowhere = "http://127.0.0.1:9/simple"
    pip_conf(monkeypatch, tmp_path, f"[global]\nindex-url = {nowhere}\nextra-index-url = {nowhere}\nretries = 1\n")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(util.UserError, match=r"^cannot install .*alpha==1.0.*: a package index could not be reached"):
        environment({"alpha": "1.0"}).create()


def test_without_uv_a_line_says_so(monkeypatch):
    monkeypatch.setattr("arrayspeed.environments.uv.find_uv", lambda env: None)
    with pytest.raises(util.UserError, match=r"^uv is needed to make environments, .* \(environment venv-py"):
        environment({"alpha": "1.0"}).create()


def test_a_uv_that_does_not_run_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    shim = tmp_path / "uv"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert find_uv({"PATH": str(tmp_path)}) is None


# --- what a kill leaves behind ---


def kill_at(step: str) -> None:
    os.setpgid(0, 0)
    setattr(Venv, step, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    environment({"alpha": "1.0"}).create()


@makes
@pytest.mark.parametrize("step", ["_install_requirements", "_record_packages", "save_info_file"])
def test_an_environment_cut_short_by_a_kill_is_made_anew(step):
    child = multiprocessing.get_context("fork").Process(target=kill_at, args=(step,))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    env = environment({"alpha": "1.0"})
    assert os.path.isdir(env._path)
    assert not env.check_presence()
    env.create()
    assert env.check_presence()
    assert packages(env)["alpha"] == "1.0"


@makes
def test_whether_there_is_such_an_environment_is_known_before_anything_is_made():
    env = environment({"alpha": "1.0"})
    assert env.check_requirements() in range(10)
    with pytest.raises(util.UserError, match=r"^cannot install alpha==99\.0: no such version \(environment"):
        environment({"alpha": "99.0"}).check_requirements()
    assert not os.path.exists(env._path)


def test_how_many_packages_are_to_be_downloaded():
    assert to_download("Resolved 6 packages in 367ms\nWould download 5 packages\n + jax==0.10.2") == 5
    assert to_download("Would download 1 package\n") == 1
    assert to_download("Would make no changes\n") == 0


@makes
def test_a_broken_environment_is_made_anew():
    env = environment({"alpha": "1.0"})
    env.create()
    info = Path(env._path, "asv-env-info.json")
    for text in (info.read_text()[:40], json.dumps({})):
        kept = info.read_text()
        info.write_text(text)
        assert not environment({"alpha": "1.0"}).check_presence()
        info.write_text(kept)
    assert environment({"alpha": "1.0"}).check_presence()
    for python in Path(env._path, "bin").glob("python*"):
        python.unlink()
    again = environment({"alpha": "1.0"})
    assert not again.check_presence()
    again.create()
    assert again.check_presence()


# --- names and Pythons ---


def test_asv_finds_the_class():
    assert get_environment_class_by_name("venv") is Venv


def test_a_requirement_that_asv_would_install_itself_stays_in_the_name():
    env = environment({"pip+asv_runner": "0.3.1", "pip+build": ""})
    assert env.name == f"venv-py{PYTHON}-pip+asv_runner0.3.1-pip+build"
    assert env.requirements == {"pip+asv_runner": "0.3.1", "pip+build": ""}
    assert env._global_env_vars["ASV_ENV_NAME"] == env.name


def test_a_long_name_is_shortened_as_asv_does():
    env = environment({f"package{i}": "1.0.0" for i in range(20)})
    assert re.fullmatch(r"01234567-env-[0-9a-f]{32}\.packages\.txt", env._results_file(COMMIT).name)


def test_the_interpreter_of_asv_comes_first():
    assert environment({}, PYTHON)._executable == sys.executable
    exact = ".".join(map(str, sys.version_info[:3]))
    assert environment({}, exact).name == f"venv-py{exact}"


def test_a_python_on_path_is_used(tmp_path, monkeypatch):
    other = tmp_path / "python3.99"
    other.write_text(f'#!/bin/sh\necho \'["{other}", "3.99.0", "cpython", false]\'\n')
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    env = environment({}, "3.99")
    assert env._executable == str(other)
    assert env.name == "venv-py3.99"


def test_a_python_that_is_not_there_is_replaced_and_the_name_says_so(tmp_path, monkeypatch, warnings):
    shim = tmp_path / "python3.99"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    first, second = environment({"alpha": "1.0"}, "3.99"), environment({"alpha": "2.0"}, "3.99")
    assert first.name == f"venv-py{PYTHON}-alpha1.0"
    assert first.python == second.python == PYTHON
    assert len(warnings) == 1
    assert "3.99" in warnings[0]


def test_a_python_that_may_be_fetched_keeps_its_name_and_is_fetched_when_it_is_needed(monkeypatch, warnings):
    env = environment({}, "3.99")
    assert (env._executable, env.name, warnings) == (None, "venv-py3.99", [])
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    with pytest.raises(util.UserError, match=r"Python 3\.99 is not on this machine .* \(environment venv-py3\.99\)"):
        env.create()


@pytest.mark.parametrize("python", ["pypy3.10", "same", "/usr/bin/python3", "3.x"])
def test_only_versions_of_python(python):
    with pytest.raises(EnvironmentUnavailable, match="must be a version"):
        environment({}, python)


@makes
def test_variables_of_the_matrix_reach_uv(wheels, tmp_path, monkeypatch):
    pip_conf(monkeypatch, tmp_path, "[global]\nno-index = true\n")
    env = environment({"alpha": "1.0"}, variables={"PIP_FIND_LINKS": str(wheels)})
    env.create()
    assert packages(env)["alpha"] == "1.0"


# --- with asv itself ---


@makes
def test_asv_run(tmp_path):
    """The whole way: asv makes the environment, measures the working tree in it, and the packages are kept."""
    configuration = {
        "version": 1,
        "project": "test",
        "repo": ".",
        "branches": ["HEAD"],
        "environment_type": "venv",
        "plugins": [".arrayspeed.environments.machine", ".arrayspeed.environments.plugin"],
        "matrix": {"alpha": ["1.0"]},
        "pythons": [PYTHON],
        # The project is never installed, whatever this says.
        "install_command": ["in-dir={env_dir} false"],
        "env_dir": ".asv/env",
    }
    Path("asv.conf.json").write_text(json.dumps(configuration))
    Path("benchmarks").mkdir()
    Path("benchmarks/__init__.py").write_text("VALUE = 7\n")
    Path("benchmarks/one.py").write_text("import alpha\nfrom . import VALUE\ndef track_it():\n    return VALUE\n")
    author = ["-c", "user.name=a", "-c", "user.email=a"]
    for command in (["init", "-q"], ["add", "asv.conf.json"], [*author, "commit", "-qm1"]):
        subprocess.run(["git", *command], check=True)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    asv = [sys.executable, "-m", "asv", "run", "--quick"]
    done = subprocess.run(asv, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Creating environment venv-py{PYTHON}-alpha1.0" in done.stdout
    assert re.search(r"Created in [0-9.]+ s", done.stdout)
    [result] = Path("results").glob("*/*-venv-*.json")
    assert json.loads(result.read_text())["results"]["one.track_it"][0] == [7]
    assert "alpha==1.0" in result.with_suffix(".packages.txt").read_text()
