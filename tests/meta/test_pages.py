"""What `tools/pages` generates is up to date, and the site is built strictly, with nothing from elsewhere."""

import html.parser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from support.browser import serious_faults, served
from tests.conftest import ROOT, tool_of

#: Pages that are looked at in a browser: where a reader arrives, a wide table, code, the longest one, one in a folder.
LOOKED_AT = ("", "upgrade/", "own-code/", "ci/", "choose/", "cli/", "lab/2026-11-noise/")

#: Wrong -> right, of what pages and commands once said: what is searched for must not come back.
PHRASES = {
    r"walked around": "is skipped",
    r"\bis said once|are said once": "is reported once",
    r"tell each other what noise": "variances are pooled",
    r"bad process decides nothing": "outliers are trimmed",
    r"[Ww]here it is made again": "when recreated",
    r"slower by most": "the largest slowdowns",
    r"[Tt]he contrary of these is shown": "contradicted",
    r"[Ww]hatever dies": "rerun to resume",
    r"freed before can double": "allocator state can double a timing",
    r"says what such a file is": "describes the file format",
    r"the same command goes on": "rerun to resume",
    r"[Bb]eside it ran": "a field of the page: load",
    r"rule of before": "superseded",
    r"takes hours": "days, for all that asv.conf.json asks for",
}


@pytest.mark.seconds
def test_what_is_generated_is_up_to_date():
    old = [path for path, text in tool_of("pages")["pages"]().items() if path.read_text() != text]
    assert old == [], "tools/pages"


@pytest.mark.parametrize("phrase", PHRASES)
def test_what_was_mended_does_not_come_back(phrase):
    """In pages, in help and in what commands print."""
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "arrayspeed").rglob("*.py")]
    found = [
        str(path.relative_to(ROOT))
        for path in texts
        if path.name != "CHANGELOG.md" and re.search(phrase, " ".join(path.read_text().split()))
    ]
    assert found == [], PHRASES[phrase]


def test_an_error_rate_is_said_to_hold_on_average():
    """Where a page promises at most 5 %, the same paragraph says of what: a single run may have more."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    promises = [
        part
        for page in pages
        for part in re.split(r"\n\n|\n- ", page.read_text())
        if re.search(r"at most 5 % (is not|are wrong)", " ".join(part.split()))
    ]
    assert promises
    assert all("on average" in " ".join(part.split()) for part in promises)


def workflow(name):
    """The first workflow that a page shows."""
    return yaml.safe_load((ROOT / name).read_text().partition("```yaml\n")[2].partition("```")[0])


@pytest.mark.parametrize("name", ["README.md", "docs/ci.md"])
def test_the_action_is_used_by_its_inputs(name):
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    (*_, step) = workflow(name)["jobs"]["speed"]["steps"]
    assert step["uses"].startswith("OWNER/arrayspeed@") and set(step["with"]) <= set(inputs)
    assert workflow(name)["permissions"]["pull-requests"] == "write"


def test_a_control_s_docstring_says_where_it_stops():
    """The gradient of this case hangs at sizes that the file does not reach."""
    source = (ROOT / "examples/reported/jax_36927_batched_solve.py").read_text()
    (sizes,) = re.findall(r"^sizes = \((.*)\)$", source, re.MULTILINE)
    limit = int(re.search(r"With ([\d,]+) systems", source)[1].replace(",", ""))
    assert max(int(size) for size in sizes.replace("_", "").split(",")) < limit
    lab = (ROOT / "docs/lab/2026-11-hang.md").read_text()
    rows = re.findall(r"^\| ([\d.]+) \| (\d+) \| (\d+) \|$", lab, re.MULTILINE)
    hung = {}
    for name, count, which in rows:  # of two machines
        before = hung.get(name, (0, 0))
        hung[name] = before[0] + int(count), before[1] + int(which)
    some = [hung[name] for name in ("0.10.0", "0.10.1", "0.10.2", "0.11.0")]
    assert {name for name, (_, which) in hung.items() if which} == {"0.10.0", "0.10.1", "0.10.2", "0.11.0"}
    all_of_some, none_of = (
        (sum(each) for each in zip(*some, strict=True)),
        sum(count for count, which in hung.values() if not which),
    )
    processes, which = all_of_some
    limits = " ".join((ROOT / "docs/limits.md").read_text().split())
    assert (
        f"With {limit:,} systems, the gradient does not return in {which} of {processes} processes of JAX 0.10.0 to "
        f"0.11.0, and returns in all {none_of} of older and newer releases"
    ) in limits
    assert "Nothing should be found" not in (ROOT / "docs/lab/2026-11-recall.md").read_text()


def test_every_picture_is_one_that_a_command_takes():
    texts = [page.read_text() for page in (ROOT / "docs").rglob("*.md")]
    shown = {name for text in texts for name in re.findall(r"\]\(\S*?(\w+-\d+-\w+\.png)\)", text)}
    assert shown and shown == {path.name for path in (ROOT / "docs/images").iterdir()}
    views = tool_of("screenshots")["VIEWS"]
    assert {name.partition("-")[0] for name in shown} <= set(views)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The documentation as it is built, with a report and asv's pages of one file each."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    built = subprocess.run(
        [Path(sys.executable).with_name("mkdocs"), "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    published = folder.with_name("html")
    (published / "report").mkdir(parents=True)
    head = '<link rel="icon" href="../swallow.ico"><a href="../index.html">Benchmark grid</a>'
    (published / "report/index.html").write_text(head)
    (published / "index.html").write_text('<a href="report/index.html">Report</a>')
    shutil.copyfile(ROOT / "docs/style.css", published / "swallow.ico")
    done = subprocess.run([sys.executable, ROOT / "tools/assemble", folder, published], capture_output=True, text=True)
    assert done.returncode == 0 and "/report/ and /asv/" in done.stdout
    return folder


class Addresses(html.parser.HTMLParser):
    """What a page links to and loads, and its headings and pictures."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.levels, self.without_alt = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("script", "img") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loaded.append(given["href"])
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "img" and not given.get("alt"):
            self.without_alt.append(given.get("src"))


def pages_of(folder):
    return {path: Addresses(path.read_text()) for path in folder.rglob("*.html") if path.name != "404.html"}


@pytest.mark.seconds
def test_all_links_of_the_site_lead_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    for path, page in pages_of(site).items():
        for link in [*page.links, *page.loaded]:
            if re.match(r"https?:|#|mailto:", link):
                assert link not in page.loaded, f"{path} loads {link}"
                continue
            target = (path.parent / re.match("[^#?]*", link)[0]).resolve()
            assert target.exists() and site in (target, *target.parents), f"{path}: {link}"


def test_headings_have_an_order_and_pictures_have_texts(site):
    for path, page in pages_of(site).items():
        if path.is_relative_to(site / "report") or path.is_relative_to(site / "asv"):
            continue
        assert page.levels.count(1) == 1, path
        for before, after in zip(page.levels, page.levels[1:], strict=False):
            assert after <= before + 1, path
        assert page.without_alt == [], path


#: Screens of which `make test-ci` looks at the first.
SCREENS = [(390, "light"), (1400, "light"), (390, "dark"), (1400, "dark")]


@pytest.mark.parametrize(
    ("width", "scheme"),
    [SCREENS[0], *(pytest.param(*each, marks=pytest.mark.rest) for each in SCREENS[1:])],
)
def test_axe_finds_no_serious_fault_in_the_documentation(site, open_page, width, scheme):
    """And what the page says in its console, or sends to another machine, is an error."""
    with served(site) as address, open_page() as page:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        found = {}
        for name in LOOKED_AT:
            page.goto(address + name)
            page.wait_for_load_state("networkidle")
            found[name] = serious_faults(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert not any(found.values()), found


def test_the_site_without_a_report_says_how_to_make_one(tmp_path):
    (tmp_path / "site").mkdir()
    command = [sys.executable, ROOT / "tools/assemble", tmp_path / "site", tmp_path / "html"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "make site" in done.stdout
