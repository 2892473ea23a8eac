#!/usr/bin/env python3
"""Where processes keep their arrays, and how long a call takes there: a copy in turn with its reference.

    .venv/bin/python tools/places.py KERNEL BACKEND [--size N] [--rounds 10] [--cores 1]

Processes of the same program may differ lastingly because of where their arrays lie in memory. In each round two
processes take turns, as in `arrayspeed copies`. A line of JSON for each process has its round, the seconds of a call,
the addresses of its inputs, and those of the results of 20 calls, each dropped before the next: address -> how often.
docs/lab/2026-11-noise.md has what was found. Only backends that say where their arrays lie are located; the others
give null.
"""

import argparse
import json
import os
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

#: Interleaving of each process, and calls whose results are located.
TURNS, CALLS = 15, 20

#: Seconds for the preparation and for each batch.
TIMEOUT = 600.0


def address(array):
    """Where an array of any backend begins; None where it does not say."""
    import numpy as np

    for name in ("data_ptr", "unsafe_buffer_pointer"):
        if hasattr(array, name):
            return getattr(array, name)()
    try:
        return np.asarray(memoryview(array)).ctypes.data
    except (TypeError, ValueError):
        return None


def located():
    """Where the prepared benchmark of this process has its inputs, and puts its results."""
    from benchmarks.common import _KernelBenchmark
    from kernels.preparation import leaves

    prepared = _KernelBenchmark.latest
    results = Counter()
    for _ in range(CALLS):
        result = prepared.call()
        results[address(leaves(result)[0])] += 1
        del result
    return {"inputs": [address(array) for array in prepared.arguments], "results": results}


def play(request, channel):
    """Be a process of `benchmarks.turns` that also answers where its arrays are."""
    from benchmarks import turns
    from benchmarks.forking import sender, silence

    os.environ["ARRAYSPEED_REFERENCES"] = request["references"]
    silence()
    lines, say = channel.makefile("r", encoding="utf-8"), sender(channel)

    def numbers():
        for line in lines:
            if line.strip() == "where":
                say({"where": located()})
            else:
                yield line

    turns.measure(request, say, numbers())


def round_of(servers, request, rng):
    """Return what two processes give that take turns."""
    from arrayspeed.measure.players import BATCH, ending, number_of_calls, run

    players = [server.fork(str(number), request) for number, server in enumerate(servers)]
    with ending(players):
        numbers, rows = {}, []
        for player in players:
            numbers[player] = number_of_calls(player.ready(TIMEOUT), BATCH)
            player.stop()
        for player in players:
            numbers[player] = number_of_calls(run(player, numbers[player], TIMEOUT), BATCH)
        seconds = {player: [] for player in players}
        for _ in range(TURNS):
            for player in rng.sample(players, len(players)):
                seconds[player].append(run(player, numbers[player], TIMEOUT))
        for player in players:
            player.go()
            player.send("where")
            where = player.answer(time.monotonic() + TIMEOUT)["where"]
            player.stop()
            rows.append({"seconds": median(seconds[player]), **where})
    return rows


def servers_for(config, benchmark, backend):
    """Return what starts a server in the environment of the newest releases of all libraries."""
    from asv.environment import get_environments

    from arrayspeed.measure.asv_servers import needed
    from arrayspeed.measure.blocks import Server
    from arrayspeed.measure.session import newest_of_all

    (env,) = (env for env in get_environments(config, None) if env.name == newest_of_all(config))
    env.create()  # where it is not there yet
    python = env.find_executable("python")
    return lambda: Server(python, needed(benchmark, backend), ROOT / "benchmarks", program="tools.places")


def main():
    """Start two servers a round, and print what their processes give."""
    from arrayspeed.environments.project import load_config
    from arrayspeed.measure.host import only_run
    from arrayspeed.measure.players import Failed
    from kernels import BACKENDS, CATALOGUE

    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2].strip(), description=__doc__.splitlines()[0])
    parser.add_argument("kernel", choices=CATALOGUE, metavar="KERNEL")
    parser.add_argument("backend", choices=BACKENDS, metavar="BACKEND")
    parser.add_argument("--size", type=int)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--cores", type=int, default=1)
    args = parser.parse_args()
    kernel = CATALOGUE[args.kernel]
    what = {"kernel": args.kernel, "backend": args.backend, "size": args.size or kernel.large}
    benchmark = f"{kernel.family}.{kernel.name}_{kernel.dtypes[0]}.time_call"
    os.environ["ARRAYSPEED_TIER"] = "full"
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.cores])
    config = load_config()
    with only_run(config.results_dir, wait=True), tempfile.TemporaryDirectory() as references:
        server = servers_for(config, benchmark, args.backend)
        request = {"benchmark": benchmark, "parameters": [args.backend, what["size"], "cpu"], "references": references}
        for number in range(args.rounds):
            servers = []
            try:
                servers += [server(), server()]
                for row in round_of(servers, request, random.Random(number)):
                    print(json.dumps(what | {"round": number} | row), flush=True)
            except Failed as error:
                sys.exit(f"tools/places.py: {error}")
            finally:
                for each in servers:
                    each.end()


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].isdigit():  # a server: the descriptor of its socket
        from benchmarks.forking import serve
        from benchmarks.preload import end_with_parent

        end_with_parent()
        serve(socket.socket(fileno=int(sys.argv[1])), play)
    else:
        main()
