"""What a number depends on, as a hash of each part: the kernel, its inputs, the library's adapter, how it is timed, and
the environment's packages.

Sources count as syntax trees without comments and docstrings. Of a kernel, only its function and what that uses count,
so that a change of another kernel of the same file leaves its numbers as they are.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import kernels
from arrayspeed.environments.project import PLUMBING
from arrayspeed.model.combination import Combination
from arrayspeed.model.measures import CALL, FIRST_CALL, MEASURES
from arrayspeed.records.syntax import unparse
from kernels import BACKENDS, CATALOGUE, DEVICES
from kernels.backends import COMPANION, Backend
from kernels.catalogue import FAMILIES
from kernels.kernel import Kernel

ROOT = Path(kernels.__file__).parents[1]

#: The parts, in the order in which a fingerprint has them.
PARTS = ("kernel", "inputs", "adapter", "timing", "packages")

#: Modules that every timed call goes through, beside those of `benchmarks`.
TIMED = ("kernels.preparation", "kernels.shared", "kernels.late")

#: Changes of the timing that left it the same for most: what `same` has are hashes of `timing` before and after.
CHANGES = tomllib.loads(files(__package__).joinpath("same_timing.toml").read_text(encoding="utf-8")).get("change", [])

#: Backend -> size, ``small`` or ``large`` -> kernels that take another time where freed memory is retained; and the
#: backends of which it was not measured.
_states = tomllib.loads(files(__package__).joinpath("two_times.toml").read_text(encoding="utf-8"))
TWO_TIMES: dict[str, dict[str, list[str]]] = _states["kernels"]
UNMEASURED: list[str] = _states["unmeasured"]

#: Backend -> kernels that took longer in forked processes which began without the pages of files.
FORKED: dict[str, list[str]] = tomllib.loads(files(__package__).joinpath("forked.toml").read_text(encoding="utf-8"))

#: A module's name, and one of its top-level names.
Place = tuple[str, str]


def fingerprint(combination: Combination, packages: Mapping[str, str]) -> str:
    """Return the parts' hashes, with hyphens between them."""
    parts = (
        digests(combination.kernel, combination.backend, combination.measure, combination.device, is_large(combination))
        if is_known(combination)
        else digests()
    )
    return "-".join([*parts, of_packages(packages)])


def of_packages(packages: Mapping[str, str]) -> str:
    """Return the hash of an environment's packages."""
    return digest([repr(sorted(packages.items()))])


@lru_cache(None)
def digests(*of: Any) -> tuple[str, ...]:
    """Return the hashes of every part but the packages, of what `source_parts` takes; of nothing that is known, they
    say how it is timed.
    """
    return tuple(digest([part]) for part in (source_parts(*of) if of else ("", "", "", timing())))


def changed(
    before: str,
    combination: Combination,
    packages: Mapping[str, str],
    parts: Iterable[str] = PARTS,
    kept_memory: bool = False,
    as_good: Iterable[Mapping[str, str]] = (),
) -> list[str]:
    """Return the parts in which a stored fingerprint differs from that of today, of those asked for.

    ``kept_memory``: calls are known to have kept their memory, so that it made no difference how the allocator was
    brought to do so. ``as_good``: packages with which every number is the same.
    """
    then, now = (
        dict(zip(PARTS, each.split("-"), strict=False)) for each in (before, fingerprint(combination, packages))
    )
    found = [name for name in parts if then.get(name) != now[name]]
    known = is_known(combination)
    alike = {now["timing"]}
    if (
        kept_memory
        and known
        and not has_two_times(combination.kernel, combination.backend, combination.measure, is_large(combination))
    ):
        alike.add(
            digests(combination.kernel, combination.backend, combination.measure, combination.device, False)[
                PARTS.index("timing")
            ]
        )
    before = then.get("timing", "")
    if "timing" in found and alike & {before, *same_timing(before, combination.measure if known else "")}:
        found.remove("timing")
    if "packages" in found and then.get("packages", "") in set(map(of_packages, as_good)):
        found.remove("packages")
    return found


def same_timing(then: str, measure: str) -> set[str]:
    """Return the hashes of today's timing that time as a stored one did."""
    if then == digest([timing(measure, newer=True)]):  # when Python 3.12 and later wrote f-strings in their own way
        return {digest([timing(measure)])}
    return {after for change in CHANGES for before, after in change["same"].items() if before == then}


def is_known(combination: Combination) -> bool:
    """Return whether it is one of the catalogue."""
    return combination.kernel in CATALOGUE and combination.backend in BACKENDS


def is_large(combination: Combination) -> bool:
    """Return whether its size is larger than its kernel's small one."""
    return combination.size is not None and combination.size > CATALOGUE[combination.kernel].small


@lru_cache(None)
def source_parts(
    kernel: str, backend: str, measure: str = CALL.name, device: str | None = DEVICES[0], large: bool = False
) -> tuple[str, str, str, str]:
    """Return the text of every part but the packages."""
    entry, way = CATALOGUE[kernel], BACKENDS[backend]
    library = f"kernels.{entry.family}.{way.library}"
    base = entry.derived.kernel if entry.derived else entry
    names = [entry.name, f"{entry.name}_arguments"]
    if way.compiled and f"{entry.name}_compiled" in tops(library):
        names[0] = f"{entry.name}_compiled"
    if entry.derived and entry.name not in tops(library):
        other = f"{base.name}_compiled"
        names[0] = other if way.compiled and other in tops(library) else base.name
    function = closure([(library, name) for name in names], way.library)
    # How gradients are made, and their cotangents drawn.
    made = [whole(f"kernels.gradients.{way.library}")] if entry.derived and entry.name not in tops(library) else []
    drawn = [whole("kernels.gradients")] if entry.derived else []
    numbers = [repr(entry.static(size, dtype)) for size in (entry.small, entry.large) for dtype in entry.dtypes]
    return (
        "\n".join([entry.version, *numbers, *made, *texts(function)]),
        "\n".join([input_code(base, entry.family), *drawn]),
        adapter(way.library) + whole("kernels.backends.base"),
        timing(measure) + timing_of(way, measure, device, large, kernel),
    )


def has_two_times(kernel: str, backend: str, measure: str, large: bool) -> bool:
    """Return whether a time on the host is another where the process retains freed memory.

    Of transfers it was not measured, and they copy whole arrays.
    """
    if large and (MEASURES[measure].to_host or backend in UNMEASURED):
        return True
    return kernel in TWO_TIMES.get(backend, {}).get("large" if large else "small", ())


def timing_of(way: Backend, measure: str, device: str | None, large: bool = False, kernel: str = "") -> str:
    """Return what of the timing differs between kernels, backends, measures, devices and sizes; empty where it is as it
    always is.
    """
    batched_on_host = MEASURES[measure].batched and device == DEVICES[0]
    found = []
    if batched_on_host and (way.notes_stack or way.waits_by):
        found.append(f"{way.notes_stack} {way.waits_by}")
    if batched_on_host or MEASURES[measure].to_host:
        if has_two_times(kernel, way.name, measure, large):
            found.append("allocator as the system sets it up")
        else:  # as it was when all processes retained freed memory
            found.append("allocator settled by its thresholds" if large else "allocator settled")
        if kernel in FORKED.get(way.name, ()):
            found.append("pages of files entered")
    if measure == FIRST_CALL.name and way.library == COMPANION:
        found.append("threads of OpenBLAS asleep")
    return " ".join(found)


@lru_cache(None)
def adapter(library: str) -> str:
    """Return all of an adapter's file but what no number depends on: how an audit watches the library, and what only
    that uses.
    """
    module = f"kernels.backends.{library}"
    body = tree(module).body
    watch = {name for owner, name in closure([(module, "Watch")], "") if owner == module}
    others = [(module, name) for node in body if not defined(node) & watch for name in names_in(node)]
    watch -= {name for owner, name in closure(others, "") if owner == module}
    rest = [node for node in body if not defined(node) & watch]
    needed = {name for node in rest for name in names_in(node)}
    return unparse(ast.Module([part for node in rest if (part := needed_of(node, needed))], []))


def needed_of(node: ast.stmt, needed: Collection[str]) -> ast.stmt | None:
    """Return a statement; of an import, what of it is needed."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return node
    names = [one for one in node.names if (one.asname or one.name.partition(".")[0]) in needed]
    if not names:
        return None
    return ast.Import(names) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, names, node.level)


def names_in(node: ast.AST) -> set[str]:
    """Return the names that are used anywhere in it."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def input_code(kernel: Kernel, family: str) -> str:
    """Return what draws the inputs: a function and what it uses, or its family's whole file where it is none of that
    file.
    """
    module = f"kernels.{family}"
    name = kernel.inputs.__name__
    return "\n".join(texts(closure([(module, name)], ""))) if name in tops(module) else whole(module)


@lru_cache(None)
def timing(measure: str = "", newer: bool = False) -> str:
    """Return what times a call; of the file that has all measures, what is of one measure and what all have
    in common.
    """
    files = sorted((ROOT / "benchmarks").glob("*.py"))
    names = [path.stem for path in files if path.stem not in FAMILIES and f"benchmarks/{path.name}" not in PLUMBING]
    modules = {name: f"benchmarks.{name}" for name in names} | {name: name for name in TIMED}
    needed = {
        name: OneMeasure(measure).visit(copy.deepcopy(tree(module))) if of_measures(module) else tree(module)
        for name, module in modules.items()
    }
    # What only other measures' methods import.
    others = helpers(tree(module) for module in modules.values()) - helpers(needed.values())
    each = (
        unparse(one, newer) if of_measures(modules[name]) else whole(modules[name], newer)
        for name, one in needed.items()
        if name not in others
    )
    return "\n".join([version("asv_runner"), *each])


@lru_cache(None)
def of_measures(module: str) -> bool:
    """Return whether a module names any measure, so that what it is differs between them."""
    others = OneMeasure("")
    return any(
        others.names_other(node) or others.is_other(getattr(node, "name", None) or getattr(node, "id", None))
        for node in ast.walk(tree(module))
    )


def helpers(trees: Iterable[ast.Module]) -> set[str]:
    """Return the modules of `benchmarks` that these import."""
    nodes = [node for each in trees for node in ast.walk(each) if isinstance(node, ast.ImportFrom)]
    return {name.name for node in nodes if node.module == "benchmarks" for name in node.names}


class OneMeasure(ast.NodeTransformer):
    """Takes away the methods of other measures, and wherever these are named in a tuple, a mapping or an assignment."""

    def __init__(self, measure: str) -> None:
        self.measure = measure

    def is_other(self, name: object) -> bool:
        """Return whether a name is that of another measure's method."""
        return (
            isinstance(name, str)
            and name != self.measure
            and re.match("(time|timeraw|track|peakmem)_", name) is not None
        )

    def names_other(self, node: ast.AST | None) -> bool:
        """Return whether an expression is another measure: its name as a text, or its method."""
        return self.is_other(getattr(node, "value", None)) or self.is_other(getattr(node, "attr", None))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        """Methods alone have ``self`` first; other functions may be called as they like."""
        method = node.args.args and node.args.args[0].arg == "self"
        return None if method and self.is_other(node.name) else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """``track_error.unit = …``."""
        (target, *_) = node.targets
        owner = target.value if isinstance(target, ast.Attribute) else None
        other = isinstance(owner, ast.Name) and self.is_other(owner.id)
        return None if other else self.generic_visit(node)

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        """Return lists of measures."""
        node.elts = [one for one in node.elts if not self.names_other(one)]
        return self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """Return what is timed, by measure."""
        both = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if not self.names_other(key)]
        node.keys, node.values = [key for key, _ in both], [value for _, value in both]
        return self.generic_visit(node)


def digest(texts: Iterable[str]) -> str:
    """Return a short hash."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


# --- sources ---


@lru_cache(None)
def tree(module: str) -> ast.Module:
    """Return a module's syntax tree without docstrings; an empty one where there is no such file."""
    path = ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_name(f"{path.name}.py")
    found = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
    for node in ast.walk(found):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and is_docstring(body[0]):
            body[:] = body[1:] or [ast.Pass()]
    return found


def is_docstring(node: ast.stmt) -> bool:
    """Return whether a statement is nothing but a text."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@lru_cache(None)
def whole(module: str, newer: bool = False) -> str:
    """Return all of a module."""
    return unparse(tree(module), newer)


@lru_cache(None)
def tops(module: str) -> dict[str, ast.stmt]:
    """Top-level name -> the statement that defines it."""
    return {name: node for node in tree(module).body for name in defined(node)}


def defined(node: ast.stmt) -> set[str]:
    """Return the names that a top-level statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if not isinstance(node, (ast.Assign, ast.AnnAssign)):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


@lru_cache(None)
def imported(module: str) -> dict[str, Place]:
    """Name -> where it is from, of what is imported from `kernels`; the second part is empty for a module."""
    found = {}
    for node in tree(module).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "kernels":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                is_module = ROOT.joinpath(*inner.split(".")).with_suffix(".py").is_file()
                found[alias.asname or alias.name] = (inner, "") if is_module else (str(node.module), alias.name)
    return found


def closure(start: Iterable[Place], library: str) -> set[Place]:
    """Top-level names of `kernels` that some of them use, these included."""
    found: set[Place] = set()
    left = list(start)
    while left:
        place = left.pop()
        module, name = place
        if place in found or name not in tops(module):
            continue
        found.add(place)
        left += uses(module, name, library)
    return found


@lru_cache(None)
def uses(module: str, name: str, library: str) -> list[Place]:
    """Return the places that a top-level statement of a module refers to."""
    return [place for node in ast.walk(tops(module)[name]) for place in used(node, module, library)]


def used(node: ast.AST, module: str, library: str) -> list[Place]:
    """Return the places that a node of a module refers to."""
    if isinstance(node, ast.Name):
        return [(module, node.id) if node.id in tops(module) else imported(module).get(node.id, ("", ""))]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner, inner = imported(module).get(node.value.id, ("", "x"))
        if node.value.id == "shared":
            return [(f"{module.rpartition('.')[0]}.shared", node.attr)]
        if node.value.id == "xp" and module.endswith(".shared"):
            return [(f"kernels.names.{library}", node.attr)]
        return [] if inner else [(owner, node.attr)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Late":
        named = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        return [(named[0], named[1])] if len(named) == 2 else []
    return []


def texts(places: Iterable[Place]) -> list[str]:
    """Return what is written at places."""
    return [f"{module}.{name} {written(module, name)}" for module, name in sorted(places)]


@lru_cache(None)
def written(module: str, name: str) -> str:
    """Return the top-level statement that defines a name."""
    return unparse(tops(module)[name])
