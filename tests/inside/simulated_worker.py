"""What Dask loads into the worker of a simulated host: its own process is `tests.inside.simulated_host`."""

import sys

from arrayspeed.fleet import worker

worker.PROGRAM = [sys.executable, "-m", "tests.inside.simulated_host"]
