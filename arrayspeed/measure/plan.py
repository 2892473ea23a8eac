"""What to measure: combinations of an environment, a kernel, a backend, a size and a device, and how to choose."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from asv import environment

from arrayspeed.model.combination import Combination, parse_name, parse_parameters
from arrayspeed.model.libraries import PYTHON, Held, held, of_python
from arrayspeed.model.measures import MEASURES
from kernels import BACKENDS, CATALOGUE, DEVICES, LIBRARIES
from kernels.backends.hardware import missing
from kernels.limits import too_large

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


class Offered(Protocol):
    """What there is to measure: asv's environments and benchmarks, as `arrayspeed.measure.session` opens them."""

    @property
    def environments(self) -> Mapping[str, environment.Environment]:
        """Name -> environment."""

    @property
    def benchmarks(self) -> Mapping[str, Mapping[str, Any]]:
        """Name -> what asv knows of a benchmark."""


def selected(env: Named, selection: Selection) -> bool:
    """Return whether an environment holds what is selected."""
    if selection.environments:
        return any(part in env.name for part in selection.environments)
    versions = held(env)
    if of_python(env.env_vars):
        return not selection.versions and (not selection.libraries or PYTHON in selection.libraries)
    found = [name for name in selection.libraries or LIBRARIES if name in versions]
    return bool(found) and (not selection.versions or any(versions[name] in selection.versions for name in found))


def worth_making(env: environment.Environment, selections: Iterable[Selection]) -> bool:
    """Return whether anything that is selected can run in an environment: known before it is made, from the
    catalogue.
    """
    present = held(env)
    return any(
        wanted(one, selection) and can_run(one)
        for selection in selections
        if selected(env, selection)
        for one in in_catalogue(env.name, present, selection)
    )


def in_catalogue(name: str, libraries: Collection[str], selection: Selection) -> Iterator[Combination]:
    """Yield what the catalogue has for some libraries, as far as a selection's own lists say."""
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
    """Return why nothing that is selected can run."""
    devices = sorted({device for selection in selections for device in selection.devices})
    whys = [missing(device) for device in devices]
    if whys and all(whys):
        return "; ".join(filter(None, whys))
    return "nothing that can run here is selected; `python -m kernels` lists all kernels, sizes and backends"


def among(name: str | None, names: Collection[str]) -> bool:
    """Return whether a list that selects holds a name; an empty one holds all."""
    return not names or name in names


def combinations(session: Offered, selection: Selection) -> Iterator[Combination]:
    """Yield everything that is selected and can run: the library is in the environment, the device in the machine."""
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
    """Return whether a selection's lists leave anything of a benchmark, whatever its parameters are."""
    return (
        among(labels["kernel"], selection.kernels)
        and among(labels["measure"], selection.measures)
        and has_dtype(labels["kernel"], labels["dtype"], selection)
    )


def has_dtype(kernel: str | None, dtype: str | None, selection: Selection) -> bool:
    """Return whether a selection's precisions hold one of a kernel; what has none is not asked for one."""
    if dtype is None or not selection.dtypes or dtype in selection.dtypes:
        return True
    return OWN in selection.dtypes and kernel in CATALOGUE and dtype == CATALOGUE[kernel].dtypes[0]


def side_by_side(session: Offered, ones: Iterable[Combination]) -> list[Combination]:
    """In the order in which they are best measured: versions of a library one after the other, kernel by kernel.

    A shared machine changes its speed for minutes at a time. Measured version by version, each would get a spell of its
    own, and look slower or faster for it.
    """
    libraries = {name: tuple(sorted(held(env))) for name, env in session.environments.items()}
    order = {name: number for number, name in enumerate(session.benchmarks)}
    places = {names: number for number, names in enumerate(dict.fromkeys(libraries.values()))}
    return sorted(ones, key=lambda item: (places[libraries[item.environment]], order[item.benchmark], item.size or 0))


def wanted(combination: Combination, selection: Selection) -> bool:
    """Return whether a combination is selected."""
    kernel = CATALOGUE.get(combination.kernel)
    sizes = {str(combination.size)}
    if kernel is not None:
        sizes |= {label for label in ("small", "large") if getattr(kernel, label) == combination.size}
    # As asv writes them, and as our own tables do.
    parameters = (
        f"({combination.backend!r}, {combination.size}, {combination.device!r})",
        f"({combination.backend}, {combination.size}, {combination.device})",
    )
    names = [combination.benchmark + each for each in parameters]
    return (
        (not selection.libraries or combination.library in selection.libraries or PYTHON in selection.libraries)
        and (not selection.kernels or combination.kernel in selection.kernels)
        and (not selection.backends or combination.backend in selection.backends)
        and (not selection.sizes or combination.size is None or bool(sizes & set(selection.sizes)))
        and (not selection.devices or combination.device in selection.devices)
        and has_dtype(combination.kernel, combination.dtype, selection)
        and (not selection.measures or combination.measure in selection.measures)
        and (
            not selection.patterns or any(re.search(pattern, name) for pattern in selection.patterns for name in names)
        )
    )


def can_run(combination: Combination) -> bool:
    """Return whether a combination can give a number here; what cannot costs a process to find out."""
    kernel = CATALOGUE.get(combination.kernel)
    if kernel is None:
        return True
    backend = BACKENDS[combination.backend]
    assert combination.size is not None and combination.dtype is not None  # as of everything in the catalogue
    return (
        kernel.why_not(backend.name, backend.library, dtype=combination.dtype) is None
        and combination.device in backend.devices
        and missing(combination.device) is None
        and too_large(kernel, backend, combination.size, combination.dtype) is None
    )
