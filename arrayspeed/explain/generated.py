"""Python that a compiler generated, with kernels in C++ or Triton as texts: the kernels, and the function that calls
them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

#: Lines of a kernel that say where it came from.
SOURCES = re.compile(r"\s*(#include|//|#(?!\s*pragma)).*")


def lines(text: str) -> list[str]:
    """Kernels by number, as they are written, and the body of each function ``call``."""
    kernels: dict[str, str] = {}
    found: list[str] = []
    tree = ast.parse(text)
    for name, code in kernel_texts(tree):
        kernels[name] = f"kernel {len(kernels) + 1}"
        found.append(f"{kernels[name]}:")
        for each in code.splitlines():
            if each.strip() and not SOURCES.fullmatch(each):
                found.append(f"  {' '.join(renamed(each, kernels).split())}")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "call":
            found.append("call:")
            found += [f"  {renamed(each, kernels)}" for part in node.body for each in ast.unparse(part).splitlines()]
    return found


def kernel_texts(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the name and the code of each kernel: the longest text that it is made from."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            texts = [
                each.value
                for each in ast.walk(node.value)
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
            if texts and "async_compile" in ast.unparse(node.value.func):
                yield node.targets[0].id, max(texts, key=len)


def renamed(text: str, kernels: dict[str, str]) -> str:
    """Return a line with the kernels' new names, and without the place of a stream or a file."""
    for name, new in kernels.items():
        text = re.sub(rf"\b{name}\b", new.replace(" ", "_"), text)
    return re.sub(r"/[\w./-]*/\w{2}/c\w{40,}\.\w+", "a file", text)


def counts(names: Sequence[str]) -> dict[str, int]:
    """Kernels, their loops and parallel regions, and calls into libraries."""
    counted: Counter[str] = Counter()
    for each in names:
        counted["lines"] += each.startswith(" ")
        counted["kernels"] += each.startswith("kernel ")
        counted["parallel regions"] += "#pragma omp parallel" in each
        counted["loops"] += each.startswith("  for(")
        counted["operations on vectors"] += "at::vec::" in each
        for name in re.findall(r"\b(extern_kernels\.\w+|\w+\.ops\.\w+\.\w+(?:\.\w+)?)\(", each):
            counted[f"calls {name}"] += 1
    return {name: count for name, count in counted.items() if count}
