"""What changes on one machine from day to day, and changes times: governor, boost, throttling, the load of others.

Everything is read from files that any user may read. What a system does not tell is None, and nothing is said of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arrayspeed.system import topology
from arrayspeed.system.cpuinfo import processors, text_of
from arrayspeed.system.missing import missing
from arrayspeed.system.processes import affinity, load_of_others
from arrayspeed.system.quota import quota, throttled

#: Seconds in which the load of others is taken.
LOOKING = 0.2

#: Cores that others may keep busy, and that a virtual machine's host may take, before it is worth a warning.
BUSY = 0.1

#: Governors that change the speed by what there is to do, and drivers in whose hands "powersave" is one of them.
CHANGING, OWN_SCALING = ("powersave", "ondemand", "conservative", "schedutil"), ("intel_pstate", "amd-pstate-epp")

#: What a container runtime leaves, and what it writes into the first process's variables.
MARKS = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")


@dataclass(frozen=True)
class State:
    """The machine at one moment.

    Attributes
    ----------
    processors
        How many may be used.
    physical
        On how many cores they are; None where that is not known.
    quota
        Cores that a container may use; None where there is no limit.
    nodes
        On how many NUMA nodes they are.
    governor, driver
        What sets their speed; several governors with commas.
    boost
        Whether they may run faster than their nominal speed for a while.
    container, virtual
        Whether this is a container, and a virtual machine.
    hot
        The highest temperature that the system tells, in °C.
    throttles
        How often processors have been slowed down because of heat since the system started.
    stops
        How often the quota has stopped this process's group since it was made.
    busy, stolen
        Cores that others keep busy, and that a virtual machine's host takes from it.
    load
        The mean number of processes that ran or wanted to, in the last minute.
    missing
        What this system lacks, as `arrayspeed.system.missing` says it.
    """

    processors: int
    physical: int | None = None
    quota: float | None = None
    nodes: int | None = None
    governor: str | None = None
    driver: str | None = None
    boost: bool | None = None
    container: bool | None = None
    virtual: bool | None = None
    hot: float | None = None
    throttles: int | None = None
    stops: int | None = None
    busy: float | None = None
    stolen: float | None = None
    load: float | None = None
    missing: list[str] = field(default_factory=list)

    @property
    def limited(self) -> bool:
        """Whether a quota leaves fewer cores than there are processors."""
        return self.quota is not None and self.quota < self.processors

    def data(self) -> dict[str, Any]:
        """Return what is known, as a record holds it."""
        return {key: value for key, value in asdict(self).items() if value not in (None, [])}

    def warnings(self) -> list[str]:
        """Return what will hurt times, each in one line that says what to do."""
        found = []
        if self.limited and self.quota is not None:
            advice = f"--cores {int(self.quota)} keeps to whole ones" if self.quota >= 1 else "raise the quota"
            found.append(
                f"a quota leaves {self.quota:.4g} of the {self.processors} cores that this container sees: libraries "
                f"start threads for {self.processors}, and all stop when the quota is used up; {advice}"
            )
        if self.governor and "powersave" in self.governor and self.driver not in OWN_SCALING:
            found.append(
                "the governor powersave keeps processors slow: `cpupower frequency-set --governor performance`, as root"
            )
        if self.busy is not None and self.busy > BUSY:
            found.append(f"other processes keep {self.busy:.1f} cores busy: results are better once they are done")
        if self.stolen is not None and self.stolen > BUSY:
            found.append(f"the host of this virtual machine takes {self.stolen:.1f} cores from it")
        return found


def now(root: str | Path = "/", seconds: float = LOOKING) -> State:
    """Return the state of the machine, after so many seconds in which the load of others is taken. ``root``: of the
    files.
    """
    base = Path(root)
    devices = base / "sys/devices"
    allowed = affinity()
    cpufreq = [devices / f"system/cpu/cpu{one}/cpufreq" for one in sorted(allowed)]
    others = load_of_others(seconds)
    return State(
        processors=len(allowed),
        physical=topology.physical_cores(allowed, devices),
        quota=quota(base),
        nodes=topology.nodes(allowed, devices),
        governor=of_all(folder / "scaling_governor" for folder in cpufreq),
        driver=of_all(folder / "scaling_driver" for folder in cpufreq),
        boost=boost(devices / "system/cpu"),
        container=any((base / mark.lstrip("/")).exists() for mark in MARKS) or None,
        virtual=any("hypervisor" in one.get("flags", "").split() for one in processors(text_of(base / "proc/cpuinfo")))
        or None,
        hot=hottest(base / "sys/class/thermal"),
        throttles=throttles(devices / "system/cpu"),
        stops=throttled(base),
        busy=None if others is None else round(others[0], 2),
        stolen=None if others is None else round(others[1], 2),
        load=load(),
        missing=missing(),
    )


def of_all(paths: Iterable[Path]) -> str | None:
    """Return what files say, with commas where they differ; None where there are none."""
    return ", ".join(sorted({text for path in paths if (text := text_of(path))})) or None


def boost(cpu: Path) -> bool | None:
    """Return whether processors may run faster than their nominal speed; None where the system does not say."""
    if text := text_of(cpu / "intel_pstate/no_turbo"):
        return text == "0"
    text = text_of(cpu / "cpufreq/boost")
    return text == "1" if text else None


def throttles(cpu: Path = topology.DEVICES / "system/cpu") -> int | None:
    """Return how often heat has slowed processors down since the system started; None where that is not counted.

    Intel's are counted for each core and each package: the most of the former, and of the latter.
    """
    found = [
        [int(text) for path in cpu.glob(f"cpu*/thermal_throttle/{name}") if (text := text_of(path)).isdigit()]
        for name in ("core_throttle_count", "package_throttle_count")
    ]
    return sum(max(each) for each in found if each) if any(found) else None


def hottest(thermal: Path) -> float | None:
    """Return the highest temperature in °C of all zones; None where the system tells none."""
    found = []
    for path in thermal.glob("thermal_zone*/temp"):
        with suppress(ValueError):
            found.append(int(text_of(path)) / 1000)
    return max(found, default=None)


def load() -> float | None:
    """Return the load average of the last minute; None where the system has none."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):
        return None
