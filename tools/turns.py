#!/usr/bin/env python3
"""What more turns in a round are good for: copies take as many as there can be with their references.

    .venv/bin/python tools/turns.py [--kernel NAME] [--backend NAME] [--size small] [--rounds 8] [--cores 1]
    .venv/bin/python tools/turns.py --read FILE

A line of JSON for each round has the logarithms of the ratios, turn by turn. What was printed into a file, --read makes
a table of: the variance between rounds by their first turns alone, over that by their first 5, and its geometric mean
over all calls of a backend. docs/lab/2026-11-noise.md has it.
"""

import argparse
import json
import math
import os
import sys
import tempfile
from collections import defaultdict
from contextlib import redirect_stdout
from pathlib import Path
from statistics import fmean, median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

#: By how many of the first turns rounds are looked at; the first is what the others are compared with.
FIRST = (5, 7, 10, 15, 20, 25)


def measure(args):
    """Print rounds of each copy in turn with its reference, one after the other."""
    from arrayspeed.audit.copies import COPY, REFERENCE, with_copies
    from arrayspeed.cli.options.cores import use_cores
    from arrayspeed.environments.project import load_config
    from arrayspeed.measure.blocks import rounds
    from arrayspeed.measure.host import only_run
    from arrayspeed.measure.plan import OWN, Selection, combinations
    from arrayspeed.measure.players import MOST, Interleaving
    from arrayspeed.measure.session import newest_of_all, open_session
    from arrayspeed.model.measures import CALL

    os.environ["ARRAYSPEED_TIER"] = "full"
    use_cores(args.cores)
    config = load_config()
    chosen = Selection(
        environments=[newest_of_all(config)],
        kernels=args.kernel,
        backends=args.backend,
        sizes=[args.size],
        devices=["cpu"],
        dtypes=[OWN],
        measures=[CALL.name],
    )
    out = sys.stdout
    with (
        tempfile.TemporaryDirectory() as scratch,
        redirect_stdout(sys.stderr),
        only_run(config.results_dir, wait=True),
    ):
        session = open_session(config, [chosen], scratch)
        sides = dict.fromkeys((REFERENCE, COPY), (0.0, 0))
        blocks = [with_copies(one, sides) for one in dict.fromkeys(combinations(session, chosen))]
        with rounds(session, Interleaving(fewest=MOST)) as next_round:
            for number in range(args.rounds):
                now = next_round(number)
                for block in blocks:
                    ((reference, copy),) = now.play([block])
                    row = {"kernel": block.one.kernel, "backend": block.one.backend, "size": block.one.size}
                    row |= {"round": number, "logs": logs(reference.batches, copy.batches)}
                    print(json.dumps(row), file=out, flush=True)


def logs(reference, copy):
    """Logarithms of the ratios, turn by turn."""
    return [round(math.log(b / a), 5) for a, b in zip(reference, copy, strict=False) if a and b]


def read(path):
    """Kernel, backend and size -> the logarithms of each round."""
    found = defaultdict(list)
    for line in Path(path).read_text().splitlines():
        row = json.loads(line)
        found[row["kernel"], row["backend"], row["size"]].append(row["logs"])
    return found


def table(value):
    """Print a row a backend: calls, their noise by the fewest and by all turns, and the variances over the fewest's."""
    from arrayspeed.audit.copies import noise
    from arrayspeed.formats.tables import markdown_table

    headings = ("backend", "calls", f"noise, {FIRST[0]} turns", f"noise, {FIRST[-1]} turns", *map(str, FIRST[1:]))
    rows = []
    for backend in dict.fromkeys(backend for _, backend, _ in value):
        # Calls that are too long for so many turns say nothing about them.
        whole = [
            played
            for (_, each, _), played in value.items()
            if each == backend and len(played) > 2 and min(map(len, played)) >= FIRST[-1]
        ]
        if whole:
            noises = [[noise([median(one[:first]) for one in played]) for first in FIRST] for played in whole]
            ratios = [math.exp(fmean(2 * math.log(one[n] / one[0]) for one in noises)) for n in range(1, len(FIRST))]
            ends = (f"{median(one[n] for one in noises):.1%}" for n in (0, -1))
            rows.append([backend, str(len(whole)), *ends, *(f"{ratio:.2f}" for ratio in ratios)])
    return "\n".join(markdown_table(headings, rows)).rstrip()


def main():
    """Measure, or read what was measured."""
    from arrayspeed.model.errors import UserError
    from kernels import BACKENDS, CATALOGUE

    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2].strip(), description=__doc__.splitlines()[0])
    parser.add_argument("--kernel", action="append", default=[], choices=CATALOGUE, metavar="NAME")
    parser.add_argument("--backend", action="append", default=[], choices=BACKENDS, metavar="NAME")
    parser.add_argument("--size", default="small")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--read", metavar="FILE")
    args = parser.parse_args()
    try:
        if args.read:
            print(table(read(args.read)))
        else:
            measure(args)
    except (UserError, OSError) as error:
        sys.exit(f"tools/turns.py: {error}")


if __name__ == "__main__":
    main()
