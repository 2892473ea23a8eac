"""The report's pages as HTML: the same frame for all; a script of each page's own fills it from JSON."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Page:
    """One page: its file and script have its name."""

    name: str
    title: str
    lead: str

    @property
    def file(self) -> str:
        """The answers are where a reader arrives."""
        return "index.html" if self.name == "answers" else f"{self.name}.html"


PAGES = (
    Page("answers", "Answers", "Is it safe to upgrade, which backend, and how good is it?"),
    Page("overview", "Overview", "How much faster than NumPy is each backend, kernel by kernel?"),
    Page("backends", "Backends", "One kernel on all backends: time against size, and where one overtakes another."),
    Page("weights", "Your work", "Which backends are best for what you compute? Give weights to families and kernels."),
    Page("versions", "Versions", "One library over its releases: what became faster, what slower, and when."),
    Page(
        "compile",
        "Compile or not",
        "What a first call costs, and after how many calls compiling has paid off.",
    ),
    Page("limits", "Limits", "How close each kernel comes to what the machine can do."),
    Page("scaling", "Scaling", "What a second core brings: time against cores, and the speed-up, by backend."),
    Page(
        "trust",
        "Trust",
        "Accuracy, noise, what is missing and why, and exact packages.",
    ),
    Page("claims", "Claims", "What four articles reported about these libraries, and whether it holds here."),
    Page("data", "Data", "All results, to download."),
)

#: The list of new releases that `arrayspeed watch` writes.
RELEASES = "watch.html"

#: Vega compiles its expressions, which is what unsafe-eval allows; nothing is loaded from anywhere else.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:"
)


def html(page: Page, project: str, watched: bool = False) -> str:
    """One page; ``watched``: with a link to the list of new releases."""
    links = "\n".join(
        f'<li><a href="{other.file}"{" aria-current=page" if other is page else ""}>{escape(other.title)}</a></li>'
        for other in PAGES
    )
    if watched:
        links += f'\n<li><a href="{RELEASES}">New releases</a></li>'
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{escape(page.title)} – {escape(project)}</title>
<link rel="icon" href="../swallow.ico">
<link rel="stylesheet" href="static/style.css">
<script src="static/vega.js" defer></script>
<script type="module" src="static/{page.name}.js"></script>
</head>
<body>
<a class="skip" href="#view">Skip to the content</a>
<header>
<p class="project">{escape(project)}</p>
<nav aria-label="Report"><ul>
{links}
<li><a href="../index.html">Benchmark grid</a></li>
</ul></nav>
</header>
<main>
<h1>{escape(page.title)}</h1>
<p class="lead">{escape(page.lead)}</p>
<form id="controls" aria-label="What to show"></form>
<div id="view" tabindex="-1" aria-live="polite"><noscript>These pages need JavaScript. The numbers are also in
<a href="data/results.csv">data/results.csv</a>.</noscript></div>
</main>
</body>
</html>
"""
