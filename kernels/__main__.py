"""``python -m kernels``: the catalogue, for people or (``--json``) for machines."""

import argparse
import json
import os
import sys

from kernels.catalogue import CATALOGUE, rows
from kernels.preparation import shapes


def main() -> None:
    """Print the catalogue."""
    parser = argparse.ArgumentParser(prog="python -m kernels", description="List every kernel.")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    args = parser.parse_args()
    catalogue = [row | {"shapes": shapes(CATALOGUE[row["kernel"]], row["small"])} for row in rows()]
    if args.json:
        print(json.dumps(catalogue, indent=1))
        return
    for row in catalogue:
        print(f"{row['family']}.{row['kernel']} ({row['dtype']}): {row['summary']}")
        print(f"    sizes     {', '.join(f'{size:,}' for size in row['sizes'])}")
        print(f"    inputs    {', '.join(row['shapes'])} at {row['small']:,}")
        print(f"    backends  {', '.join(row['backends'])}")
        for backend, why in row["unavailable"].items():
            print(f"    not {backend}: {why}")
        for library, modules in row["needs"].items():
            print(f"    {library} needs {', '.join(modules)}")
        for library, first in row["since"].items():
            print(f"    {library} from {first}")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has read enough; nothing more is to be said, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
