"""Commands, one file each: arguments in, one call, text out. `main` finds them.

It must not compute, compare or measure anything itself.
"""

import sys

from arrayspeed import WINDOWS

if sys.platform == "win32":
    print(f"arrayspeed: {WINDOWS}", file=sys.stderr)
    sys.exit(2)
