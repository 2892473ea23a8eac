"""Releases for tests: a package that is only computed, wheels that are made here, and an index that serves them."""

import contextlib
import hashlib
import http.server
import json
import math
import random
import threading
import zipfile

from arrayspeed.decide import Looks, Observed
from arrayspeed.decide.observed import halfway
from arrayspeed.environments.listed import Release
from arrayspeed.model.errors import UserError
from arrayspeed.subjects.found import Found

#: What one function of a simulated package is called.
WORK = ("work", None, "time_call")


def listed(*versions, **obstacles):
    """Releases as an index lists them; ``v1_2="why"``: yanked for that."""
    yanked = {name[1:].replace("_", "."): why for name, why in obstacles.items()}
    return [Release(each, "2026-01-01", 1, 1, False, yanked=yanked.get(each)) for each in versions]


class Simulated:
    """A subject whose processes are drawn. ``levels``: version -> what -> seconds, None where it fails; a version that
    is not there cannot be installed.
    """

    pythons, label, uv, unit = [(3, 11)], "mine", None, "release"

    def __init__(self, folder, levels, noise=0.02, seed=0, name="toy"):
        self.folder, self.levels, self.noise, self.seed = folder, levels, noise, seed
        self.name = self.project = name
        self.identity = "simulated"
        self.measured = []
        self.stop_after = math.inf

    def running(self, version):
        return ["3.11"] if version in self.levels else []

    def choose(self, old, new):
        pass

    def ends(self, old, new):
        for version in (old, new):
            self.install(version)

    def install(self, version):
        if version not in self.levels:
            raise UserError(f"cannot install {self.name}=={version}: it has no build for this Python and system")

    def works(self, version):
        if self.levels[version] == "broken":
            raise UserError(f"mine.py cannot be imported with {self.name} {version}: ImportError: no")

    def packages(self, version):
        return {self.name: version, "mate": "1.0" if version < "1.5" else "2.0"}

    def links(self, version):
        return {"Changelog": "https://example.invalid/changes"}

    def measure(self, versions, asked, limits, stage):
        if len(self.measured) >= self.stop_after:
            raise KeyboardInterrupt
        self.measured.append((stage, tuple(versions)))
        whats = self.levels[versions[0]]
        asked = {(what, *versions[:2]): None for what in whats} if asked is None else asked
        rng = random.Random(f"{self.seed} {stage} {versions}")
        values = {(what, version): {} for what in whats for version in versions}
        looks = Looks(limits.rounds, limits.factor)
        for look in looks.plan:
            for (what, version), found in values.items():
                level = self.levels[version][what]
                for number in range(len(found), look):
                    found[number] = level and level * math.exp(rng.gauss(0, self.noise))
            seen = {
                (what, old, new): Observed(reference(values, what, old), values[what, new], group="time", factor=factor)
                for (what, old, new), factor in asked.items()
            }
            decisions = looks.look(seen)
            if not looks.undecided(seen):
                break
        return {
            key: Found(
                key[0],
                f"{key[0][0]} time",
                one.verdict,
                one.ratio,
                one.low,
                one.high,
                one.rounds,
                str(key[1]),
                str(key[2]),
            )
            for key, one in decisions.items()
        }


def reference(values, what, old):
    """What one release gave, or the middle between two."""
    if isinstance(old, str):
        return values[what, old]
    one, other = (values[what, each] for each in old)
    return {number: halfway(one[number], other[number]) for number in one}


def levels(slow=None, by=1.1, versions=8, what=WORK):
    """Versions 1.1, 1.2, … of one function, slower from one on."""
    return {f"1.{n}": {what: 1e-3 * (by if slow and n >= slow else 1.0)} for n in range(1, versions + 1)}


def wheel(folder, name, version, code="", tag="py3-none-any", needs=(), links=()):
    """A package in a wheel; returns its path."""
    info = f"{name}-{version}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
    metadata += [f"Requires-Dist: {each}\n" for each in needs] + [f"Project-URL: {each}\n" for each in links]
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}.py", code)
        file.writestr(f"{info}/METADATA", "".join(metadata))
        file.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n")
        file.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return path


@contextlib.contextmanager
def serving(folder, more=None, status=200):
    """An index over HTTP of the wheels in a folder, as JSON; ``more``: what it says of a file besides. Yields its
    address, for as long as it is served.
    """

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            name = self.path.strip("/").rpartition("/")[2]
            if status != 200:
                return self.answer(status, b"out of order", "text/plain")
            if (folder / name).is_file():
                return self.answer(200, (folder / name).read_bytes(), "application/octet-stream")
            found = sorted(folder.glob(f"{name.replace('-', '_')}-*"))
            if not found:
                return self.answer(404, b"", "text/plain")
            files = [
                {
                    "filename": path.name,
                    "url": f"/files/{path.name}",
                    "hashes": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
                    "upload-time": "2026-02-03T04:05:06.000000Z",
                    **(more or {}).get(path.name, {}),
                }
                for path in found
            ]
            page = {"meta": {"api-version": "1.1"}, "name": name, "files": files}
            return self.answer(200, json.dumps(page).encode(), "application/vnd.pypi.simple.v1+json")

        def answer(self, code, content, kind):
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/simple"
    finally:
        server.shutdown()
        server.server_close()


def alone(monkeypatch, **settings):
    """No index but those that are named, as variables of uv."""
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "UV_INDEX_URL", "UV_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
