"""`arrayspeed plots`: the files it writes, and what is in them."""

import xml.etree.ElementTree as ElementTree

import pytest

from arrayspeed.cli import main as cli
from arrayspeed.model.measures import MEASURES
from arrayspeed.records import levels, results
from arrayspeed.report import charts, heatmap
from support.generated import FAILED, NEWEST, row, write_project, write_results

pytestmark = pytest.mark.seconds

SECONDS = {
    "numpy": 4e-6,
    "numba": 3e-6,
    "jax": 8.8e-5,
    "jax-jit": 8e-6,
    "torch": 5e-6,
    "torch-compile": FAILED,
    "tensorflow-xla": 2e-5,
}
PNG = b"\x89PNG\r\n\x1a\n"


def rows(kernel="elementwise", sizes=(1_000, 1_000_000), **options):
    """Times of most backends."""
    return [row(kernel, backend, size, value, **options) for backend, value in SECONDS.items() for size in sizes]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with results of two kernels, in which the command runs."""
    write_results(write_project(tmp_path), [*rows(), *rows("fft", sizes=(10, 1_000))], processes=8)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plots(capsys, *arguments):
    """Exit status, stdout and stderr of ``arrayspeed plots``."""
    with pytest.raises(SystemExit) as exit:
        cli.main(["plots", *arguments])
    captured = capsys.readouterr()
    return exit.value.code, captured.out, captured.err


def names(folder):
    """The charts in a folder; each must be a whole SVG and a PNG."""
    for path in folder.glob("*.svg"):
        ElementTree.parse(path)
        assert path.with_suffix(".png").read_bytes().startswith(PNG)
    assert len(list(folder.iterdir())) == 2 * len(list(folder.glob("*.svg")))
    return {path.stem for path in folder.glob("*.svg")}


def texts(path):
    """All text of an SVG."""
    return [element.text for element in ElementTree.parse(path).iter() if element.text and element.text.strip()]


def test_a_chart_a_kernel_and_size_and_two_summaries(project, capsys):
    status, out, err = plots(capsys, "--output-dir", "some/new/folder")
    folder = project / "some/new/folder"
    assert (status, err) == (0, "")
    assert str(folder) in out
    assert names(folder) == {
        "elementwise_float64_small",
        "elementwise_float64_large",
        "fft_float64_small",
        "summary_small",
        "summary_large",
    }


def test_a_chart_tells_what_it_shows(project, capsys):
    plots(capsys, "--kernel", "elementwise")
    told = texts(project / "benchmark_plots/elementwise_float64_small.svg")
    joined = " ".join(told)
    assert "elementwise, size 1,000" in told
    for word in ("float64 · cpu · generated-2cpu", "jax 0.10.2", "logarithmic", "95 %", "Best: numba"):
        assert word in joined
    assert {"4.00 µs", "88.0 µs", "failed", "n/a", "tensorflow"} <= set(told)


def test_what_is_not_measured_is_no_mark(project, capsys):
    table = results.load("results")
    table = levels.with_intervals(table, levels.levels_of(table, "results")).filter(kernel="elementwise", size=1_000)
    bars = {bar.backend: bar for bar in charts.backend_rows(table, ["cpu"])}
    assert (bars["tensorflow"].value, bars["tensorflow"].note) == (None, "n/a")
    assert (bars["torch-compile"].value, bars["torch-compile"].note) == (None, "failed")
    drawn = charts.chart_rows(bars.values(), MEASURES["time_call"], False).drop_nulls("value")
    assert set(drawn["backend"]) == set(bars) - {"tensorflow", "torch-compile", "mlx", "mlx-compile"}
    assert all(low < value < high for low, value, high in drawn.select("low", "value", "high").iter_rows())


def test_a_summary_compares_with_numpy(project, capsys):
    plots(capsys)
    told = set(texts(project / "benchmark_plots/summary_small.svg"))
    assert {"elementwise 1,000", "fft 1,000", "1.3× ~", "÷22 ~", "÷2.0 ~", "failed", "n/a"} <= told
    assert any(text.startswith("1.3× to 1.") for text in told), "the interval"
    assert not any(text.endswith("?") for text in told), "eight quiet processes show every difference"


def test_what_is_not_shown_has_no_colour():
    """One process a value says little: 1.3× may be nothing."""
    bars = [charts.Bar("numpy", "cpu", 4e-6), charts.Bar("numba", "cpu", 3e-6), charts.Bar("jax", "cpu", 9e-5)]
    one = {bar.backend: levels.Case("add", 1_000, bar.backend) for bar in bars}
    known = {one[bar.backend]: levels.levels({0: [bar.value]})[0] for bar in bars}
    ratios = {
        (name, "cpu"): levels.inverse(levels.compared(one[name], one["numpy"], known)) for name in ("numba", "jax")
    }
    numpy, numba, jax = (
        heatmap.summary_row(cell, MEASURES["time_call"], False) for cell in heatmap.summary_cells("add", bars, ratios)
    )
    assert (numpy["large"], numpy["shade"]) == ("", None)
    assert (numba["large"], numba["shade"]) == ("1.3× ? ~", None)
    assert jax["large"] == "÷22 ~" and jax["shade"] < 1


def test_another_way_of_computing_is_marked(project, capsys):
    seconds = {"numpy": 1e-1, "numba": 1e-6, "jax-jit": 1e-5, "torch": 1e-4}
    gradient = [row("gradient", backend, 10_000, value) for backend, value in seconds.items()]
    write_results("results", gradient, commit="f" * 40, started_at=1_800_000_000_000, processes=8)
    plots(capsys, "--kernel", "gradient", "--output-dir", "out")
    chart = set(texts(project / "out/gradient_float64_large.svg"))
    assert {"numpy ≠", "numba ≠", "jax-jit", "torch"} <= chart
    assert "Best: jax-jit" in chart, "finite differences do not compete"
    assert any("finite differences" in text and "numpy, numba" in text for text in chart)
    summary = set(texts(project / "out/summary_large.svg"))
    assert "10,000× ~ ≠" in summary and any("two ways of computing" in text for text in summary)


@pytest.mark.parametrize(
    ("ratio", "text"), [(1, "1.0×"), (0.99, "1.0×"), (2.44, "2.4×"), (0.1, "÷10"), (12_345, "12,000×"), (273, "273×")]
)
def test_ratios(ratio, text):
    assert heatmap.ratio_text(ratio) == text


def test_all_sizes(project, capsys):
    plots(capsys, "--all-sizes", "--kernel", "fft", "--output-dir", "out")
    assert names(project / "out") == {"fft_float64_10", "fft_float64_small", "summary_small"}


def test_options_are_in_the_names(project, capsys):
    write_results("results", rows(dtype="float32", measure="track_memory"), commit="f" * 40)
    options = ("--dtype", "float32", "--measure", "track_memory", "--device", "cpu", "--output-dir", "out")
    assert plots(capsys, *options)[0] == 0
    assert "elementwise_float32_small_cpu_track_memory" in names(project / "out")
    assert "summary_float32_large_cpu_track_memory" in names(project / "out")


def test_devices_stand_side_by_side(project, capsys):
    write_results("results", [*rows(), row("elementwise", "jax", 1_000, 1e-5, device="gpu")], commit="f" * 40)
    plots(capsys, "--kernel", "elementwise", "--output-dir", "out")
    told = set(texts(project / "out/elementwise_float64_small.svg"))
    assert {"jax, cpu", "jax, gpu", "numpy, cpu"} <= told
    assert "numpy, gpu" not in told


def test_one_environment_a_chart(project, capsys):
    old = {"numpy": "2.0.0", "jax": "0.9.2"}
    write_results("results", [row("elementwise", "jax", 1_000, 1.0)], requirements=old)
    plots(capsys, "--kernel", "elementwise")
    assert not any("0.9.2" in text for text in texts(project / "benchmark_plots/elementwise_float64_small.svg"))


@pytest.mark.parametrize("value", [0.0, 1e-16])
@pytest.mark.parametrize("measure", [name for name, one in MEASURES.items() if not one.of_library])
def test_every_measure_can_be_drawn(project, capsys, measure, value):
    some = [row("sort", "numpy", 1_000, value, measure=measure), row("sort", "jax", 1_000, 3e7, measure=measure)]
    write_results("results", some, commit="f" * 40, started_at=1_800_000_000_000)
    assert plots(capsys, "--measure", measure, "--kernel", "sort", "--output-dir", "out")[0] == 0
    assert len(names(project / "out")) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["--kernel", "fftt"],
        ["--kernel", "../x"],
        ["--device", "cpuu"],
        ["--dtype", "float16"],
        ["--measure", "time"],
        ["--machine", "no such"],
        ["--kernel", "sort"],
        ["--device", "gpu"],
        ["--output-dir", "asv.conf.json"],
        ["--output-dir", "asv.conf.json/below"],
    ],
    ids=" ".join,
)
def test_bad_arguments(project, capsys, arguments):
    status, out, err = plots(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("arrayspeed: ")
    assert not (project / "benchmark_plots").exists()


def test_without_results_it_says_what_to_run(tmp_path, monkeypatch, capsys):
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    status, out, err = plots(capsys, "--output-dir", "out")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "arrayspeed run" in err
    assert not (tmp_path / "out").exists()


def test_hostile_names_do_no_harm(tmp_path, monkeypatch, capsys):
    machine = "<script>alert(1)</script>\x1b[31m/../../x"
    requirements = NEWEST | {"jax": "<img src=x>\x00"}
    monkeypatch.chdir(tmp_path)
    hostile = [*rows(), row("../../evil", "numpy", 1_000, 1.0), row("elementwise", "<b>", 1_000, 1.0)]
    options = {"machine": machine, "machine_folder": "hostile", "requirements": requirements, "environment": "e"}
    write_results(write_project(tmp_path), hostile, **options)
    status, _, err = plots(capsys, "--output-dir", "out", "--machine", machine)
    assert (status, err) == (0, "")
    assert names(tmp_path / "out") == {
        f"{k}_{s}" for k in ("elementwise_float64", "summary") for s in ("small", "large")
    }
    for path in (tmp_path / "out").glob("*.svg"):
        assert "<script" not in path.read_text() and "<img" not in path.read_text()
