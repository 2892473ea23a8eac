"""asv benchmarks: one module a family of kernels. Importing them imports no array library."""

import os
import sys
from pathlib import Path

# asv makes this package importable, and nothing beside it.
_root = str(Path(__file__).resolve().parent.parent)
if _root not in sys.path:
    sys.path.insert(0, _root)

# What is on a PYTHONPATH that gets this far is meant to be there, and asv's script has taken it away.
sys.path[1:1] = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each and each not in sys.path]

# But for a server of arrayspeed/measure/asv_servers.py, which says what the processes that it forks will use.
if _name := os.environ.pop("ARRAYSPEED_PRELOAD", None):
    from benchmarks.preload import preload

    preload(_name)
