"""How a plain script calls each library, written as in the library's own documentation: text, no part of which is the
suite's.

`arrayspeed audit` runs it as a clock of its own. A script has the names KERNEL, BACKEND, SIZE, DEVICE, DTYPE and STATIC
(keyword arguments that are part of the program), ``kernel``, ``inputs`` on the host, and ``library_function``, with
which it gets ``function`` and ``make``: what makes the arguments where that is not `put_each`.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Keyword arguments that are part of the program.
STATIC = "if STATIC:\n    function = partial(function, **STATIC)\n"


@dataclass(frozen=True)
class Script:
    """The parts of a script.

    Attributes
    ----------
    prepare
        Makes ``function`` and ``arguments``, on the device.
    compile
        Has the library's compiler make ``function``, STATIC included.
    call
        One call with its wait, where the result is one array.
    calls
        The same where it is a tuple of them; None where ``call`` does both.
    wait
        What waits for a device other than the host, after each call.
    """

    prepare: str = """\
function, make = library_function(kernel, BACKENDS[BACKEND])
arguments = inputs if make is put_each else make(None, *inputs)
"""
    compile: str = STATIC
    call: str = "function(*arguments)"
    calls: str | None = None
    wait: str = ""
