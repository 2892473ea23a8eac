"""Results that are promises: what is left to do when a call returns is done within its time.

A call that returns an iterator, a coroutine or a lazy table has computed nothing yet. Its time would be that of making
a promise, and "faster" of a release that promises what the one before did.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Iterator
from itertools import islice
from time import perf_counter

TYPE_CHECKING = False  # type checkers take it as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

#: An iterator is taken for one without an end after so many items, or so many seconds.
MOST_ITEMS, MOST_SECONDS = 10_000_000, 20.0

#: Items that are taken between two looks at the clock.
PIECE = 1000

#: Containers are looked into as deep as this, and at so many items of each; at no more than so many values together,
#: since calls are timed with it.
DEPTH, WIDTH, MOST_VALUES = 4, 100, 1000

#: What neither is a promise nor holds one.
PLAIN = frozenset([int, float, complex, bool, str, bytes, type(None)])


class Endless(Exception):
    """An iterator that has no end, as far as was seen: the time of a call is not known."""


class Finished:
    """What a promise came to.

    Attributes
    ----------
    kind
        What the call returned: ``generator``, ``coroutine``, ``LazyFrame``.
    value
        What it came to; of an iterator the list of its items.
    """

    def __init__(self, kind: str, value: object) -> None:
        self.kind = kind
        self.value = value


def rule(value: object) -> Callable[[Any], Any] | None:
    """Return what brings a promise to its end; None where the value is none."""
    if isinstance(value, Awaitable):
        return awaited
    if isinstance(value, Iterator):
        return items
    if isinstance(value, AsyncIterator):
        return lambda promise: awaited(items_of(promise))
    kind = type(value)
    module = (kind.__module__ or "").partition(".")[0]
    if module == "polars" and kind.__name__ == "LazyFrame":
        return kind.collect  # type: ignore[attr-defined,no-any-return]
    if "dask" in sys.modules and hasattr(value, "__dask_graph__") and value.__dask_graph__() is not None:
        return lambda promise: promise.compute()
    futures = sys.modules.get("concurrent.futures")
    if (futures is not None and isinstance(value, futures.Future)) or (module, kind.__name__) == (
        "distributed",
        "Future",
    ):
        return lambda promise: promise.result()
    return None


def finisher(result: object) -> Callable[[Any, bool], Any] | None:
    """Return what brings results like this one to their end; None where nothing is left to do.

    It takes a result and whether that is kept: items of an iterator that nobody keeps are dropped one by one.
    """
    return finish if promises(result, DEPTH) else None


def promises(value: object, depth: int) -> bool:
    """Return whether a value is a promise, or holds one."""
    return any(rule(each) is not None for each in within(value, depth, children))


def within(value: object, depth: int, inside: Callable[[Any], Iterable[Any]]) -> Iterator[Any]:
    """Yield a value and what it holds, but for plain values: what is nearest first, each container's first items, and
    `MOST_VALUES` in all.
    """
    layer, left = [value], MOST_VALUES
    for deeper in range(depth, -1, -1):
        below: list[Any] = []
        for each in layer:
            if type(each) not in PLAIN:
                yield each
                if deeper and len(below) < left:
                    below += islice(inside(each), WIDTH)
        layer = below[:left]
        left -= len(layer)


def children(value: object) -> Iterable[Any]:
    """Return what a container holds."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, (list, tuple)) else ()


def finish(value: Any, keep: bool, depth: int = DEPTH) -> Any:
    """Bring a promise, and those in a container, to their end.

    Raises
    ------
    Endless
        An iterator does not end.
    """
    act = rule(value)
    if act is items and not keep:
        deque(value, maxlen=0)
        return None
    if act is not None:
        return Finished(type(value).__name__, finish(act(value), keep, depth))
    if not depth or not promises(value, depth):
        return value
    if isinstance(value, dict):
        return {key: finish(each, keep, depth - 1) for key, each in value.items()}
    return type(value)(finish(each, keep, depth - 1) for each in value) if type(value) in (list, tuple) else value


def items(promise: Iterator[Any]) -> list[Any]:
    """Return all items.

    Raises
    ------
    Endless
        There are too many, or they take too long.
    """
    found: list[Any] = []
    until = perf_counter() + MOST_SECONDS
    for item in promise:
        found.append(item)
        if len(found) % PIECE == 0 and (len(found) >= MOST_ITEMS or perf_counter() > until):
            raise Endless(
                f"it returns an iterator that had not ended after {len(found):,} items, so that a call has no time"
            )
    return found


async def items_of(promise: AsyncIterator[Any]) -> list[Any]:
    """Return all items."""
    return [item async for item in promise]


def awaited(promise: Awaitable[Any]) -> Any:
    """Return what a promise comes to, in an event loop of its own."""
    return loop().run_until_complete(of(promise))


async def of(promise: Awaitable[Any]) -> Any:
    """Return what a promise comes to: any awaitable as a coroutine."""
    return await promise


def loop() -> Any:
    """Return the event loop in which promises are kept, made when it is needed first."""
    import asyncio  # not before: a file that imports it too would seem to load faster

    if not LOOPS:
        LOOPS.append(asyncio.new_event_loop())
    return LOOPS[0]


#: The event loop, once there is one.
LOOPS: list[Any] = []


def seconds_of(
    function: Callable[..., Any], arguments: Any, number: int, wait: Callable[[Any], object] | None
) -> float:
    """Return the seconds that so many awaited calls take."""
    seconds: float = loop().run_until_complete(timed(function, arguments, number, wait))
    return seconds


async def timed(
    function: Callable[..., Any], arguments: Any, number: int, wait: Callable[[Any], object] | None
) -> float:
    """Seconds that so many calls of a function take that returns an awaitable: those of the event loop's own start and
    end are no part of them.
    """
    times = range(number)
    started = perf_counter()
    if wait is None:
        for _ in times:
            await function(*arguments)
    else:
        for _ in times:
            wait(await function(*arguments))
    return perf_counter() - started
