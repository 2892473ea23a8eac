"""Measure a sample through asv and by an independent clock (pyperf), and compare them.

Takes about fifteen minutes, on a machine that does nothing else. The exit status is 0 where they agree, 1 where not.
"""

from __future__ import annotations

import json
import sys

from arrayspeed import fidelity
from arrayspeed.errors import UserError
from arrayspeed.project import load_config
from arrayspeed.session import newest_of_all
from arrayspeed.units import human_time


def add_arguments(parser) -> None:
    """The options of ``arrayspeed fidelity``."""
    parser.add_argument("--processes", type=int, default=5, metavar="N", help="processes of each, in turn (default 5)")
    parser.add_argument("--json", action="store_true", help="print the pairs as JSON")


def main(args) -> int:
    """Run ``arrayspeed fidelity``."""
    if args.processes < 2:
        raise UserError(f"--processes {args.processes} is not valid: 2 or more, for a spread between them")
    config = load_config()
    out = sys.stderr if args.json else sys.stdout
    print(f"{'':9}{'kernel':14}{'backend':16}{'size':>11}{'asv':>10}{'pyperf':>10}{'ratio':>7}  spread", file=out)

    def report(place: str, pair: fidelity.Pair) -> None:
        print(
            f"{place:9}{pair.kernel:14}{pair.backend:16}{pair.size:>11,}{human_time(pair.asv):>10}"
            f"{human_time(pair.clock):>10}{pair.ratio:>7.2f}  {human_time(pair.lowest)}–{human_time(pair.highest)}"
            f"{'' if pair.agrees else '  differs'}",
            file=out,
            flush=True,
        )

    pairs = fidelity.compare(config, newest_of_all(config), args.processes, report)
    agrees, text = fidelity.verdict(pairs)
    for backend, (offset, error) in fidelity.offsets(pairs).items():
        print(f"{backend}: asv reads ×{offset:.3f} of pyperf, ±{error - 1:.0%} (geometric mean)", file=out)
    print(text, file=out)
    if args.json:
        print(json.dumps(fidelity.as_data(pairs), indent=1))
    return 0 if agrees else 1
