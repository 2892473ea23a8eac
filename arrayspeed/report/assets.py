"""asv's own pages without a network: the scripts that they take from content delivery networks, copied beside them.

The copies come from npm packages of the same versions, whose hashes npm checks. None is kept in the repository.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from arrayspeed.formats.progress import say

#: The file that asv's index.html asks for -> npm package, version, and the file in it. Flot's package has no minified
#: files, and the sorting of tables is in no older package than this.
FILES = {
    "jquery-3.3.1.min.js": ("jquery", "3.3.1", "dist/jquery.min.js"),
    "jquery.flot.min.js": ("flot", "0.8.3", "jquery.flot.js"),
    "jquery.flot.time.min.js": ("flot", "0.8.3", "jquery.flot.time.js"),
    "jquery.flot.selection.min.js": ("flot", "0.8.3", "jquery.flot.selection.js"),
    "jquery.flot.categories.min.js": ("flot", "0.8.3", "jquery.flot.categories.js"),
    "jquery.flot.orderBars.js": ("flot-orderbars", "1.0.0", "js/jquery.flot.orderBars.js"),
    "stupidtable.min.js": ("stupid-table-plugin", "1.1.3", "stupidtable.min.js"),
    "md5.min.js": ("blueimp-md5", "2.19.0", "js/md5.min.js"),
    "bootstrap.min.js": ("bootstrap", "3.1.1", "dist/js/bootstrap.min.js"),
    "bootstrap.min.css": ("bootstrap", "3.1.1", "dist/css/bootstrap.min.css"),
}

#: Set to 1 to leave asv's pages as they are.
CDN = "ARRAYSPEED_CDN"

#: A script or style sheet from elsewhere, with what belongs to its being elsewhere.
ELSEWHERE = re.compile(r'(?P<attribute>src|href)="https://[^"]*/(?P<name>[^"/]+\.(?:js|css))"')
INTEGRITY = re.compile(r'\s+(?:integrity|crossorigin)="[^"]*"')


def bring(site: Path, cache: Path) -> bool:
    """Copy what asv's index.html asks for beside it, and make it ask for the copies; whether that could be done."""
    index = site / "index.html"
    text = index.read_text(encoding="utf-8")
    names = [match["name"] for match in ELSEWHERE.finditer(text)]
    if unknown := set(names) - FILES.keys():
        return complain(f"no package is known for {', '.join(sorted(unknown))}")
    if not install(cache):
        return False
    (site / "vendor").mkdir(exist_ok=True)
    for name in names:
        package, _, path = FILES[name]
        shutil.copyfile(cache / "node_modules" / package / path, site / "vendor" / name)
    text = ELSEWHERE.sub(r'\g<attribute>="vendor/\g<name>"', INTEGRITY.sub("", text))
    index.write_text(text, encoding="utf-8")
    return True


def install(cache: Path) -> bool:
    """Have npm install the packages into a folder, unless they are there."""
    if all((cache / "node_modules" / package / path).is_file() for package, _, path in FILES.values()):
        return True
    npm = shutil.which("npm")
    if npm is None:
        return complain("npm is not installed")
    cache.mkdir(parents=True, exist_ok=True)
    packages = sorted({f"{package}@{version}" for package, version, _ in FILES.values()})
    command = [npm, "install", "--prefix", str(cache), "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run([*command, *packages], capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return complain(f"npm: {re.sub(r'https?://[^ ]+', 'its registry', lines[0]) if lines else 'failed'}")
    return True


def complain(why: str) -> bool:
    """Say in a line what that means; False."""
    say(f"warning: asv's own pages take scripts from the network, the report does not ({why})")
    return False
