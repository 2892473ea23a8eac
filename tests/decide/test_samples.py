"""Samples from files: JSON lines, and what pyperf, pytest-benchmark and hyperfine export."""

import io
import json
from types import SimpleNamespace

import pytest

from arrayspeed.decide.compare import PROCESS_NOISE
from arrayspeed.model.errors import UserError
from arrayspeed.own import samples


def row(comparison="sort", side="reference", round=0, value=1.0, **more):
    return {"comparison": comparison, "side": side, "round": round, "value": value} | more


@pytest.fixture
def file(tmp_path):
    """Writes lines or one object to a file, and returns its path."""

    def write(content, name="samples"):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, list):
            path.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in content))
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return str(path)

    return write


# As pyperf 2.10, pytest-benchmark 5.2 and hyperfine 1.15 write them, less what is not read.


def pyperf(values, name="sum", common=True):
    calibration = {"metadata": {"duration": 0.2}, "warmups": [[1, 0.1], [2, 0.1]]}
    runs = [calibration, *({"metadata": {}, "values": each, "warmups": [[200, 1e-5]]} for each in values)]
    metadata = {"name": name, "loops": 200, "unit": "second"}
    if common:
        return {"benchmarks": [{"runs": runs}], "metadata": metadata, "version": "1.0"}
    return {"benchmarks": [{"metadata": metadata, "runs": runs}], "metadata": {"hostname": "vm"}, "version": "1.0"}


def pytest_benchmark(**medians):
    stats = {name: {"min": value, "median": value, "mean": value, "data": [value]} for name, value in medians.items()}
    rows = [
        {"group": None, "name": name, "fullname": f"test_b.py::{name}", "stats": each} for name, each in stats.items()
    ]
    return {"machine_info": {}, "commit_info": {}, "benchmarks": rows, "version": "5.2.3"}


def hyperfine(times, command="sort data", codes=None):
    one = {"command": command, "mean": 1.0, "times": times, "exit_codes": codes or [0] * len(times)}
    return {"results": [one]}


def test_json_lines(file):
    first = [row(), row(side="subject", value=2.0), ""]
    second = [row(round=1, value=None), row(round=1, side="subject", value=[1.0, None])]
    other = [row("fft", round="a"), row("fft", "subject", "a", 3, machine="ignored")]
    path = file([*first, *second, *other])
    found = samples.read(path)
    assert list(found.comparisons) == ["sort", "fft"]
    sort, fft = found.comparisons.values()
    assert sort.reference == {0: 1.0, 1: None}
    assert sort.subject == {0: 2.0, 1: [1.0, None]}
    assert fft.rounds == ["a"]
    assert found.notes == []
    assert (sort.extra, sort.known) == (0.0, None)


def test_one_line_alone(file):
    assert list(samples.read(file([row()])).comparisons) == ["sort"]


def test_sides_that_share_no_round_are_compared_unpaired(file):
    path = file([row(), row(round=1), row(side="subject", round=2), row(side="subject", round=3)])
    found = samples.read(path, session_noise=0.1)
    assert found.comparisons["sort"].extra == 0.1
    assert "Compared unpaired" in found.notes[0]
    assert "sort" in found.notes[0]


def test_a_side_that_is_missing_is_said(file):
    found = samples.read(file([row("a"), row("b"), row("b", "subject"), row("c", "subject")]))
    assert found.notes == ["No sample of the reference: c.", "No sample of the subject: a."]
    assert len(found.comparisons) == 3


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(row()).encode())))
    assert list(samples.read("-").comparisons) == ["sort"]


def test_a_byte_order_mark_and_other_line_ends(file):
    lines = "\r\n".join(json.dumps(each, ensure_ascii=False) for each in (row("a\u2028b"), row("ü", "subject")))
    assert list(samples.read(file(lines.encode("utf-8-sig"))).comparisons) == ["a\u2028b", "ü"]


@pytest.mark.parametrize("common", [True, False])
def test_pyperf(file, common):
    """A process is a sample, the median of its values; one that only calibrates is none."""
    old = file(pyperf([[1.0, 1.1, 9.0], [1.2, 1.2, 1.2]], common=common), "old")
    new = file(pyperf([[2.0, 2.0, 2.0]] * 3, common=common), "new")
    found = samples.read(old, new)
    sum_ = found.comparisons["sum"]
    assert list(sum_.reference.values()) == [1.1, 1.2]
    assert list(sum_.subject.values()) == [2.0] * 3
    assert sum_.rounds == []
    assert sum_.extra == samples.SESSION_NOISE
    assert "measured one after the other" in found.notes[0]
    assert len(found.notes) == 1


def test_pytest_benchmark(file):
    found = samples.read(
        file(pytest_benchmark(test_a=1.0, gone=1.0), "old"), file(pytest_benchmark(test_a=2.0, more=2.0), "new")
    )
    (one,) = found.comparisons.values()
    assert list(found.comparisons) == ["test_b.py::test_a"]
    assert (list(one.reference.values()), list(one.subject.values())) == ([1.0], [2.0])
    assert one.known == PROCESS_NOISE
    assert "single process" in found.notes[1]
    assert found.notes[2].endswith("old: test_b.py::gone.")
    assert found.notes[3].endswith("new: test_b.py::more.")


def test_hyperfine(file):
    """Each run is a process, and one that exits with anything but 0 failed."""
    old, new = file(hyperfine([1.0, 1.1]), "old"), file(hyperfine([2.0, 0.1, 0.2], codes=[0, 1, None]), "new")
    one = samples.read(old, new).comparisons["sort data"]
    assert list(one.reference.values()) == [1.0, 1.1]
    assert list(one.subject.values()) == [2.0, None, None]


def test_hyperfine_s_only_commands_are_compared_whatever_they_are_called(file):
    old, new = file(hyperfine([1.0], "sort-1.0 data"), "old"), file(hyperfine([2.0], "sort-2.0 data"), "new")
    assert list(samples.read(old, new).comparisons) == ["sort-1.0 data → sort-2.0 data"]


def test_hyperfine_before_it_had_exit_codes(file):
    data = hyperfine([1.0, 1.1])
    del data["results"][0]["exit_codes"]
    path = file(data)
    assert len(samples.read(path, path).comparisons["sort data"].reference) == 2


def test_several_of_hyperfine_are_matched_by_name(file):
    several = {"results": hyperfine([1.0], "a")["results"] + hyperfine([1.0], "b")["results"]}
    other = {"results": hyperfine([1.0], "b")["results"] + hyperfine([1.0], "c")["results"]}
    assert list(samples.read(file(several, "old"), file(other, "new")).comparisons) == ["b"]


#: What is wrong -> content, and what the message says.
LINES = {
    "empty": ("", "is empty"),
    "blank": (" \n\n", "is empty"),
    "not JSON": ("hello", "is not valid JSON at line 1"),
    "not JSON later": ([row(), "hello"], "line 2: Expecting value"),
    "a broken line": ([row(), row(side="subject"), '{"comparison": "a"'], "line 3: "),
    "a broken first line": (['{"comparison": "a", ', row()], "line 1: "),
    "an array": ("[1, 2]", "neither lines of samples"),
    "an object of another kind": ({"version": 2}, "neither lines of samples"),
    "binary": (b"\x1f\x8b\x08\x00\xff", "is not text"),
    "zeros": (b"\0\0\0", "is not valid JSON"),
    "deep": ("[" * 100_000, "nested too deeply"),
    "deep later": ([row(), "[" * 100_000], "line 2: nested too deeply"),
    "deep value": (['{"comparison": ' + "[" * 100_000 + "]" * 100_000 + "}"], "line 1: nested too deeply"),
    "a list among lines": ([row(), [1]], "line 2: a JSON object"),
    "no side": ([{"comparison": "a", "round": 0, "value": 1}, row()], "line 1: 'side' is missing"),
    "no value": ([row(), {"comparison": "a", "round": 0, "side": "subject"}], "line 2: 'value' is missing"),
    "another side": ([row(side="old")], 'line 1: a side must be reference or subject, not "old"'),
    "a side that is a list": ([row(side=["reference"])], "line 1: a side must be"),
    "a name that is a number": ([row(comparison=5)], "line 1: a comparison must be text, not 5"),
    "no name": ([row(comparison="")], "line 1: a comparison must be text"),
    "a round that is a fraction": ([row(round=0.5)], "line 1: a round must be"),
    "a round that is true": ([row(round=True)], "line 1: a round must be"),
    "a round that is null": ([row(round=None)], "line 1: a round must be"),
    "0": ([row(value=0)], "line 1: a value must be a number above 0, not 0"),
    "below 0": ([row(), row(round=1, value=-1.5)], "line 2: a value must be a number above 0, not -1.5"),
    "NaN": ([row(), row(round=1, value=float("nan"))], "line 2: a value must be a number above 0, not NaN"),
    "infinite": ([row(value=float("inf"))], "line 1: a value must be"),
    "overflow": (['{"comparison": "a", "side": "subject", "round": 0, "value": 1e999}'], "line 1: a value must be"),
    "a huge integer": ([row(value=10**400)], "line 1: a value must be"),
    "too many digits": (
        ['{"comparison": "a", "side": "subject", "round": 0, "value": ' + "1" * 9999 + "}"],
        "line 1: ",
    ),
    "text": ([row(value="1.0")], 'line 1: a value must be a number above 0, not "1.0"'),
    "true": ([row(value=True)], "line 1: a value must be"),
    "an object": ([row(value={"a": 1})], "line 1: a value must be"),
    "no batches": ([row(value=[])], "line 1: a list of batches must not be empty"),
    "a batch of 0": ([row(value=[1.0, 0])], "line 1: a value must be"),
    "twice": ([row(), row(side="subject"), row(value=3.0)], 'line 3: round 0 of "sort", reference, is there twice'),
}


@pytest.mark.parametrize("name", LINES)
def test_mistakes_in_lines(file, name):
    content, message = LINES[name]
    with pytest.raises(UserError) as raised:
        samples.read(file(content))
    assert message in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    assert len(str(raised.value)) < 400


def broken(data, change):
    change(data)
    return data


def altered(change):
    """A file of pyperf with something in its benchmarks changed."""
    data = pyperf([[1.0]])
    change(data["benchmarks"])
    return data


#: What is wrong with the second file -> its content, and what the message says.
SECOND = {
    "lines": ([row()], "is JSON lines, which hold both sides"),
    "of another tool": (hyperfine([1.0]), "both must be of one tool"),
    "nothing in common": (pyperf([[1.0]], "other"), "no benchmark in common"),
    "without values": (pyperf([]), "has no values"),
    "without benchmarks": ({"benchmarks": []}, "neither lines of samples"),
    "a value of 0": (pyperf([[0.0]]), "not what pyperf writes: a value must be a number above 0"),
    "values that are a number": (altered(lambda rows: rows[0]["runs"][1].update(values=5)), "not what pyperf writes"),
    "runs that are a number": ({"benchmarks": [{"runs": 5}]}, "not what pyperf writes"),
    "benchmarks that are numbers": (altered(lambda rows: rows.append(5)), "not what pyperf writes"),
    "twice the same": (altered(lambda rows: rows.append(rows[0])), "is there twice"),
}


@pytest.mark.parametrize("name", SECOND)
def test_mistakes_in_a_second_file(file, name):
    content, message = SECOND[name]
    with pytest.raises(UserError) as raised:
        samples.read(file(pyperf([[1.0]]), "old"), file(content, "new"))
    assert message in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_mistakes_of_other_tools_files(file):
    without = {"benchmarks": [{"name": "a", "stats": {"mean": 1.0}}]}
    codes = hyperfine([1.0, 2.0], codes=[0])
    for data, message in ((without, "'median' is missing"), (codes, "2 times and 1 exit codes")):
        path = file(data)
        with pytest.raises(UserError, match=message):
            samples.read(path, path)


@pytest.mark.parametrize("data", [pyperf([[1.0]]), pytest_benchmark(a=1.0), hyperfine([1.0])])
def test_one_file_of_another_tool_is_one_side(file, data):
    with pytest.raises(UserError, match="holds one side"):
        samples.read(file(data))


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "absent", tmp_path, "a\0b"):
        with pytest.raises(UserError, match="cannot read"):
            samples.read(str(path))
    with pytest.raises(UserError, match="standard input"):
        samples.read("-", "-")


# As asv 0.6, Google Benchmark 1.9 and NVBench write them, less what is not read.

ASV = {
    "commit_hash": "abc",
    "result_columns": ["result", "params", "version", "started_at"],
    "results": {
        "sums.time_one": [[0.5], [], "v", 1],
        "sums.time_sizes": [[1.0, None, float("nan")], [["1", "2", "3"]], "v", 1],
        "sums.time_broken": [None, [], "v", 1],
    },
    "version": 2,
}

GOOGLE = {
    "context": {"num_cpus": 2},
    "benchmarks": [
        {"name": "BM_sort/8", "run_name": "BM_sort/8", "run_type": "iteration", "real_time": value, "time_unit": "us"}
        for value in (2.0, 4.0, 3.0)
    ]
    + [
        {
            "name": "BM_sort/8_mean",
            "run_name": "BM_sort/8",
            "run_type": "aggregate",
            "real_time": 3.0,
            "time_unit": "us",
        },
        {"name": "BM_bad", "run_type": "iteration", "error_occurred": True, "error_message": "no", "real_time": 0.0},
    ],
}


def nvbench_state(value, skipped=False, tag="nv/cold/time/gpu/mean", size="1024"):
    return {
        "device": 0,
        "axis_values": [{"name": "Elements", "type": "int64", "value": size}],
        "summaries": [{"tag": tag, "data": [{"name": "hint", "value": "duration"}, {"name": "value", "value": value}]}],
        "is_skipped": skipped,
    }


NVBENCH = {
    "devices": [],
    "benchmarks": [
        {"name": "scan", "states": [nvbench_state("1.5e-05"), nvbench_state("0", skipped=True, size="2048")]},
        {"name": "host", "states": [nvbench_state("2e-3", tag="nv/cpu_only/time/cpu/mean")]},
    ],
}

CSV = "name, value\nsort,1.5\nsort,1.7\nfft,\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            ASV,
            {
                "sums.time_one": [0.5],
                "sums.time_sizes(1)": [1.0],
                "sums.time_sizes(2)": [None],
                "sums.time_broken": [None],
            },
        ),
        (GOOGLE, {"BM_sort/8": [3e-6], "BM_bad": [None]}),
        (NVBENCH, {"scan(Elements=1024)": [1.5e-5], "host(Elements=1024)": [2e-3]}),
        (CSV, {"sort": [1.5, 1.7], "fft": [None]}),
    ],
    ids=["asv", "google", "nvbench", "csv"],
)
def test_other_tools(file, content, expected):
    found = samples.read(file(content, "old"), file(content, "new"))
    assert {name: list(one.reference.values()) for name, one in found.comparisons.items()} == {
        name: [pytest.approx(value) if value else value for value in values] for name, values in expected.items()
    }


def test_csv_of_both_sides_is_as_json_lines(file):
    text = "comparison,side,round,value\nsort,reference,0,1.0\nsort,subject,0,2.0\nsort,subject,1,\n"
    (one,) = samples.read(file(text)).comparisons.values()
    assert (one.reference, one.subject) == ({"0": 1.0}, {"0": 2.0, "1": None})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name,value\nsort,fast\n", "a value must be a number above 0"),
        ("name,seconds\nsort,1\n", "is not valid JSON"),
        ({**ASV, "results": {"a": [[1.0], [["1", "2"]]]}}, "a has 1 results of 2 combinations"),
        ({"benchmarks": [{"name": "x", "states": [nvbench_state("1", tag="nv/other")]}]}, "has none of nv/cold"),
        ({"benchmarks": [{"name": "x", "real_time": 1.0, "time_unit": "years"}]}, "'years' is missing"),
    ],
)
def test_what_is_wrong_in_the_files_of_other_tools(file, content, said):
    with pytest.raises(UserError) as error:
        samples.read(file(content, "old"), file(content, "new"))
    assert said in str(error.value)
