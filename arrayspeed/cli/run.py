"""Measure a selection, in chunks that are safe once finished.

Every option narrows the selection; without any, everything in asv.conf.json is measured, which takes hours.
Started again, a run leaves out what has a value of the same code: kernels and benchmarks as they are committed now.

``--selection versions`` measures all releases of each library side by side, every 20 ms in turn, round after round
until each is decided against the newest; started again, it goes on where it stopped.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from arrayspeed.environments import existing
from arrayspeed.environments.project import load_config
from arrayspeed.measure import asv_processes, selections
from arrayspeed.measure.plan import Selection
from arrayspeed.model.errors import UserError
from kernels import BACKENDS, CATALOGUE, DEVICES, LIBRARIES
from kernels.catalogue import choose, dtypes

MEASURES = (
    "time_call",
    "time_round_trip",
    "time_pipelined",
    "track_first_call",
    "track_device_time",
    "track_to_device",
    "track_from_device",
    "track_memory",
    "track_error",
    "peakmem_call",
    "timeraw_import",
)


def add_arguments(parser) -> None:
    """The options of ``arrayspeed run``."""
    several = {"action": "append", "default": [], "metavar": "NAME"}
    parser.add_argument(
        "--library", **several, help=f"one of {', '.join(LIBRARIES)}; may be repeated, as may the others"
    )
    parser.add_argument("--version", **several, help="the library's version, as in asv.conf.json")
    parser.add_argument(
        "--environment",
        **several,
        help="part of an environment's name; existing or existing:PYTHON: an interpreter as it is",
    )
    parser.add_argument("--kernel", **several, help="a kernel of `python -m kernels`")
    parser.add_argument("--backend", **several, help=f"one of {', '.join(BACKENDS)}")
    parser.add_argument("--size", **several, help="a number, or small or large: each kernel's own")
    parser.add_argument("--device", **several, help=f"one of {', '.join(DEVICES)}, or several with commas")
    parser.add_argument("--dtype", **several, help="float64 or float32")
    parser.add_argument("--measure", **several, help=f"one of {', '.join(MEASURES)}")
    parser.add_argument("--bench", **several, help="regular expression on `family.kernel_dtype.measure(parameters)`")
    parser.add_argument(
        "--selection",
        choices=selections.NAMED,
        help="a named selection: versions is for the environments of one library each, the others for the one with "
        "most, unless --environment, --library or --version say otherwise; no other filter goes with it",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        metavar="N",
        help="processes for each time (default 2); with --selection versions, rounds at most",
    )
    parser.add_argument("--timeout", type=float, metavar="S", help="end a process after so many seconds (default 600)")
    parser.add_argument("--minutes", type=float, metavar="N", help="begin nothing more after so many minutes")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--again", action="store_true", help="measure also what is finished, and replace it")
    how.add_argument("--append", action="store_true", help="measure also what is finished, and add to its samples")


def main(args) -> int:
    """Run ``arrayspeed run``."""
    chosen = selection(args)
    config, chosen.environments = existing.take(load_config(), chosen.environments)
    if args.selection == "versions":
        if args.again or args.append:
            raise UserError("--selection versions goes on until it is decided: --again and --append mean nothing there")
        # These import SciPy, which a run in an interpreter as it is must not need.
        from arrayspeed.measure.until_decided import Limits
        from arrayspeed.versions import releases

        limits = Limits(args.rounds or Limits.rounds, args.minutes or math.inf)
        return releases.run(config, named(args, chosen, config), limits, args.timeout)
    return asv_processes.run(
        config,
        named(args, chosen, config) or [chosen],
        args.rounds,
        args.again,
        args.append,
        args.timeout,
        args.minutes or math.inf,
    )


def named(args, chosen: Selection, config) -> list[Selection] | None:
    """The parts of the named selection in the environments asked for, or None where none is named.

    Raises
    ------
    UserError
        Other filters are given too.
    """
    if args.selection is None:
        return None
    where = {"environments": chosen.environments, "libraries": chosen.libraries, "versions": chosen.versions}
    if replace(chosen, environments=[], libraries=[], versions=[]) != Selection():
        raise UserError("--selection goes with --environment, --library and --version, not with other filters")
    if not any(where.values()):
        where["environments"] = selections.WHERE[args.selection](config)
    return [replace(part, **where) for part in selections.NAMED[args.selection]]


def selection(args) -> Selection:
    """The selection of the arguments.

    Raises
    ------
    UserError
        A name is not valid; the message says what is.
    """
    devices = [name for names in args.device for name in names.split(",")]
    try:
        for kind, names, valid in (
            ("library", args.library, LIBRARIES),
            ("kernel", args.kernel, CATALOGUE),
            ("backend", args.backend, BACKENDS),
            ("device", devices, DEVICES),
            ("dtype", args.dtype, dtypes()),
            ("measure", args.measure, MEASURES),
        ):
            for name in names:
                choose(kind, name, valid)
        for size in args.size:
            if size not in ("small", "large") and not re.fullmatch("[1-9][0-9_,]*", size):
                raise ValueError(f"size {size!r} is not valid: a whole number from 1 up, small or large")
        for pattern in args.bench:
            re.compile(pattern)
        if args.rounds is not None and args.rounds < 1:
            raise ValueError(f"--rounds {args.rounds} is not valid: 1 or more")
        for name, value in (("timeout", args.timeout), ("minutes", args.minutes)):
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"--{name} {value:g} is not valid: more than 0")
    except re.error as error:
        raise UserError(f"--bench {pattern!r} is not a regular expression: {error}") from error
    except ValueError as error:
        raise UserError(str(error)) from error
    return Selection(
        environments=args.environment,
        libraries=args.library,
        versions=args.version,
        kernels=args.kernel,
        backends=args.backend,
        sizes=[size.replace("_", "").replace(",", "") for size in args.size],
        devices=devices,
        dtypes=args.dtype,
        measures=args.measure,
        patterns=args.bench,
    )
