"""The workflows are what GitHub takes for workflows, and run what the README names."""

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_they_are_valid():
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [checker, "--builtin-schema", "vendor.github-workflows", *FILES], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_they_run_is_there():
    targets = (ROOT / "Makefile").read_text()
    lines = [line for path in FILES for line in path.read_text().splitlines() if "run: make" in line]
    words = [word for line in lines for word in line.partition("run: make ")[2].split() if "=" not in word]
    assert sorted(set(words)) == ["bench", "check", "docs", "matrix", "test-all", "vulnerabilities"]
    assert all(f"\n{word}:" in targets for word in words)
