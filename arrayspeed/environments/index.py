"""What a package index says of a project: the simple API, as JSON (PEP 691, PEP 700) or HTML (PEP 503), over HTTP or
from files, and folders of packages. The places are those that pip and uv are configured with.
"""

from __future__ import annotations

import base64
import json
import re
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from packaging.utils import canonicalize_name
from virtualenv.seed.wheels.embed import get_embed_wheel

from arrayspeed.environments.uv import Uv
from arrayspeed.model.errors import UserError
from arrayspeed.model.text import printable

JSON = "application/vnd.pypi.simple.v1+json"
ACCEPT = f"{JSON}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"

#: Bytes of the longest answer that is read.
LONGEST = 256 * 2**20


@dataclass(frozen=True)
class File:
    """One file of a release.

    Attributes
    ----------
    name
        The file's.
    uploaded
        When, as the index writes it; None where it does not say.
    python
        The versions of Python that it is for.
    yanked
        Why it was withdrawn, perhaps without a word; None where it was not.
    """

    name: str
    uploaded: str | None = None
    python: str = ""
    yanked: str | None = None


def files_of(project: str, say: Callable[[str], None], uv: Uv | None = None) -> list[File]:
    """Return all files of a project, from every place that knows it; of a place that fails, a line is said. ``uv``:
    with its settings, where they are known already.

    Raises
    ------
    UserError
        No place knows it, or none could be read.
    """
    settings = uv or Uv()
    name = canonicalize_name(project)
    found: dict[str, File] = {}
    failed = []
    for place, flat in places(settings):
        try:
            for file in read(place, name, flat, settings.environment):
                if file.name not in found or found[file.name].uploaded is None:
                    found[file.name] = file
        except (OSError, HTTPException, ValueError) as error:
            failed.append(f"{shown(place)} {reason(error)}")
    if not found:
        why = "; ".join(failed) or "the configured index does not have it"
        raise UserError(f"no releases of {project}: {why}")
    for each in failed:
        say(f"{each}; its releases of {project} are left out")
    return list(found.values())


def places(settings: Uv) -> Iterator[tuple[str, bool]]:
    """Yield the configured indexes, and the folders and pages of packages (``--find-links``), which are flat."""
    env = settings.environment
    if "--no-index" not in settings.flags and env.get("UV_NO_INDEX", "").lower() not in ("1", "true"):
        default = env.get("UV_DEFAULT_INDEX") or env.get("UV_INDEX_URL") or usual()
        extra = f"{env.get('UV_INDEX', '')} {env.get('UV_EXTRA_INDEX_URL', '')}"
        for each in [default, *extra.split()]:
            yield re.sub(r"^[\w.-]+=", "", each), False  # uv lets indexes have names
    for each in env.get("UV_FIND_LINKS", "").split(","):
        if each.strip():
            yield each.strip(), True


def usual() -> str:
    """Return the index that pip asks where none is configured: pip itself says which."""
    wheel = get_embed_wheel("pip", f"{sys.version_info.major}.{sys.version_info.minor}")
    command = [sys.executable, "-I", f"{wheel.path if wheel else ''}/pip", "install", "--help"]
    text = " ".join(subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout.split())
    found = re.search(r"--index-url <url>.*?default ([^\s)]+)", text)
    if found is None:
        raise UserError("pip does not say which index it uses: set UV_DEFAULT_INDEX")
    return found[1]


def read(place: str, name: str, flat: bool, env: Mapping[str, str]) -> list[File]:
    """Return what one place has of a project; nothing where it does not know it.

    Raises
    ------
    OSError, HTTPException, ValueError
        It cannot be read.
    """
    parts = urlsplit(place)
    if parts.scheme in ("http", "https"):
        url = place if flat else f"{place.rstrip('/')}/{name}/"
        try:
            content, kind = fetched(url, env)
        except urllib.error.HTTPError as error:
            if error.code == 404 and not flat:
                return []
            raise
        return parsed(content, kind)
    folder = Path(unquote(parts.path) if parts.scheme == "file" else place).expanduser()
    folder = folder if flat else folder / name
    for page, kind in (("index.json", JSON), ("index.html", "text/html")):
        if (folder / page).is_file():
            return parsed((folder / page).read_bytes(), kind)
    if not folder.is_dir():
        return []
    start = re.compile("[-_.]+".join(map(re.escape, name.split("-"))) + "-", re.IGNORECASE)
    return [File(path.name) for path in sorted(folder.iterdir()) if start.match(path.name)]


def fetched(url: str, env: Mapping[str, str]) -> tuple[bytes, str]:
    """Return an answer and its media type, with the certificates, the proxy and the password that uv would use."""
    parts = urlsplit(url)
    headers = {"Accept": ACCEPT, "User-Agent": "arrayspeed"}
    if parts.username:
        secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(secret.encode()).decode()}"
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    context = ssl.create_default_context(cafile=env.get("SSL_CERT_FILE") or None)
    if env.get("SSL_CLIENT_CERT"):
        context.load_cert_chain(env["SSL_CLIENT_CERT"])
    if parts.hostname in {re.split(r":\d+$", host)[0] for host in env.get("UV_INSECURE_HOST", "").split()}:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    proxies = dict.fromkeys(("http", "https"), env["ALL_PROXY"]) if env.get("ALL_PROXY") else None
    opener = urllib.request.build_opener(
        urllib.request.HTTPSHandler(context=context), urllib.request.ProxyHandler(proxies)
    )
    timeout = float(env.get("UV_HTTP_TIMEOUT") or 30)
    with opener.open(urllib.request.Request(url, headers=headers), timeout=timeout) as answer:
        return answer.read(LONGEST), answer.headers.get_content_type()


def parsed(content: bytes, kind: str) -> list[File]:
    """Return the files that a page lists.

    Raises
    ------
    ValueError
        It is no such page.
    """
    if not kind.endswith("json"):
        page = Page()
        page.feed(content.decode("utf-8", "replace"))
        return page.files
    data = json.loads(content)
    if not isinstance(data, dict) or not isinstance(data.get("files"), list):
        raise ValueError("it is no page of the simple API")
    return [of_json(each) for each in data["files"] if isinstance(each, dict) and isinstance(each.get("filename"), str)]


def of_json(row: Mapping[str, Any]) -> File:
    """One file of PEP 691: ``yanked`` is false, true, or why."""
    yanked = row.get("yanked", False)
    uploaded = row.get("upload-time")
    return File(
        row["filename"],
        uploaded if isinstance(uploaded, str) else None,
        str(row.get("requires-python") or ""),
        None if yanked is False or yanked is None else yanked if isinstance(yanked, str) else "",
    )


class Page(HTMLParser):
    """The links of a page of PEP 503, whose text is the file's name."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[File] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Take a link."""
        given = dict(attributes)
        if tag == "a" and given.get("href"):
            name = unquote(urlsplit(given["href"] or "").path.rpartition("/")[2])
            yanked = (given["data-yanked"] or "") if "data-yanked" in given else None
            self.files.append(File(name, None, given.get("data-requires-python") or "", yanked))


def shown(place: str) -> str:
    """Return a place without passwords."""
    return f"the index at {urlsplit(place).hostname}" if urlsplit(place).hostname else f"the index {place}"


def reason(error: Exception) -> str:
    """Return why a place could not be read."""
    if isinstance(error, urllib.error.HTTPError):
        return f"answered {error.code} ({printable(error.reason or 'no reason')})"
    if isinstance(error, urllib.error.URLError):
        return f"could not be reached: {printable(str(error.reason))}"
    if isinstance(error, json.JSONDecodeError):
        return "answered with something that is not JSON"
    return f"cannot be read: {printable(str(error) or type(error).__name__)}"
