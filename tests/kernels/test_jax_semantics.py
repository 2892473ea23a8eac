"""What the articles rely on in JAX, on every JAX version of asv.conf.json."""

import ast

import pytest

from tests.conftest import ROOT, inside, made

pytestmark = pytest.mark.environment


def names():
    """The semantics, without importing JAX."""
    tree = ast.parse((ROOT / "tests/inside/jax_semantics.py").read_text())
    (value,) = (n.value for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "SEMANTICS")
    return [element.id for element in value.elts]


def versions():
    """The JAX versions of asv.conf.json."""
    from asv import util

    included = util.load_json(ROOT / "asv.conf.json", js_comments=True)["include"]
    return list(dict.fromkeys(entry["req"]["jax"] for entry in included if "jax" in entry["req"]))


@pytest.fixture(scope="session")
def outcomes(config):
    """version -> what was shown on it; each environment is made when it is first asked for."""
    from asv.environment import get_environments

    environments = list(get_environments(config, None))
    found = {}

    def of(version):
        if version not in found:
            env = min(
                (e for e in environments if e.requirements.get("jax") == version), key=lambda e: len(e.requirements)
            )
            made(env)
            found[version] = {outcome["shows"]: outcome for outcome in inside(env, "jax_semantics")}
        return found[version]

    return of


*EARLIER, NEWEST = versions()


@pytest.mark.parametrize("version", [*(pytest.param(one, marks=pytest.mark.rest) for one in EARLIER), NEWEST])
@pytest.mark.parametrize("name", names())
def test_jax(outcomes, version, name):
    outcome = outcomes(version)[name]
    assert outcome["problem"] is None
    assert outcome["version"] == version
