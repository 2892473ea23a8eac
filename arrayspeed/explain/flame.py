"""A differential flame graph: the stacks of a call as boxes, as wide as what they take, in the colour of their growth.

After Brendan Gregg's, "Differential flame graphs" (2014): callers are below what they call, the width is that of one
side, and the colour says how much more or less the other side takes. A picture of one side does not show what that
side never calls, so there is one for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from arrayspeed.explain.stacks import Function, Stack
from arrayspeed.formats.pages import text
from arrayspeed.model.units import human_time

#: Width of the picture and height of a box; boxes narrower than the last are left out.
WIDTH, ROW, NARROWEST = 1200.0, 18, 1.5

#: Width of a letter, roughly, and letters below which a box has no text.
LETTER, SHORTEST = 6.6, 3

#: The most levels: recursion makes more, and nobody looks at them.
DEEPEST = 80

#: Growth of a box, as a share of the longer call, at which the colour is the strongest.
STRONGEST = 0.25


@dataclass
class Node:
    """A function as it was called by those below it: seconds a call on both sides with all that it calls, and that."""

    old: float = 0.0
    new: float = 0.0
    called: dict[Function, Node] = field(default_factory=dict)

    def side(self, new: bool) -> float:
        """Return the seconds of one side."""
        return self.new if new else self.old


@dataclass(frozen=True)
class Box:
    """A node where it is drawn: its function, its place from the left and its level."""

    function: Function | None
    node: Node
    left: float
    level: int


def tree(old: Mapping[Stack, float], new: Mapping[Stack, float]) -> Node:
    """Return the calls of both sides as a tree."""
    root = Node()
    for is_new, stacks in ((False, old), (True, new)):
        for stack, value in stacks.items():
            node = root
            add(node, value, is_new)
            for function in stack[:DEEPEST]:
                node = node.called.setdefault(function, Node())
                add(node, value, is_new)
    return root


def add(node: Node, value: float, new: bool) -> None:
    """Add seconds to a side of a node."""
    if new:
        node.new += value
    else:
        node.old += value


def boxes(root: Node, new: bool) -> Iterator[Box]:
    """Yield what is wide enough to be seen, in the order of a table of contents."""
    whole = root.side(new)
    waiting = [Box(None, root, 0.0, 0)]
    while waiting:
        box = waiting.pop()
        width = box.node.side(new) / whole * WIDTH
        if width < NARROWEST:
            continue
        yield box
        left = box.left
        above = []
        for function, node in sorted(box.node.called.items()):
            above.append(Box(function, node, left, box.level + 1))
            left += node.side(new) / whole * WIDTH
        waiting += reversed(above)


def graph(title: str, old: Mapping[Stack, float], new: Mapping[Stack, float], of_new: bool = True) -> str:
    """Return one side's picture, as SVG: its width is that side's call."""
    root = tree(old, new)
    if not root.side(of_new):
        return ""
    drawn = list(boxes(root, of_new))
    height = (max(box.level for box in drawn) + 1) * ROW
    longest = max(root.old, root.new)
    lines = [
        f'<div class="scroll"><svg viewBox="0 0 {WIDTH:g} {height}" width="{WIDTH:g}" height="{height}" role="img" '
        f'font-family="monospace" font-size="11"><title>{text(title)}</title>'
    ]
    for box in drawn:
        lines.append(rectangle(box, height, root.side(of_new), longest, of_new))
    return "\n".join([*lines, "</svg></div>"])


def rectangle(box: Box, height: float, whole: float, longest: float, new: bool) -> str:
    """Return one box with its text; what it says in full stands in its title."""
    width = box.node.side(new) / whole * WIDTH
    top = height - (box.level + 1) * ROW
    name = box.function.title if box.function else "a call"
    change = box.node.new - box.node.old
    said = f"{name}: {human_time(box.node.old)} → {human_time(box.node.new)} a call ({signed(change)})"
    return (
        f'<g><title>{text(said)}</title><rect x="{box.left:.1f}" y="{top}" width="{max(width - 0.5, 0.5):.1f}" '
        f'height="{ROW - 1}" rx="1" fill="{colour(change / longest)}"/>{label(box, width, top)}</g>'
    )


def label(box: Box, width: float, top: float) -> str:
    """Return the text of a box, as much as there is room for."""
    letters = int((width - 6) / LETTER)
    if letters < SHORTEST:
        return ""
    name = box.function.name if box.function else "a call"
    shown = name if len(name) <= letters else f"{name[: letters - 1]}…"
    return f'<text x="{box.left + 3:.1f}" y="{top + 13}" fill="#111">{text(shown)}</text>'


def colour(share: float) -> str:
    """Return the colour of a growth, as a share of a call: orange where it grew, blue where it shrank, both pale enough
    for dark text.
    """
    strength = min(1.0, abs(share) / STRONGEST)
    red, green, blue = (240, 150, 70) if share > 0 else (110, 170, 245)
    return "#" + "".join(f"{round(228 + (end - 228) * strength):02x}" for end in (red, green, blue))


def signed(seconds: float) -> str:
    """Return a difference with its sign."""
    return f"{'+' if seconds > 0 else '−' if seconds < 0 else ''}{human_time(abs(seconds))}"
