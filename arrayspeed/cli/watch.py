"""Watch packages for new releases, from cron or CI.

Each is compared with the last one, and reported once. The first time, the newest release is noted, and later ones are
compared with it (--since names another). A new release is screened in a few rounds; what is worse or unclear is
measured again, what is worse still once more on another day or another machine, and if releases lie between, the one
that did it is searched for. Then a page is written, the list of all in watch.html gets a line, and the same line is
printed. The state is in results/watch.state (with --file in .arrayspeed/), and a job that was killed goes on where it
was. docs/bisect-watch.md has an example for cron.

Exit status: 0 if there is no new release, or nothing is worse in it, 1 if something is worse in one reported in
this run, 2 if something is not decided, waits for another day, or could not be measured.

Examples:
    arrayspeed watch jax torch numpy
    arrayspeed watch jax --file mine.py
    arrayspeed watch numpy --since 2.4.6 --minutes 30
"""

from __future__ import annotations

import argparse

from arrayspeed.cli import options
from arrayspeed.cli.own import arguments
from arrayspeed.cli.releases import check_name
from arrayspeed.cli.subjects import add_subject, check_subject, subject_of
from arrayspeed.formats.data import as_json
from arrayspeed.formats.progress import say
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable
from arrayspeed.releases.watch import DAY, Rules, Watch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed watch``."""
    parser.add_argument("names", metavar="NAME", nargs="+", help="libraries; with --file, any packages")
    parser.add_argument("--since", metavar="VERSION", help="the first time: compare with this release")
    parser.add_argument(
        "--apart",
        type=options.not_negative,
        default=DAY,
        metavar="HOURS",
        help=f"before what is worse is measured again on the same machine (default {DAY:g})",
    )
    parser.add_argument("--pre", action="store_true", help="pre-releases and nightly builds too")
    add_subject(parser)
    arguments.add_limits(parser, rows=False)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed watch``."""
    for name in args.names:
        check_name(name.split("[")[0])
    check_subject(args, args.names)
    if args.since and len(args.names) > 1:
        raise UserError("--since is of one package, and several are named")
    if args.again:
        raise UserError("--again does not go with watch: each release is measured once")
    statuses, reports = [], []

    def tell(text: str) -> None:
        reports.append({"package": name, "text": text})
        if args.format != "json":
            print(("- " if args.format == "markdown" else "") + printable(text), flush=True)

    for name in dict.fromkeys(args.names):
        try:
            subject = subject_of(args, name)
            rules = Rules(arguments.limits_of(args), args.unclear, args.apart, args.since)
            statuses.append(Watch(subject, subject.releases(args.pre), rules, say, tell).run())
        except UserError as error:
            say(f"{name}: {error}")
            statuses.append(2)
    status = 1 if 1 in statuses else max(statuses)
    if args.format == "json":
        print(as_json({"reports": reports, "exit_status": status}))
    return status
