"""An NVIDIA card while something runs on it: its clocks, its power state, and whether anything slows it down.

Read through NVML (nvidia-ml-py). What slows a card down is heat, a brake of its power supply, or its driver because of
heat: a batch that runs meanwhile says nothing of the program. That a card keeps to its power limit is no such thing: a
large card does that in every long product of matrices. It is noted, and nothing is dropped for it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

#: Why a card is slower than it could be, by the bits of nvmlDeviceGetCurrentClocksEventReasons, and those of them that
#: make a batch worth nothing.
REASONS = {
    0x1: "idle",
    0x2: "clocks that were set",
    0x4: "power limit",
    0x8: "slowed down by hardware",
    0x10: "in step with other cards",
    0x20: "slowed down by the driver: heat",
    0x40: "slowed down by hardware: heat",
    0x80: "slowed down by hardware: power brake",
    0x100: "clocks of the display",
}
THROTTLED = 0x8 | 0x20 | 0x40 | 0x80

#: NVML's policies whose violations are counted in nanoseconds: heat, and what the board's makers call reliability.
POLICIES = {1: "heat", 5: "reliability"}


@dataclass
class Card:
    """One card.

    ``nvml``: the module; ``handle``: NVML's of the card. ``begin`` and ``end`` stand around whatever runs on it.
    """

    nvml: Any
    handle: Any
    before: dict[int, int] = field(default_factory=dict)

    def asked(self, name: str, *arguments: Any) -> Any:
        """Return what NVML says; None where this card or this driver does not."""
        call = getattr(self.nvml, name, None)
        if call is None:
            return None
        with suppress(self.nvml.NVMLError):
            return call(self.handle, *arguments)
        return None

    def mask(self) -> int:
        """Return why it is slower than it could be now, as bits."""
        found = self.asked("nvmlDeviceGetCurrentClocksEventReasons")
        if found is None:  # the name until driver 535
            found = self.asked("nvmlDeviceGetCurrentClocksThrottleReasons")
        return int(found or 0)

    def violations(self) -> dict[int, int]:
        """Return for how many nanoseconds each policy has slowed it down so far."""
        found = {policy: self.asked("nvmlDeviceGetViolationStatus", policy) for policy in POLICIES}
        return {policy: int(one.violationTime) for policy, one in found.items() if one is not None}

    def begin(self) -> None:
        """Something is about to run on it."""
        self.before = self.violations()

    def end(self) -> str:
        """Return what has slowed it down since it began, or does so now; "" where nothing has."""
        now = self.mask()
        found = [text for bit, text in REASONS.items() if now & bit & THROTTLED]
        after = self.violations()
        found += [f"slowed down: {POLICIES[one]}" for one in after if after[one] > self.before.get(one, after[one])]
        return ", ".join(found)

    def state(self) -> dict[str, Any]:
        """Return what is known of it now: clocks in MHz, power state, °C, watts, why it is slower than it could be."""
        clock = "nvmlDeviceGetClockInfo"
        power = self.asked("nvmlDeviceGetPowerUsage")
        known = {
            "sm_mhz": self.asked(clock, getattr(self.nvml, "NVML_CLOCK_SM", 1)),
            "memory_mhz": self.asked(clock, getattr(self.nvml, "NVML_CLOCK_MEM", 2)),
            "power_state": self.asked("nvmlDeviceGetPerformanceState"),
            "celsius": self.asked("nvmlDeviceGetTemperature", getattr(self.nvml, "NVML_TEMPERATURE_GPU", 0)),
            "watts": None if power is None else round(power / 1000, 1),
        }
        mask = self.mask()
        reasons = [text for bit, text in REASONS.items() if mask & bit]
        return {name: value for name, value in known.items() if value is not None} | {"reasons": reasons}


def first() -> Card | None:
    """Return the card that libraries use; None where there is none, no driver, or it is not known which of several."""
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
        count = pynvml.nvmlDeviceGetCount()
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").partition(",")[0].strip()
        if visible.startswith(("GPU-", "MIG-")):
            return Card(pynvml, pynvml.nvmlDeviceGetHandleByUUID(visible))
        if count == 1:
            return Card(pynvml, pynvml.nvmlDeviceGetHandleByIndex(0))
        if visible.isdigit() and os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID":  # NVML's own order
            return Card(pynvml, pynvml.nvmlDeviceGetHandleByIndex(int(visible)))
    except (pynvml.NVMLError, OSError):
        return None
    return None
