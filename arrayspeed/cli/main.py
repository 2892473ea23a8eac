"""The ``arrayspeed`` command: one module of `arrayspeed.cli` a subcommand."""

from __future__ import annotations

import argparse
import difflib
import errno
import os
import sys
from importlib import import_module

from arrayspeed.cli.options import Parser
from arrayspeed.environments.interpreters import DOWNLOADS
from arrayspeed.measure import interrupts
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable

#: What the system refuses for reasons that the user can mend: a full disk, no permission, a folder in a file's place.
OUTSIDE = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    *(errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.EISDIR, errno.ENOTDIR),
}

COMMANDS = (
    "bench",
    "run",
    "upgrade",
    "accept",
    "compare",
    "decide",
    "versions",
    "explain",
    "releases",
    "matrix",
    "bisect",
    "watch",
    "site",
    "summary",
    "claims",
    "findings",
    "plots",
    "audit",
    "peaks",
    "simulate",
    "copies",
    "doctor",
    "scaling",
    "peers",
    "merge",
    "fleet",
    "clean",
)

#: Those that measure: one at a time on a host.
MEASURING = (
    "bench",
    "run",
    "upgrade",
    "compare",
    "bisect",
    "watch",
    "audit",
    "peaks",
    "copies",
    "doctor",
    "scaling",
    "peers",
    "explain",
)

#: Those that make environments, for which an interpreter may have to be fetched.
ENVIRONMENTS = (*MEASURING, "fleet")


def parser(argv: list[str]) -> argparse.ArgumentParser:
    """Return the parser of the subcommand asked for, or of all; a module's docstring is its help.

    One imports what it needs and no more: where wheels are carried to a machine, those of other commands are not there.
    """
    top = Parser(
        prog="arrayspeed",
        description="Which array library, which version, and how good.",
        epilog="`arrayspeed COMMAND --help` describes a command.",
    )
    subparsers = top.add_subparsers(dest="subcommand", required=True, metavar="COMMAND")
    for name in [name for name in COMMANDS if argv[:1] == [name]] or COMMANDS:
        module = import_module(f"arrayspeed.cli.{name}")
        assert module.__doc__ is not None  # each has one
        sub = subparsers.add_parser(
            name,
            help=module.__doc__.splitlines()[0].replace("%", "%%"),  # argparse would fill in what follows it
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        if name in MEASURING:
            sub.add_argument("--wait", action="store_true", help="wait for another measurement on this machine to end")
        if name in ENVIRONMENTS:
            sub.add_argument("--no-python-downloads", action="store_true", help="use only the Pythons of this machine")
        sub.set_defaults(main=module.main)
    return top


def unknown(name: str) -> str | None:
    """Return what to say of the first argument where it is no subcommand: those that are spelled most like
    it, or all.
    """
    if name in COMMANDS or name.startswith("-"):
        return None
    near = difflib.get_close_matches(name, COMMANDS, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the commands are {', '.join(COMMANDS)}"
    return f"unknown command {printable(name)!r}: {hint}"


def attempt(args: argparse.Namespace) -> int:
    """Run a subcommand; what goes wrong after Ctrl-C goes wrong because of it."""
    try:
        status: int = args.main(args)
        return status
    except Exception:
        interrupts.check()
        raise


def main(argv: list[str] | None = None) -> None:
    """Run a subcommand; without one, print the help. A user's mistake prints one line and exits with 2."""
    argv = (sys.argv[1:] if argv is None else argv) or ["--help"]
    if complaint := unknown(argv[0]):
        print(f"arrayspeed: {complaint}", file=sys.stderr)
        sys.exit(2)
    args = parser(argv).parse_args(argv)
    if getattr(args, "no_python_downloads", False):
        os.environ[DOWNLOADS] = "never"
    interrupts.listen()
    try:
        status = attempt(args)
    except UserError as error:
        print(f"arrayspeed: {error}", file=sys.stderr)
        status = 2
    except BrokenPipeError:
        sys.stderr.close()
        status = 141
    except OSError as error:
        if error.errno not in OUTSIDE:
            raise
        where = f": {error.filename}" if error.filename else ""
        print(
            f"arrayspeed: {(error.strerror or str(error)).lower()}{where}; what was finished is saved", file=sys.stderr
        )
        status = 2
    except KeyboardInterrupt:
        print("\narrayspeed: interrupted; what was finished is saved", file=sys.stderr)
        status = 130
    interrupts.stop_listening()
    sys.exit(status)
