"""The ``arrayspeed`` command: one module of `arrayspeed.commands` a subcommand."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from arrayspeed.errors import UserError

COMMANDS = ("bench", "run", "upgrade", "versions", "site", "summary", "claims", "plots", "fidelity")


def parser() -> argparse.ArgumentParser:
    """The parser of all subcommands; a module's docstring is its help."""
    top = argparse.ArgumentParser(prog="arrayspeed", description="Which array library, which version, and how good.")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        module = import_module(f"arrayspeed.commands.{name}")
        sub = subparsers.add_parser(
            name,
            help=module.__doc__.splitlines()[0],
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        sub.set_defaults(main=module.main)
    return top


def main(argv: list[str] | None = None) -> None:
    """Run a subcommand. A user's mistake prints one line and exits with 2."""
    args = parser().parse_args(argv)
    try:
        status = args.main(args)
    except UserError as error:
        print(f"arrayspeed: {error}", file=sys.stderr)
        status = 2
    except KeyboardInterrupt:
        print("\narrayspeed: interrupted; what was finished is saved", file=sys.stderr)
        status = 130
    except BrokenPipeError:
        sys.stderr.close()
        status = 141
    sys.exit(status)
