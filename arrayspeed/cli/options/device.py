"""What is said of devices, wherever one is chosen: which were measured, and which are untested."""

from __future__ import annotations

from arrayspeed.formats.progress import say
from arrayspeed.model.errors import UserError
from kernels.backends.hardware import missing

#: Device -> what nobody has tried there. On CPUs and NVIDIA's cards, everything was measured.
UNTESTED = {"tpu": "nothing was ever measured on a TPU"}

#: For the help of options.
TESTED = "CPUs and NVIDIA GPUs were measured; a TPU or an Apple GPU is untested"


def check_device(device: str, here: bool = True) -> None:
    """Whether a device is there, where that matters; say where it is untested.

    Raises
    ------
    UserError
        This machine has none.
    """
    untested = UNTESTED.get(device)
    if here and (why := missing(device)):
        raise UserError(f"--device {device}: {why}{f' (untested: {untested})' if untested else ''}")
    if untested:
        say(f"warning: --device {device} is untested: {untested}")
