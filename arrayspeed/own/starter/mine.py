# /// script
# dependencies = []
# ///
"""What must not become slower. Plain Python: it runs without arrayspeed, and every function below is an example.

    arrayspeed upgrade --commits main . --file FILE          # your own change
    arrayspeed upgrade numpy 2.4.6 2.5.5 --file FILE         # a release of what you depend on
    arrayspeed bisect --commits v1.0 HEAD --file FILE        # which commit made it slower?

Name in `dependencies` what the file needs besides your own package. Keep what you need and delete the rest.
"""

import asyncio
import json

# Every function bench_* is measured, at each size, with what inputs() returns as its arguments.
sizes = (100, 10_000)


def inputs(rng, size):
    """Return the arguments. rng has methods of NumPy's generators, and the same numbers on both sides."""
    return (rng.random(size).tolist(),)


def bench_sorted(numbers):
    """Return what you compute: results are compared, too."""
    return sorted(numbers)


# What belongs to one function has its name: inputs_words and sizes_words are for bench_words alone.
sizes_words = (1_000,)


def inputs_words(rng, size):
    return ([f"word{number}" for number in rng.integers(0, 97, size).tolist()],)


def bench_words(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


# Where a call is seen to change its arguments, every call gets new ones, outside the time that is measured.
def bench_sort_in_place(numbers):
    numbers.sort()
    return numbers


# What is left to do when a call returns is part of its time: a generator is run to its end.
def bench_squares(numbers):
    return (number * number for number in numbers)


# A coroutine runs in an event loop, whose own time is not counted.
async def bench_awaited(numbers):
    await asyncio.sleep(0)
    return sum(numbers)


# same_NAME decides whether two results are the same, where equal is too much to ask.
def bench_labels(numbers):
    return [number > 0.5 for number in numbers]


def same_labels(old, new):
    return sum(old) == sum(new)


# exchange_NAME gets what bench_NAME returned on the other side: does the new release read what the old one wrote?
def bench_written(numbers):
    return json.dumps(numbers)


def exchange_written(text):
    return json.loads(text)


# Two processes call this one at once. (threads_NAME = 2 would have two threads of one process do it.)
parallel_in_company = 2


def bench_in_company(numbers):
    return max(numbers)
