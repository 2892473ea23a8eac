"""arrayspeed from Python: a verdict as data."""

import subprocess
import sys

import pytest

import arrayspeed
from arrayspeed.model.errors import UserError
from arrayspeed.verdict.verdict import Verdict

FILE = """
import os

def bench_work():
    return sum(range(5_000 * int(os.environ["FACTOR"])))
"""


@pytest.mark.environment
def test_sides_of_a_file(tmp_path):
    path, said = tmp_path / "mine.py", []
    path.write_text(FILE)
    verdict = arrayspeed.compare(path, "FACTOR=1", "FACTOR=4", python=sys.executable, rounds=4, say=said.append)
    assert isinstance(verdict, Verdict)
    assert [side.label for side in verdict.sides] == ["FACTOR=1", "FACTOR=4"]
    (row,) = (row for row in verdict.rows if row.quantity.name == "result")
    assert (row.item, row.verdict, verdict.status) == ("work", "differs", 1)
    assert [best.item for best in verdict.best] == ["work"]


def test_mistakes_raise(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        arrayspeed.upgrade("numpy", "1.0", "2.0", file=tmp_path / "absent.py")
    with pytest.raises(UserError, match="Did you mean 'numpy'"):
        arrayspeed.upgrade("nunpy", "1.0", "2.0")
    with pytest.raises(AttributeError, match="no attribute 'downgrade'"):
        arrayspeed.downgrade  # noqa: B018


def test_workers_import_none_of_it():
    program = "import sys, arrayspeed; sys.exit('arrayspeed.api' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
