"""XLA's optimised programs: the same lines for the same operations, whatever their names and wherever they are from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

#: Attributes that name sources and settings of compilation, and no work.
DROPPED = {"metadata", "frontend_attributes", "sharding", "parameter_replication", "origin", "statistics"}

INSTRUCTION = re.compile(r"\s*(ROOT )?%?([\w.-]+) = (.*)")
COMPUTATION = re.compile(r"(ENTRY )?%?([\w.-]+) (?:\(.*\) -> .* )?\{")
REFERENCE = re.compile(r"%?([A-Za-z_][\w.-]*)")


@dataclass(frozen=True)
class Instruction:
    """One line of a computation."""

    root: bool
    name: str
    shape: str
    operation: str
    operands: tuple[str, ...]
    attributes: tuple[str, ...]


def lines(text: str) -> list[str]:
    """Return a program, or several one after the other."""
    modules = re.split(r"(?m)^(?=HloModule )", text)
    modules = [each for each in modules if each.strip()] or [text]
    if len(modules) == 1:
        return lines_of(text)
    return [line for n, each in enumerate(modules, 1) for line in (f"module {n}:", *lines_of(each))]


def lines_of(text: str) -> list[str]:
    """Return a program from its entry on, computations in the order in which they are called, everything
    numbered anew.
    """
    entry, computations = parsed(text)
    places = {entry: "entry"}
    found = []
    left = [entry]
    while left:
        name = left.pop(0)
        found.append(f"{places[name]}:")
        numbers: Counter[str] = Counter()
        names: dict[str, str] = {}
        for one in sorted(computations[name], key=where):
            for called in references(one, computations):
                if called not in places:
                    places[called] = f"computation {len(places)}"
                    left.append(called)
            numbers[one.operation] += 1
            names[one.name] = f"{one.operation}.{numbers[one.operation]}"
            found.append(line(one, names, places))
    return found


def where(instruction: Instruction) -> tuple[int, str]:
    """Return a key to sort instructions by, which otherwise stay in their order: where a parameter or a constant stands
    is no part of the program.
    """
    kinds = ("parameter", "constant")
    if instruction.operation not in kinds:
        return len(kinds), ""
    return kinds.index(instruction.operation), f"{instruction.operands[0]:>9} {instruction.shape}"


def line(instruction: Instruction, names: Mapping[str, str], places: Mapping[str, str]) -> str:
    """Return an instruction by the new names."""
    operands = ", ".join(names.get(each, each) for each in instruction.operands)
    attributes = [REFERENCE.sub(lambda match: places.get(match[1], match[0]), each) for each in instruction.attributes]
    text = f"{names[instruction.name]} = {instruction.shape} {instruction.operation}({operands})"
    return "  " + ", ".join([("return " if instruction.root else "") + text, *attributes])


def counts(names: Sequence[str]) -> dict[str, int]:
    """Return how often each operation is there; custom calls, and fusions that others make, also by what they call."""
    counted: Counter[str] = Counter()
    for text in names:
        match = re.match(r"  (?:return )?\S+ = .*? ([a-z][\w-]*)\(", text)
        if match is None:
            continue
        counted["operations"] += 1
        counted[match[1]] += 1
        if target := re.search(r'custom_call_target="([^"]*)"', text):
            counted[f"custom-call to {target[1]}"] += 1
        if kind := re.search(r"made by (\w+)", text):
            counted[f"fusion made by {kind[1]}"] += 1
    return dict(counted)


def parsed(text: str) -> tuple[str, dict[str, list[Instruction]]]:
    """Return the name of the entry, and the instructions of every computation.

    Raises
    ------
    ValueError
        It has no entry, so it is none of XLA's programs.
    """
    entry = ""
    current: list[Instruction] | None = None
    found: dict[str, list[Instruction]] = {}
    for text_line in re.sub(r"/\*.*?\*/", "", text).splitlines():
        if heading := COMPUTATION.fullmatch(text_line.rstrip()):
            current = found[heading[2]] = []
            entry = heading[2] if heading[1] else entry
        elif text_line.startswith("}"):
            current = None
        elif current is not None and (match := INSTRUCTION.fullmatch(text_line.rstrip())):
            current.append(instruction(bool(match[1]), match[2], match[3]))
    if not entry:
        raise ValueError("the program has no entry")
    return entry, found


def instruction(root: bool, name: str, rest: str) -> Instruction:
    """Return what follows the equals sign: shape, operation, operands in brackets, attributes."""
    width = closing(rest, 0) + 1 if rest.startswith("(") else rest.index(" ")
    shape, rest = rest[:width], rest[width:].lstrip()
    operation = rest.partition("(")[0]
    end = closing(rest, len(operation))
    operands = tuple(each.split(" ")[-1].removeprefix("%") for each in parts(rest[len(operation) + 1 : end]))
    if operation in ("constant", "parameter"):
        operands = (rest[len(operation) + 1 : end],)
    attributes = sorted(filter(None, map(attribute, parts(rest[end + 1 :]))))
    return Instruction(root, name, usual_layouts_left_out(shape), operation, operands, tuple(attributes))


def attribute(text: str) -> str | None:
    """Return an attribute; of the configuration of a backend, by what a fusion is made and into how many parts it is
    split.
    """
    name, _, value = text.partition("=")
    if name in DROPPED:
        return None
    if name == "backend_config":
        kind = re.search(r'"kind":"_*(\w+?)(?:_fusion)?"', value)
        split = re.search(r'"outer_dimension_partitions":\[("[^\]]+)\]', value)
        made = [f"made by {kind[1]}"] if kind else []
        return " ".join([*made, *([f"in parts {split[1]}"] if split else [])]).replace('"', "") or None
    return text


def usual_layouts_left_out(shape: str) -> str:
    """Return a shape without the layouts in which rows lie one after the other: some releases write them and others do
    not.
    """

    def kept(match: re.Match[str]) -> str:
        order = [int(each) for each in match[1].split(",") if each]
        return "" if order == sorted(order, reverse=True) else match[0]

    return re.sub(r"\{([\d,]*)\}", kept, shape)


def references(instruction: Instruction, computations: Mapping[str, object]) -> Iterator[str]:
    """Yield the computations that an instruction calls."""
    for text in instruction.attributes:
        yield from (name for name in REFERENCE.findall(text) if name in computations)


def closing(text: str, start: int) -> int:
    """Return the place of the bracket that closes the one at ``start``."""
    depth, quoted = 0, False
    for place in range(start, len(text)):
        sign = text[place]
        quoted ^= sign == '"' and text[place - 1] != "\\"
        depth += not quoted and (sign in "({[") - (sign in ")}]")
        if depth == 0:
            return place
    return len(text)


def parts(text: str) -> list[str]:
    """Return what stands between commas that are in no brackets and no quotes."""
    found, depth, quoted, last = [], 0, False, 0
    for place, sign in enumerate(text):
        quoted ^= sign == '"' and text[place - 1] != "\\"
        depth += not quoted and (sign in "({[") - (sign in ")}]")
        if sign == "," and depth == 0 and not quoted:
            found.append(text[last:place])
            last = place + 1
    return [each.strip() for each in (*found, text[last:]) if each.strip()]
