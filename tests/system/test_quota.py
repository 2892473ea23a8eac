"""A container's quota, in made-up trees of files and, where this process may, in a control group of the kernel's."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arrayspeed.environments import machine
from arrayspeed.system import quota
from tests.conftest import ROOT

SECOND = "36 25 0:31 / {place} rw,nosuid - cgroup2 cgroup2 rw\n"
FIRST = "36 25 0:31 {within} /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"


def made(root, groups, mounts, files):
    for path, text in {"proc/self/cgroup": groups, "proc/self/mountinfo": mounts, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_of_version_two(tmp_path):
    files = {"sys/fs/cgroup/a/cpu.max": "150000 100000\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}
    root = made(tmp_path, "0::/a/b\n", SECOND.format(place="/sys/fs/cgroup"), files)
    assert quota.quota(root) == 1.5, "a group above limits those in it"
    (root / "sys/fs/cgroup/a/b/cpu.max").write_text("50000 100000\n")
    assert quota.quota(root) == 0.5


def test_of_a_container_that_sees_its_own_group_alone(tmp_path):
    root = made(tmp_path, "0::/\n", SECOND.format(place="/sys/fs/cgroup"), {"sys/fs/cgroup/cpu.max": "150000 100000\n"})
    assert quota.quota(root) == 1.5


@pytest.mark.parametrize(("within", "path"), [("/", "box/"), ("/box", "")])
def test_of_version_one(tmp_path, within, path):
    """A container may see the path of its host, and its own group at the mount."""
    files = {
        f"sys/fs/cgroup/cpu/{path}cpu.cfs_quota_us": "150000\n",
        f"sys/fs/cgroup/cpu/{path}cpu.cfs_period_us": "100000\n",
    }
    root = made(tmp_path, "4:cpu,cpuacct:/box\n3:memory:/other\n", FIRST.format(within=within), files)
    assert quota.quota(root) == 1.5


def test_a_path_with_spaces(tmp_path):
    files = {"my groups/cpu.max": "150000 100000\n", "my groups/cpu.stat": "nr_periods 9\nnr_throttled 3\n"}
    root = made(tmp_path, "0::/\n", SECOND.format(place="/my\\040groups"), files)
    assert (quota.quota(root), quota.throttled(root)) == (1.5, 3)


@pytest.mark.parametrize(
    ("groups", "mounts", "files"),
    [
        ("", "", {}),
        ("0::/\n", SECOND.format(place="/sys/fs/cgroup"), {}),
        ("0::/\n", SECOND.format(place="/sys/fs/cgroup"), {"sys/fs/cgroup/cpu.max": "max 100000\n"}),
        ("0::/\n", SECOND.format(place="/sys/fs/cgroup"), {"sys/fs/cgroup/cpu.max": "nonsense\n"}),
        ("0::/\n", "a line that is none\n", {"sys/fs/cgroup/cpu.max": "150000 100000\n"}),
        ("4:cpu:/\n", FIRST.format(within="/"), {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n"}),
        ("4:memory:/\n", FIRST.format(within="/"), {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "1000\n"}),
    ],
)
def test_none(tmp_path, groups, mounts, files):
    assert quota.quota(made(tmp_path, groups, mounts, files)) is None


def test_no_files_at_all(tmp_path):
    assert quota.quota(tmp_path) is None


SAID = """
from arrayspeed.environments import machine
from arrayspeed.system.quota import quota
print(quota(), machine.describe()["machine"])
"""


def a_group():
    """A new control group in which a quota can be set, and the file and the text that set one and a half cores."""
    for place in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup/cpu")):
        group = place / f"arrayspeed-test-{os.getpid()}"
        with suppress(OSError):
            group.mkdir()
            for name, text in (("cpu.max", "150000 100000"), ("cpu.cfs_quota_us", "150000")):
                if (group / name).exists():
                    with suppress(OSError):
                        (group / name).write_text(text)
                        return group
            group.rmdir()
    return None


def test_of_a_group_of_the_kernels():
    group = a_group()
    if group is None:
        pytest.skip("no control group can be made here")
    try:
        enter = f"open({str(group / 'cgroup.procs')!r}, 'w').write('0')\n"
        done = subprocess.run(
            [sys.executable, "-c", enter + SAID], cwd=ROOT, capture_output=True, text=True, check=True
        )
        found, name = done.stdout.split()
        assert float(found) == 1.5
        assert ("quota1.5" in name) == (machine.cores() > 1.5)
    finally:
        group.rmdir()
