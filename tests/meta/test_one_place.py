"""Only `arrayspeed.decide` compares numbers that have noise: everything else, pages included, asks it.

What is looked for is syntax: a comparison of an end of an interval, and a comparison with a tolerance (a number times
or over a constant, or a quotient of two numbers against a constant). What looks like it and is none is listed, each
with the reason.
"""

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

DECIDE = ROOT / "arrayspeed" / "decide"

MODULES = sorted(
    path for room in ("arrayspeed", "benchmarks") for path in (ROOT / room).rglob("*.py") if DECIDE not in path.parents
)

SCRIPTS = sorted((ROOT / "arrayspeed/report/static").glob("*.js"))

#: Names of the ends of an interval, and of quartiles.
ENDS = {"low", "high", "lows", "highs", "lower", "upper", "q25", "q75", "ci", "stats_ci_99_a", "stats_ci_99_b"}

ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)

#: Expression -> why it is no decision about two measured numbers.
ALLOWED = {
    # How a number is written.
    "high - low < 0.02 * ratio": "how many digits of a ratio are shown",
    # How something is measured.
    "SHORTER * min(samples) < sample": "whether the number of calls in a sample was chosen in a slow spell",
    "one.number <= 2 * before": "whether a number of calls was taken from a turn that had about as many",
    "faults * FAULT >= SHARE * seconds": "whether calls are timed in the allocator's other state too",
    "pages * FAULT >= CLEAR * min(usual, retained)": "whether they are timed there in later rounds too, and judged",
    "(max(counts) - min(counts)) * FAULT >= CLEAR * min(times)": "whether a change may be of page faults alone",
    "self.each > before[0] * (1 - STEADY)": "whether a call is warm",
    # How far a figure is from what was planted, which is known.
    "much / (1 + TOLERANCE) <= ratio <= much * (1 + TOLERANCE)": "how many copies are counted as read",
    "low / (1 + TOLERANCE) <= much <= high * (1 + TOLERANCE)": "whether an interval that was decided holds it",
    # What is drawn.
    "positive.max() / positive.min() > LOGARITHMIC": "whether an axis is logarithmic",
    "abs(math.log(shade)) > 0.68 * math.log(DEEPEST)": "whether text on a dark colour is white",
}


def name_of(node: ast.AST) -> str | None:
    """The last name of a variable, attribute or column."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if isinstance(node.slice.value, str) else None
    return None


def is_end(node: ast.AST) -> bool:
    """Whether an expression names an end of an interval, anywhere in it."""
    return any(name_of(part) in ENDS for part in ast.walk(node))


def is_constant(node: ast.AST) -> bool:
    """A number written out, or a name in capitals; and what is computed from such alone."""
    if isinstance(node, ast.BinOp):
        return is_constant(node.left) and is_constant(node.right)
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    name = name_of(node)
    return name is not None and name.isupper()


def is_scaled(node: ast.AST) -> bool:
    """Something times or over a constant: a tolerance, where it is compared."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div))) or is_constant(node):
        return False
    return is_constant(node.right) or is_constant(node.left)


def is_quotient(node: ast.AST) -> bool:
    """Of two things neither of which is a constant."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
        return False
    return not is_constant(node.left) and not is_constant(node.right)


def is_ratio(node: ast.AST) -> bool:
    """A quotient, or what is called a ratio."""
    return is_quotient(node) or name_of(node) in ("ratio", "speedup", "speed_up")


def decides(node: ast.AST) -> bool:
    """Whether a node compares ends of intervals, or with a tolerance."""
    if not isinstance(node, ast.Compare) or not any(isinstance(op, ORDERED) for op in node.ops):
        return False
    sides = [node.left, *node.comparators]
    if any(map(is_end, sides)) or any(map(is_scaled, sides)):
        return True
    return any(map(is_ratio, sides)) and any(map(is_tolerance, sides))


def is_tolerance(node: ast.AST) -> bool:
    """A number near 1, or a name in capitals. Against 1 itself, a ratio is written as ÷ or ×; against 1000, shorter."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and 0.5 <= node.value <= 2 and node.value != 1
    return is_constant(node)


def decisions_in(source: str) -> list[str]:
    """The comparisons of a module that decide, as they are written."""
    return [ast.unparse(node) for node in ast.walk(ast.parse(source)) if decides(node)]


#: In the scripts of the pages: a property that is an end, before or behind a sign of order (an arrow is none); or a
#: ratio against a number near 1.
END = r"\.(?:low|high|q25|q75)\b"
IN_SCRIPTS = re.compile(
    rf"[\w.]*{END}\)?\s*[<>]=?\s*[\w.]+|(?<!=)[<>]=?\s*[\w.\[\]()]*{END}|\bratio\s*[<>]=?\s*(?:0\.[5-9]|1\.)\d*"
)

ALLOWED_IN_SCRIPTS = {
    "one.low < 0.02": "how many digits of a ratio are shown",
}


def test_only_decide_decides_and_no_exception_is_left_over():
    found = {text: path for path in MODULES for text in decisions_in(path.read_text())}
    assert {text: path for text, path in found.items() if text not in ALLOWED} == {}
    assert set(ALLOWED) <= found.keys()


def test_pages_only_show_what_was_decided():
    found = {match.group(): path for path in SCRIPTS for match in IN_SCRIPTS.finditer(path.read_text())}
    assert found.keys() == ALLOWED_IN_SCRIPTS.keys()


@pytest.mark.parametrize(
    "source",
    [
        "order = 1 if fast.high < slow.low else 0",
        "passed = abs(ratio - 1) <= 0.1 * scale",
        "style = 'green' if ratio >= 1.1 else 'red'",
        "if old['q75'] < new['q25']: pass",
        "changed = new / old > FACTOR",
        "found = value * (1 - NOISE) < other",
    ],
)
def test_what_was_there_before_would_be_found(source):
    assert decisions_in(source)


@pytest.mark.parametrize(
    "source",
    ["(b.high ?? b.value) < (a.low ?? a.value)", "if (one.high < other.low)", "ratio >= 1.1 ? a : b", "x < y.high"],
)
def test_what_scripts_did_before_would_be_found(source):
    assert IN_SCRIPTS.search(source)


@pytest.mark.parametrize("source", ["filter((each) => each.low !== null)", "ratio >= 100 ? a : b", "row.low === null"])
def test_what_scripts_may_do_is_left_alone(source):
    assert not IN_SCRIPTS.search(source)


@pytest.mark.parametrize(
    "source", ["size < first", "count > 3", "shift > math.log(other)", "ratio >= 1", "0 < low_count"]
)
def test_other_comparisons_are_left_alone(source):
    assert decisions_in(source) == []


def test_the_room_that_decides_is_there():
    assert any(decisions_in(path.read_text()) for path in Path(DECIDE).glob("*.py"))
