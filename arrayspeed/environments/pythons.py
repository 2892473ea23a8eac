"""Which Python a comparison needs: one in which everything that is compared can be installed.

uv says whether it can: it knows what the index says of each release (Requires-Python), its wheels, and those of all
that it needs: JAX is for any Python, and jaxlib is not. It also knows that of Pythons that are not on this machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from arrayspeed.environments import interpreters
from arrayspeed.environments.failures import UNREACHABLE, why
from arrayspeed.environments.interpreters import Interpreter
from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError

#: The Pythons that are asked about; pre-releases of the newest are never chosen.
MINORS = [f"3.{minor}" for minor in range(8, 17)]

#: Options of uv's: nothing is built.
WHEELS = ("--only-binary", ":all:")

#: What allows every version.
ANY = SpecifierSet()

#: What uv says of a version, or a package, that is asked for and does not exist.
NO_VERSION = re.compile(
    r"there is no version of (\S+==\S+) and you require \1,|(\S+) was not found in [\w ]+ and you require \2\b"
)

#: How many installers answer at once: they wait for the index.
AT_ONCE = 4


class NoPython(UserError):
    """No Python runs all sides."""


def choose(
    wanted: Mapping[str, Sequence[str]],
    uv: Uv,
    say: Callable[[str], None],
    allowed: str = "",
    first: Interpreter | None = None,
) -> Interpreter:
    """Return the Python of a comparison: the first choice if all sides can be installed in it, else the newest in which
    they can; of another than the first choice, a line says which and why.

    Parameters
    ----------
    wanted
        What each side is called, and its requirements.
    uv
        What resolves.
    say
        Is told of a choice, and of what is fetched.
    allowed
        The versions that a file's header allows, ``>=3.12``.
    first
        The first choice; None for the interpreter that runs this.

    Raises
    ------
    NoPython
        None can do it.
    UserError
        The one that can is not on this machine, and cannot be fetched.
    """
    first = first or interpreters.this()
    specifier = SpecifierSet(allowed)
    refused = not specifier.contains(first.version, prereleases=True)
    lacking = {} if refused else unfit(uv, wanted, first.path)
    # What exists for no Python, no other one helps: who installs will say it.
    if not refused and (not lacking or any(NO_VERSION.search(why) for why in lacking.values())):
        return first
    header = f"the file's header asks for {allowed}" if refused else ""
    # A Python that is here is asked about before all others are: uv takes a third of a second for each.
    for one in interpreters.at_hand():
        if one != first and good(one, MINORS) and specifier.contains(one.version) and not unfit(uv, wanted, one.name):
            able = {label: towards(uv, wanted[label], specifier, first.name, one.name) for label in lacking}
            say(f"Python {one.name}: {needs(lacking, able, first, header)}")
            return one
    able = {label: supporting(uv, texts, specifier) for label, texts in wanted.items()}
    common = shared(able.values())
    if not all(able.values()):
        # Nothing is known: a version that does not exist, or none but archives of source. Who installs will say it.
        common = [name for name in MINORS if permits(specifier, name)]
        if not refused or not common:
            return first
    if not common:
        raise NoPython(contradiction(able))
    reason = needs(wanted, able, first, header)
    chosen = next((one for one in interpreters.at_hand() if good(one, common)), None)
    if chosen is None:
        try:
            chosen = interpreters.get(common[-1], say, uv)
        except UserError as error:
            raise UserError(f"{reason}: {error}") from error
    if chosen != first:
        say(f"Python {chosen.name}: {reason}")
    return chosen


def unfit(uv: Uv, wanted: Mapping[str, Sequence[str]], python: str) -> dict[str, str]:
    """Return the sides whose requirements have no wheels for a Python, and uv's words for it."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        said = pool.map(lambda texts: refusal(uv, texts, python, *WHEELS), wanted.values())
        return {label: words for label, words in zip(wanted, said, strict=True) if words}


def towards(uv: Uv, texts: Sequence[str], allowed: SpecifierSet, first: str, known: str) -> list[str]:
    """Return the Pythons from the nearest to ``first`` that requirements can be had for to the one that is known to be
    such, the oldest first; between the two ends none is asked about.
    """
    start, end = minor(first), minor(known)
    step = 1 if end > start else -1
    passed = [name for number in range(start + step, end, step) if permits(allowed, name := f"3.{number}")]
    near = next((index for index, name in enumerate(passed) if fits(uv, texts, name, *WHEELS)), len(passed))
    return sorted([*passed[near:], known], key=minor)


def shared(able: Iterable[Sequence[str]]) -> list[str]:
    """Return the Pythons that all have, the oldest first."""
    able = list(able)
    return [name for name in MINORS if all(name in names for names in able)]


def good(interpreter: Interpreter, common: Sequence[str]) -> bool:
    """Return whether an interpreter is one of these, and an ordinary one."""
    return interpreter.name in common and not interpreter.version.is_prerelease


def fits(uv: Uv, texts: Sequence[str], python: str, *options: str) -> bool:
    """Return whether requirements can be had for a Python, by uv's options for how."""
    return not refusal(uv, texts, python, *options)


def refusal(uv: Uv, texts: Sequence[str], python: str, *options: str) -> str:
    """Return uv's words where requirements cannot be had for a Python, else "". Of addresses nothing is known, nor
    where no index can be reached: then whatever is at hand is tried.
    """
    named = [text for text in texts if not re.search("[/@]", text)]
    if not named:
        return ""
    _, messages = uv.compile(named, python, *options)
    return "" if not messages or why(messages) == UNREACHABLE else messages


def supporting(uv: Uv, texts: Sequence[str], allowed: SpecifierSet = ANY) -> list[str]:
    """Return the Pythons for which requirements can be had, the oldest first."""
    asked = [name for name in MINORS if permits(allowed, name)]
    with ThreadPoolExecutor(AT_ONCE) as pool:

        def had(*options: str) -> list[str]:
            found = pool.map(lambda name: fits(uv, texts, name, *options), asked)
            return [name for name, yes in zip(asked, found, strict=True) if yes]

        # JAX 0.4.13 itself is an archive of source, and what it needs has wheels for some Pythons.
        return had(*WHEELS) or had()


def permits(allowed: SpecifierSet, name: str) -> bool:
    """Return whether versions of Python include a release of a minor version, the first one or one as late
    as can be.
    """
    return any(allowed.contains(Version(f"{name}.{patch}")) for patch in (0, 99))


def needs(wanted: Iterable[str], able: Mapping[str, Sequence[str]], first: Interpreter, header: str) -> str:
    """Return why the first choice will not do: ``jax 0.12.0.1 needs 3.12 or newer``."""
    lacking = [f"{label} needs {bound(able[label], first.name)}" for label in wanted if first.name not in able[label]]
    return header or " and ".join(lacking) or f"not everything can be installed with {first.name}"


def bound(names: Sequence[str], other: str) -> str:
    """Versions of Python as seen from one that is not among them."""
    if not names:
        return "another system"
    if minor(other) < minor(names[0]):
        return f"{names[0]} or newer"
    return f"{names[-1]} or older" if minor(other) > minor(names[-1]) else f"one of {', '.join(names)}"


def span(names: Sequence[str]) -> str:
    """Versions of Python one after the other, in words: 3.12 or newer."""
    first, last = names[0], names[-1]
    if last == MINORS[-1]:
        return f"{first} or newer"
    return first if first == last else f"{last} or older" if first == MINORS[0] else f"{first} to {last}"


def minor(name: str) -> int:
    """13 of 3.13."""
    return int(name.rstrip("t").split(".")[1])


def contradiction(able: Mapping[str, Sequence[str]]) -> str:
    """Say that no Python is for all sides: what each needs, and how two are compared all the same."""
    apart = (pair for pair in combinations(able.items(), 2) if not set(pair[0][1]) & set(pair[1][1]))
    found = next(apart, None)
    if found is None:
        each = "; ".join(f"{label} needs one of {', '.join(names)}" for label, names in able.items())
        return f"no Python runs all sides: {each}"
    (one, names), (other, others) = found
    each = f"{one} needs Python {bound(names, others[0])} and {other} needs {bound(others, names[-1])}"
    both = [newest_at_hand(names), newest_at_hand(others)]
    return f"{each}: no Python runs both; to compare them with one each: --python {' '.join(both)}"


def newest_at_hand(names: Iterable[str]) -> str:
    """Return the newest of some versions that this machine has, else the newest."""
    names = list(names)
    here = [one.name for one in interpreters.at_hand() if good(one, names)]
    return max(here or names, key=minor)
