"""What mkdocs.yml asks for beside the pages of docs/: the repository's own files as pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation, Section

ROOT = Path(__file__).resolve().parent.parent

#: A file of the repository -> the page that it is on the site.
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "changes/README.md": "changes.md",
}


def on_files(files: Files, config: Any) -> Files:
    """Add the repository's own files, whose links begin at its root, as pages of the site."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        if "/" in name:  # its links begin in its folder
            text = text.replace("](../", "](")
        files.append(File.generated(config, page, content=moved(text, "")))
    return files


def on_nav(nav: Navigation, **_: Any) -> Navigation:
    """Link to the report and to asv's pages, where `make site` has published them: `tools/assemble` puts them there."""
    if (ROOT / "html" / "report" / "index.html").is_file():
        (results,) = (one for one in nav.items if isinstance(one, Section) and one.title == "Results")
        results.children += [Link("The report", "report/index.html"), Link("asv's pages", "asv/index.html")]
    return nav


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links to the repository's own files lead to their pages."""
    return moved(markdown, "../" * (page.file.src_uri.count("/") + 1))


def moved(text: str, up: str) -> str:
    """Return a text whose links to files of the repository, that many folders up, lead to pages."""
    for name, page in PAGES.items():
        text = re.sub(rf"\]\({re.escape(up + name)}", f"]({up.removeprefix('../')}{page}", text)
    return text
