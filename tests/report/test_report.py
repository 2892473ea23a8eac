"""The report: what its files hold, and its pages in a real browser."""

import argparse
import itertools
import json
import math
import re
from urllib.parse import quote

import polars as pl
import pytest

from arrayspeed.audit.check import Audit, Check, save
from arrayspeed.cli import main as cli
from arrayspeed.cli import run
from arrayspeed.decide.compare import levels
from arrayspeed.measure.stale import UNKNOWN
from arrayspeed.model.combination import Combination
from arrayspeed.model.units import significant
from arrayspeed.records.fingerprints import fingerprint
from arrayspeed.records.levels import Case
from arrayspeed.records.peaks import Peaks, Rate
from arrayspeed.records.peaks import save as save_peaks
from arrayspeed.records.processes import Noise, noise
from arrayspeed.report import data
from arrayspeed.report.breakeven import break_even
from arrayspeed.report.pages import PAGES
from arrayspeed.report.publisher import write
from kernels import CATALOGUE
from support.browser import serious_faults, served
from support.generated import FAILED, NEWEST, row, write_project, write_results

HOSTILE = "<script>document.title='taken'</script>"

SECONDS = {"numpy": 4e-6, "numba": 3e-6, "jax": 8.8e-5, "jax-jit": 8e-6, "torch": 5e-6, "tensorflow-xla": 2e-5}


def rows():
    """Times that grow with the size, for JAX slower than for NumPy; a failure; first calls and errors."""
    found = []
    for backend, seconds in SECONDS.items():
        slope = 0.5 if backend == "jax-jit" else 1.0
        found += [row("elementwise", backend, size, seconds * (size / 1000) ** slope) for size in (1_000, 1_000_000)]
        found.append(row("elementwise", backend, 1_000, 1000 * seconds, measure="track_first_call"))
        found.append(row("elementwise", backend, 1_000, 1e-16, measure="track_error"))
    found.append(row("elementwise", "torch-compile", 1_000, FAILED))
    found += [row("matmul", "numpy", 2_000, 0.16), row("add", "numpy", 1_000_000, 1e-4)]
    found.append(row("add", "numpy", 10_000_000, 4e-3))
    found += [row("matmul", "numba", 2_000, 0.1605), row("matmul", "torch", 2_000, 0.32)]
    found += [row("gradient", name, 10_000, seconds) for name, seconds in GRADIENT.items()]
    # Of an article: NumPy is 250 times faster than JAX; JAX is faster than NumPy.
    found += [row("sort", "numpy", 1_000, 1e-5), row("sort", "jax", 1_000, 1e-4)]
    found += [row("sort", "numpy", 1_000_000, 1e-2), row("sort", "jax", 1_000_000, 1e-1)]
    return found


#: Numba's and NumPy's by finite differences, whose time is of other work.
GRADIENT = {"numpy": 1e-1, "numba": 1e-6, "jax-jit": 1e-5, "torch": 1e-4}

GENERATED = "generated-2cpu"

NOISY = "generated-1process"

AUDITED = "generated-audit-alone"

WITH_GPU = "generated-2cpu-gpu"

#: Where NumPy has page faults, and another time without them.
FAULTY = "generated-faults"


def faulty_lines():
    """Four rounds of three backends in turn: JAX is three times as fast as NumPy with its page faults, and slower than
    NumPy without them; Numba is faster in both.
    """
    seconds = {"numpy": (3e-3, 8e-4, 900.0), "jax": (1e-3, 1e-3, 0.0), "numba": (1e-4, 1e-4, 0.0)}
    common = {"benchmark": "elementwise.add_float64.time_call", "size": 1_000, "device": "cpu", "block": ".block"}
    return [
        common
        | {
            "backend": backend,
            "value": usual,
            "round": number,
            "number": 10,
            "batches": [usual * (1 + number / 100)] * 5,
        }
        | {"faults": faults, "retained": {"batches": [retained * (1 + number / 100)] * 5, "faults": 0.0, "why": None}}
        for number in range(4)
        for backend, (usual, retained, faults) in seconds.items()
    ]


def gpu_rows():
    """NumPy on the CPU, CuPy and JAX on the GPU; launches that take three quarters of a small call, transfers."""
    found = [row("matmul", "numpy", 2_000, 0.16), row("add", "numpy", 1_000_000, 4e-3)]
    for backend in ("jax-jit", "cupy"):
        on = {"device": "gpu"}
        found += [row("matmul", backend, 2_000, 1.6e-3, **on), row("add", backend, 1_000_000, 4e-5, **on)]
        found += [row("add", backend, 1_000, 8e-6, **on), row("sine", backend, 1_000_000, 1e-5, **on)]
    found.append(row("add", "cupy", 1_000, 2e-6, measure="track_device_time", device="gpu"))
    found.append(row("sine", "cupy", 1_000_000, 1e-3, measure="track_to_device", device="gpu"))
    found.append(row("sine", "cupy", 1_000_000, 5e-4, measure="track_from_device", device="gpu"))
    return found


def scaled():
    """Two cores halve NumPy's product, leave Numba's sort as it is, and JAX fails there; of a backend that is none."""
    common = {"environment": "venv", "dtype": "float64", "device": "cpu", "commit": "f" * 40}
    found = []
    for kernel, backend, size, ratio in (
        ("matmul", "numpy", 2_000, 0.5),
        ("sort", "numba", 1_000_000, 1.0),
        ("matmul", HOSTILE, 2_000, 1.0),
    ):
        for number, cores in itertools.product(range(8), (1, 2)):
            seconds = 0.1 * (ratio if cores == 2 else 1) * (1 + 0.002 * ((3 * number + cores) % 5))
            case = {"kernel": kernel, "backend": backend, "size": size, "cores": cores}
            found.append(common | case | {"block": "b", "round": number, "batches": [seconds] * 3, "date": "2026"})
    case = {"kernel": "matmul", "backend": "jax-jit", "size": 2_000, "block": "c", "date": "2026"}
    for number, cores in itertools.product(range(4), (1, 2)):
        batches = {"batches": [0.1], "round": number, "cores": cores}
        found.append(common | case | batches | ({"batches": [], "why": "it broke"} if cores == 2 else {}))
    return found


def write_all(folder):
    """Results of all libraries together, of three releases of JAX, and of a machine with a hostile name."""
    write_results(folder, rows(), processes=8)
    for number, (version, seconds) in enumerate((("0.4.35", 1e-3), ("0.9.2", 1e-3), ("0.10.2", 0.5e-3))):
        requirements = {"jax": version, "numpy": "2.2.6"}
        matmul = [row("matmul", "jax", 2000, seconds, samples=[seconds] * 10)]
        write_results(folder, matmul, requirements=requirements, started_at=1_700_000_000_000 + number)
    checks = [
        Check("clock", "numpy", "add", True, "agrees"),
        Check("clock", "jax-jit", "add", False, HOSTILE),
        Check("noise", "numpy", None, None, "too noisy"),
    ]
    noise = {"numpy": Noise(12, 0.034)}
    save(folder, Audit("generated-2cpu", "venv", "f" * 40, "2026-01-02T03:04", "cpu", checks, noise))
    alone = [Check("clock", "numba", "sort", True, "agrees too")]
    save(folder, Audit(AUDITED, "venv", "e" * 40, "2026-01-03T03:04", "cpu", alone))
    write_results(folder, gpu_rows(), machine=WITH_GPU, requirements=NEWEST | {"cupy": "14.2.0"})
    rates = [Rate("fma", "float64", 2, 2**14, 100e9)]
    rates += [Rate("triad", "float64", 2, 2**14, 200e9), Rate("triad", "float64", 2, 2**28, 60e9)]
    save_peaks(folder, GENERATED, Peaks(tuple(rates), "2026-01-02T03:04:05+00:00"))
    (folder / GENERATED / "scaling.jsonl").write_text("\n".join(map(json.dumps, scaled())) + "\nnonsense\n")
    tied = [row("add", "numpy", 1_000, 1.1e-6), row("add", "numba", 1_000, 1e-6)]
    write_results(folder, tied, machine=NOISY)
    faulty = [row("add", name, 1_000, seconds) for name, seconds in (("numpy", 3e-3), ("jax", 1e-3), ("numba", 1e-4))]
    path = write_results(folder, faulty, machine=FAULTY)
    path.with_suffix(".processes.jsonl").write_text("\n".join(map(json.dumps, faulty_lines())) + "\n")
    hostile = [row("add", HOSTILE, 1_000, 1e-6), row("add", "numpy", 1_000, 1e-6)]
    write_results(folder, hostile, machine=HOSTILE, machine_folder="hostile")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_all(folder / "results")
    write(folder / "report", str(folder / "results"), "arrayspeed")
    return folder / "report"


def read(site, name):
    return json.loads((site / "data" / f"{name}.json").read_text())


def test_values_are_those_of_the_results(site):
    meta = read(site, "meta")
    here = machine(site)
    (together,) = (
        n for n, one in enumerate(meta["environments"]) if one["machine"] == here and len(one["versions"]) > 2
    )
    columns = read(site, f"environment-{together}")
    assert len(set(map(len, columns.values()))) == 1
    found = {
        tuple(key): value
        for *key, value in zip(*(columns[c] for c in ("kernel", "measure", "backend", "size", "value")), strict=True)
    }
    for entry in rows():
        backend, size, _ = entry["parameters"]
        kernel, _, measure = entry["name"].partition(".")[2].partition("_float64.")
        value = found[kernel, measure, backend, size]
        assert value == (pytest.approx(entry["result"], rel=1e-3) if entry["result"] else None)
    assert columns["failed"].count(True) == 1


def decided(site, name="generated-2cpu"):
    """What was decided of the environment of a machine that holds most libraries."""
    meta = read(site, "meta")
    here = machine(site, name)
    environments = [n for n, one in enumerate(meta["environments"]) if one["machine"] == here]
    return read(site, f"decisions-{max(environments, key=lambda n: len(meta['environments'][n]['versions']))}")


def group(site, kernel, size, measure="time_call"):
    """What competes in one kernel."""
    wanted = measure, kernel, size
    (found,) = (g for g in decided(site)["groups"] if (g["measure"], g["kernel"], g["size"]) == wanted)
    return found


def test_the_best_are_all_that_cannot_be_told_apart(site):
    assert set(group(site, "matmul", 2_000)["best"]["cpu"]) == {"numpy, cpu", "numba, cpu"}
    assert group(site, "elementwise", 1_000)["best"]["cpu"] == ["numba, cpu"]


def test_what_takes_two_times_is_compared_in_both(site):
    (found,) = (one for one in decided(site, FAULTY)["groups"] if one["kernel"] == "add")
    assert found["retained"] == {"numpy, cpu": [pytest.approx(3e-3, rel=0.03), pytest.approx(8e-4, rel=0.03)]}
    names = found["names"]
    ratio, low, high, word, retained = found["times"][names.index("jax, cpu")][names.index("numpy, cpu")]
    assert ratio == pytest.approx(3, rel=0.01) and retained == pytest.approx(0.8, rel=0.01)
    assert low <= 0.8 and high >= 3 and word == "unclear"
    assert found["times"][names.index("numba, cpu")][names.index("numpy, cpu")][3] == "better", "in both states"
    assert len(found["times"][names.index("numba, cpu")][names.index("jax, cpu")]) == 4, "neither takes two times"


def test_another_way_of_computing_is_never_the_best(site):
    """Numba is ten times faster than anything else here."""
    assert group(site, "gradient", 10_000)["best"]["cpu"] == ["jax-jit, cpu"]
    assert "finite differences" in read(site, "meta")["kernels"]["gradient"]["otherwise"]["numba"]
    assert read(site, "meta")["kernels"]["matmul"]["otherwise"] == {}


def test_every_ratio_has_an_interval_and_a_word(site):
    found = group(site, "elementwise", 1_000)
    names = found["names"]
    ratio, low, high, word = found["times"][names.index("jax-jit, cpu")][names.index("numpy, cpu")]
    assert ratio == pytest.approx(0.5, rel=1e-2) and low < ratio < high < 0.6
    assert word == "worse"
    back = found["times"][names.index("numpy, cpu")][names.index("jax-jit, cpu")]
    assert back[0] == pytest.approx(2, rel=1e-2) and back[3] == "better"
    for one in decided(site)["groups"]:
        for known in filter(None, itertools.chain.from_iterable(one.get("times", []))):
            assert known[1] <= known[0] <= known[2]
            assert known[3] in ("better", "worse", "same", "unclear")


def test_a_crossover_is_an_interval_and_the_command_narrows_it(site):
    (found,) = (
        one for one in decided(site)["crossovers"] if (one["one"], one["other"]) == ("jax-jit, cpu", "numpy, cpu")
    )
    assert (found["last"], found["first"], found["between"]) == (1_000, 1_000_000, [])
    command = found["command"]
    sizes = re.findall(r"--size (\d+)", command)
    assert sizes == ["10000", "100000"]
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    selection = run.selection(parser.parse_args(command.split()[2:]))
    assert set(map(int, selection.sizes)) <= set(CATALOGUE["elementwise"].sizes), "what has no benchmark cannot be run"
    assert (selection.kernels, selection.backends) == (["elementwise"], ["jax-jit", "numpy"])


def levels_of_calls(noise, **seconds):
    """Levels of first and later calls, of eight processes each."""

    def gave(value):
        return [value * math.exp(noise * step / 2.45) for step in range(-3, 5)]

    cases = {
        Case("matmul", 100, name.replace("_", "-"), measure=measure): gave(value)
        for name, pair in seconds.items()
        for measure, value in zip(("track_first_call", "time_call"), pair, strict=True)
    }
    return levels(cases)


def paid(expected):
    first = Case("matmul", 100, "jax-jit", measure="track_first_call")
    return break_even(first, Case("matmul", 100, "jax-jit"), "jax", expected)


def test_after_how_many_calls_compiling_has_paid():
    exact = 1 + (1.0 - 0.01) / (1e-4 - 1e-5)
    found = paid(levels_of_calls(0.01, jax_jit=(1.0, 1e-5), jax=(0.01, 1e-4)))
    assert found["low"] < exact < found["high"] < 3 * found["low"]
    assert paid(levels_of_calls(0.01, jax_jit=(0.005, 1e-5), jax=(0.01, 1e-4)))["high"] == 1
    assert paid(levels_of_calls(0.01, jax_jit=(1.0, 2e-4), jax=(0.01, 1e-4)))["never"]


def test_noise_shows_no_number_of_calls():
    found = paid(levels_of_calls(0.5, jax_jit=(1.0, 1e-4), jax=(0.01, 1.2e-4)))
    assert found["high"] is None and not found["never"]
    assert found["low"] is not None, "few calls are shown not to pay"


def test_series_have_their_steps(site):
    (series,) = read(site, f"library-{machine(site)}-jax")
    assert [point["version"] for point in series["points"]] == ["0.4.35", "0.9.2", "0.10.2"]
    assert [step["version"] for step in series["steps"]] == ["0.10.2"]


def machine(site, name="generated-2cpu"):
    (number,) = (n for n, one in enumerate(read(site, "meta")["machines"]) if one["name"] == name)
    return number


def answer(site, family, label="large"):
    """Who is the best of a family, on the machine that has most of it."""
    meta = read(site, "meta")
    here = machine(site)
    numbers = [n for n, one in enumerate(meta["environments"]) if one["machine"] == here]
    rows = read(site, f"answers-{max(numbers, key=lambda n: len(meta['environments'][n]['versions']))}")
    (found,) = (row for row in rows if (row["family"], row["label"], row["dtype"]) == (family, label, "float64"))
    return found


def test_the_best_of_a_family_cannot_be_told_apart(site):
    found = answer(site, "linalg")
    assert set(found["best"]) == {"numpy, cpu", "numba, cpu"} and found["lacking"] == []
    ((name, than, ratio, low, high),) = found["others"]
    assert name == "torch, cpu" and than in found["best"]
    assert 1.05 < low < ratio < high and 1.9 < ratio < 2.1


def test_who_lacks_a_kernel_of_a_family_does_not_compete(site):
    found = answer(site, "elementwise")
    assert found["best"] == ["numpy, cpu"] and found["others"] == [] and len(found["kernels"]) == 2
    assert ["numba, cpu", 1] in found["lacking"]


def test_another_way_of_computing_does_not_compete_in_a_family(site):
    found = answer(site, "calculus")
    assert found["best"] == ["jax-jit, cpu"]
    assert not any(name.startswith(("numpy", "numba")) for name, *_ in found["others"] + found["lacking"])


def test_the_newest_upgrade_is_counted_and_its_largest_step_named(site):
    found = read(site, f"newest-{machine(site)}-jax")
    assert (found["before"], found["version"]) == ("0.9.2", "0.10.2")
    assert found["counts"] == {"time_call": {"faster": 1}} and found["together"] == 0
    (step,) = found["changes"]
    assert (step["version"], step["kernel"], step["worse"]) == ("0.10.2", "matmul", False)
    assert step["ratio"] == pytest.approx(0.5)
    assert all(one["points"] == [] for one in found["first"])


def test_downloads_agree_and_every_column_is_explained(site):
    tables = [
        pl.read_csv(site / "data/results.csv"),
        pl.read_parquet(site / "data/results.parquet"),
        pl.read_json(site / "data/results.json"),
    ]
    assert len({len(table) for table in tables}) == 1
    explained = dict(read(site, "columns"))
    for table in tables:
        assert set(table.columns) == set(explained)
        assert table["value"].drop_nulls().sort().to_list() == tables[0]["value"].drop_nulls().sort().to_list()
    assert all(explained.values())


def test_a_site_of_nothing_says_what_to_run(tmp_path, monkeypatch, capsys):
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("arrayspeed.cli.site.refresh", lambda _: pytest.fail("an index was asked"))
    with pytest.raises(SystemExit) as exit:
        cli.main(["site"])
    assert exit.value.code == 2
    assert "make bench" in capsys.readouterr().err.splitlines()[-1]


def test_nothing_measured_gives_whole_files(tmp_path):
    (tmp_path / "results").mkdir()
    meta = data.write(tmp_path / "data", tmp_path / "results")
    assert meta["machines"] == meta["environments"] == []


def process_line(kernel, known):
    """A line of a process, with a fingerprint or none."""
    benchmark = f"{CATALOGUE[kernel].family}.{kernel}_float64.time_call"
    line = {"benchmark": benchmark, "backend": "numpy", "size": 1_000, "device": "cpu", "value": 1e-5}
    return json.dumps(line | ({"fingerprint": known} if known else {}) | {"date": "2026-01-01T00:00:00+00:00"})


def test_values_that_the_code_cannot_vouch_for_are_named(tmp_path):
    kernels = ("add", "sine", "sort")
    path = write_results(tmp_path / "results", [row(kernel, "numpy", 1_000, 1e-5) for kernel in kernels])
    labels = {"dtype": "float64", "measure": "time_call", "backend": "numpy", "size": 1_000, "device": "cpu"}
    now = [fingerprint(Combination("venv", "", 0, family="", kernel=one, **labels), {"numpy": "1"}) for one in kernels]
    kernel, _, rest = now[1].partition("-")
    before = "0" * len(kernel) + "-" + rest
    lines = [process_line("add", now[0]), process_line("sine", before), process_line("sort", None)]
    path.with_suffix(".processes.jsonl").write_text("\n".join(lines) + "\n")
    (environment,) = data.write(tmp_path / "data", tmp_path / "results")["environments"]
    assert {one["why"]: one["kernels"] for one in environment["outdated"]} == {
        "changed: kernel": ["sine"],
        UNKNOWN: ["sort"],
    }


@pytest.mark.seconds
def test_machines_are_written_alike_by_one_process_and_by_several(tmp_path, monkeypatch):
    for number in range(3):
        made = [row(kernel, "numpy", 1_000, 1e-5 * (number + 1)) for kernel in ("add", "sine")]
        for version in ("1.0", "2.0")[: number + 1]:
            requirements = {"numpy": version}
            write_results(tmp_path / "results", made, machine=f"machine-{number}", requirements=requirements)
    data.write(tmp_path / "one", tmp_path / "results")
    monkeypatch.setattr(data, "MANY", 0)
    data.write(tmp_path / "several", tmp_path / "results")
    kept = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    again = {path.name: path.read_bytes() for path in (tmp_path / "several").iterdir()}
    assert kept.keys() == again.keys()
    assert len(list((tmp_path / "one").glob("environment-*.json"))) == 5
    changed = {name for name in kept if kept[name] != again[name]}
    assert changed <= {"meta.json"}, "the minute in which it was built may be another"


def test_noise_is_that_between_processes(tmp_path):
    place = tmp_path / "machine"
    place.mkdir()
    name = "linalg.matmul_float64.time_call"
    line = {"benchmark": name, "backend": "numpy", "size": 100, "device": "cpu"}
    values = [math.exp(value) for value in (0.1, -0.1)]
    lines = [json.dumps(line | {"value": value}) for value in values]
    lines.append(json.dumps(line | {"size": 1000, "value": 1.0}))
    (place / f"{'f' * 8}-venv.processes.jsonl").write_text("\n".join(lines))
    where = pl.DataFrame({"machine": ["machine"], "environment": ["venv"], "commit": ["f" * 40]})
    assert noise(tmp_path, where) == {"numpy": Noise(1, pytest.approx(math.sqrt(0.02)))}


# --- in a browser ---


@pytest.fixture(scope="module")
def address(site):
    (site.parent / "swallow.ico").write_bytes(b"")
    with served(site.parent) as there:
        yield there + "report/"


@pytest.fixture
def page(open_page):
    with open_page() as page:
        yield page


@pytest.mark.parametrize("count", [0, 1])
def test_pages_with_little_or_nothing_to_show(open_page, tmp_path, count):
    (tmp_path / "results").mkdir()
    if count:
        write_results(tmp_path / "results", [row("add", "numpy", 1_000, 1e-6)], requirements={"numpy": "2.4.6"})
    write(tmp_path / "report", str(tmp_path / "results"), "arrayspeed")
    (tmp_path / "swallow.ico").write_bytes(b"")
    with served(tmp_path) as there, open_page() as page:
        for one in PAGES:
            visit(page, f"{there}report/{one.file}")
            text = page.inner_text("#view")
            assert "cannot be shown" not in text, one.name
            assert "To measure it: " in text or page.locator("#view table, #view ul").count(), one.name


def visit(page, url):
    page.goto(url)
    page.wait_for_selector("body[data-ready]", timeout=20_000)


@pytest.mark.parametrize("name", [one.file for one in PAGES])
def test_every_page_loads(page, address, name):
    visit(page, f"{address}{name}?machine={GENERATED}")
    assert page.locator("#view .error").count() == 0
    assert page.locator("#view table, #view ul").count() > 0
    assert page.locator("nav a[aria-current=page]").count() == 1


def test_the_landing_page_answers_without_a_click(page, address):
    visit(page, f"{address}index.html?machine={GENERATED}")
    line = page.locator("table.heat tbody tr", has_text="linalg")
    assert line.locator(".star").count() == 2 and "2.0×" in line.inner_text()
    assert "1/2" in page.locator("table.heat tbody tr", has_text="elementwise").inner_text()
    text = page.inner_text("#view")
    assert "0.9.2 → 0.10.2" in text and "UNDECIDED: the two did not take turns." in text
    assert "not measured side by side" in text
    page.wait_for_selector("figure.chart svg", timeout=20_000)
    line.locator("a").click()
    page.wait_for_url("**/overview.html?*open=linalg*", timeout=20_000)


def test_a_cell_of_the_overview_leads_to_its_chart(page, address):
    visit(page, f"{address}overview.html?size=small&open=elementwise&machine={GENERATED}")
    cell = page.locator("table.heat tr:not(.family)", has_text="elementwise").locator("td a").first
    assert "4.0 µs" in cell.inner_text()
    cell.click()
    page.wait_for_selector("figure.chart svg", timeout=20_000)
    assert "backends.html" in page.url
    assert "kernel=elementwise" in page.url


def test_a_shared_url_restores_the_view(page, address):
    visit(page, f"{address}backends.html?kernel=elementwise&machine={GENERATED}")
    page.select_option("select[name=measure]", "track_first_call")
    page.wait_for_function("location.search.includes('measure=track_first_call')")
    url = page.url
    visit(page, url)
    assert page.input_value("select[name=measure]") == "track_first_call"


def test_pages_round_numbers_as_texts_do(page, address):
    visit(page, f"{address}index.html?machine={GENERATED}")
    values = [0, 0.01234, 9.994, 9.996, 0.09996, 1234]
    rounded = "(values) => import('./static/common.js').then((common) => values.map((one) => common.significant(one)))"
    assert page.evaluate(rounded, values) == [significant(one) for one in values]


def test_where_one_backend_overtakes_another_is_said(page, address):
    visit(page, f"{address}backends.html?kernel=elementwise&machine={GENERATED}")
    text = page.inner_text("#view")
    assert "numpy is faster at 1,000, jax-jit at 1,000,000; nothing was measured in between." in text
    assert "arrayspeed run --kernel elementwise --backend jax-jit --backend numpy --size 10000 --size 100000" in text


def test_the_best_are_named_together_and_other_ways_are_marked(page, address):
    visit(page, f"{address}overview.html?size=large&measure=time_call&open=linalg&open=calculus&machine={GENERATED}")
    page.click("summary:text-is('The best backends of each kernel')")
    best = page.locator("table:not(.heat) tbody tr")
    assert re.search(r"numpy, numba|numba, numpy", best.filter(has_text="matmul").inner_text())
    assert best.filter(has_text="gradient").locator("td").inner_text() == "jax-jit"
    cells = page.locator("table.heat tbody tr", has_text="gradient").locator("td")
    assert all("≠" in text for text in cells.all_inner_texts() if "n/a" not in text)
    assert "≠" not in page.locator("table.heat tbody tr", has_text="matmul").inner_text()
    assert "gradient by numpy, numba, cupy: forward finite differences" in page.inner_text("#view")


def test_what_is_unclear_has_no_colour(page, address):
    """One process a value: 10 % of noise is usual, and a tenth faster shows nothing."""
    visit(page, f"{address}overview.html?size=small&measure=time_call&machine={NOISY}")
    cell = page.locator("table.heat tr:not(.family) td.unclear")
    assert page.locator("table.heat tr.family td.unclear").inner_text().startswith("1.1× ?")
    assert re.search(r"1.1×.?\?", cell.inner_text())
    assert not cell.get_attribute("style")
    assert "Number of kernels (of 1) for which a backend is among the best: numpy 1, numba 1." in page.inner_text(
        "#view"
    )


def test_two_times_are_marked_and_named(page, address):
    visit(page, f"{address}overview.html?size=small&measure=time_call&machine={FAULTY}")
    marked = page.locator("table.heat tr:not(.family) td", has_text="†")
    assert marked.count() == 2 and not marked.first.locator("a").get_attribute("title").endswith("unclear")
    assert "where freed memory is retained, which the interval encloses" in marked.first.locator("a").get_attribute(
        "title"
    )
    visit(page, f"{address}backends.html?kernel=add&machine={FAULTY}")
    found = page.locator("details", has_text="What takes another time in a process that retains freed memory")
    found.locator("summary").click()
    assert re.search(r"1,000: numpy 3.\d+ ms → 81\d µs", found.inner_text()), found.inner_text()


def test_a_claim_whose_direction_holds_and_size_does_not(page, address):
    visit(page, f"{address}claims.html?machine=generated-2cpu")
    line = page.locator("tr", has_text="Sort, 1,000: NumPy is faster than JAX").inner_text()
    assert "holds, by less" in line and re.search(r"numpy 10(\.0)?× \([\d.]+–[\d.]+\) faster; less than half", line), (
        line
    )
    against = page.locator("tr", has_text="Sort, a million: JAX is faster than NumPy").inner_text()
    assert "does not hold" in against and re.search(r"10(\.0)?× \([\d.]+–[\d.]+\) slower", against)
    heads = page.locator("h2").all_inner_texts()
    assert "Benchmarking NumPy vs JAX vs PyTorch" in heads and "001" not in heads


def test_when_compiling_has_paid(page, address):
    visit(page, f"{address}compile.html?backend=jax-jit&machine={GENERATED}")
    line = page.locator("tbody tr", has_text="elementwise").inner_text()
    assert "the first call" in line and re.search(r"1,\d+×\s+\d+–1,\d+", line), line


def test_kernels_are_compared_with_what_the_machine_can_do(page, address):
    visit(page, f"{address}limits.html?machine={GENERATED}")
    text = page.inner_text("#view")
    assert "100 GFLOP/s in multiplying and adding on 2 cores" in text
    assert "200 GB/s of 16 KiB, 60 GB/s of 256 MiB" in text
    line = page.locator("tbody tr", has_text="matmul 2,000").inner_text()
    assert re.search(r"100 %.*arithmetic", line, re.DOTALL), line  # 2 · 2000³ in 0.16 s


def test_what_more_cores_bring(page, address):
    visit(page, f"{address}scaling.html?machine={GENERATED}")
    lines = [line.inner_text() for line in page.locator("tbody tr").all()]
    assert len(lines) == 3, lines
    (product,) = [line for line in lines if "numpy" in line]
    assert re.search(r"numpy\s+matmul 2,000\s+100 ms\s+50 ms\s+2.0× \(2.0–2.0\), better", product), product
    (sort,) = [line for line in lines if "numba" in line]
    assert re.search(r"1.0× \([\d.]+–[\d.]+\), same", sort), sort
    (failing,) = [line for line in lines if "jax-jit" in line]
    assert failing.rstrip().endswith("fails")
    page.wait_for_selector("figure.chart svg", timeout=20_000)
    assert page.title() != "taken"


def test_cpu_and_gpu_are_side_by_side(page, address):
    visit(page, f"{address}overview.html?machine={WITH_GPU}&size=large&measure=time_call")
    heads = page.locator("table.heat thead th").all_inner_texts()
    assert heads == ["family", "numpy, cpu", "jax-jit, gpu", "cupy, gpu"]
    assert "100×" in page.locator("table.heat tbody tr", has_text="matmul").inner_text()


def test_what_a_device_does_apart_from_its_host(page, address):
    visit(page, f"{address}limits.html?machine={WITH_GPU}&device=gpu")
    text = page.inner_text("#view")
    assert re.search(r"add 1,000\s+cupy\s+8.0 µs\s+2.0 µs\s+75 %", text), text
    assert re.search(r"8,000,000\s+cupy\s+8.0 GB/s\s+16 GB/s", text), text
    # A million numbers take a GPU no longer than it takes to start: that is no peak of its memory.
    assert "the sum of two arrays that no cache holds" in text and "--device gpu" in text and "GFLOP/s" not in text
    visit(page, f"{address}limits.html?machine={GENERATED}")
    assert "Launch and work" not in page.inner_text("#view")


def test_steps_of_a_library_are_listed(page, address):
    visit(page, address + "versions.html")
    assert "▼ 0.50×" in page.inner_text("#view")


def test_hostile_names_are_text(page, address):
    for name in ("index.html", "overview.html", "backends.html", "trust.html", "claims.html"):
        visit(page, address + f"{name}?machine={quote(HOSTILE)}")
        assert page.title() != "taken"
        assert page.locator("script:not([src])").count() == 0
    visit(page, address + f"claims.html?machine={HOSTILE}")
    assert page.title() != "taken"


def test_the_audit_is_shown_row_by_row(page, address):
    visit(page, f"{address}trust.html?machine={GENERATED}")
    text = page.inner_text("#view")
    assert "1 checks pass, 1 fail, 1 are open; on the cpu, 2026-01-02, commit ffffffff." in text
    assert HOSTILE in text
    assert "3.4 % of 12 combinations" in text
    assert page.title() != "taken"


def test_an_audit_of_a_machine_without_results_is_shown(page, address):
    visit(page, f"{address}trust.html?machine={NOISY}")
    text = page.inner_text("#view")
    own, _, other = text.partition(f"Audit of {AUDITED}, a machine without results")
    assert "This machine was not audited." in own
    assert "1 checks pass, 0 fail, 0 are open; on the cpu, 2026-01-03, commit eeeeeeee." in other
    assert "Audit of generated-2cpu" not in text


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "dark"),
        (1400, "light"),
        *(pytest.param(*each, marks=pytest.mark.rest) for each in ((390, "light"), (1400, "dark"))),
    ],
)
def test_axe_finds_no_serious_fault(page, address, width, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = {}
    for one in PAGES:
        visit(page, f"{address}{one.file}?machine={GENERATED}")
        found[one.name] = serious_faults(page)
    assert not any(found.values()), found


def test_pages_can_be_read_on_a_phone_and_with_a_keyboard(page, address):
    page.set_viewport_size({"width": 380, "height": 800})
    for one in PAGES:
        visit(page, address + one.file)
        assert page.evaluate("document.documentElement.scrollWidth") <= 380, one.name
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"


def test_releases_fit_a_phone_without_scrolling_sideways(page, address):
    page.set_viewport_size({"width": 390, "height": 800})
    visit(page, f"{address}index.html?machine={GENERATED}")
    wider = "({ parentElement: one }) => one.scrollWidth > one.clientWidth"
    assert page.evaluate(f"[...document.querySelectorAll('.stacked')].map({wider})") == [False, False]


def test_what_stands_between_backticks_is_code(page, address):
    visit(page, f"{address}index.html")
    script = "import('./static/common.js').then(({ prose, el }) => el('p', {}, prose('run `a b` or `c`')).innerHTML)"
    assert page.evaluate(script) == "run <code>a b</code> or <code>c</code>"
