"""Draw the backends side by side, as SVG and PNG.

There is one of each for each kernel and size, and two summaries. Each kernel is drawn at its small and its large size,
in its own precision (the first that it is measured in); summary_small and summary_large show all kernels. The options
that are given become part of the file names.

Examples:
    arrayspeed plots
    arrayspeed plots --kernel matmul --kernel sort --output-dir pictures
    arrayspeed plots --device gpu --dtype float32 --all-sizes
"""

from __future__ import annotations

import argparse

from arrayspeed.model.measures import CALL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed plots``."""
    parser.add_argument(
        "--output-dir", default="benchmark_plots", metavar="DIR", help="created if missing (default benchmark_plots)"
    )
    parser.add_argument("--machine", metavar="NAME", help="default: this machine, else the one measured last")
    parser.add_argument("--kernel", action="append", metavar="K", help="only this kernel; may be repeated")
    parser.add_argument("--device", metavar="D", help="cpu, gpu or tpu (default: all that were measured)")
    parser.add_argument("--dtype", metavar="T", help="float64 or float32 (default: each kernel's own)")
    parser.add_argument("--measure", default=CALL.name, metavar="M", help=f"default {CALL.name}")
    parser.add_argument("--all-sizes", action="store_true", help="draw all sizes measured, not only small and large")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed plots``."""
    # Altair takes a second to import, and the other commands do without.
    from arrayspeed.report import plotting

    return plotting.main(args)
