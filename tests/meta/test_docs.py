"""Links in the documents lead somewhere, and the commands and files that they name exist."""

import json
import re
import runpy
import shlex
import sys
from collections import Counter
from functools import cache
from importlib import import_module
from statistics import median

import pytest

from arrayspeed.audit.check import TIMED, load
from arrayspeed.cli.main import COMMANDS, parser, unknown
from arrayspeed.cli.run import MEASURES
from arrayspeed.formats.verdicts import interval_text
from kernels import BACKENDS, CATALOGUE
from kernels.catalogue import in_tier
from tests.conftest import ROOT, tool_of

MEASURED = ROOT / "docs" / "measured"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = {str(page.relative_to(ROOT)): page.read_text() for page in PAGES}
HELP = {f"arrayspeed {name} --help": import_module(f"arrayspeed.cli.{name}").__doc__ for name in COMMANDS}

#: What `tools/recall` keeps of a case that was not measured.
NOTHING = {"change": {"rows": []}}

#: A ratio with its interval, as pages and findings write it.
RATIO = re.compile(r"×[\d.e+]+\s+\([\d.e+]+–[\d.e+]+\)|[\d.]+×\s+\([\d.]+–[\d.]+\)")

LAB = "docs/lab/2026-11-"

#: Records of searches over commits, and of each commit beside its parent.
COMMITS = ("yarl", "multidict", "pywavelets", "networkx", "yarl-parent", "multidict-parent")

#: Page -> the records in docs/measured/ that its ratios are from, or a page that another test compares with results.
SOURCES = {
    "README.md": [
        *("upgrade-numpy-mine.json", "docs/findings.md", "docs/releases/index.md", "docs/choose.md"),
        f"{LAB}gate.md",
    ],
    "docs/ci.md": ["upgrade-numpy-mine.json"],
    "docs/limits.md": ["allocator-float32.json"],
    "docs/reading.md": ["allocator.json"],
    "docs/upgrade.md": [f"{LAB}gate.md"],
    f"{LAB}commits.md": [f"commits-{name}.json" for name in COMMITS],
    f"{LAB}copies.md": ["busy-waits.json"],
    f"{LAB}noise.md": ["turns.jsonl"],
    f"{LAB}peers.md": ["npbench.json", "npbench-epyc.json", "pyhpc.json", "pyhpc-epyc.json"],
    f"{LAB}recall.md": ["recall.jsonl", "recall-three-rounds.jsonl", "recall-avx2.jsonl", "recall-kernels.jsonl"],
    f"{LAB}searches.md": ["searches.jsonl", "solve-one-core.json", "planted.jsonl"],
    f"{LAB}upgrades.md": ["upgrade-jax-0.4.33.json", "upgrade-jax-0.4.33-epyc.json"],
}

#: Pages whose ratios no record has: `tools/pages` makes the first three, which tests compare with results; of the runs
#: of others these tables alone were kept.
WITHOUT_RECORD = {
    "docs/findings.md",
    "docs/choose.md",
    "docs/releases/index.md",
    "CHANGELOG.md",
    *(f"{LAB}{name}.md" for name in ("backends", "forms", "gate", "processes", "pythons")),
}

#: A record of lines -> the tool that keeps it, and what of the tool makes its tables.
TABLES = {
    "recall.jsonl": ("recall", "table"),
    "recall-three-rounds.jsonl": ("recall", "table"),
    "recall-avx2.jsonl": ("recall", "table"),
    "recall-kernels.jsonl": ("recall", "table_of_kernels"),
    "planted.jsonl": ("planted", "table"),
    "searches.jsonl": ("searches", "tables"),
    "turns.jsonl": ("turns.py", "table"),
}

#: The kernel that CONTRIBUTING adds.
EXAMPLE = "hypotenuse"


def without_code(text):
    return re.sub(r"`[^`]*`", "", "\n".join(line for line in text.splitlines() if not line.startswith("    ")))


LINKS = [(name, link) for name, text in TEXTS.items() for link in re.findall(r"\]\(([^)]*)\)", without_code(text))]


def anchors(text):
    """The addresses of headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_nowhere(page, link):
    target, _, anchor = link.partition("#")
    path = (ROOT / page).parent / target if target else ROOT / page
    return not path.is_file() or (anchor and anchor not in anchors(path.read_text()))


def test_every_link_leads_somewhere():
    assert [one for one in LINKS if "://" not in one[1] and leads_nowhere(*one)] == []


def test_every_page_is_linked_from_another():
    """The site's navigation has all of them; on a repository host, links do."""
    linked = {
        str((ROOT / page).parent.joinpath(link.partition("#")[0]).resolve().relative_to(ROOT))
        for page, link in LINKS
        if "://" not in link
    }
    assert set(TEXTS) - linked <= {"README.md", "docs/index.md", "docs/lab/index.md"}


def lines_of(text):
    """What a text shows to be typed: indented lines, with those that they continue in, and code within sentences."""
    joined = re.sub(r"\\\n\s*", "", text)
    shown = [line.strip() for line in joined.splitlines() if line.startswith("    ")]
    return shown + [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", joined)]


def typed(texts, program):
    """Where, and the arguments, of every command line of a program; an ellipsis stands for more of the same."""
    return [
        (name, tuple(word for word in shlex.split(line, comments=True)[1:] if word != "…"))
        for name, text in texts.items()
        for line in lines_of(text)
        if re.match(rf"{program}( |$)", line)
    ]


COMMAND_LINES = sorted({one for one in typed(TEXTS | HELP, "arrayspeed") if one[1]})


def test_the_documents_show_commands():
    assert {arguments[0] for page, arguments in COMMAND_LINES if page.endswith(".md")} >= {"upgrade", "run", "decide"}


@cache
def parser_of(command):
    return parser([command])


def is_valid(arguments):
    """Whether a command would take them."""
    if unknown(arguments[0]) is not None:
        return False
    if len(arguments) == 1:  # the command is only mentioned
        return True
    try:
        args = vars(parser_of(arguments[0]).parse_args(arguments))
    except SystemExit as ended:
        return ended.code == 0  # the help was asked for
    for option, valid in (("kernel", {*CATALOGUE, EXAMPLE}), ("backend", BACKENDS), ("measure", MEASURES)):
        given = args.get(option) or []
        if not set([given] if isinstance(given, str) else given) <= set(valid):
            return False
    return True


def test_every_command_line_that_is_shown_is_valid():
    assert [f"{where}: {' '.join(arguments)}" for where, arguments in COMMAND_LINES if not is_valid(arguments)] == []


def test_every_target_of_make_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {word for _, words in typed(TEXTS | HELP, "make") for word in words if re.fullmatch("[a-z-]+", word)}
    assert "bench" in named
    assert named <= targets


def test_every_path_that_is_named_exists():
    """In code within sentences and in tables: files of the repository, folders with a slash at their end."""
    roots = ("arrayspeed", "benchmarks", "kernels", "tests", "tools", "docs")
    named = {code for text in TEXTS.values() for code in re.findall(r"`((?:\w+/)+[\w.]*)`", text)}
    missing = {path for path in named if path.startswith(roots) and not (ROOT / path).exists()}
    assert not missing


def ratios_in(text):
    return {" ".join(found.split()) for found in RATIO.findall(text)}


def tables_of(source):
    """What a tool prints of its record."""
    name, function = TABLES[source]
    tool = tool_of(name)
    tables = tool[function](tool["read"](MEASURED / source))
    return [tables] if isinstance(tables, str) else tables


def interval(item):
    """The ratio of a record, as texts have it."""
    return interval_text(item["ratio"], item["low"], item["high"])


def intervals(record):
    """Every ratio with an interval in a record, wherever it stands."""
    if isinstance(record, dict):
        if record.get("ratio") is not None and record.get("low") is not None:
            yield interval(record)
        record = list(record.values())
    for one in record if isinstance(record, list) else ():
        yield from intervals(one)


def ratios_of(source):
    """What a record says, or a page."""
    if source in TEXTS:
        return ratios_in(TEXTS[source])
    text = (MEASURED / source).read_text()
    return set(
        intervals([json.loads(line) for line in text.splitlines()] if source.endswith(".jsonl") else json.loads(text))
    )


def test_every_ratio_is_one_that_was_measured():
    found = {name: ratios_in(text) for name, text in TEXTS.items() if name not in WITHOUT_RECORD}
    means = {ratio_of(one)[1] for one in load(ROOT / "results", "amd-epyc-f26m2-2cpu").checks if is_mean(one)}
    for name, sources in SOURCES.items():
        assert found[name] <= set().union(*map(ratios_of, sources)), name
    assert found[f"{LAB}audit.md"] <= means
    assert {name for name, ratios in found.items() if ratios} <= SOURCES.keys() | {f"{LAB}audit.md"}


@pytest.mark.parametrize("source", TABLES)
def test_the_tables_of_a_tool_are_those_of_its_record(source):
    (page,) = (page for page, sources in SOURCES.items() if source in sources)
    for table in tables_of(source):
        # All of it: a table of fewer lines may be the beginning of another.
        assert f"\n{table}\n\n" in f"{TEXTS[page]}\n"


def test_every_search_of_the_tool_was_made():
    tool = tool_of("searches")
    assert [one["search"] for one in tool["read"](MEASURED / "searches.jsonl")] == tool["SEARCHES"]


def comparisons(name):
    """What a run decided whose result is kept in docs/measured/."""
    return json.loads((ROOT / "docs" / "measured" / f"{name}.json").read_bytes())["comparisons"]


#: What the page about upgrades calls the figures of a measure.
FIGURES = {
    "time_call": "times",
    "track_first_call": "first calls",
    "track_memory": "figures of memory",
    "track_kept": "of memory that calls keep",
}


def test_an_upgrade_to_the_same_release_is_that_of_its_run():
    found = comparisons("upgrade-one-core")
    same = [one for one in found if one["verdict"] == "same"]
    unclear = [one for one in found if one["verdict"] == "unclear"]
    assert len(same) + len(unclear) == len(found)
    text = " ".join(TEXTS[f"{LAB}upgrades.md"].split())
    assert f"| {len(found)} | {len(same)} | {len(unclear)} |" in text
    each = {
        measure: [sum(one["measure"] == measure for one in of) for of in (same, found)]
        for measure in {one["measure"] for one in found}
    }
    (errors,) = set(each) - set(FIGURES)
    assert each[errors][0] == each[errors][1]
    shown = [f"{each[measure][0]} of {each[measure][1]} {name}" for measure, name in FIGURES.items()]
    assert f"{', '.join(shown)}, and all {each[errors][1]} errors" in text
    small, of_small = (
        [one for one in of if one["measure"] == "time_call" and one["size"] == CATALOGUE[one["kernel"]].small]
        for of in (found, unclear)
    )
    assert f"of the {len(small)} times at small sizes, {len(of_small)} stayed unclear" in text


#: The upgrades to the same release on one core of an EPYC, as the page calls the machines.
ON_ONE_CORE = {"EPYC": "upgrade-kept-first", "EPYC, family 26": "upgrade-one-core-family-26"}


@pytest.mark.parametrize(("run", "name"), ON_ONE_CORE.items())
def test_what_stayed_unclear_on_one_core_is_that_of_the_run(run, name):
    found = comparisons(name)
    assert {one["verdict"] for one in found} == {"same", "unclear"}
    open_ = Counter(one["measure"] for one in found if one["verdict"] == "unclear")
    assert set(open_) <= set(FIGURES), "no error"
    total = Counter(one["measure"] for one in found)
    noises = [median(one["noise"] for one in found if one["measure"] == measure) for measure in [*FIGURES][:2]]
    cells = [
        f"[{run}](../measured/{name}.json)",
        *(f"{100 * noise:.1f} %" for noise in noises),
        *(str(open_[measure]) for measure in FIGURES),
        f"{open_.total()} ({100 * open_.total() / len(found):.1f} %)",
    ]
    text = TEXTS[f"{LAB}upgrades.md"]
    assert f"\n| {' | '.join(cells)} |\n" in text
    assert f"| 231 | {len(found) - open_.total()} | {open_.total()} |" in text
    assert (
        "times, of {} | first calls, of {} | memory, of {} | memory kept, of {} |".format(
            *(total[measure] for measure in FIGURES)
        )
        in text
    )


def test_at_most_a_tenth_stays_unclear_in_each_of_the_runs():
    for found in map(comparisons, ("upgrade-one-core", *ON_ONE_CORE.values())):
        assert sum(one["verdict"] == "unclear" for one in found) <= 0.1 * len(found)
    assert "At most a tenth stays unclear in each of the three runs." in TEXTS[f"{LAB}upgrades.md"]


def test_the_upgrade_to_a_slower_release_is_that_of_its_run():
    found = comparisons("upgrade-jax-0.4.33")
    slower = sorted((one for one in found if one["verdict"] == "slower"), key=lambda item: item["ratio"])
    first, last = (f"`{one['kernel']}` {interval(one)}" for one in (slower[0], slower[-1]))
    text = " ".join(TEXTS[f"{LAB}upgrades.md"].split())
    assert (
        f"Of these {len(found)} kernels, jitted and small, {len(slower)} are called slower, from {first} to {last}"
        in text
    )
    assert {one["verdict"] for one in found if one not in slower} == {"unclear"}
    assert f"and {len(found) - len(slower)} stay unclear" in text
    again = comparisons("upgrade-jax-0.4.33-epyc")
    slower_again = sorted((one for one in again if one["verdict"] == "slower"), key=lambda item: item["ratio"])
    first, last = (f"`{one['kernel']}` {interval(one)}" for one in (slower_again[0], slower_again[-1]))
    assert len(again) == len(found) and len(slower_again) == len(slower)
    assert f"and as many are called slower, from {first} to {last}" in text


#: A function of the scripts that measure beside other suites -> our kernel and backend.
BESIDE = {f"bench_{kernel}_{name.replace('-', '_')}": (kernel, name) for kernel in CATALOGUE for name in BACKENDS}


@pytest.mark.parametrize(
    ("suite", "sizes", "backends"),
    [
        ("pyhpc", (65_536, 1_048_576), ["numpy", "numba", "jax-jit", "torch", "torch-compile", "tensorflow-xla"]),
        ("npbench", (1,), ["numpy", "numba", "jax-jit"]),
    ],
)
def test_a_table_beside_another_suite_is_that_of_its_run(suite, sizes, backends, monkeypatch):
    # The script adds the checkout to the path, and has a function for each kernel and backend that both suites have.
    monkeypatch.setattr("sys.path", [*sys.path])
    for name, value in {"SIDE": "ours", "PATH": "absent", "ROOT": str(ROOT)}.items():
        monkeypatch.setenv(f"ARRAYSPEED_PEER_{name}", value)
    script = runpy.run_path(str(ROOT / "arrayspeed" / "own" / "peers" / f"{suite}.py"), run_name=suite)
    functions = [name for name in script if name.startswith("bench_")]
    run = comparisons(f"{suite}")
    shown = {
        (*BESIDE[one["function"]], one["size"]): " ".join(
            (interval_text(one["ratio"], one["low"], one["high"]), one["verdict"])
        )
        for one in run
        if one["measure"] == "time_call"
    }
    assert shown.keys() == {(*BESIDE[name], size) for name in functions for size in sizes}
    assert {one["verdict"] for one in run if one["measure"] == "result"} == {"same"}
    rows = dict.fromkeys((kernel, size) for kernel, _, size in shown)
    text = TEXTS[f"{LAB}peers.md"]
    section = text.partition(f"\n## {suite}")[2].partition("\n## ")[0]
    table = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    assert [(kernel, *cells) for kernel, _, *cells in table[1:]] == [
        (kernel, *(shown.get((kernel, backend, size), "n/a") for backend in backends)) for kernel, size in rows
    ]


@pytest.mark.parametrize("suite", ["pyhpc", "npbench"])
def test_how_many_words_beside_another_suite_are_the_same_on_a_second_machine_is_that_of_both_runs(suite):
    first, second = (
        {(one["function"], one["size"]): one for one in comparisons(name) if one["measure"] == "time_call"}
        for name in (suite, f"{suite}-epyc")
    )
    assert first and first.keys() == second.keys()
    assert {one["verdict"] for one in comparisons(f"{suite}-epyc") if one["measure"] == "result"} == {"same"}
    pairs = [(one["verdict"], second[key]["verdict"]) for key, one in first.items()]
    alike = sum(before == after for before, after in pairs)
    contrary = sum(before != after and "unclear" not in (before, after) for before, after in pairs)
    text = " ".join(TEXTS[f"{LAB}peers.md"].split())
    assert f"| {suite} | {len(pairs)} | {alike} | {len(pairs) - alike - contrary} | {contrary} |" in text


#: The columns of the page about other suites -> a backend.
COLUMNS = {
    "JAX, compiled": "jax-jit",
    "Numba": "numba",
    "NumPy": "numpy",
    "PyTorch": "torch",
    "PyTorch, compiled": "torch-compile",
    "TensorFlow, XLA": "tensorflow-xla",
}


def test_each_call_that_may_be_slower_than_a_peers_has_a_reason():
    section = TEXTS[f"{LAB}peers.md"].partition("\n## Why some are slower")[2].partition("\n## ")[0]
    table = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    shown = {(row[0], COLUMNS[row[2]], int(row[1].replace(",", ""))): row[3:] for row in table}
    runs = [
        {(*BESIDE[one["function"]], one["size"]): one for one in comparisons(name) if one["measure"] == "time_call"}
        for name in ("pyhpc", "pyhpc-epyc")
    ]
    expected = {
        call: [f"{interval(one)} {one['verdict']}" for one in pair]
        for call, *pair in ((call, first, runs[1][call]) for call, first in runs[0].items())
        if any(one["verdict"] in ("slower", "unclear") and one["ratio"] > 1 for one in pair)
    }
    assert expected and {call: row[:2] for call, row in shown.items()} == expected
    heads = re.findall(r"^\*\*(.+?)\.\*\*", section, re.MULTILINE)
    assert heads
    for reason in {part for row in shown.values() for part in row[2].split(" and ")}:
        assert reason[0].upper() + reason[1:] in heads or "(#isoneutral-mixing-in-numba)" in reason, reason


def test_how_many_first_calls_are_slower_than_a_peers_is_that_of_the_run():
    run = comparisons("pyhpc")
    words = [one["verdict"] for one in run if one["measure"] == "first_call"]
    text = TEXTS[f"{LAB}peers.md"]
    assert f"ours are slower in {words.count('slower')} of {len(words)}." in text


def rows_of(case):
    """What `tools/recall` found of the new release."""
    return case["change"]["rows"]


def test_the_regressions_that_are_found_are_those_of_their_run():
    tool = tool_of("recall")
    text = " ".join(TEXTS[f"{LAB}recall.md"].split())
    results = tool["read"](MEASURED / "recall.jsonl")
    assert results.keys() == {path.stem for path in tool["CASES"]}
    assert tool["counts"](results) in text
    assert f"{sum(one[key]['minutes'] for one in results.values() for key in ('change', 'same')):.0f} minutes" in text
    (epoch,) = (
        row for row in rows_of(results["tensorflow_19953_keras_fit"]) if row["comparison"].endswith("time_call")
    )
    assert f"the ratio stayed {epoch['verdict']}, {interval(epoch)}" in text
    sorts = [row for row in rows_of(results["numpy_28714_argsort"]) if row["comparison"].endswith("time_call")]
    assert len(sorts) == 4 and {row["verdict"] for row in sorts} == {"faster"}
    regressions = [path.stem for path in tool["CASES"] if "Control" not in tool["fields"](path)]
    by_calls = [
        name
        for name in regressions
        if any(row["worse"] and row["comparison"].endswith("time_call") for row in rows_of(results[name]))
    ]
    assert f"by calls alone, {len(by_calls)} of {len(regressions)} are found" in text


def test_what_is_found_with_three_rounds_is_that_of_its_run():
    tool = tool_of("recall")
    text = " ".join(TEXTS[f"{LAB}recall.md"].split())
    before, results = (tool["read"](MEASURED / name) for name in ("recall.jsonl", "recall-three-rounds.jsonl"))
    assert tool["counts"](results) in text
    assert f"{sum(one[key]['minutes'] for one in results.values() for key in ('change', 'same')):.0f} minutes" in text
    statuses, of_before = ([of[name]["same"]["status"] for name in results] for of in (results, before))
    assert 1 not in statuses and f"{statuses.count(0)} of {len(statuses)} end with status 0" in text
    assert f"did in {of_before.count(0)} before" in text
    lost = [
        path.stem
        for path in tool["CASES"]
        if path.stem in results
        and tool["is_found"](tool["fields"](path), before[path.stem]["change"])
        and not tool["is_found"](tool["fields"](path), results[path.stem]["change"])
    ]
    assert lost == [], "none that was found before is lost"


def test_all_regressions_were_found_with_three_rounds_on_one_processor_or_the_other():
    tool = tool_of("recall")
    text = " ".join(TEXTS[f"{LAB}recall.md"].split())
    others, results = (tool["read"](MEASURED / name) for name in ("recall-three-rounds.jsonl", "recall-avx2.jsonl"))
    assert tool["counts"](results) in text
    assert others.keys() | results.keys() == {path.stem for path in tool["CASES"]}
    regressions = {path.stem: tool["fields"](path) for path in tool["CASES"] if "Control" not in tool["fields"](path)}
    found = [
        name
        for name, said in regressions.items()
        if any(name in of and tool["is_found"](said, of[name]["change"]) for of in (others, results))
    ]
    assert len(found) == len(regressions) and f"all {len(found)} regressions are found" in text
    statuses = [one["same"]["status"] for one in results.values()]
    assert 1 not in statuses and f"{statuses.count(0)} of {len(statuses)} end with status 0 after" in text
    assert f"{sum(one[key]['minutes'] for one in results.values() for key in ('change', 'same')):.0f} minutes" in text


def test_equal_sides_that_got_more_minutes_are_those_of_their_run():
    tool = tool_of("recall")
    text = TEXTS[f"{LAB}recall.md"]
    before = tool["read"](MEASURED / "recall-three-rounds.jsonl") | tool["read"](MEASURED / "recall-avx2.jsonl")
    results = tool["read"](MEASURED / "recall-equal.jsonl")
    assert tool["table_of_equals"](results) in text
    rows = [row for one in results.values() for row in one["same"]["rows"]]
    unclear = sum(row["verdict"] == "unclear" for row in rows)
    assert f"None of {len(rows)} comparisons is reported, {unclear} of them are unclear." in text
    assert not any(row["worse"] for row in rows)
    decided = [name for name, one in results.items() if one["same"]["status"] == 0]
    after = [one["same"]["status"] for one in (before | results).values()]
    assert (
        f"{len(decided)} of {len(results)} end with status 0, so that of all {len(after)} files {after.count(0)} do"
        in text
    )
    assert f"{sum(one['same']['minutes'] for one in results.values()):.0f} minutes" in text


def test_the_regressions_that_our_own_kernels_show_are_those_of_their_run():
    tool = tool_of("recall")
    text = TEXTS[f"{LAB}recall.md"]
    results = tool["read"](MEASURED / "recall-kernels.jsonl")
    regressions = [path.stem for path in tool["CASES"] if "Control" not in tool["fields"](path)]
    shown = [name for name in regressions if any(row["worse"] for row in results.get(name, NOTHING)["change"]["rows"])]
    assert f"{len(shown)} of {len(regressions)} regressions show" in text
    assert f"{sum(one['change']['minutes'] for one in results.values()):.0f} minutes)" in text


@pytest.mark.parametrize(
    ("record", "side", "told", "pages"),
    [
        ("allocator.json", "given-back", "takes {} as long where", ["docs/reading.md"]),
        ("allocator-float32.json", "given-back-float32", "it takes {} as long as where", ["docs/limits.md"]),
    ],
)
def test_what_the_allocator_does_is_that_of_its_run(record, side, told, pages):
    found = json.loads((ROOT / "docs" / "measured" / record).read_text())["comparisons"]
    (calls,) = (one for one in found if one["measure"] == "time_call")
    assert calls["verdict"] == "slower" and calls["side"] == side
    for name in pages:
        assert told.format(interval(calls)) in " ".join((ROOT / name).read_text().split())


def test_the_audit_of_the_whole_catalogue_is_that_of_its_run():
    """Its rows, those compared with the clock, and the means of the backends."""
    audit = load(ROOT / "results", "amd-epyc-f26m2-2cpu")
    backends = {one.backend for one in audit.checks}
    assert {one.kernel for one in audit.checks if one.kernel} == {*CATALOGUE}
    count = Counter(one.passed for one in audit.checks)
    timed = [one for one in audit.checks if one.check in TIMED]
    of_timed = Counter(one.passed for one in timed)
    assert count[False] == 0 and audit.status(0.05) == 2
    assert count[None] - of_timed[None] == 2
    assert rounds_of(timed) == {"4"}
    text = " ".join(TEXTS[f"{LAB}audit.md"].split())
    assert f"**The whole catalogue**, {len(CATALOGUE)} kernels on ten backends" in text and len(backends) == 10
    method = " ".join(TEXTS["docs/method.md"].split())
    assert (
        f"Of the {len(audit.checks):,} rows of the whole catalogue on an AMD EPYC, {count[True]:,} pass, none fails "
        f"and {count[None]} are open"
    ) in method
    assert (
        f"Of {len(audit.checks):,} rows {count[True]:,} pass, none fails and {count[None]} are open, so that the exit "
        f"status is 2. All but two of the open ones are comparisons with the clock, of which {of_timed[True]:,} of "
        f"{len(timed):,} pass after four rounds."
    ) in text
    of_kernels = [one for one in timed if one.kernel]
    (jax, jax_noise), (mlx, mlx_noise) = (
        (
            sum(one.passed is None for one in of_kernels if one.backend in names),
            " to ".join(f"{100 * audit.noise[name].between:.0f}" for name in names),
        )
        for names in (("jax-jit", "jax"), ("mlx-compile", "mlx"))
    )
    assert (
        f"{jax} of JAX's kernels, where a round's ratio has a standard deviation of {jax_noise} %, and {mlx} of MLX's, "
        f"where it is {mlx_noise} %."
    ) in text
    assert jax + mlx > sum(one.passed is None for one in of_kernels) / 2
    of_numpy = [one for one in of_kernels if one.backend == "numpy"]
    assert (
        f"In NumPy, where it is {100 * audit.noise['numpy'].between:.1f} %, "
        f"{sum(one.passed is True for one in of_numpy)} of {len(of_numpy)} kernels' comparisons pass."
    ) in text
    means = list(filter(is_mean, timed))
    passing = sorted((ratio_of(one), one.check, one.backend) for one in means if one.passed)
    (least, *first), *_, (most, *last) = passing
    assert first == ["turns", "tensorflow"] and last == ["clock", "tensorflow-xla"]
    assert (
        f"{len(passing)} of {len(means)} pass, from {least[1]} of the clock, eager TensorFlow in turn, to "
        f"{most[1]}, TensorFlow with XLA by asv."
    ) in text
    told = {(one.backend, one.check): ratio_of(one)[1] for one in means if not one.passed}
    assert (
        f"Open are MLX's four: eager, {told.pop(('mlx', 'clock'))} by asv and {told.pop(('mlx', 'turns'))} in turn; "
        f"compiled, {told.pop(('mlx-compile', 'clock'))} and {told.pop(('mlx-compile', 'turns'))}."
    ) in text
    assert not told


def test_the_audit_of_ten_kernels_is_that_of_its_run():
    found = load(ROOT / "results", "amd-epyc-f25m17-2cpu").checks
    timed = [one for one in found if one.check in TIMED and one.kernel]
    means = list(filter(is_mean, found))
    assert {one.kernel for one in timed} == set(in_tier("bench")) and len({one.backend for one in timed}) == 10
    count = Counter(one.passed for one in timed)
    assert all(one.passed is True for one in found if one.check not in (*TIMED, "cores"))
    assert rounds_of([*timed, *means]) == {"4"}
    text = " ".join(TEXTS[f"{LAB}audit.md"].split())
    assert count[None] == len(timed) - count[True]
    assert (
        f"of {len(timed)} comparisons with the clock {count[True]} pass and none fails. Of the {len(means)} means "
        f"{sum(one.passed is True for one in means)} pass; open are compiled JAX by asv and three of MLX's four."
    ) in text
    passed = {(one.check, one.backend): one.passed for one in means}
    assert passed["clock", "jax-jit"] is None
    assert [one for name, one in passed.items() if name[1].startswith("mlx")].count(None) == 3


def rounds_of(rows):
    """After how many rounds the rows were judged."""
    return {re.search(r"(\d+) rounds", one.detail)[1] for one in rows}


def is_mean(row):
    """Whether a row compares the mean of a backend with the clock."""
    return row.check in TIMED and row.kernel is None


def ratio_of(row):
    """The ratio of a mean with its interval, as it is told."""
    told = re.search(r"×[\d.]+ \([\d.–]+\)", row.detail)[0]
    return float(told.split()[0][1:]), told


def test_the_readme_s_example_is_that_of_its_run():
    """Its headline, and every row that is neither the same nor negligible, with nothing left out."""
    run = json.loads((MEASURED / "upgrade-numpy-mine.json").read_bytes())
    block = TEXTS["README.md"].partition("```text\n")[2].partition("```")[0]
    title, headline, *rest = block.splitlines()
    assert run["conclusion"] == f"{title}: {headline}"
    names = {"time_call": "time", "first_call": "first call", "import": "import"}
    shown = [line.split(maxsplit=1) for line in rest if RATIO.search(line)]
    changed = [one for one in run["comparisons"] if one["verdict"] not in ("same", "negligible")]
    assert len(shown) == len(changed) > 3
    for one in changed:
        function = one["comparison"].rpartition(" ")[0]
        (line,) = (line for line in rest if f" {names[one['measure']]} " in line and f" {function} " in line)
        assert line.strip().startswith(one["verdict"]) and interval(one) in line
    counts = Counter(one["verdict"] for one in run["comparisons"])
    assert rest[-1].startswith(f"{counts['same']} same (") and f", {counts['negligible']} negligible;" in rest[-1]
    assert "The exit status is 1" in TEXTS["README.md"] and run["exit_status"] == 1
    for line in TEXTS["docs/ci.md"].splitlines():
        if line.startswith("> | ") and RATIO.search(line):
            assert RATIO.search(line)[0] in ratios_of("upgrade-numpy-mine.json")


def test_the_readme_is_short_and_the_pages_are_not_long():
    """Ninety lines, and 12,000 words of docs/ outside the notebook and what is generated."""
    assert len(TEXTS["README.md"].splitlines()) <= 90
    generated = {"docs/cli.md", "docs/findings.md", "docs/choose.md", "docs/releases/index.md"}
    words = sum(
        sum(re.search(r"\w", word) is not None for word in text.split())
        for name, text in TEXTS.items()
        if name not in {*generated, "CHANGELOG.md", "SECURITY.md"} and not name.startswith("docs/lab/")
    )
    assert words <= 12_000


def test_the_limits_of_the_notebook_s_pages_are_told():
    """What docs/limits.md repeats of docs/lab stands there."""
    limits = " ".join(TEXTS["docs/limits.md"].split())
    processes = " ".join(TEXTS[f"{LAB}processes.md"].split())
    ((agree, of),) = re.findall(r"(\d+) of (\d+) within each other's intervals", processes)
    (narrow,) = re.findall(r"at most ×1\.2 in (\d+)", processes)
    assert f"Of {of} functions, {agree} ratios of `upgrade` agree" in limits
    assert f"in {int(of) - int(narrow)}, the interval of `upgrade` is wider than ×1.2" in limits
    gate = " ".join(TEXTS[f"{LAB}gate.md"].split())
    assert "*memory* in 148 of 160" in gate and "148 of 160 figures" in limits
    ci = " ".join(TEXTS["docs/ci.md"].split())
    assert "SAFE in 40 of 40." in gate and "passed in 40 of 40 runs" in ci
    searches = tool_of("searches")["read"](MEASURED / "searches.jsonl")
    assert f"{len(searches)} for known regressions and steps" in " ".join(TEXTS["docs/bisect-watch.md"].split())
