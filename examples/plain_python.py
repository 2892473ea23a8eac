"""Plain Python, three ways to count words: `arrayspeed compare counter setdefault get --file plain_python.py`."""

from collections import Counter

sizes = (1_000,)


def inputs(rng, size):
    return ([f"word{i * i % 97}" for i in range(size)],)


def bench_counter(words):
    return dict(Counter(words))


def bench_setdefault(words):
    counts = {}
    for word in words:
        counts.setdefault(word, 0)
        counts[word] += 1
    return counts


def bench_get(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts
