"""Puts the suite into a wheel, below ``arrayspeed/suite/``: a hook of hatchling.

As top-level packages, `kernels` and `benchmarks` would take their names from everybody who installs the wheel. An
editable install has no copies: it has the repository itself.
"""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SUITE = {
    "kernels": "kernels",
    "benchmarks": "benchmarks",
    "asv.conf.json": "asv.conf.json",
    "tools/arrayspeed_in_suite.py": "arrayspeed/__init__.py",
}


class SuiteInWheel(BuildHookInterface):
    """Called by hatchling; ``version`` is "standard" or "editable"."""

    def initialize(self, version, build_data):
        """Say what goes where."""
        if version == "standard":
            build_data["force_include"] |= {name: f"arrayspeed/suite/{target}" for name, target in SUITE.items()}
