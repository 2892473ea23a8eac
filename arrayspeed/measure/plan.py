"""What to measure: combinations of an environment, a kernel, a backend, a size and a device, and how to choose."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from asv import environment

from arrayspeed.model.combination import Combination, parse_name, parse_parameters
from arrayspeed.model.libraries import PYTHON, Held, held, of_python
from arrayspeed.model.measures import MEASURES
from kernels import BACKENDS, CATALOGUE, DEVICES, LIBRARIES
from kernels.backends.hardware import missing
from kernels.limits import too_large

if TYPE_CHECKING:
    from arrayspeed.measure.session import Session


#: The precision that each kernel has first.
OWN = "own"


@dataclass
class Selection:
    """Which combinations to measure; an empty list selects all.

    ``environments`` and ``patterns`` are substrings and regular expressions as asv takes them; ``sizes`` may hold
    ``small`` and ``large``, which stand for each kernel's own, and ``dtypes`` may hold `OWN`.
    """

    environments: list[str] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    backends: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)


class Named(Held, Protocol):
    """What tells whether an environment is selected: asv's have it, and those that only results name."""

    @property
    def name(self) -> str:
        """asv's name of it."""


def selected(env: Named, selection: Selection) -> bool:
    """Whether an environment holds what is selected."""
    if selection.environments:
        return any(part in env.name for part in selection.environments)
    versions = held(env)
    if of_python(env.env_vars):
        return not selection.versions and (not selection.libraries or PYTHON in selection.libraries)
    found = [name for name in selection.libraries or LIBRARIES if name in versions]
    return bool(found) and (not selection.versions or any(versions[name] in selection.versions for name in found))


def worth_making(env: environment.Environment, selections: Iterable[Selection]) -> bool:
    """Whether anything that is selected can run in an environment: known before it is made, from the catalogue."""
    present = held(env)
    return any(
        wanted(one, selection) and can_run(one)
        for selection in selections
        if selected(env, selection)
        for one in conceivable(env.name, present, selection)
    )


def conceivable(name: str, libraries: Collection[str], selection: Selection) -> Iterator[Combination]:
    """What the catalogue has for some libraries, as far as a selection's own lists say."""
    measures = [measure for measure in MEASURES.values() if among(measure.name, selection.measures)]
    for measure in measures:
        if measure.of_library:
            for library in libraries:
                full_name = f"imports.library.{measure.name}"
                yield Combination(name, full_name, 0, "imports", "library", None, measure.name, library, None, None)
    backends = [one for one in BACKENDS.values() if one.library in libraries and among(one.name, selection.backends)]
    for kernel in CATALOGUE.values():
        for dtype in kernel.dtypes if among(kernel.name, selection.kernels) else ():
            parts = [one.name for one in measures if not one.of_library], backends, kernel.sizes, DEVICES
            for what, backend, size, device in itertools.product(*parts):
                full_name = f"{kernel.family}.{kernel.name}_{dtype}.{what}"
                labels = kernel.family, kernel.name, dtype, what
                yield Combination(name, full_name, 0, *labels, backend.name, size, device)


def nothing(selections: Iterable[Selection]) -> str:
    """Why nothing that is selected can run."""
    devices = sorted({device for selection in selections for device in selection.devices})
    whys = [missing(device) for device in devices]
    if whys and all(whys):
        return "; ".join(filter(None, whys))
    return "nothing that can run here is selected; `python -m kernels` lists all kernels, sizes and backends"


def among(name: str | None, names: Collection[str]) -> bool:
    """Whether a list that selects holds a name; an empty one holds all."""
    return not names or name in names


def combinations(session: Session, selection: Selection) -> Iterator[Combination]:
    """Everything that is selected and can run: the library is in the environment, the device in the machine."""
    for env in session.environments.values():
        environment_name = env.name  # asv makes it anew each time
        present = held(env) if selected(env, selection) else {}
        for name, benchmark in session.benchmarks.items():
            labels = parse_name(name)
            if not present or not may_be_wanted(labels, selection):
                continue
            for index, parameters in enumerate(itertools.product(*benchmark["params"])):
                one = Combination(environment_name, name, index, **labels, **parse_parameters(parameters))
                if one.library in present and wanted(one, selection) and can_run(one):
                    yield one


def may_be_wanted(labels: Mapping[str, str | None], selection: Selection) -> bool:
    """Whether a selection's lists leave anything of a benchmark, whatever its parameters are."""
    return (
        among(labels["kernel"], selection.kernels)
        and among(labels["measure"], selection.measures)
        and has_dtype(labels["kernel"], labels["dtype"], selection)
    )


def has_dtype(kernel: str | None, dtype: str | None, selection: Selection) -> bool:
    """Whether a selection's precisions hold one of a kernel; what has none is not asked for one."""
    if dtype is None or not selection.dtypes or dtype in selection.dtypes:
        return True
    return OWN in selection.dtypes and kernel in CATALOGUE and dtype == CATALOGUE[kernel].dtypes[0]


def side_by_side(session: Session, ones: Iterable[Combination]) -> list[Combination]:
    """In the order in which they are best measured: versions of a library one after the other, kernel by kernel.

    A shared machine changes its speed for minutes at a time. Measured version by version, each would get a spell of its
    own, and look slower or faster for it.
    """
    libraries = {name: tuple(sorted(held(env))) for name, env in session.environments.items()}
    order = {name: number for number, name in enumerate(session.benchmarks)}
    places = {names: number for number, names in enumerate(dict.fromkeys(libraries.values()))}
    return sorted(ones, key=lambda one: (places[libraries[one.environment]], order[one.benchmark], one.size or 0))


def wanted(one: Combination, selection: Selection) -> bool:
    """Whether a combination is selected."""
    kernel = CATALOGUE.get(one.kernel)
    sizes = {str(one.size)}
    if kernel is not None:
        sizes |= {label for label in ("small", "large") if getattr(kernel, label) == one.size}
    # As asv writes them, and as our own tables do.
    parameters = f"({one.backend!r}, {one.size}, {one.device!r})", f"({one.backend}, {one.size}, {one.device})"
    names = [one.benchmark + each for each in parameters]
    return (
        (not selection.libraries or one.library in selection.libraries or PYTHON in selection.libraries)
        and (not selection.kernels or one.kernel in selection.kernels)
        and (not selection.backends or one.backend in selection.backends)
        and (not selection.sizes or one.size is None or bool(sizes & set(selection.sizes)))
        and (not selection.devices or one.device in selection.devices)
        and has_dtype(one.kernel, one.dtype, selection)
        and (not selection.measures or one.measure in selection.measures)
        and (
            not selection.patterns or any(re.search(pattern, name) for pattern in selection.patterns for name in names)
        )
    )


def can_run(one: Combination) -> bool:
    """Whether a combination can give a number here; what cannot costs a process to find out."""
    kernel = CATALOGUE.get(one.kernel)
    if kernel is None:
        return True
    backend = BACKENDS[one.backend]
    assert one.size is not None and one.dtype is not None  # as of everything in the catalogue
    return (
        kernel.why_not(backend.name, backend.library, dtype=one.dtype) is None
        and one.device in backend.devices
        and missing(one.device) is None
        and too_large(kernel, backend, one.size, one.dtype) is None
    )
