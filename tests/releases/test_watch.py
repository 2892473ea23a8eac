"""Watching for releases: stages, kills between them, what is said and when; from processes that are drawn."""

import json
import platform
import re
import shutil
import sys
from datetime import UTC, datetime, timedelta

import pytest

from arrayspeed.cli.main import main
from arrayspeed.environments.failures import PASSING
from arrayspeed.environments.keep import keep
from arrayspeed.environments.listed import releases
from arrayspeed.environments.uv import Uv
from arrayspeed.measure.looking import Limits, OutOfTime
from arrayspeed.model.errors import UserError
from arrayspeed.own.compared import Wanted
from arrayspeed.own.script import read
from arrayspeed.releases import state
from arrayspeed.releases.watch import Rules, Watch
from arrayspeed.report.publisher import write
from arrayspeed.subjects.own import OwnCode
from support import schema
from support.browser import serious_faults, served
from support.releases import WORK, Simulated, alone, levels, listed, serving, wheel

START = datetime(2026, 3, 1, 4, 17, tzinfo=UTC)


class Killed(BaseException):
    """A process that ends between two lines."""


class Job:
    """A job that is started again and again, a day apart or as told."""

    def __init__(self, folder, known, seen="1.3", name="toy"):
        self.subject = Simulated(folder, known, name=name)
        self.seen, self.now, self.told = seen, START, []

    def run(self, versions=None, hours=0.0, since=None):
        """One run with what the index has."""
        self.now += timedelta(hours=hours)
        rules = Rules(Limits(), 0.05, since=since or self.seen)
        releases = versions or listed(*self.subject.levels)
        return Watch(self.subject, releases, rules, lambda text: None, self.told.append, lambda: self.now).run()

    @property
    def data(self):
        return json.loads((self.subject.folder / "watch.state").read_text())["toy, mine"]

    @property
    def stages(self):
        return [stage.split()[0] for stage, _ in self.subject.measured]


def test_a_release_that_is_worse_takes_all_stages_and_is_said_once(tmp_path):
    job = Job(tmp_path, levels(slow=6, by=1.3))
    assert job.run() == 2, "it waits for another day"
    assert job.stages == ["screen", "confirm"] and job.told == []
    assert job.run(hours=19) == 2 and len(job.stages) == 2
    assert job.run(hours=1) == 1
    assert job.stages == ["screen", "confirm", "persist", "step", "step", "sides"]
    assert job.told == ["toy 1.3 → 1.8: worse: 1 slower. toy 1.6 did it."]
    assert job.run(hours=24) == 0
    assert len(job.told) == 1 and len(job.stages) == 6
    page = (tmp_path / job.data["history"][0]["page"]).read_text()
    assert "<h1>toy 1.3 → 1.8</h1>" in page and "<h2>Which release</h2>" in page
    assert re.search(r">mate</td><td[^>]*>1.0</td><td[^>]*>2.0</td>", page)
    assert re.search(r"slower</span></td><td[^>]*>work time</td>.*×1\.\d+ \(1\.\d+–1\.\d+\)", page)
    rolling = (tmp_path / "watch.html").read_text()
    assert rolling.count("toy 1.6 did it") == 1 and "work time: slower ×1." in rolling
    assert f'href="{job.data["history"][0]["page"]}"' in rolling


def test_a_release_that_is_not_worse_is_said_at_once(tmp_path):
    job = Job(tmp_path, levels(), seen="1.7")
    assert job.run() == 0
    assert job.told == ["toy 1.7 → 1.8: nothing worse: 1 same."]
    assert job.stages == ["screen"]


def test_another_machine_need_not_wait(tmp_path, monkeypatch):
    job = Job(tmp_path, levels(slow=8, by=1.3), seen="1.7")
    assert job.run() == 2
    monkeypatch.setattr(platform, "node", lambda: "another")
    assert job.run() == 1
    assert job.stages == ["screen", "confirm", "persist"], "no release lies between"


def test_what_is_not_seen_again_is_not_said_to_be_worse(tmp_path):
    job = Job(tmp_path, levels(slow=8, by=1.3), seen="1.7")
    assert job.run() == 2
    job.subject.levels = levels()
    assert job.run(hours=30) == 0
    assert job.told == ["toy 1.7 → 1.8: nothing worse: 1 same."]


def test_the_first_time_the_newest_is_noted(tmp_path):
    job = Job(tmp_path, levels(), seen=None)
    assert job.run() == 0
    assert job.data["seen"] == "1.8" and job.told == [] and job.stages == []
    job.subject.levels = levels(versions=9)
    assert job.run() == 0
    assert job.told == ["toy 1.8 → 1.9: nothing worse: 1 same."]
    with pytest.raises(UserError, match="toy has no such release"):
        Job(tmp_path / "other", levels(), seen="7.0").run()


def test_a_release_that_comes_while_another_waits_has_its_turn_after_it(tmp_path):
    job = Job(tmp_path, levels(slow=8, by=1.3), seen="1.7")
    assert job.run() == 2
    job.subject.levels = levels(slow=8, by=1.3, versions=9)
    assert job.run(hours=1) == 2 and job.told == []
    assert job.run(hours=24) == 1
    assert job.told == ["toy 1.7 → 1.8: worse: 1 slower.", "toy 1.8 → 1.9: nothing worse: 1 same."]


@pytest.mark.parametrize("known", ["absent", "broken"])
def test_a_release_that_cannot_be_measured_is_said_once(tmp_path, known):
    job = Job(tmp_path, levels(), seen="1.6")
    if known == "absent":
        del job.subject.levels["1.8"]
    else:
        job.subject.levels["1.8"] = "broken"
    every = listed(*levels())
    assert job.run(every) == 2
    assert job.told[0].startswith("toy 1.6 → 1.8: cannot be compared: ") and "\n" not in job.told[0]
    assert job.told[1:] == ["toy 1.6 → 1.7: nothing worse: 1 same."], "the one before it is"
    assert job.run(every) == 0 and len(job.told) == 2
    assert ">1.8</td><td" in (tmp_path / "watch.html").read_text().partition("Left out")[2]


@pytest.mark.parametrize("reason", PASSING)
def test_what_is_wrong_with_the_machine_blames_no_release(tmp_path, reason):
    job = Job(tmp_path, levels(), seen="1.6")

    def ends(old, new):
        raise UserError(f"cannot install toy=={new}: {reason}")

    job.subject.ends = ends
    with pytest.raises(UserError, match=reason):
        job.run()
    del job.subject.ends
    assert job.run() == 0 and job.told == ["toy 1.6 → 1.8: nothing worse: 1 same."]


def test_a_release_that_is_yanked_is_none(tmp_path):
    job = Job(tmp_path, levels(slow=8, by=2), seen="1.6")
    assert job.run(listed(*levels(), v1_8="it loses data")) == 0
    assert job.told == ["toy 1.6 → 1.7: nothing worse: 1 same."]


@pytest.mark.parametrize("when", ["before", "after"])
def test_wherever_it_is_killed_the_same_comes_out(tmp_path, monkeypatch, when):
    """The state is written a number of times: the job is killed before or after each of these."""
    save, kept = state.save, []

    def counting(path, data):
        kept.append(path)
        save(path, data)

    monkeypatch.setattr(state, "save", counting)
    whole = Job(tmp_path / "whole", levels(slow=6, by=1.3))
    assert [whole.run(), whole.run(hours=24)] == [2, 1]
    assert len(kept) >= 8
    for count in range(len(kept)):
        left = [count]

        def killing(path, data, left=left):
            left[0] -= 1
            if left[0] == -1 and when == "before":
                raise Killed
            save(path, data)
            if left[0] == -1:
                raise Killed

        monkeypatch.setattr(state, "save", killing)
        job = Job(tmp_path / str(count), levels(slow=6, by=1.3))
        statuses = []
        for hours in (0, 24, 24, 24):
            try:
                statuses.append(job.run(hours=hours))
            except Killed:
                statuses.append("killed")
        assert statuses.count("killed") == 1
        last_state = count == len(kept) - 1
        assert job.told == whole.told * (2 if last_state and when == "before" else 1)
        assert job.data["seen"] == whole.data["seen"] and job.data["pending"] is None
        assert [row | {"said": ""} for row in job.data["history"]] == [
            row | {"said": ""} for row in whole.data["history"]
        ]
        names = sorted(path.name for path in (tmp_path / str(count)).rglob("*.html"))
        assert names == sorted(path.name for path in (tmp_path / "whole").rglob("*.html"))
        assert (tmp_path / str(count) / "watch.html").read_text().count("did it") == 1


def test_when_the_minutes_are_over_the_next_run_goes_on(tmp_path):
    job = Job(tmp_path, levels(), seen="1.7")
    measure = job.subject.measure

    def late(*arguments):
        raise OutOfTime

    job.subject.measure = late
    assert job.run() == 2 and job.told == []
    job.subject.measure = measure
    assert job.run() == 0 and len(job.told) == 1


def test_what_is_measured_is_changed_while_a_release_waits(tmp_path):
    job = Job(tmp_path, levels(slow=8, by=1.3), seen="1.7")
    assert job.run() == 2
    job.subject.identity = "another file"
    assert job.run(hours=24) == 2
    assert job.stages == ["screen", "confirm"] * 2, "from the start"


def test_a_release_that_the_index_has_no_more_is_left(tmp_path):
    job = Job(tmp_path, levels(slow=8, by=1.3), seen="1.6")
    assert job.run() == 2
    assert job.run(listed(*levels(versions=7)), hours=24) == 0
    assert job.told == ["toy 1.6 → 1.7: nothing worse: 1 same."]
    rest = [version for version in levels(versions=9) if version not in ("1.7", "1.8")]
    job.subject.levels = levels(versions=9)
    assert job.run(listed(*rest), hours=24) == 0
    assert job.told[1:] == ["toy 1.6 → 1.9: nothing worse: 1 same."]


def test_two_packages_share_a_state(tmp_path):
    for name in ("toy", "mate"):
        assert Job(tmp_path, levels(), seen="1.7", name=name).run() == 0
    assert json.loads((tmp_path / "watch.state").read_text()).keys() == {"toy, mine", "mate, mine"}
    assert (tmp_path / "watch.html").read_text().count("nothing worse") == 2


def test_failures_are_worse(tmp_path):
    known = {version: {WORK: None if version == "1.8" else 1e-3} for version in levels()}
    job = Job(tmp_path, known, seen="1.7")
    assert [job.run(), job.run(hours=24)] == [2, 1]
    assert job.told == ["toy 1.7 → 1.8: worse: 1 fails."]


HOSTILE = "</script><b onclick=alert(1)>bold"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A site with the pages of two packages, of which one has a release that is worse and one that is left out."""
    folder = tmp_path_factory.mktemp("watched")
    known = levels(slow=6, by=1.3)
    for version, level in known.items():
        level |= {
            (f"kernel_{n}", None, "time_call"): 1e-3 * (0.8 if n == 3 and version == "1.8" else 1) for n in range(4)
        }
    job = Job(folder / "results", known, name="toy")
    job.subject.links = lambda version: {HOSTILE: "https://example.invalid/<x>", "Script": "javascript:alert(1)"}
    assert [job.run(), job.run(hours=24)] == [2, 1]
    other = Job(folder / "results", levels(), seen="1.6", name="mate")
    other.subject.levels["1.8"] = "broken"
    assert other.run() == 2
    write(folder / "report", str(folder / "results"), "arrayspeed")
    (folder / "swallow.ico").write_bytes(b"")
    with served(folder) as address:
        yield address


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_pages_are_read_on_a_phone_and_on_a_desk_by_day_and_by_night(pages, open_page, width, scheme):
    with open_page() as page:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{pages}report/index.html")
        page.get_by_role("link", name="New releases").click()
        page.wait_for_selector("h1:has-text('Releases that were compared')")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert "work time: slower ×1." in page.inner_text("main") and "broken" not in page.inner_text("h1")
        ink, paper = page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        assert (sum(map(int, re.findall(r"\d+", paper))) < 200) == (scheme == "dark") and ink != paper
        page.get_by_role("link", name="1.3 → 1.8").click()
        page.wait_for_selector("h1:has-text('toy 1.3 → 1.8')")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert HOSTILE in page.inner_text("main") and page.locator("main b").count() == 0
        assert page.locator("a[href^=javascript]").count() == 0
        assert page.locator("svg").count() >= 2
        assert serious_faults(page) == {}
        page.get_by_role("link", name="Report").click()
        page.wait_for_selector("body[data-ready]")


@pytest.mark.seconds
def test_what_nobody_watches_has_no_page(tmp_path):
    (tmp_path / "results").mkdir()
    write(tmp_path / "report", str(tmp_path / "results"), "arrayspeed")
    assert "watch.html" not in (tmp_path / "report/index.html").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["toy"], "unknown library 'toy'"),
        (["toy", "mate", "--since", "1.0", "--file", "mine.py"], "--since is of one package"),
        (["toy", "--apart", "-1", "--file", "mine.py"], "--apart -1 is not valid"),
        (["toy", "--again", "--file", "mine.py"], "--again does not go with watch"),
        (["toy", "--since", "9", "--file", "mine.py"], "--since 9: toy has no such release"),
        (["absent", "--file", "mine.py"], "absent: no releases of absent"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, capsys, options, said):
    wheel(tmp_path, "toy", "1.1")
    (tmp_path / "mine.py").write_text("def bench_one():\n    return 1\n")
    alone(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["watch", *options])
    printed = capsys.readouterr()
    assert ended.value.code == 2 and printed.out == ""
    assert said in printed.err and len(printed.err.splitlines()) == 1


FILE = "import toy\n\n\ndef bench_work():\n    return toy.work()\n"


@pytest.mark.clock
def test_a_release_appears_in_a_real_index(tmp_path, monkeypatch, capsys):
    code = "def work():\n    return sum(range({})) and None\n"
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (tmp_path / "mine.py").write_text(FILE)
    alone(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels))

    def run(*options):
        with pytest.raises(SystemExit) as ended:
            main(["watch", "toy", "--file", str(tmp_path / "mine.py"), "--rounds", "6", "--factor", "1.5", *options])
        return ended.value.code, capsys.readouterr()

    wheel(wheels, "toy", "1.0", code.format(15_000))
    assert run()[0] == 0
    wheel(wheels, "toy", "1.1", code.format(60_000))
    status, printed = run()
    assert status == 2 and printed.out == "" and "to be measured again after" in printed.err
    status, printed = run("--apart", "0")
    assert status == 1
    (line,) = printed.out.splitlines()
    assert line.startswith("toy 1.0 → 1.1: worse: 1 slower")
    data = schema.read("watch", run("--format", "json")[1].out)
    assert data == {"format": 1, "reports": [], "exit_status": 0}, "it was reported already"
    status, printed = run()
    assert (status, printed.out) == (0, "")
    (page,) = (tmp_path / ".arrayspeed/watch").glob("*.html")
    assert re.search("slower</span></td><td[^>]*>work time</td>", page.read_text())


@pytest.mark.rest
def test_wheels_of_nightly_builds_are_kept(tmp_path, monkeypatch):
    """The index forgets a nightly build and what it needs: both are installed from what was kept."""
    wheels, (nightly, companion) = tmp_path / "wheels", ("1.1.dev20260301", "2.0.dev1")
    wheels.mkdir()
    (tmp_path / "mine.py").write_text(FILE)
    wheel(wheels, "toy", "1.0", "def work():\n    pass\n")
    wheel(wheels, "toy", "1.0.1rc1", "def work():\n    pass\n")
    there = [
        wheel(wheels, "toy", nightly, "import mate\n\n\ndef work():\n    pass\n", needs=[f"mate=={companion}"]),
        wheel(wheels, "mate", companion),
    ]
    said = []

    def subject():
        wanted = Wanted(tmp_path / ".arrayspeed")
        return OwnCode(read(tmp_path / "mine.py"), "toy", wanted, None, said.append)

    def known(item):
        return [each.version for each in releases("toy", said.append, True, item.pythons, item.uv)]

    with serving(wheels) as address:
        alone(monkeypatch, UV_DEFAULT_INDEX=address)
        one = subject()
        one.ends("1.0", nightly)
        one.install("1.0.1rc1")
        folder = tmp_path / ".arrayspeed/wheels"
        assert sorted(path.name for path in folder.glob("*.whl")) == sorted(path.name for path in there)
        assert not any("could not be kept" in each for each in said)
        for path in there:
            path.unlink()
        shutil.rmtree(tmp_path / ".arrayspeed/environments")
        assert known(subject()) == ["1.0", "1.0.1rc1", nightly]
        one = subject()
        one.ends("1.0", nightly)
        one.works(nightly)
        assert one.packages(nightly)["mate"] == companion
        shutil.rmtree(tmp_path / ".arrayspeed")
        (tmp_path / ".arrayspeed").mkdir()
        assert nightly not in known(subject())
        with pytest.raises(UserError, match=f"there is no toy {nightly}"):
            subject().ends("1.0", nightly)


@pytest.mark.environment
def test_a_wheel_that_cannot_be_kept_is_said(tmp_path, monkeypatch):
    alone(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    said = []
    packages = {"toy": "1.0.dev1", "mate": "1.0rc1", "odd": "not a version"}
    keep(Uv(), sys.executable, packages, tmp_path / "kept", said.append)
    (line,) = said
    assert line.startswith("the wheel of toy==1.0.dev1 could not be kept: ") and "\n" not in line
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [".gitignore"]
