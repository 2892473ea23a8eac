"""What is taken away from a program, what is counted, and what is said of two of them."""

import json
import re
from dataclasses import replace

import pytest

from arrayspeed.cli.main import main
from arrayspeed.explain import assembly, generated, hlo, profiles, show, stored
from arrayspeed.explain.compare import DIFFERS, NOT_SHOWN, SAME, explained, status
from arrayspeed.explain.languages import LANGUAGES
from arrayspeed.explain.own import explanations
from arrayspeed.explain.programs import Program, Shower, chosen
from arrayspeed.model.errors import UserError
from arrayspeed.own.script import read
from arrayspeed.own.sides import Ready, Side
from arrayspeed.own.worker.programs import PROFILE, name_of
from arrayspeed.records.merge import merge
from arrayspeed.report.series import series_data
from arrayspeed.versions.steps import Series, Step
from kernels.backends.watching import ASSEMBLY, GENERATED, HLO
from support import schema
from support.releases import alone, wheel
from tests import markers

OLD_HLO = """HloModule jit_f, is_scheduled=true, entry_computation_layout={(f64[8,4]{1,0})->f64[8]{0}}

%region_0.3 (a.1: f64[], b.2: f64[]) -> f64[] {
  %a.1 = f64[] parameter(0)
  %b.2 = f64[] parameter(1), metadata={op_name="b, or {c}"}
  ROOT %add.7 = f64[] add(f64[] %a.1, f64[] %b.2)
}

ENTRY %main.9 (x.1: f64[8,4]) -> f64[8] {
  %x.1 = f64[8,4]{1,0} parameter(0), sharding={replicated}
  %zero.2 = f64[] constant(0)
  ROOT %sum.3 = f64[8]{0} reduce(f64[8,4]{1,0} %x.1, f64[] %zero.2), dimensions={1}, to_apply=%region_0.3
}
"""

#: The same work: other names, no signs before them, no layouts, tables of sources, another order of computations.
NEW_HLO = """HloModule jit_f.2, is_scheduled=true

FileNames
1 "/somewhere/mine.py"

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%unused (q: f64[]) -> f64[] {
  ROOT %q = f64[] parameter(0)
}

ENTRY %main.2 (x: f64[8,4]) -> f64[8] {
  x = f64[8,4] parameter(0)
  constant.5 = f64[] constant(0)
  ROOT reduce.1 = f64[8] reduce(x, constant.5), to_apply=add_1, dimensions={1}, metadata={op_name="jit(f)/sum"}
}

%add_1 (p: f64[], r: f64[]) -> f64[] {
  p = f64[] parameter(0)
  r = f64[] parameter(1)
  ROOT s = f64[] add(p, r)
}
"""


def test_names_sources_and_usual_layouts_are_not_the_program():
    assert hlo.lines(OLD_HLO) == hlo.lines(NEW_HLO)
    assert hlo.lines(OLD_HLO) == [
        "entry:",
        "  parameter.1 = f64[8,4] parameter(0)",
        "  constant.1 = f64[] constant(0)",
        "  return reduce.1 = f64[8] reduce(parameter.1, constant.1), dimensions={1}, to_apply=computation 1",
        "computation 1:",
        "  parameter.1 = f64[] parameter(0)",
        "  parameter.2 = f64[] parameter(1)",
        "  return add.1 = f64[] add(parameter.1, parameter.2)",
    ]


def test_where_a_parameter_or_a_constant_stands_is_not_the_program():
    (parameter,) = re.findall(r"(?m)^ENTRY .*\n(.* parameter\(0\).*\n)", OLD_HLO)
    (constant,) = re.findall(r"(?m)^.* constant\(0\).*\n", OLD_HLO)
    assert constant + parameter not in OLD_HLO
    moved = OLD_HLO.replace(constant, "").replace(parameter, constant + parameter)
    assert hlo.lines(moved) == hlo.lines(OLD_HLO)


def test_several_programs_are_shown_one_after_the_other():
    both = hlo.lines(OLD_HLO + NEW_HLO)
    assert both == ["module 1:", *hlo.lines(OLD_HLO), "module 2:", *hlo.lines(NEW_HLO)]
    assert hlo.counts(both) == {name: 2 * count for name, count in hlo.counts(hlo.lines(OLD_HLO)).items()}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("constant(0)", "constant(1)"),
        (" add(", " maximum("),
        ("add(f64[] %a.1, f64[] %b.2)", "add(f64[] %b.2, f64[] %a.1)"),
        ("dimensions={1}", "dimensions={0}"),
        ("%x.1 = f64[8,4]{1,0}", "%x.1 = f64[8,4]{0,1}"),
        ("f64[8,4]", "f32[8,4]"),
        (
            "to_apply=%region_0.3\n",
            'to_apply=%region_0.3, backend_config={"outer_dimension_partitions":["2"]}\n',
        ),
    ],
)
def test_what_the_program_does_is_the_program(before, after):
    assert before in OLD_HLO
    assert hlo.lines(OLD_HLO) != hlo.lines(OLD_HLO.replace(before, after))


def test_operations_fusions_and_calls_are_counted():
    text = """ENTRY %main (x: f64[2,2]) -> f64[2,2] {
  %x = f64[2,2]{1,0} parameter(0)
  %c = (f64[2,2]{1,0}, /*index=1*/s32[]) custom-call(%x), custom_call_target="lapack_dgetrf_ffi", backend_config={a=1}
  %g = f64[2,2]{1,0} get-tuple-element(%c), index=0
  ROOT %f = f64[2,2]{1,0} fusion(%g), kind=kCustom, calls=%dot, backend_config={"fusion_config":{"kind":"__ynn_fusion"}}
}

%dot (y: f64[2,2]) -> f64[2,2] {
  %y = f64[2,2]{1,0} parameter(0)
  ROOT %d = f64[2,2]{1,0} dot(%y, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
    assert hlo.counts(hlo.lines(text)) == {
        "operations": 6,
        "parameter": 2,
        "custom-call": 1,
        "custom-call to lapack_dgetrf_ffi": 1,
        "get-tuple-element": 1,
        "fusion": 1,
        "fusion made by ynn": 1,
        "dot": 1,
    }


CODE = """
	.file	"<string>"
	.globl	_ZN7kernels4mine1fB2v5B38c8tJTE5ArrayE
	.p2align	4
_ZN7kernels4mine1fB2v5B38c8tJTE5ArrayE:
	.cfi_startproc
	movabsq	$.LCPI0_0, %rax
	vmulpd	(%rax), %ymm0, %ymm1
.LBB0_3:
	movabsq	$numba_xxgemm, %rax
	callq	*%rax
	movabsq	$.const.picklebuf.140737350031232, %rdi
	movabsq	$_ZN7kernels4mine30__numba_parfor_gufunc_0x7f7835B3v17E, %rcx
	movabsq	$.kernel.140737350031232___gufunc__._ZN7kernels4mine30__numba_parfor_gufunc_0x7f7835B3v17E, %rcx
	jne	.LBB0_3
	retq
.Lfunc_end0:
	.size	_ZN7kernels4mine1fB2v5B38c8tJTE5ArrayE, .Lfunc_end0-_ZN7kernels4mine1fB2v5B38c8tJTE5ArrayE
	.section	.rodata
.LCPI0_0:
	.quad	0x3ff0000000000000
.const.picklebuf.140737350031232:
	.quad	140737350031264
	.asciz	"text"
"""


def test_instructions_without_labels_and_addresses():
    other = CODE.replace("B2v5", "B3v17").replace("140737350031", "139637350031").replace("LBB0_3", "LBB7_1")
    other = other.replace("0x7f7835B3v17", "0x7faa11B3v19").replace("LCPI0_0", "LCPI9_4")
    lines = assembly.lines(CODE)
    assert lines == assembly.lines(other)
    assert lines == [
        "kernels.mine.f:",
        "  movabsq $constant1, %rax",
        "  vmulpd (%rax), %ymm0, %ymm1",
        "L1:",
        "  movabsq $numba_xxgemm, %rax",
        "  callq *%rax",
        "  movabsq $message, %rdi",
        "  movabsq $kernels.mine.__numba_parfor_gufunc, %rcx",
        "  movabsq $.kernel.__gufunc__.kernels.mine.__numba_parfor_gufunc, %rcx",
        "  jne L1",
        "  retq",
        "constant1:",
        "  .quad 0x3ff0000000000000",
    ]
    for before, after in (("vmulpd", "vaddpd"), ("0x3ff0", "0x4000"), ("%ymm1", "%ymm2"), ("xxgemm", "xxgemv")):
        assert lines != assembly.lines(CODE.replace(before, after)), before
    counted = assembly.counts(lines)
    assert (counted["instructions"], counted["instructions on vectors"], counted["uses numba_xxgemm"]) == (9, 1, 1)


GENERATED_CODE = '''# AOT ID: ['0_inference']
import torch
async_compile = AsyncCompile()
cpp_fused_add_0 = async_compile.cpp_pybinding(['const double*'], """
#include "/tmp/torchinductor_me/pi/cabc.h"
extern "C"  void kernel(const double* in_ptr0)
{
    #pragma omp parallel num_threads(2)
    {
        for(long x0=0; x0<8; x0+=4)   // of mine
        {
            auto tmp0 = at::vec::Vectorized<double>::loadu(in_ptr0 + x0);
        }
    }
}
""")
class Runner:
    def call(self, args):
        arg0_1, = args
        cpp_fused_add_0(arg0_1)
        extern_kernels.mm(arg0_1, arg0_1, out=arg0_1)
        return (arg0_1,)
def benchmark_compiled_module(times=10):
    return 1
'''


def test_generated_code_without_what_surrounds_it():
    lines = generated.lines(GENERATED_CODE)
    other = GENERATED_CODE.replace("cpp_fused_add_0", "cpp_fused_add_sin_3").replace("pi/cabc", "xy/cdef")
    other = other.replace("class Runner:\n    def call(self, args):", "if 1:\n    def call(args):").replace(
        "times=10", "n=2"
    )
    assert lines == generated.lines(other)
    assert "  kernel_1(arg0_1)" in lines
    assert not any("include" in each or "benchmark" in each for each in lines)
    for before, after in (("x0<8", "x0<9"), ("num_threads(2)", "num_threads(4)"), ("kernels.mm", "kernels.bmm")):
        assert lines != generated.lines(GENERATED_CODE.replace(before, after)), before
    assert generated.counts(lines) | {"lines": 0} == {
        "lines": 0,
        "kernels": 1,
        "parallel regions": 1,
        "loops": 1,
        "operations on vectors": 1,
        "calls extern_kernels.mm": 1,
    }


def test_time_is_no_part_of_a_profile_s_program():
    old = "2\t0.900\tmine.py:f\n1\t0.100\t<built-in method g>"
    new = "1\t0.600\t<built-in method g>\n2\t0.400\tmine.py:f"
    assert profiles.lines(old) == profiles.lines(new) == ["1 × <built-in method g>", "2 × mine.py:f"]
    assert profiles.counts(profiles.lines(old)) == {"functions": 2, "calls": 3}
    assert profiles.times(new) == [("<built-in method g>", 0.6), ("mine.py:f", 0.4)]
    assert profiles.lines(old) != profiles.lines(old.replace("2\t", "3\t"))
    assert name_of("~", 0, "<built-in method x at 0x7f12ab>") == "<built-in method x>"
    assert name_of(json.__file__, 3, "loads") == "json/__init__.py:loads"


# --- two programs ---


@pytest.fixture(scope="module")
def case():
    (found,) = chosen("jax", ["matmul"], ["jax-jit"], ["small"], "cpu")
    return found


HLOS = Program(HLO, OLD_HLO)


@pytest.mark.parametrize(
    ("old", "new", "verdict", "why"),
    [
        (HLOS, Program(HLO, NEW_HLO), SAME, ""),
        (HLOS, Program(HLO, OLD_HLO.replace(" add(", " maximum(")), DIFFERS, ""),
        (HLOS, Program(failed="no jax here"), NOT_SHOWN, "new: no jax here"),
        (Program(failed="no"), Program(failed="no"), NOT_SHOWN, "no"),
        (HLOS, Program(GENERATED, GENERATED_CODE), NOT_SHOWN, "old is shown as hlo, new as generated code"),
        (HLOS, Program(HLO, "nothing"), NOT_SHOWN, "it cannot be read: the program has no entry"),
        (Program(GENERATED, "1 +"), Program(GENERATED, "2"), NOT_SHOWN, "it cannot be read"),
    ],
)
def test_verdicts(case, old, new, verdict, why):
    found = explained(case, old, new)
    assert found.verdict == verdict
    assert found.why.startswith(why) and bool(found.why) == bool(why)
    assert bool(found.diff) == (verdict == DIFFERS)
    assert status([found]) == {SAME: 0, DIFFERS: 1, NOT_SHOWN: 2}[verdict]


def test_one_that_differs_decides_the_status(case):
    same, other = (
        explained(case, HLOS, HLOS),
        explained(case, HLOS, Program(HLO, OLD_HLO.replace(" add(", " multiply("))),
    )
    lost = explained(case, HLOS, Program(failed="x"))
    assert [status(each) for each in ([same, lost, other], [same, lost], [same, same], [])] == [1, 2, 0, 2]
    assert set(other.changes) == {("add", 1, 0), ("multiply", 0, 1)}
    assert same.changes == []
    assert all(language in LANGUAGES for language in (HLO, GENERATED, ASSEMBLY, PROFILE))


def test_what_is_printed(case):
    fence = Program(HLO, OLD_HLO.replace("constant(0)", "constant(```)"))
    both = [
        explained(case, HLOS, fence),
        explained(case, HLOS, HLOS),
        explained(case, HLOS, Program(failed="a | b <c>")),
    ]
    report = show.Report("jax", "1", "2", "here", {"jaxlib": ("1", "2")}, both)
    assert show.headline(report) == "jax 1 → 2: of 3 programs 1 differs, 1 cannot be shown, 1 is the same."
    markdown = show.as_markdown(report)
    assert "| differs | matmul | 100 | jax-jit | the same counts, in other places or with other values |" in markdown
    assert "new: a \\| b &lt;c&gt;" in markdown
    assert "````diff\n" in markdown and markdown.count("<details>") == markdown.count("</details>") == 1
    assert "jaxlib 1 → 2" in markdown
    data = schema.read("explain", show.as_json(report))
    assert [each["verdict"] for each in data["programs"]] == [DIFFERS, NOT_SHOWN, SAME]
    assert data["exit_status"] == report.status == 1


# --- what is stored ---


def test_an_explanation_is_stored_once_and_the_last_counts(case, tmp_path):
    differs = explained(case, HLOS, Program(HLO, OLD_HLO.replace("constant(0)", "constant(1)")))
    for found in (differs, differs, explained(case, HLOS, HLOS), replace(differs, diff=("x",) * 1000)):
        stored.store(tmp_path, "here", "jax", "1", "2", [found])
    path = tmp_path / "here" / stored.FILE
    assert path.read_bytes().count(b"\n") == 3
    (row,) = stored.load(tmp_path, "here").values()
    assert row["verdict"] == DIFFERS
    assert len(row["diff"]) == stored.LINES + 1 and row["diff"][-1] == "… 700 more lines"


@pytest.mark.parametrize("line", [b"", b"5", b'{"library": "jax"}', b"\xff", b'{"date": "2026-01-01", "lib'])
def test_what_is_no_explanation_is_left_out(case, tmp_path, line):
    path = tmp_path / "here" / stored.FILE
    path.parent.mkdir()
    path.write_bytes(line)
    stored.store(tmp_path, "here", "jax", "1", "2", [explained(case, HLOS, HLOS)])
    (row,) = stored.load(tmp_path, "here").values()
    assert row["verdict"] == SAME
    assert path.read_bytes().startswith(line)


def test_explanations_of_others_are_merged(case, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, new in ((here, "2"), (there, "3"), (there, "2")):
        (folder / "m").mkdir(parents=True, exist_ok=True)
        (folder / "m/machine.json").write_text('{"machine": "m"}')
        stored.store(folder, "m", "jax", "1", new, [explained(case, HLOS, HLOS)])
    own = here / "m" / stored.FILE
    own.write_text(own.read_text().replace("202", "201") + '{"cut')
    (added,) = merge(here, [there])
    assert added.explanations == 2
    assert "2 explanations" in str(added)
    assert '{"cut\n' in own.read_text()
    assert {key[2] for key in stored.load(here, "m")} == {"2", "3"}
    before = own.read_bytes()
    assert merge(here, [there])[0].explanations == 0
    assert own.read_bytes() == before


def test_the_page_of_versions_has_it_beside_the_step(case, tmp_path):
    stored.store(
        tmp_path,
        "m",
        "jax",
        "1",
        "2",
        [explained(case, HLOS, Program(HLO, OLD_HLO.replace(" add(", " multiply(")))],
    )
    known = stored.load(tmp_path, "m")
    step = Step("2", "1", "slower", True, 2.0, 1.9, 2.1, 8, True, 1.0, 2.0, 0, 8, 0, 8)
    series = Series(
        "time_call",
        "linalg",
        "matmul",
        "float64",
        "jax-jit",
        case.size,
        "cpu",
        "2",
        True,
        [],
        [step, replace(step, before="0")],
    )
    first, second = series_data(series, "jax", known)["steps"]
    assert first["program"]["verdict"] == DIFFERS
    assert first["program"]["changes"] == [["add", 1, 0], ["multiply", 0, 1]]
    assert "program" not in second


# --- the command ---


def test_a_pattern_chooses_programs_whatever_measure_it_names():
    found = chosen(
        "numba", ["matmul", "sum"], [r"matmul_float64\.track_first_call\('numba'"], ["small", "large"], "cpu"
    )
    assert {(each.kernel, each.backend) for each in found} == {("matmul", "numba")}
    assert len(found) == 2
    with pytest.raises(UserError, match="nothing that can run here is selected"):
        chosen("numba", ["matmul"], ["jax"], ["small"], "cpu")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["jacks", "1", "2"], "jax"),
        (["jax", "one", "2"], "'one' is not a version of jax"),
        (["jax", "1", "2", "--bench", "("], "--bench '(' is not a regular expression"),
        (["jax", "1", "2", "--size", "-1"], "--size '-1' is not valid"),
        (["jax", "1", "2", "--timeout", "0"], "--timeout 0 is not valid"),
        (["jax", "1", "2", "--bench", "nothing like it"], "nothing that can run here is selected"),
        (["jax", "1", "2", "-k", "solve"], "--function goes with --file"),
        (["jax", "1", "2", "--file", "absent.py"], "absent.py does not exist"),
        (["jax", "1", "2", "--file", "absent.py", "--bench", "x"], "-k chooses functions"),
        (["jax", "1", "2", "--file", __file__, "-k", "("], "--function '(' is not a regular expression"),
        (["jax", "1", "2", "--file", markers.__file__], "has no function whose name begins with bench_"),
    ],
)
def test_mistakes_get_one_line(arguments, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["explain", *arguments])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("arrayspeed: ") and said in line


# --- own code ---

#: A stand-in for a package whose functions XLA compiles: it writes what XLA would.
TOY = """import os


def work():
    return [abs(int(each)) for each in "{0}"]


def compiled():
    folder = os.environ["XLA_FLAGS"].partition("--xla_dump_to=")[2].split()[0]
    with open(os.path.join(folder, "module_0001.f.cpu_after_optimizations.txt"), "w") as file:
        file.write({1!r})


def apart():
    {2}
"""

MINE = """import toy

sizes = ("small", 10)


def inputs(rng, size):
    return (size,)


def bench_work(size):
    return toy.work()


def bench_compiled(size):
    return toy.compiled()


def bench_apart(size):
    return toy.apart()
"""


@pytest.fixture
def own(tmp_path, monkeypatch, capsys):
    """Two releases of a package: other work, other programs; and in the second one function fails."""
    wheel(tmp_path, "toy", "1.0", TOY.format("123", OLD_HLO, "pass"))
    wheel(tmp_path, "toy", "1.1", TOY.format("1234", OLD_HLO.replace(" add(", " maximum("), "raise ValueError('no')"))
    alone(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    (tmp_path / "mine.py").write_text(MINE)

    def call(*options):
        with pytest.raises(SystemExit) as ended:
            main(["explain", "toy", *options[:2], "--file", str(tmp_path / "mine.py"), *options[2:]])
        return ended.value.code, capsys.readouterr()

    return call


@pytest.mark.environment
def test_programs_of_own_functions(own):
    status, printed = own("1.0", "1.1", "--format", "json")
    assert status == 1
    found = {(each["kernel"], each["size"]): each for each in schema.read("explain", printed.out)["programs"]}
    assert {key: (each["verdict"], each["language"]) for key, each in found.items()} == {
        ("work(small)", None): (DIFFERS, PROFILE),
        ("work", 10): (DIFFERS, PROFILE),
        ("compiled(small)", None): (DIFFERS, HLO),
        ("compiled", 10): (DIFFERS, HLO),
        ("apart(small)", None): (NOT_SHOWN, ""),
        ("apart", 10): (NOT_SHOWN, ""),
    }
    assert found["apart", 10]["why"].startswith("new: ValueError: no (mine.py:")
    assert ["maximum", 0, 1] in found["compiled", 10]["counts"]
    assert not any("measuring.py" in line or "programs.py" in line for line in found["work", 10]["diff"])
    status, printed = own("1.0", "1.0", "-k", "work|compiled", "--size", "10", "--format", "markdown")
    assert status == 0 and "of 2 programs 2 are the same." in printed.out
    assert "| program | function | size | shown as |" in printed.out
    assert own("1.0", "1.1", "-k", "apart", "--size", "10")[0] == 2


@pytest.mark.seconds
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("1.0", "1.1", "-k", "absent"), "--function matches nothing in mine.py, which has bench_work"),
        (("1.0", "7.0"), "there is no toy 7.0"),
        (("1.0", "1.1", "--size", "3"), "--size 3: mine.py has small, 10"),
    ],
)
def test_mistakes_of_own_code(own, options, said):
    status, printed = own(*options)
    assert status == 2 and printed.out == ""
    assert printed.err.splitlines()[-1].startswith(f"arrayspeed: {said}") and "Traceback" not in printed.err


#: One function for each compiler, called by a plain one as people write it, and two that nothing compiles.
COMPILED = """import jax
import jax.numpy as jnp
import numba
import numpy as np
import torch


def inputs(rng):
    return (rng.standard_normal((50, 50)),)


@jax.jit
def bench_jitted(x):
    return jnp.sum(x @ x)


@torch.compile
def doubled(x):
    return torch.sin(x) * 2


def bench_torch(x):
    return doubled(torch.from_numpy(x))


@numba.njit
def largest(x):
    most = 0.0
    for each in x.ravel():
        most = max(most, each)
    return most


def bench_numba(x):
    return largest(x)


def bench_numpy(x):
    return np.sum(np.sort(x))


def bench_eager_torch(x):
    return torch.from_numpy(x).sin()
"""


# --- in an environment ---


@pytest.mark.parametrize(
    ("function", "language", "counted"),
    [
        ("jitted", HLO, "dot"),
        pytest.param("torch", GENERATED, "kernels", marks=pytest.mark.compile),
        ("numba", ASSEMBLY, None),
        pytest.param("numpy", PROFILE, None, marks=pytest.mark.rest),
        pytest.param("eager_torch", PROFILE, None, marks=pytest.mark.rest),
    ],
)
def test_programs_of_own_functions_of_every_compiler(newest, tmp_path, function, language, counted):
    (tmp_path / "mine.py").write_text(COMPILED)
    side = Ready(Side("here", python=newest.find_executable("python")), newest.find_executable("python"))
    (case,) = explanations(read(tmp_path / "mine.py"), (side, side), (f"bench_{function}", None), 100, print)
    assert (case.verdict, case.why, case.diff) == (SAME, "", ())
    assert case.language == language
    if counted:
        assert dict(each[:2] for each in case.counts)[counted] == 1


def test_programs_of_an_environment(newest, tmp_path):
    """Shown twice they are the same on every compiled backend; what was kept is not made again."""
    libraries = ["jax", "numba", "tensorflow"]
    wanted = [
        each
        for library in libraries
        for each in chosen(library, ["matmul"], ["matmul_float64.time_call"], ["small"], "cpu")
    ]
    compiled = [each for each in wanted if each.backend in ("jax-jit", "numba", "tensorflow-xla", "jax")]
    said = []
    shown = [
        Shower(newest, tmp_path / name, 100).programs(compiled, lambda *each: said.append(each))
        for name in ("one", "two")
    ]
    found = [explained(each, shown[0][each], shown[1][each]) for each in compiled]
    assert {each.backend: (each.verdict, each.why) for each in found} == {each.backend: (SAME, "") for each in compiled}
    assert {each.backend: each.language for each in found} == {
        "jax": PROFILE,
        "jax-jit": HLO,
        "numba": ASSEMBLY,
        "tensorflow-xla": HLO,
    }
    counts = {each.backend: {name: old for name, old, _ in each.counts} for each in found}
    assert counts["jax-jit"]["dot"] == counts["tensorflow-xla"]["dot"] == 1
    assert counts["numba"]["uses numba_xxgemm"] >= 1
    assert len(said) == 2 * len(compiled)
    again = Shower(newest, tmp_path / "one", 100).programs(compiled, lambda *each: said.append(each))
    assert again == shown[0]
    assert len(said) == 2 * len(compiled), "nothing was made again"


def test_what_ends_the_process_or_takes_too_long_is_an_answer(newest, tmp_path):
    (case,) = chosen("numba", ["jacobi_2d"], ["jacobi_2d_float64.time_call"], ["small"], "cpu")
    (program,) = Shower(newest, tmp_path, 1).programs([replace(case, kernel="no_such")], print).values()
    assert "no_such" in program.failed
    assert not list(tmp_path.rglob("*.json")), "a failure is not kept"
