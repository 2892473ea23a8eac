"""pip's configuration for uv: whoever has told pip where packages come from need not say it twice."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from asv.console import log
from virtualenv.seed.wheels.embed import get_embed_wheel

from arrayspeed.environments.failures import last_line
from arrayspeed.model.errors import UserError

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

# Older names that uv still reads: whoever set one has decided.
OLDER = {
    "UV_DEFAULT_INDEX": ["UV_INDEX_URL"],
    "UV_INDEX": ["UV_EXTRA_INDEX_URL"],
    "UV_HTTP_TIMEOUT": ["UV_REQUEST_TIMEOUT", "HTTP_TIMEOUT"],
}
TRUE = {"1", "true", "yes", "on", "y", "t"}


@functools.cache
def warn_once(message: str) -> None:
    """Warn about the machine, which is the same for every environment, for the first of them."""
    log.warning(message)


def pip_options(env: Mapping[str, str]) -> dict[str, str]:
    """Return what ``pip install`` would take from its files and from ``PIP_*``.

    pip itself is asked, because where its files are depends on the system, the user and the virtualenv. It runs from
    the wheel that virtualenv brings along: the virtualenvs that uv makes have none. That takes a second, and is done
    once for each environment.

    Raises
    ------
    UserError
        pip cannot read its configuration.
    """
    return dict(asked_of_pip(frozenset(env.items())))


@functools.cache
def asked_of_pip(env: Collection[tuple[str, str]]) -> dict[str, str]:
    """Return what pip answers where these are the environment variables.

    Raises
    ------
    UserError
        As `pip_options`.
    """
    wheel = get_embed_wheel("pip", f"{sys.version_info.major}.{sys.version_info.minor}")
    assert wheel is not None  # virtualenv brings a pip for every Python that this runs on
    command = [sys.executable, "-I", f"{wheel.path}/pip", "config", "list"]
    utf8 = {**dict(env), "PYTHONIOENCODING": "utf-8"}
    listing = subprocess.run(command, env=utf8, capture_output=True, encoding="utf-8")
    if listing.returncode:
        raise UserError(f"pip cannot read its configuration: {last_line(listing.stderr)}")
    options: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listing.stdout.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in options and value:
            options[section][name] = str(ast.literal_eval(value))
    # Later sections override earlier ones; an empty value is as good as none.
    return {name: value for section in options.values() for name, value in section.items() if value}


def uv_settings(
    options: Mapping[str, str], env: Mapping[str, str], wheels: Path | None = None
) -> tuple[dict[str, str], list[str]]:
    """Return options of pip as environment variables and flags of uv; what the user has set for uv stays.

    ``wheels``: a folder of wheels that an index may no longer have.
    """
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
    wanted = {name: value for name, value in settings.items() if name not in kept}
    if wheels is not None and any(wheels.glob("*.whl")):
        links = env.get("UV_FIND_LINKS") or wanted.get("UV_FIND_LINKS", "")
        wanted["UV_FIND_LINKS"] = ",".join(filter(None, [links, *find_links(wheels.absolute().as_uri())]))
    return wanted, flags


def formats(variable: str, value: str) -> dict[str, str]:
    """Translate ``only-binary`` and ``no-binary``: for all packages, or for those that are named."""
    names = [name for name in re.split(r"[\s,]+", value) if name and name != ":none:"]
    if ":all:" in names:
        return {variable: "1"}
    return {f"{variable}_PACKAGE": " ".join(names)} if names else {}


def find_links(value: str) -> Iterator[str]:
    """Yield places as uv takes them: separated by commas, so none may hold one; a missing folder is an error to uv."""
    for link in value.split():
        if "://" in link and not link.startswith("file:"):
            yield link.replace(",", "%2C")
            continue
        path = Path(url2pathname(urlsplit(link).path) if link.startswith("file:") else link).expanduser()
        if path.exists():
            yield path.absolute().as_uri().replace(",", "%2C")
        else:
            warn_once(f"pip's configuration has find-links={path}, which does not exist")
