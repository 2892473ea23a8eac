"""arrayspeed from Python: what the commands `upgrade` and `compare` find, as data.

import arrayspeed

verdict = arrayspeed.upgrade("jax", "0.9.2", "0.10.2", file="mine.py", minutes=5)
verdict.status, verdict.headline, verdict.rows
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from arrayspeed.decide import LOOKS, UNCLEAR_SHARE
from arrayspeed.decide.words import FACTOR
from arrayspeed.environments.project import load_config
from arrayspeed.formats.progress import say as to_stderr
from arrayspeed.measure.looking import Limits
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.own import script, sides
from arrayspeed.own.compared import Wanted
from arrayspeed.subjects.kernels import Kernels
from arrayspeed.subjects.own import OwnCode
from arrayspeed.upgrades.compare import default_selections
from arrayspeed.verdict.verdict import Verdict

#: Where a file or a folder is.
Place = str | Path


def upgrade(
    library: str,
    old: str,
    new: str,
    *,
    file: Place | None = None,
    functions: Sequence[str] = (),
    bench: Sequence[str] = (),
    tier: str | None = None,
    device: str = "cpu",
    sizes: Sequence[str] = (),
    companions: Sequence[str] = (),
    pythons: Sequence[str] = (),
    results: Place | None = None,
    rounds: int = LOOKS[-1],
    minutes: float = float("inf"),
    factor: float = FACTOR,
    unclear: float = UNCLEAR_SHARE,
    again: bool = False,
    wait: bool = False,
    say: Callable[[str], None] = to_stderr,
) -> Verdict:
    """Compare two versions of a library in our kernels, or of any package in a file of yours.

    Parameters
    ----------
    library, old, new
        The library, or ``python``, and its two versions; with ``file`` any package.
    file, functions, results
        A file with functions ``bench_*``, regular expressions that choose some, and where results and environments go
        (default ``.arrayspeed`` beside it).
    bench, tier, device
        Of kernels: regular expressions on their benchmarks, the tier (default ``core``), and the device.
    sizes, companions, pythons
        Sizes to choose by, further requirements of both sides, and the Python of both or of each.
    rounds, minutes, factor, unclear
        When to stop, the ratio that you would act on, and the share of comparisons that may stay unclear.
    again, wait
        Measure anew; wait for another measurement on this machine to end.
    say
        Is told of progress; standard error by default.

    Raises
    ------
    arrayspeed.model.errors.UserError
        What is asked for cannot be done; the message says why, in a line.
    """
    limits = Limits(rounds, minutes, factor)
    if file is None:
        chosen = default_selections([*bench], [device], [*sizes], kernels_of(tier, [], bool(bench)))
        kernels = Kernels(load_config(), library, chosen, companions, pythons, wait, say)
        return kernels.verdict([old, new], limits, unclear)
    code = own_code(file, results, functions, sizes, companions, again, wait, say)
    return code.verdict(sides.of_library(library, [old, new], [*pythons]), limits, unclear)


def compare(
    file: Place,
    *texts: str,
    functions: Sequence[str] = (),
    sizes: Sequence[str] = (),
    python: str | None = None,
    results: Place | None = None,
    rounds: int = LOOKS[-1],
    minutes: float = float("inf"),
    factor: float = FACTOR,
    unclear: float = UNCLEAR_SHARE,
    again: bool = False,
    wait: bool = False,
    say: Callable[[str], None] = to_stderr,
) -> Verdict:
    """Compare sides of a file with each other, and find the fastest.

    Parameters
    ----------
    file
        A file with functions ``bench_*``.
    texts
        The sides, two or more, each requirements and environment variables: ``"jax==0.4.31 XLA_FLAGS=--x=1"``.
    python
        A version, or the path of an interpreter that is used as it is.
    functions, sizes, results, rounds, minutes, factor, unclear, again, wait, say
        As of `upgrade`.

    Raises
    ------
    arrayspeed.model.errors.UserError
        What is asked for cannot be done; the message says why, in a line.
    """
    code = own_code(file, results, functions, sizes, (), again, wait, say)
    each = sides.with_pythons([sides.of_text(text) for text in texts], [python] if python else [])
    return code.verdict(each, Limits(rounds, minutes, factor), unclear, every_pair=True)


def own_code(
    file: Place,
    results: Place | None,
    functions: Sequence[str],
    sizes: Sequence[str],
    companions: Sequence[str],
    again: bool,
    wait: bool,
    say: Callable[[str], None],
) -> OwnCode:
    """Return a file as a subject; results go beside it, unless a folder is given."""
    what = script.read(str(file))
    folder = Path(results).absolute() if results else what.folder
    names = tuple(map(str, sizes))
    wanted = Wanted(folder, tuple(functions), names, tuple(companions), again=again, wait=wait)
    return OwnCode(what, "", wanted, None, say)
