"""What mkdocs.yml asks for beside the pages of docs/: the repository's own files as pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent

#: A file of the repository -> the page that it is on the site.
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def on_files(files: Files, config: Any) -> Files:
    """Add the repository's own files, whose links begin at its root, as pages of the site."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=moved(text, "")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links to the repository's own files lead to their pages."""
    return moved(markdown, "../" * (page.file.src_uri.count("/") + 1))


def moved(text: str, up: str) -> str:
    """Return a text whose links to files of the repository, that many folders up, lead to pages."""
    for name, page in PAGES.items():
        text = re.sub(rf"\]\({re.escape(up + name)}", f"]({up.removeprefix('../')}{page}", text)
    return text
