"""A player of known speed, for tests: ``python player.py SECONDS [FAULT]``. It speaks as `benchmarks.turns` says."""

import json
import os
import sys
import time

#: The batch at which some fail.
LATE = 17


def say(**row):
    print(json.dumps(row), flush=True)


def call(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def main(seconds, fault=""):
    if fault == "unprepared":
        say(failed="NotAvailable: no such thing", kind="not available")
        return
    print("a library that prints", flush=True)
    say(ready=seconds)
    for turn, line in enumerate(sys.stdin):
        if fault == "crash" and turn == LATE:
            os.abort()
        if fault == "hang" and turn == LATE:
            time.sleep(3600)
        if fault == "sometimes" and turn % 12 == 7:
            say(failed="ValueError: now and then", kind="error", sometimes=True)
            continue
        started = time.perf_counter()
        for _ in range(int(line)):
            call(seconds)
        say(seconds=(time.perf_counter() - started) / int(line))


if __name__ == "__main__":
    main(float(sys.argv[1]), *sys.argv[2:])
