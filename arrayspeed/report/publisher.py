"""Adds the report to the site that asv publishes: an asv plugin."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from asv.publishing import OutputPublisher

from arrayspeed.formats.pages import LINKS, STYLE, link
from arrayspeed.report import assets
from arrayspeed.report.pages import PAGES, RELEASES, html

if TYPE_CHECKING:
    from asv.benchmarks import Benchmarks
    from asv.config import Config
    from asv.graph import GraphSet
    from asv.repo import Repo

STATIC = Path(__file__).parent / "static"

#: Where asv's own navigation begins, and what is put there.
NAVIGATION = '<li id="nav-li-" class="active">'
LINK = '<li><a href="report/index.html"><b>Report</b></a></li>\n\t'


class Report(OutputPublisher):  # type: ignore[misc]  # asv has no annotations
    """Pages that people decide from."""

    name = "report"
    button_label = "Report"
    description = "Which backend, which version, how good, and can it be believed"
    order = 10

    @classmethod
    def publish(
        cls, conf: Config, repo: Repo, benchmarks: Benchmarks, graphs: GraphSet, revisions: dict[str, int]
    ) -> None:
        """Write ``report/`` beside asv's pages, and link it from them."""
        site = Path(conf.html_dir)
        write(site / "report", conf.results_dir, conf.project)
        index = site / "index.html"
        text = index.read_text(encoding="utf-8")
        index.write_text(text.replace(NAVIGATION, LINK + NAVIGATION, 1), encoding="utf-8")
        # asv's grid asks for the graph of every benchmark, and says so in the console where one has no results.
        for name in benchmarks:
            graph = site / "graphs" / "summary" / f"{name}.json"
            if not graph.exists():
                graph.parent.mkdir(parents=True, exist_ok=True)
                graph.write_text("[]", encoding="utf-8")
        if os.environ.get(assets.CDN, "0") in ("", "0"):
            assets.bring(site, Path(conf.env_dir).parent / "npm")


def write(folder: Path, results_dir: str, project: str) -> None:
    """Pages, scripts and data."""
    # Here, because every command of asv loads its plugins.
    import vl_convert

    from arrayspeed.report import data

    shutil.copytree(STATIC, folder / "static")
    own = (STATIC / "style.css").read_text(encoding="utf-8")
    (folder / "static" / "style.css").write_text(STYLE + own, encoding="utf-8")
    vega = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stubs lack the default
    (folder / "static" / "vega.js").write_text(vega, encoding="utf-8")
    data.write(folder / "data", results_dir)
    watched = bring_releases(folder, Path(results_dir))
    for page in PAGES:
        (folder / page.file).write_text(html(page, project, watched), encoding="utf-8")


def bring_releases(folder: Path, results: Path) -> bool:
    """Copy the pages of `arrayspeed watch`, with a link to the report; whether there are any."""
    rolling = results / RELEASES
    for path in (rolling, *rolling.with_suffix("").glob("*.html")) if rolling.is_file() else ():
        place = folder / path.relative_to(results)
        place.parent.mkdir(exist_ok=True)
        back = link("Report", "index.html" if path == rolling else "../index.html")
        text = path.read_text(encoding="utf-8").replace(LINKS, f"{LINKS}<li>{back}</li>", 1)
        place.write_text(text, encoding="utf-8")
    return rolling.is_file()
