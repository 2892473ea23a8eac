"""What asv lacks: the command line, environments, comparisons of versions, and the report."""

import sys
from pathlib import Path

#: Where a wheel holds `kernels`, `benchmarks` and asv.conf.json. In a clone they are beside this package, and there is
#: no such folder.
SUITE = Path(__file__).parent / "suite"

if SUITE.is_dir():
    # First, since another folder on the path may hold a package of such a common name.
    sys.path.insert(0, str(SUITE))
