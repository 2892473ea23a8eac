"""One install for a whole environment, with uv where it is found and pip otherwise.

asv installs requirements one after another, each free to change the one before, reads ``jax[cuda13]`` as
``jax==13`` and drops local versions (``+cu121``). Here all of them are resolved together, and pip's configuration
counts for uv too: whoever has told pip where packages come from need not say it twice.
"""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import itertools
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from asv import util
from asv.console import log
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from virtualenv.seed.wheels.embed import get_embed_wheel

INSTALLER = "ARRAYSPEED_INSTALLER"


@functools.cache
def warn_once(message: str) -> None:
    """A warning about the machine is the same for every environment: say it for the first."""
    log.warning(message)


# --- requirements ---


def requirement(key: str, value: str) -> Requirement:
    """One entry of asv's matrix: ``"jax[cuda13]": "0.10.2"``, ``"pip+numpy": ">=2,<3"``, ``"numba": ""``.

    A value without an operator is an exact version.

    Raises
    ------
    asv.util.UserError
        It is not a package and versions of it.
    """
    entry = f'"{key}": "{value}"'
    if not isinstance(value, str):
        raise util.UserError(f"the version in the requirement {entry} must be in quotes in asv.conf.json")
    name, version = key.removeprefix("pip+").strip(), value.strip()
    if version and version[0] not in "<>=!~":
        version = f"=={version}"
    try:
        parsed = Requirement(name + version)
    except InvalidRequirement:
        parsed = None
    # An address would end up in the names of results, and a marker would leave out what the name promises.
    if parsed is None or parsed.url or parsed.marker:
        raise util.UserError(f"the requirement {entry} is not a package and its versions")
    return parsed


def requirements(matrix: Mapping[str, str]) -> list[Requirement]:
    """Everything that an environment gets: its matrix entries, and the asv_runner that goes with this asv.

    asv_runner does the timing, so a newer one in newer environments would change numbers.

    Raises
    ------
    asv.util.UserError
        An entry is not a package and versions of it.
    """
    wanted = [requirement(key, value) for key, value in matrix.items()]
    if not any(canonicalize_name(each.name) == "asv-runner" for each in wanted):
        wanted.append(Requirement(f"asv_runner=={importlib.metadata.version('asv_runner')}"))
    return wanted


def satisfied(wanted: Iterable[Requirement], installed: Mapping[str, str]) -> bool:
    """Whether the packages, ``{name: version}``, are what the requirements ask for."""
    versions = {canonicalize_name(name): version for name, version in installed.items()}
    found = ((each, versions.get(canonicalize_name(each.name))) for each in wanted)
    return all(version and each.specifier.contains(version, prereleases=True) for each, version in found)


# --- installers ---


def find_uv(env: Mapping[str, str]) -> str | None:
    """The path of uv: of the one installed with asv, or the first on PATH; None where neither runs."""
    places = [str(Path(sys.executable).parent), env.get("PATH", "")]
    found = [path for path in (shutil.which("uv", path=place) for place in places) if path]
    return next((path for path in found if runs(path, "--version")), None)


@functools.cache
def runs(*command: str) -> bool:
    """Whether a command succeeds: what version managers put on PATH need not work."""
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def choose(env: Mapping[str, str]) -> str | None:
    """The path of uv, or None for pip; ``ARRAYSPEED_INSTALLER`` (uv or pip) decides where it is set.

    Raises
    ------
    asv.util.UserError
        The variable says something else, or uv where there is none.
    """
    forced = env.get(INSTALLER, "")
    if forced not in ("", "uv", "pip"):
        raise util.UserError(f"{INSTALLER}={forced} is neither uv nor pip")
    uv = None if forced == "pip" else find_uv(env)
    if forced == "uv" and uv is None:
        raise util.UserError(f"{INSTALLER}=uv, but uv is neither next to {sys.executable} nor on PATH")
    return uv


def virtualenv_command(uv: str | None, python: str, folder: str) -> list[str]:
    """The command that makes an empty virtualenv; with pip in it where pip has to install."""
    if uv:
        return [uv, "venv", "--no-project", "--python", python, folder]
    return [sys.executable, "-m", "virtualenv", "--no-setuptools", "--python", python, folder]


def install_command(
    uv: str | None, python: str, wanted: Iterable[Requirement], env: Mapping[str, str], recorded: Path | None = None
) -> tuple[list[str], dict[str, str]]:
    """The one command that installs everything into the virtualenv of ``python``, and its environment variables.

    ``recorded``: ``name==version`` lines. What of it is needed is installed in that version.

    Raises
    ------
    asv.util.UserError
        pip's configuration cannot be read.
    """
    names = [str(each) for each in wanted]
    if not uv:
        pip = [python, "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar=off"]
        # Beside the constraints of its configuration and variables: pip adds them up.
        return [*pip, *constraints(recorded), *names], {**env, "PIP_USER": "false"}
    settings, flags = uv_settings(pip_options(python, env), env, recorded)
    return [uv, "pip", "install", "--no-progress", "--python", python, *flags, *names], {**env, **settings}


def resolve_command(
    uv: str, python: str, folder: str, wanted: Iterable[Requirement], env: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """As `install_command` of uv, for what it would install and download: it does neither.

    ``python``: an interpreter of the version that is meant, which may be of no virtualenv; ``folder``: an empty one.
    """
    settings, flags = uv_settings(pip_options(python, env), env)
    command = [uv, "pip", "install", "--dry-run", "--no-progress", "--target", folder, "--python", python]
    return [*command, *flags, *map(str, wanted)], {**env, **settings}


def constraints(*files: str | Path | None) -> list[str]:
    """The flags, of pip and of uv, that have these files constrain what is installed."""
    return [f"--constraint={path}" for path in files if path]


def to_download(output: str) -> int:
    """How many packages uv would download, by what it says of an install that it only tries."""
    found = re.search(r"Would download (\d+) package", output)
    return int(found[1]) if found else 0


# --- pip's configuration for uv ---


def pip_options(python: str, env: Mapping[str, str]) -> dict[str, str]:
    """What ``pip install`` in the virtualenv of ``python`` would take from its files and from ``PIP_*``.

    pip itself is asked, because where its files are depends on the system, the user and the virtualenv. It runs
    from the wheel that virtualenv brings along: the virtualenvs that uv makes have none.

    Raises
    ------
    asv.util.UserError
        pip cannot read its configuration.
    """
    wheel = get_embed_wheel("pip", f"{sys.version_info.major}.{sys.version_info.minor}")
    assert wheel is not None  # virtualenv brings a pip for every Python that this runs on
    command = [python, "-I", f"{wheel.path}/pip", "config", "list"]
    listing = subprocess.run(command, env={**env, "PYTHONIOENCODING": "utf-8"}, capture_output=True, encoding="utf-8")
    if listing.returncode:
        raise util.UserError(f"pip cannot read its configuration: {last_line(listing.stderr)}")
    options: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listing.stdout.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in options and value:
            options[section][name] = str(ast.literal_eval(value))
    # Later sections override earlier ones; an empty value is as good as none.
    return {name: value for section in options.values() for name, value in section.items() if value}


# The options of pip that say the same in an environment variable of uv.
SAME = {
    "pypi-url": "UV_DEFAULT_INDEX",
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "constraint": "UV_CONSTRAINT",
    "trusted-host": "UV_INSECURE_HOST",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "timeout": "UV_HTTP_TIMEOUT",
    "retries": "UV_HTTP_RETRIES",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
}
#: A variable of our own: a folder of wheels that an index may no longer have, for uv to take them from.
WHEELS = "ARRAYSPEED_WHEELS"

# Older names that uv still reads: whoever set one has decided.
OLDER = {
    "UV_DEFAULT_INDEX": ["UV_INDEX_URL"],
    "UV_INDEX": ["UV_EXTRA_INDEX_URL"],
    "UV_HTTP_TIMEOUT": ["UV_REQUEST_TIMEOUT", "HTTP_TIMEOUT"],
}
TRUE = {"1", "true", "yes", "on", "y", "t"}


def uv_settings(
    options: Mapping[str, str], env: Mapping[str, str], recorded: Path | None = None
) -> tuple[dict[str, str], list[str]]:
    """Options of pip as environment variables and flags of uv; what the user has set for uv stays."""
    settings = {
        # pip takes the best version from anywhere, uv the first index that knows the package.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        # As pip does: else the first process to import a library would measure its compilation to bytecode.
        "UV_COMPILE_BYTECODE": "1",
    }
    settings |= {variable: " ".join(options[name].split()) for name, variable in SAME.items() if name in options}
    if links := ",".join(find_links(options.get("find-links", ""))):
        settings["UV_FIND_LINKS"] = links
    if options.get("pre", "").lower() in TRUE:
        settings["UV_PRERELEASE"] = "allow"
    settings |= formats("UV_NO_BUILD", options.get("only-binary", ""))
    settings |= formats("UV_NO_BINARY", options.get("no-binary", ""))
    decided = {name for name in settings if any(env.get(each) for each in (name, *OLDER.get(name, [])))}
    kept = {name for name in decided if name.startswith("UV_")}
    flags = ["--no-index"] if options.get("no-index", "").lower() in TRUE else []
    found = {name: value for name, value in settings.items() if name not in kept}
    if any(Path(env.get(WHEELS) or "/dev/null").glob("*.whl")):
        links = env.get("UV_FIND_LINKS") or found.get("UV_FIND_LINKS", "")
        found["UV_FIND_LINKS"] = ",".join(filter(None, [links, *find_links(Path(env[WHEELS]).as_uri())]))
    if recorded:  # the flag replaces the variable
        others = env.get("UV_CONSTRAINT") or found.get("UV_CONSTRAINT", "")
        flags += constraints(*others.split(), recorded)
    return found, flags


def formats(variable: str, value: str) -> dict[str, str]:
    """``only-binary`` and ``no-binary``: for all packages, or for those that are named."""
    names = [name for name in re.split(r"[\s,]+", value) if name and name != ":none:"]
    if ":all:" in names:
        return {variable: "1"}
    return {f"{variable}_PACKAGE": " ".join(names)} if names else {}


def find_links(value: str) -> Iterator[str]:
    """The places as uv takes them: separated by commas, so none may hold one; a missing folder is an error to uv."""
    for link in value.split():
        if "://" in link and not link.startswith("file:"):
            yield link.replace(",", "%2C")
            continue
        path = Path(url2pathname(urlsplit(link).path) if link.startswith("file:") else link).expanduser()
        if path.exists():
            yield path.absolute().as_uri().replace(",", "%2C")
        else:
            warn_once(f"pip's configuration has find-links={path}, which does not exist")


# --- what went wrong ---

UNREACHABLE = "a package index could not be reached"
DISK_FULL = "the disk is full"

#: Reasons that say nothing of the package: later, it may be installed.
PASSING = (UNREACHABLE, DISK_FULL)

FAILURES = [
    (r"No space left on device", DISK_FULL),
    (
        r"failed to fetch|dns error|error sending request|network was disabled|NewConnectionError|connection broken"
        r"|ConnectTimeout|ReadTimeout|name resolution|ProxyError|SSLError",
        UNREACHABLE,
    ),
    (r"does not satisfy Python", "it does not support this version of Python"),
    (r"no wheels with a matching|no usable wheels|not a supported wheel", "it has no build for this Python and system"),
    (r"failed to build|failed building|subprocess-exited|metadata-generation", "it could not be built from source"),
    (r"was not found in|from versions: none", "no such package"),
    (r"no versions? of|(?:is|are) available|No matching distribution|Could not find a version", "no such version"),
    (
        r"No solution found|conflicting dependencies|ResolutionImpossible",
        "another requirement or a constraint forbids it",
    ),
]
# The package that was sought in vain: it may be one that a requirement needs, not one that was asked for.
SOUGHT = re.compile(
    r"no versions? of ([\w.-]+)|Because ([\w.-]+) was not found|Because only (?:the following versions of )?([\w.-]+)"
    r"|satisfies the requirement ([\w.-]+)"
)


def diagnose(output: str, wanted: Iterable[Requirement], uv: bool) -> str:
    """One line for an install that failed: the requirements at fault, and why.

    Both installers explain a failure in prose that names the requirements involved, and no others.
    """
    wanted = list(wanted)
    error = error_text(output, uv)
    culprits = [each for each in wanted if mentions(error, each.name)]
    why = reason(output, error, culprits)
    if why == UNREACHABLE:  # whichever was asked for first is named, and none of them is at fault
        culprits = wanted
    return f"cannot install {', '.join(map(str, culprits or wanted))}: {why}"


def is_temporary(output: str, uv: bool) -> bool:
    """Whether what made an install fail is one of `PASSING`."""
    return reason(output, error_text(output, uv), []) in PASSING


def error_text(output: str, uv: bool) -> str:
    """The part of an installer's output that says what went wrong, in one line."""
    lines: Iterable[str] = output.splitlines()
    if uv:
        lines = itertools.dropwhile(lambda line: not re.match(r"error:|\s*×", line), lines)
        lines = itertools.takewhile(lambda line: not line.startswith("hint:"), lines)
    else:
        lines = (line for line in lines if line.startswith("ERROR:") and "Ignored the following" not in line)
    return re.sub(r"\s+", " ", " ".join(lines))


def mentions(text: str, name: str) -> bool:
    """Whether a package is named, in any of the spellings that mean the same, and not as a part of another name."""
    spelling = r"[-_.]+".join(map(re.escape, re.split(r"[-_.]+", name)))
    return re.search(rf"(?<![\w.-]){spelling}(?![\w]|[-.]+\w)", text, re.IGNORECASE) is not None


def reason(output: str, error: str, culprits: list[Requirement]) -> str:
    """Why the install failed, in a few words."""
    # pip mentions a network that fails only in its warnings.
    why = next((why for pattern, why in FAILURES[:2] if re.search(pattern, output, re.IGNORECASE)), None)
    if why is None and len(culprits) > 1 and re.search(FAILURES[-1][0], error):
        return "these contradict each other"
    why = why or next((why for pattern, why in FAILURES[2:] if re.search(pattern, error, re.IGNORECASE)), None)
    if why is None:
        return last_line(error) or last_line(output) or "the installer failed without a word"
    if len(culprits) == 1 and why.startswith("no such"):
        return sought(output, error, culprits[0], why)
    return why


def sought(output: str, error: str, culprit: Requirement, why: str) -> str:
    """Say of which package there is no such version, where it is not the one that was asked for."""
    match = SOUGHT.search(error)
    name = next(filter(None, match.groups()), culprit.name) if match else culprit.name
    if canonicalize_name(name) != canonicalize_name(culprit.name):
        return f"it needs {name}, and there is {why}"
    # pip lists the versions that are for other Pythons before it says that it found none.
    for version, python in re.findall(r"[:;] (\S+) Requires-Python ([^;\n]+)", output):
        if culprit.specifier.contains(version, prereleases=True):
            return f"it needs Python {python.strip()}"
    return why


def last_line(text: str) -> str:
    """The last line with words in it, without addresses: they may hold passwords."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"\w", line)]
    return re.sub(r"[a-z][a-z+.-]*://[^\s'\"`)>,]+", "an index", lines[-1]) if lines else ""


def unknown_extras(output: str) -> list[str]:
    """The complaints about extras that a package does not have: both installers go on without them."""
    lines = (line for line in output.splitlines() if re.search(r"does not (?:have an|provide the) extra", line))
    return [re.sub(r"^\s*warning:\s*", "", line, flags=re.IGNORECASE) for line in lines]
