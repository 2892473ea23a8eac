"""A processor's code as a compiler shows it: instructions, with labels and functions numbered in their order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

LABEL = re.compile(r'("[^"]*"|[\w.$]+):')
DATA = re.compile(r"\.(byte|short|long|quad|zero|[248]byte)\b")

#: Labels of constants that instructions read, and of tables of jumps. What else a file holds are names and messages.
CONSTANT = re.compile(r"\.L(CPI|JTI)")

#: Beginnings of labels of texts, which are called by what they say or by a hash of it.
TEXTS = (".const.", ".bytes.")

#: Beginnings of new names, and of what every function has for its way into Python.
OWN = ("constant", "message", "address", "L", "NumbaEnv")


def lines(text: str) -> list[str]:
    """Labels, instructions and constants."""
    names = Names()
    parts = list(kept(text))
    used = {label for each in parts if not each.endswith(":") for label in re.findall(r"\.L\w+", each)}
    return [
        names.replaced(each) if each.endswith(":") else f"  {names.replaced(each)}"
        for each in parts
        if not (each.endswith(":") and each.startswith(".L")) or each[:-1] in used
    ]


def kept(text: str) -> Iterator[str]:
    """Yield what a processor runs or reads, and the labels."""
    reads = False
    for each in text.splitlines():
        each = " ".join(each.partition("##")[0].split())
        if match := LABEL.fullmatch(each.partition(" #")[0]):
            reads = CONSTANT.match(match[1]) is not None
            if not match[1].strip('"').startswith(TEXTS):
                yield match[0]
        elif DATA.match(each):
            if reads:
                yield each
        elif each and each[0] not in ".#":
            yield each


class Names:
    """New names, in the order in which they are met."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self.numbers: Counter[str] = Counter()

    def replaced(self, text: str) -> str:
        """Return a line by the new names: nothing in it is the name of an address, a process or a compilation."""
        text = re.sub(r'"?\.(?:const|bytes)\.[^"\n,]*"?', "message", text)
        text = re.sub(r"\.kernel\.\d+_", ".kernel.", text)
        text = re.sub(r"(?:[A-Za-z_]\w*\.)?(?:__gufunc__\.)?_ZN[\w.$]+", lambda match: self.function(match[0]), text)
        text = re.sub(r"\.L[A-Za-z_]+[\d_]*", lambda match: self.label(match[0]), text)
        return re.sub(r"\b(0x)?[0-9a-f]{12}\b|\b\d{14,16}\b", "address", text)

    def function(self, symbol: str) -> str:
        """Return a function by the parts of its name, and a number where several are called that."""
        if symbol not in self.known:
            before, _, mangled = symbol.partition("_ZN")
            plain = re.sub(r"_0x[0-9a-f]+$", "", before + ".".join(pieces(mangled)))
            self.numbers[plain] += 1
            self.known[symbol] = plain if self.numbers[plain] == 1 else f"{plain}#{self.numbers[plain]}"
        return self.known[symbol]

    def label(self, label: str) -> str:
        """Return a place in a function, or a constant."""
        if label not in self.known:
            kind = "constant" if CONSTANT.match(label) else "L"
            self.numbers[kind] += 1
            self.known[label] = f"{kind}{self.numbers[kind]}"
        return self.known[label]


def pieces(mangled: str) -> list[str]:
    """Return the parts of a mangled name up to the first that is not a length and a name."""
    found = []
    while match := re.match(r"(\d+)", mangled):
        start = match.end()
        end = start + int(match[1])
        found.append(mangled[start:end])
        mangled = mangled[end:]
    return found


def counts(names: Sequence[str]) -> dict[str, int]:
    """Instructions, how many of them work on several numbers at once, and references to functions of libraries."""
    counted: Counter[str] = Counter()
    defined = {each.removesuffix(":") for each in names if not each.startswith(" ")}
    for each in names:
        if not each.startswith("  ") or each.startswith("  ."):
            continue
        operation, _, operands = each.strip().partition(" ")
        counted["instructions"] += 1
        counted["instructions on vectors"] += bool(
            re.search(r"%[yz]mm|\bv\d+\.(2d|4s|8h|16b)", operands)
            or (re.search(r"p[sd]$", operation) and "xmm" in operands and "xor" not in operation)
        )
        for name in re.findall(r"\$([A-Za-z_][\w.]*)", operands):
            if name not in defined and not name.startswith(OWN):
                counted[f"uses {name}"] += 1
    return {name: count for name, count in counted.items() if count}
