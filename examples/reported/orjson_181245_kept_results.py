"""Thousands of small records serialized and kept: each result keeps the whole buffer it was written to.

Issue:    https://github.com/home-assistant/core/pull/181245 and 181240, from issue 181120
Versions: orjson 3.11.9 -> 3.12.0 (August 2026)
Reported: results of some 100 bytes hold 1,024 bytes before, at least 4,096 after; reverted in Home Assistant 2026.9
Old:      orjson==3.11.9
New:      orjson==3.12.0
Kind:     memory
"""

import orjson

sizes = (1_000, 20_000)  # records


def inputs(rng, size):
    return (
        [
            {"id": f"sensor.{number}", "area": number % 17, "on": number % 2 == 0, "tags": ["a", "b"]}
            for number in range(size)
        ],
    )


def bench_keep(records):
    return [orjson.dumps(record) for record in records]


def bench_drop(records):  # what is not kept costs nothing
    length = 0
    for record in records:
        length += len(orjson.dumps(record))
    return length
