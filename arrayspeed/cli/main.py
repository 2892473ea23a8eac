"""The ``arrayspeed`` command: one module of `arrayspeed.cli` a subcommand."""

from __future__ import annotations

import argparse
import ast
import difflib
import errno
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from arrayspeed import __version__
from arrayspeed.cli.options import EXAMPLES, Help, Parser
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

#: Title -> commands, as `arrayspeed --help` lists them.
GROUPS = {
    "Compare versions, commits and functions": (
        "init",
        "upgrade",
        "compare",
        "bisect",
        "watch",
        "explain",
        "decide",
        "accept",
    ),
    "Measure the suite": (
        "bench",
        "run",
        "fleet",
        "peaks",
        "scaling",
        "peers",
    ),
    "Show results": (
        "summary",
        "versions",
        "findings",
        "claims",
        "plots",
        "site",
    ),
    "Check and maintain": (
        "doctor",
        "audit",
        "copies",
        "simulate",
        "releases",
        "matrix",
        "merge",
        "clean",
    ),
}

COMMANDS = tuple(name for names in GROUPS.values() for name in names)

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

#: The shells for which there is completion.
SHELLS = ("bash", "zsh", "tcsh")

#: What stands for a value in the help -> what of shtab completes it.
FILES = {
    **dict.fromkeys(("FILE", "PATH"), "FILE"),
    **dict.fromkeys(("DIR", "FOLDER", "CHECKOUT"), "DIRECTORY"),
}


def parser(argv: list[str]) -> argparse.ArgumentParser:
    """Return the parser of the subcommand asked for, or of all; a module's docstring is its help.

    One imports what it needs and no more: where wheels are carried to a machine, those of other commands are not there.
    """
    top = top_parser()
    subparsers = top.add_subparsers(dest="subcommand", required=True, prog="arrayspeed", metavar="COMMAND")
    for name in [name for name in COMMANDS if argv[:1] == [name]] or COMMANDS:
        module = import_module(f"arrayspeed.cli.{name}")
        assert module.__doc__ is not None  # each has one
        description, _, examples = module.__doc__.partition(EXAMPLES)
        sub = subparsers.add_parser(
            name,
            help=module.__doc__.splitlines()[0].replace("%", "%%"),  # argparse would fill in what follows it
            description=description,
            epilog=f"examples:\n{examples.rstrip()}",
            formatter_class=Help,
        )
        module.add_arguments(sub)
        if name in MEASURING:
            sub.add_argument("--wait", action="store_true", help="wait for another measurement on this machine to end")
        if name in ENVIRONMENTS:
            sub.add_argument("--no-python-downloads", action="store_true", help="use only the Pythons of this machine")
        sub.usage = f"arrayspeed {name} {usage(sub)}"
        sub.set_defaults(main=module.main)
    return top


def usage(sub: argparse.ArgumentParser) -> str:
    """Return what must or may follow a subcommand: options that are needed by their names, others as one."""
    words = ["[OPTION ...]"]
    for action in sub._actions:
        shown = " ".join([action.metavar] if isinstance(action.metavar, str) else action.metavar or [action.dest])
        if action.option_strings:
            words += [f"{action.option_strings[-1]} {shown}"] if action.required else []
        else:
            several = " ..." if action.nargs in ("*", "+") else ""
            words.append(f"[{shown}{several}]" if action.nargs in ("?", "*") else f"{shown}{several}")
    return " ".join(words)


def top_parser(listed: str = "") -> Parser:
    """Return the parser of what stands before a subcommand; ``listed``: these, for its help."""
    top = Parser(
        prog="arrayspeed",
        usage="arrayspeed COMMAND [OPTION ...]",
        description=f"Which array library, which version, and how good.\n\n{listed}",
        epilog="`arrayspeed COMMAND --help` describes a command and shows examples.",
        formatter_class=Help,
    )
    top.add_argument("--version", action="version", version=f"arrayspeed {__version__}")
    top.add_argument("--print-completion", choices=SHELLS, help="print a script that completes commands in this shell")
    return top


def subcommands(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of subcommands, by their names."""
    (found,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def overview() -> str:
    """Return the commands in their groups, each with the first line of its docstring; nothing is imported."""
    width = max(map(len, COMMANDS)) + 2
    groups = []
    for title, names in GROUPS.items():
        sources = {name: Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8") for name in names}
        firsts = {name: (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0] for name, text in sources.items()}
        groups.append("\n".join([f"  {title}:", *(f"    {name:{width}}{first}" for name, first in firsts.items())]))
    return "\n\n".join(groups)


def print_completion(shell: str) -> None:
    """Print a script that completes commands, options and the names of files in a shell."""
    import shtab  # which a run in an existing interpreter does without

    every = parser([])
    for sub in subcommands(every).values():
        for action in sub._actions:
            if kind := FILES.get(action.metavar if isinstance(action.metavar, str) else ""):
                action.complete = getattr(shtab, kind)  # type: ignore[attr-defined]  # shtab's way to be told
    print(shtab.complete(every, shell))


def unknown(name: str) -> str | None:
    """Return what to say of the first argument where it is no subcommand: those that are spelled most like
    it, or all.
    """
    if name in COMMANDS or name.startswith("-"):
        return None
    near = difflib.get_close_matches(name, COMMANDS, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the commands are {', '.join(COMMANDS)}"
    return f"unknown command {printable(name)!r}: {hint}"


def refuse(sub: argparse.ArgumentParser, left_over: list[str]) -> NoReturn:
    """Say what nobody asked for, and which options of the subcommand are spelled most like the first."""
    first = left_over[0].partition("=")[0]
    near = difflib.get_close_matches(first, sub._option_string_actions, n=1, cutoff=0.7) if first[:1] == "-" else []
    hint = f" (did you mean {near[0]}?)" if near else ""
    sub.error(f"unrecognized arguments: {printable(' '.join(left_over))}{hint}")


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
    if argv[0].startswith("-"):
        top = top_parser(overview())
        asked = top.parse_args(argv)
        if not asked.print_completion:
            top.error(f"{argv[0]} needs a command after it" if argv[0] == "--" else "a command is needed")
        print_completion(asked.print_completion)
        sys.exit(0)
    every = parser(argv)
    args, left_over = every.parse_known_args(argv)
    if left_over:
        refuse(subcommands(every)[args.subcommand], left_over)
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
