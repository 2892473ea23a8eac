"""The environments that tests use, made by the project's own means."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def config():
    from arrayspeed.project import load_config

    before = Path.cwd()
    os.chdir(ROOT)
    yield load_config()
    os.chdir(before)


@pytest.fixture(scope="session")
def newest(config):
    """The environment with the newest release of all libraries."""
    from asv.environment import get_environments

    from arrayspeed.run import newest_of_all

    name = newest_of_all(config)
    (env,) = (env for env in get_environments(config, None) if env.name == name)
    env.create()
    return env


def inside(env, *arguments):
    """What a module of tests.inside yields in an environment."""
    python = env.find_executable("python")
    done = subprocess.run(
        [python, "-m", "tests.inside", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=1500
    )
    outcomes = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("@")]
    assert done.returncode == 0, f"{' '.join(arguments)}:\n{done.stderr[-3000:]}"
    return outcomes


@pytest.fixture(scope="session")
def kernel_checks(newest):
    """Every kernel × backend × dtype × size, checked in one process a library, two at a time."""
    from kernels import LIBRARIES

    longest_first = sorted(LIBRARIES, key=lambda name: ("torch", "jax", "numba", "tensorflow", "numpy").index(name))
    with ThreadPoolExecutor(2) as pool:
        outcomes = pool.map(lambda library: inside(newest, "check_kernels", library), longest_first)
    return {(o["kernel"], o["backend"], o["dtype"], o["size"]): o for found in outcomes for o in found}
