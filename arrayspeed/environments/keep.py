"""Wheels of nightly builds: an index has them for some days, and a later search needs them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version
from virtualenv.seed.wheels.embed import get_embed_wheel

from arrayspeed.environments.failures import last_line
from arrayspeed.environments.index import places
from arrayspeed.environments.uv import Uv

#: How long a large wheel may take.
SECONDS = 3600

#: What it is of, with pip's own name of it.
Kept = tuple[str, Version]


def keep(uv: Uv, python: str, packages: Mapping[str, str], folder: Path, say: Callable[[str], None]) -> None:
    """Keep the wheel of every nightly build in an environment, its companions' too; those that are kept already stay.

    Parameters
    ----------
    uv
        Its settings say where packages come from.
    python
        The environment's interpreter, which wheels have to be for.
    packages
        What is installed there: name and version.
    folder
        Where wheels are kept.
    say
        Is told of one that cannot be had.
    """
    wanted = {one: f"{one[0]}=={one[1]}" for one in nightly(packages)}
    known = set(kept(folder))
    for one, pin in wanted.items():
        if one not in known:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".gitignore").write_text("*\n")
            with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as new:
                if why := download(uv, python, pin, new):
                    say(f"the wheel of {pin} could not be kept: {why}")
                for path in Path(new).glob("*.whl"):
                    path.replace(folder / path.name)


def nightly(packages: Mapping[str, str]) -> Iterator[Kept]:
    """Yield packages whose version is that of a build in development."""
    for name, text in packages.items():
        try:
            version = Version(text)
        except InvalidVersion:
            continue
        if version.is_devrelease:
            yield canonicalize_name(name), version


def kept(folder: Path) -> Iterator[Kept]:
    """Yield what wheels in a folder are of."""
    for path in folder.glob("*.whl"):
        try:
            yield parse_wheel_filename(path.name)[:2]
        except (InvalidWheelFilename, InvalidVersion):
            continue


def download(uv: Uv, python: str, pin: str, folder: str) -> str:
    """Have pip download one wheel for an interpreter, from where uv looks for it; why it could not, or ""."""
    command = [python, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    version = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout.strip()
    wheel = get_embed_wheel("pip", version)
    if wheel is None:
        return f"there is no pip for Python {version}"
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--quiet"]
    command = [python, "-I", f"{wheel.path}/pip", "download", *options, *sources(uv), "--dest", folder, pin]
    try:
        done = subprocess.run(command, env=uv.environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "it took longer than an hour"
    return last_line(done.stderr) or "pip failed without a word" if done.returncode else ""


def sources(uv: Uv) -> Iterator[str]:
    """Yield the places of packages as options of pip."""
    found = list(places(uv))
    indexes = [place for place, flat in found if not flat]
    yield from (f"--index-url={indexes[0]}",) if indexes else ("--no-index",)
    yield from (f"--extra-index-url={place}" for place in indexes[1:])
    yield from (f"--find-links={place}" for place, flat in found if flat)
    yield from (f"--trusted-host={host}" for host in uv.environment.get("UV_INSECURE_HOST", "").split())
    if certificate := uv.environment.get("SSL_CERT_FILE"):
        yield f"--cert={certificate}"
