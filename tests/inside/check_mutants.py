"""Whether the check of a kernel's result fails for a wrong kernel: every operator, number and function changed in turn.

Two kinds of mutants: the source of a library's eager kernels with one thing changed, and, on every backend, results
changed on their way to the check. Each must be found out at one of the sizes that tests use. A mutant may end the
process: MLX writes wherever a wrong index says. Then the next process begins with that mutant (`begin`), and where it
ends again, at the one after it.
"""

import ast
import copy
import os
import resource
import sys
import types
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module, reload
from itertools import chain, islice
from pathlib import Path

if sys.argv[2:3] == ["numba"]:
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # the same source, without a compilation for each mutant
    os.environ["NUMBA_NUM_THREADS"] = "2"  # with one part, its sum is its maximum

import numpy as np

from kernels import BACKENDS, CATALOGUE, LIBRARIES, NotAvailable
from kernels.kernel import EXACT
from kernels.preparation import leaves, load, put_each
from tests.inside.check_kernels import sizes_of

ROOT = Path(__file__).parent.parent.parent

OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
OPERATORS |= {ast.MatMult: ast.Mult}
COMPARISONS = {ast.Gt: ast.LtE, ast.Lt: ast.GtE}
FUNCTIONS = {"sin": "cos", "exp": "cosh", "tanh": "sin", "fft": "ifft", "sum": "max", "reduce_sum": "reduce_max"}
FUNCTIONS |= {"argmax": "argmin", "cumsum": "sort", "logsumexp": "amax", "reduce_logsumexp": "reduce_max"}
FUNCTIONS |= {"sort": "array", "add_": "sub_", "sub_": "add_", "randn": "rand", "standard_normal": "random"}


#: Without its compiler, a Numba kernel of this many elements at least takes a second: then one mutant of five is tried.
MANY, SELDOM = 1_000, 5

#: Bytes that a mutant may take: more than any kernel needs at these sizes.
MEMORY = 4 * 2**30


def main(library, begin="0"):
    """Each mutant from number ``begin`` on, before it is tried, and again with how it was found out."""
    for mutant, find in islice(chain(source_mutants(library), result_mutants(library)), int(begin), None):
        yield {"begins": mutant}
        yield {**mutant, "found": find()}


# --- the source ---


def source_mutants(library):
    for family in dict.fromkeys(kernel.family for kernel in CATALOGUE.values()):
        path = ROOT / "kernels" / family / f"{library}.py"
        if not path.exists():
            continue
        able = [name for name, kernel in CATALOGUE.items() if kernel.family == family]
        able = [name for name in able if CATALOGUE[name].why_not(library, library) is None]
        tree = ast.parse(path.read_text())
        reach = {name: reachable(tree, name) for name in able}
        yield from mutants_of(library, path, tree, reach)
        shared = path.with_name("shared.py")
        if shared.exists():
            # All mutants of a shared function are tried by one library, NumPy where it has it, and one by each other.
            first = {name for name in able if first_to_bind(family, name) == library}
            source = ast.parse(shared.read_text())
            bound = {
                name: set().union(*(reachable(source, each) for each in bindings(tree, reach[name]))) for name in able
            }
            yield from mutants_of(library, shared, source, bound, first)


def mutants_of(library, path, tree, reach, in_full=None):
    """Each mutant of a file; of owners that no kernel of ``in_full`` uses only the first, where that is given."""
    lines, tried = path.read_text().splitlines(), set()
    for number, place in enumerate(places(tree)):
        line = lines[place.lineno - 1].strip()
        mutant = copy.deepcopy(tree)
        what = list(places(mutant))[number].change()
        kernels = [name for name, functions in reach.items() if place.owner in functions]
        kernels = [name for name in kernels if not is_equivalent(CATALOGUE[name], what, line)]
        if not kernels:
            continue
        if library == "numba" and number % SELDOM and all(CATALOGUE[name].least > MANY for name in kernels):
            continue
        if in_full is not None and not in_full.intersection(kernels):
            if place.owner in tried:
                continue
            tried.add(place.owner)
        described = {
            "kind": "source",
            "kernels": kernels,
            "what": f"{path.relative_to(ROOT)}:{place.lineno}: {what} in `{line}`",
        }
        yield described, partial(found_by_any, kernels, library, mutant, path)


def is_equivalent(kernel, what, line):
    """Whether a kernel says that a change of a line leaves its result right."""
    for entry in kernel.equivalent:
        change, _, part = entry.rpartition(": ") if "→" in entry else ("", "", entry)
        if part in line and change in ("", what):
            return True
    return False


def bindings(tree, names):
    """What the functions and assignments of these names take from the family's shared file."""
    used = [node for top in tree.body if names & defined(top) for node in ast.walk(top)]
    return {
        node.attr
        for node in used
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "shared"
    }


def defined(top):
    """The names that a statement defines."""
    if isinstance(top, ast.FunctionDef):
        return {top.name}
    return {target.id for target in getattr(top, "targets", ()) if isinstance(target, ast.Name)}


def first_to_bind(family, kernel):
    """The library whose turn it is to try all mutants of what a kernel takes from the shared file."""
    for library in LIBRARIES:
        path = ROOT / "kernels" / family / f"{library}.py"
        if path.exists():
            tree = ast.parse(path.read_text())
            if bindings(tree, reachable(tree, kernel)):
                return library
    return None


class Place:
    """One thing in a tree that can be changed, and the top-level name that it belongs to."""

    def __init__(self, owner, node, change):
        self.owner, self.lineno, self.change = owner, node.lineno, change


def places(tree):
    """Everything that can be changed in the functions and assignments of a module."""
    for top in tree.body:
        if isinstance(top, ast.FunctionDef):
            # Decorators say how, not what.
            owner, parts = top.name, top.body
        elif isinstance(top, ast.Assign) and isinstance(top.targets[0], ast.Name):
            owner, parts = top.targets[0].id, [top]
        else:
            continue
        if owner.endswith(("_arguments", "_compiled")):
            continue
        for part in parts:
            for node in ast.walk(part):
                yield from (Place(owner, node, change) for change in changes(node))


def changes(node):
    """Functions that change one node in place and say what they did."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATORS:
        yield lambda: swap(node, "op", OPERATORS[type(node.op)]())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield lambda: swap(node, "ops", [COMPARISONS[type(node.ops[0])]()])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield lambda: swap(node, "op", ast.UAdd())
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield lambda: swap(node, "value", node.value + 1)
    if isinstance(node, ast.keyword) and node.arg.startswith("transpose_"):
        yield lambda: swap(node, "value", ast.Constant(False))
    if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
        yield lambda: swap(node, "attr", FUNCTIONS[node.attr])
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield lambda: swap(node, "attr", "real")


def swap(node, name, value):
    """Change one field of a node; what was changed, for people."""

    def shown(each):
        each = each[0] if isinstance(each, list) else each
        return type(each).__name__ if isinstance(each, ast.AST) else repr(each)

    what = f"{shown(getattr(node, name))} → {shown(value)}"
    setattr(node, name, value)
    if isinstance(value, ast.AST) and "lineno" in value._attributes:
        ast.copy_location(value, node.value if hasattr(node, "value") and node.value is not value else node)
        value.lineno, value.col_offset = getattr(node, "lineno", 1), 0
        value.end_lineno, value.end_col_offset = value.lineno, 0
    return what


def reachable(tree, name):
    """Top-level names that a kernel's function uses, itself included."""
    tops = {}
    for top in tree.body:
        if isinstance(top, ast.FunctionDef):
            tops[top.name] = top
        elif isinstance(top, ast.Assign) and isinstance(top.targets[0], ast.Name):
            tops[top.targets[0].id] = top
    found, left = set(), [name] if name in tops else []
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += [node.id for node in ast.walk(tops[each]) if isinstance(node, ast.Name) and node.id in tops]
    return found


def found_by_any(kernels, library, tree, path):
    """How the check of one of the kernels finds a changed source out, or None."""
    found = [found_out(name, library, tree, path) for name in kernels]
    return next(filter(None, found), None)


def found_out(name, library, tree, path):
    """How the check of a kernel's result finds a changed source out, or None."""
    kernel = CATALOGUE[name]
    original = f"kernels.{kernel.family}.{library}"
    kept = {each: sys.modules.pop(each, None) for each in (original, f"kernels.{kernel.family}.shared_{library}")}
    try:
        with limited_memory():
            module = mutated(original, tree, path)
            arguments_from = getattr(module, f"{name}_arguments", put_each)
            for size in sizes_of(kernel, library):
                if size > 1:
                    replaced(kernel, library, size, getattr(module, name), arguments_from).verify()
    except NotAvailable:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        for each, one in kept.items():
            sys.modules.pop(each, None)
            if one is not None:
                sys.modules[each] = one
    return None


@contextmanager
def limited_memory():
    """End what takes ``MEMORY`` more than there is: an array that doubles at each step would take all memory."""
    status = Path("/proc/self/status").read_text()
    now = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmData"))
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (now + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def mutated(original, tree, path):
    """A library's file of a family, where it or the shared file that it loads is changed."""
    code = compile(ast.fix_missing_locations(tree), str(path), "exec")
    if path.name != "shared.py":
        module = types.ModuleType(original)
        module.__file__ = str(path)
        sys.modules[original] = module
        exec(code, vars(module))
        return module
    # `bind` finds the changed file where it would have put its own.
    module = import_module(original)
    exec(code, vars(module.shared))
    return reload(module)


def replaced(kernel, backend, size, function, arguments_from):
    """A prepared kernel with another function in place of its own."""
    prepared = load(kernel.name, backend, size, dtype=kernel.dtypes_on(backend, backend)[0])
    static = prepared.static
    arguments = arguments_from(prepared.adapter, *prepared.inputs)
    return replace(
        prepared, function=function, arguments=arguments, call=lambda: waited(prepared, function(*arguments, **static))
    )


def waited(prepared, result):
    """A result, complete."""
    if prepared.adapter.wait:
        prepared.adapter.wait(result)
    return result


# --- results ---


def result_mutants(library):
    """Changed results: of every kernel on the eager backend, and of one a family on the compiled one."""
    able = [kernel for kernel in CATALOGUE.values() if kernel.why_not(library, library) is None]
    first = {kernel.family: kernel.name for kernel in reversed(able) if kernel.devices is None}
    for kernel in CATALOGUE.values():
        for backend in BACKENDS.values():
            if backend.library != library or kernel.why_not(backend.name, library) is not None:
                continue
            if backend.compiled and kernel.name != first.get(kernel.family):
                continue  # the check of a result is the same code whoever computed it
            if kernel.devices is not None:
                continue  # its results are on several devices, and putting a changed one back would not be
            for dtype in kernel.dtypes_on(backend.name, library):
                prepared = load(kernel.name, backend.name, kernel.small, dtype=dtype)
                right = prepared.call()
                for what, change in changed_results(prepared).items():
                    wrong = change(right)
                    if wrong is None:
                        continue
                    described = {
                        "kind": "result",
                        "kernels": [kernel.name],
                        "what": f"{backend.name} {dtype}: {what}",
                    }
                    yield described, partial(refused, replace(prepared, call=lambda wrong=wrong: wrong))


def refused(prepared):
    """How a result is refused, or None."""
    try:
        prepared.verify()
    except AssertionError as error:
        return str(error)[:200]
    return None


#: A dtype -> the one with half its precision.
NARROWER = {
    "float64": "float32",
    "float32": "float16",
    "complex128": "complex64",
    "complex64": "complex64",
}


def changed_results(prepared):
    """Name -> what changes one result on the device: its sign, order, precision, dtype, shape, or one number of it.

    None comes back where that leaves it as it was.
    """
    kernel = prepared.kernel
    allowed = kernel.allowed_errors(prepared.backend.name, prepared.backend.library, prepared.dtype)
    found = {}
    for number, kind in enumerate(kernel.results):
        where = f" of result {number + 1}" if number else ""
        for what, change in changes_of(kernel, kind, allowed[number], prepared.dtype).items():
            found[what + where] = on_result(prepared.adapter, number, change)
    if kernel.name == "elementwise":
        found["results exchanged"] = lambda result: (result[1], result[0], result[2])
        found["a result missing"] = lambda result: result[:2]
    return found


def on_result(adapter, number, change):
    """What changes one of a kernel's results on the host and puts it back."""

    def changed(result):
        arrays = list(leaves(result))
        before = np.array(adapter.get(arrays[number]), order="C")
        after = change(before.copy())
        # A constant may be one that TF32 holds exactly.
        if after.dtype == before.dtype and np.array_equal(after, before):
            return None
        arrays[number] = adapter.put(after)
        return tuple(arrays) if isinstance(result, (tuple, list)) else arrays[0]

    return changed


def changes_of(kernel, kind, allowed, dtype):
    """Name -> what changes a host array of a kind that must be within an error."""

    def one_number(x):
        flat = x.reshape(-1)
        if kind in EXACT:
            flat[: int(allowed * flat.size) + 1] += 1  # one more than may differ
        else:
            flat[len(flat) // 2] += (10 * allowed + 1e-6) * np.abs(x).max()
        return x

    found = {
        "another shape": lambda x: x.reshape(1, *x.shape),
        "zeros": np.zeros_like,
        "one number": one_number,
    }
    if kind not in EXACT and kind not in ("number", "complex"):
        return {}  # a key, of which any other is right
    if kind in EXACT:
        return found
    found["not a number"] = lambda x: x * np.nan
    if dtype == "float64":
        found["half the precision"] = lambda x: x.astype(NARROWER[str(x.dtype)])
    if kernel.random:
        del found["one number"]
        return found | {"another scale": lambda x: x * 1.5}
    if kernel.align is None:
        found["the other sign"] = lambda x: -x
    if dtype == "float32" and allowed < 2.0**-12:
        found["TF32"] = lambda x: tf32(x) if x.size > 1 or not near(tf32(x), x, allowed) else x
    return found


def near(rounded, item, allowed):
    """Whether a number alone lies by chance so near to what it is rounded to that the change is tolerated."""
    return bool((np.abs(rounded - item) <= allowed * np.abs(item)).all())


def tf32(x):
    """Rounded to the ten bits of mantissa that TF32 keeps, always downwards."""
    real = x.view(np.float32)
    return (real.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).view(x.dtype).reshape(x.shape)
