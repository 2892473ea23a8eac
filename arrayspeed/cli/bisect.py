"""Find the release or commit that made a change.

The releases between two are searched, side by side, in about log2 steps.

First the two ends are compared. For everything that is worse, releases in between are measured beside both ends, each
asked whether it is like the old end or like the new one; what cannot be installed, fails or stays unclear is
skipped. At last the releases on both sides of the change are measured in rounds of their own. What was measured is
kept, and rerunning the command resumes it. docs/bisect-watch.md explains the output.

Exit status: 0 if nothing is worse at the new end, 1 if something is, traced to one release or to a range, 2 if that is
not decided, the minutes are over, or after a mistake.

Examples:
    arrayspeed bisect jax 0.4.31 0.8.3 --bench 'scan.*small'
    arrayspeed bisect jax 0.4.31 0.8.3 --file mine.py -k solve
    arrayspeed bisect --commits v1.0 HEAD --file mine.py --only 'time$'
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from arrayspeed.cli import options
from arrayspeed.cli.options import cores
from arrayspeed.cli.own import arguments
from arrayspeed.cli.own.run import commits_of
from arrayspeed.cli.releases import check_name
from arrayspeed.cli.subjects import add_subject, check_subject, subject_of
from arrayspeed.environments.listed import Release, between, is_early
from arrayspeed.environments.pythons import NoPython
from arrayspeed.formats.progress import say
from arrayspeed.formats.terminal import console
from arrayspeed.model.errors import UserError
from arrayspeed.releases import outcome
from arrayspeed.releases.bisect import Bisection
from arrayspeed.releases.parts import parts
from arrayspeed.subjects.subject import Subject


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed bisect``."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a library; with --file, any package")
    parser.add_argument("old", metavar="OLD", nargs="?", help="a release that is good")
    parser.add_argument("new", metavar="NEW", nargs="?", help="a later one that is bad")
    parser.add_argument("--pre", action="store_true", help="pre-releases and nightly builds too")
    only = parser.add_argument(
        "--only",
        dest="of",
        type=options.regex,
        metavar="REGEX",
        default="",
        help="of what is worse, search for what it matches alone: 'time$', 'solve'",
    )
    options.add_old_name(parser, "--of", only)
    arguments.add_commits(parser)
    add_subject(parser)
    arguments.add_limits(parser)
    cores.add_cores(parser)


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed bisect``."""
    cores.use_cores(args.cores)
    if args.commits:
        if args.name is not None:
            raise UserError(f"--commits takes no NAME: {args.name!r} is left over")
        check_subject(args, [])
        commits = commits_of(args, args.commits[-1])
        return searched(commits, [commits.between(*args.commits)], args)
    if args.new is None:
        raise UserError("NAME OLD NEW are needed: arrayspeed bisect jax 0.4.31 0.8.3")
    check_name(args.name.split("[")[0])
    check_subject(args, [args.name])
    subject = subject_of(args, args.name)
    early = args.pre or is_early(args.old) or is_early(args.new)
    ends = between(subject.project, subject.releases(early), args.old, args.new)
    return searched(subject, parts_of(subject, ends), args)


def searched(subject: Subject, parts: Sequence[Sequence[Release]], args: argparse.Namespace) -> int:
    """Search each part, print what was found, and return the exit status."""
    statuses = []
    for part in parts:
        found = Bisection(
            subject, part, arguments.limits_of(args), say, args.again, unclear=args.unclear, of=args.of
        ).run()
        if args.format == "json":
            print(outcome.as_json(found))
        elif args.format == "markdown":
            print(outcome.as_markdown(found))
        else:
            console().print(outcome.as_table(found))
        statuses.append(found.status)
    return 1 if 1 in statuses else max(statuses)


def parts_of(subject: Subject, releases: Sequence[Release]) -> list[list[Release]]:
    """Return the releases, in parts where no Python runs both ends."""
    try:
        subject.choose(releases[0].version, releases[-1].version)
        return [list(releases)]
    except NoPython as error:
        found = parts(releases, subject.running)
        ranges = ", then ".join(f"{part[0].version} to {part[-1].version}" for part in found)
        say(f"{str(error).partition(': ')[0]}: {ranges}")
        return found
