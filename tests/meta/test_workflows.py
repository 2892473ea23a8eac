"""The workflows are what GitHub takes for workflows, and run what the README names."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", FILES),
        ("github-actions", [ROOT / "action.yml"]),
        ("dependabot", [ROOT / ".github/dependabot.yml"]),
    ],
)
def test_they_are_valid(schema, files):
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [checker, "--builtin-schema", f"vendor.{schema}", *files], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_action_is_pinned_to_a_commit_and_says_of_which_version():
    used = [line.split("uses: ")[1] for path in FILES for line in path.read_text().splitlines() if "uses: " in line]
    assert used
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line)] == []


def test_zizmor_finds_nothing_in_them_and_in_the_action():
    zizmor = Path(sys.executable).with_name("zizmor")
    command = [zizmor, "--offline", "--no-progress", "--no-config", ROOT / ".github", ROOT / "action.yml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout


def test_only_a_version_starts_a_release_and_only_approval_publishes():
    text = (ROOT / ".github/workflows/release.yml").read_text()
    assert 'tags: ["v[0-9]+.[0-9]+.[0-9]+"]' in text and "branches" not in text
    jobs = dict(re.findall(r"^  (\w+):\n((?:    .*\n|\n|  #.*\n)+)", text.partition("jobs:\n")[2], re.MULTILINE))
    writing = {name for name, job in jobs.items() if "id-token: write" in job}
    assert writing == {"publish"} and "environment: release" in jobs["publish"]
    assert "needs: install" in jobs["publish"] and "needs: build" in jobs["install"]
    assert "checkout" not in jobs["publish"], "what is published was built elsewhere"


def test_what_they_run_is_there():
    targets = (ROOT / "Makefile").read_text()
    lines = [line for path in FILES for line in path.read_text().splitlines() if "run: make" in line]
    words = [word for line in lines for word in line.partition("run: make ")[2].split() if "=" not in word]
    assert sorted(set(words)) == ["bench", "check", "dist", "docs", "matrix", "test-all", "vulnerabilities"]
    assert all(f"\n{word}:" in targets for word in words)
