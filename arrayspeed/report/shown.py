"""What summaries and charts show of the results: kernels at their sizes, each from one environment."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from arrayspeed.claims.evidence import rank
from arrayspeed.decide.compare import Level
from arrayspeed.records.levels import COLUMNS, Case, Place, best_of
from kernels import BACKENDS, CATALOGUE


@dataclass(frozen=True)
class Shown:
    """One kernel at one size, in one environment, precision and measure. ``label``: small, large or the size."""

    kernel: str
    size: int
    label: str
    dtype: str
    table: pl.DataFrame
    levels: Mapping[Case, Level]

    @cached_property
    def cases(self) -> dict[tuple[str, str | None], Case]:
        """What has a level, by backend and device."""
        every = (Case(*fields) for fields in self.table.select(*COLUMNS).iter_rows())
        return {(one.backend, one.device): one for one in every if one in self.levels and one.backend in BACKENDS}

    @cached_property
    def best(self) -> list[Case]:
        """All that cannot be told apart from the best."""
        return best_of(list(self.cases.values()), self.levels)


def measured(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that have a value."""
    return table.filter(pl.col("value").is_not_null())


def best_environment(table: pl.DataFrame) -> pl.DataFrame:
    """Return the part of a table that is of one environment: of those with most libraries, the newest versions."""
    ranked = rank(measured(table)) or rank(table)
    return table.filter(environment=ranked[0]) if ranked else table


def shown(
    table: pl.DataFrame,
    levels: Mapping[Place, Mapping[Case, Level]],
    kernels: Collection[str] = (),
    dtype: str | None = None,
    all_sizes: bool = False,
) -> Iterator[Shown]:
    """Yield every kernel and size that has a value, in the catalogue's order.

    Parameters
    ----------
    table
        Results of one machine and measure.
    levels
        The levels of these results.
    kernels
        Which; all where there are none.
    dtype
        The precision; None for each kernel's own, which is the first that was measured.
    all_sizes
        All sizes measured, not only small and large.
    """
    for name in dict.fromkeys(kernels or CATALOGUE):
        kernel = CATALOGUE[name]
        of_kernel = table.filter(kernel=name)
        known = measured(of_kernel)["dtype"].unique().to_list()
        chosen = dtype or next((one for one in kernel.dtypes if one in known), None)
        if chosen is None or chosen not in known:
            continue
        of_kernel = of_kernel.filter(dtype=chosen)
        labels = {kernel.large: "large", kernel.small: "small"}
        for size in sorted(measured(of_kernel)["size"].unique()):
            if all_sizes or size in labels:
                found = best_environment(of_kernel.filter(size=size))
                place = found["machine"][0], found["environment"][0]
                yield Shown(name, size, labels.get(size, str(size)), chosen, found, levels.get(place, {}))
