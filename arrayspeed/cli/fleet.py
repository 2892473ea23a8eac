"""Measure on many hosts, with a verdict for each kind of machine.

The same blocks are given to whichever host is idle. `run` measures all releases of libraries side by side, as
`arrayspeed run --selection versions` does on one host. Records are merged into results/ as they come; rerun the
command to resume. docs/measure.md explains it.

Exit status of `run`: 0 if all is decided, 1 if something failed, 2 if something is left. Of `upgrade`: as that of
`arrayspeed upgrade`, the worst of all kinds.

Examples:
    arrayspeed fleet run --scheduler tcp://10.0.0.1:8786 --library numpy
    arrayspeed fleet upgrade numpy 2.2.6 2.4.6 --cluster fleet.toml
    arrayspeed fleet status
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from asv.config import Config
from asv.environment import get_environments

from arrayspeed.cli import options
from arrayspeed.cli.own.arguments import add_limits, limits_of
from arrayspeed.cli.selected import add_bench, add_selected, check_selected
from arrayspeed.cli.showing import show
from arrayspeed.decide import Decision
from arrayspeed.decide.words import BROKEN, FAILS, SOMETIMES
from arrayspeed.environments.plugin import stored_packages
from arrayspeed.environments.project import load_config
from arrayspeed.fleet.answers import STATE
from arrayspeed.fleet.cluster import Cluster, connected, script
from arrayspeed.fleet.dispatch import Fleet
from arrayspeed.fleet.kind import Kind
from arrayspeed.fleet.plan import Plan
from arrayspeed.formats.data import as_json
from arrayspeed.formats.fitting import Shown
from arrayspeed.formats.fitting import show as print_as
from arrayspeed.formats.progress import say
from arrayspeed.measure import selections
from arrayspeed.measure.host import locked
from arrayspeed.measure.plan import Selection, among
from arrayspeed.measure.tiers import kernels_of
from arrayspeed.model.errors import UserError
from arrayspeed.model.libraries import held
from arrayspeed.model.names import check
from arrayspeed.subjects.kernels import sides_of
from arrayspeed.upgrades import compare, pair
from arrayspeed.upgrades.verdict import verdict
from arrayspeed.verdict.data import as_data
from arrayspeed.verdict.verdict import Verdict
from kernels import LIBRARIES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``arrayspeed fleet``."""
    several: dict[str, Any] = {"action": "append", "default": []}
    commands = parser.add_subparsers(dest="what", required=True, metavar="run | upgrade | status")
    run = commands.add_parser("run", help="all releases of libraries, side by side")
    run.add_argument("--selection", choices=("versions",), default="versions", help="what is measured in blocks")
    run.add_argument("--library", **several, metavar="NAME", help=f"one of {', '.join(LIBRARIES)}; can be repeated")
    run.add_argument("--version", **several, metavar="NAME", help="only these versions, as in asv.conf.json")
    upgrade = commands.add_parser("upgrade", help="is it safe to go from one version to another?")
    upgrade.add_argument("library", metavar="LIBRARY", help=f"one of {', '.join(LIBRARIES)}")
    upgrade.add_argument("old", metavar="OLD", help="the version to upgrade from")
    upgrade.add_argument("new", metavar="NEW", help="the version to upgrade to")
    add_selected(upgrade)
    upgrade.add_argument("--python", nargs="+", metavar="X.Y", help="the Python of both sides, or one each")
    add_bench(run)
    for one in (run, upgrade):
        one.add_argument("--folder", metavar="DIR", help="the project on the hosts, if workers are not started in it")
        one.add_argument(
            "--patience",
            type=options.positive,
            default=600.0,
            metavar="SECONDS",
            help="after which an idle host takes the blocks of one that is ten times slower than others (default 600)",
        )
        one.add_argument(
            "--hostless",
            type=options.positive,
            default=60.0,
            metavar="SECONDS",
            help="stop after so long without a host (default 60; more where jobs wait in a queue)",
        )
        one.add_argument("--script", action="store_true", help="print the job script or manifest, and start nothing")
        one.add_argument("--wait", action="store_true", help="wait for a run that is writing results to end")
        add_limits(one)
    status = commands.add_parser("status", help="hosts, blocks done, running, failed, and left")
    options.add_format(status)
    for one in (run, upgrade, status):
        where = one.add_mutually_exclusive_group(required=one.prog.split()[-1] != "status")
        where.add_argument("--scheduler", metavar="ADDRESS", help="an existing Dask scheduler")
        where.add_argument("--cluster", metavar="FILE", help="start what the file describes (examples/fleet)")


def main(args: argparse.Namespace) -> int:
    """Run ``arrayspeed fleet``."""
    if args.what == "status":
        return status(args)
    cluster = Cluster.read(args.cluster) if args.cluster else None
    if args.script:
        if cluster is None:
            raise UserError("--script needs --cluster: a scheduler that is there needs no script")
        print(script(cluster))
        return 0
    config = load_config()
    plan = (upgrade_plan if args.what == "upgrade" else versions_plan)(args, config)
    results = Path(config.results_dir)
    results.mkdir(parents=True, exist_ok=True)
    limits = limits_of(args)
    folder = args.folder or (cluster.folder if cluster else None)
    with (
        locked(results / ".lock", f"writing {results}", args.wait),
        connected(args.scheduler, cluster) as client,
    ):
        waits = {"patience": args.patience, "hostless": args.hostless}
        kinds = Fleet(client, plan.configured(config), plan, limits, folder, say=say, **waits).run()
    return (show_upgrade if args.what == "upgrade" else show_run)(kinds, args, plan.configured(config))


def versions_plan(args: argparse.Namespace, config: Config) -> Plan:
    """Return all releases, as `arrayspeed run --selection versions` chooses them."""
    check("library", args.library, LIBRARIES)
    names, libraries = [], set()
    for env in get_environments(config, None):
        found = held(env)
        if len(found) == 1:
            ((library, version),) = found.items()
            if among(library, args.library) and among(version, args.version):
                names.append(env.name)
                libraries.add(library)
    if not names:
        raise UserError("no environment in asv.conf.json has that library alone, and that version")
    where = {"environments": names, "libraries": sorted(libraries), "patterns": args.bench}
    return Plan([replace(part, **where) for part in selections.NAMED[args.selection]])


def upgrade_plan(args: argparse.Namespace, config: Config) -> Plan:
    """Two versions of a library."""
    pair.check_versions(args.library, args.old, args.new)
    check_selected(args, here=False)
    kernels = kernels_of(args.tier, [], bool(args.bench))
    chosen: list[Selection] = compare.default_selections(args.bench, [args.device], args.size, kernels)
    versions = [args.old, args.new]
    pythons, companions = pair.settled(config, args.library, versions, args.companions, say, args.python or [])
    return Plan(chosen, (args.library, *versions, companions, pythons))


def show_run(kinds: list[Kind], args: argparse.Namespace, config: Config) -> int:
    """Say what came of each kind; the exit status."""
    lines, data = [], []
    for kind in kinds:
        left = "" if kind.finished else "; not finished: run this again"
        lines.append(f"{kind.machine}: {len(kind.found)} of {len(kind.blocks)} blocks measured{left}")
        measured = {"measured": len(kind.found), "blocks": len(kind.blocks), "finished": kind.finished}
        data.append({"machine": kind.machine} | measured)
    print_as(Shown([], {"kinds": data}, lines), args.format)
    failed = any(one.verdict in (FAILS, SOMETIMES, BROKEN) for kind in kinds for one in kind.decisions.values())
    return 2 if not all(kind.finished for kind in kinds) else 1 if failed else 0


def show_upgrade(kinds: list[Kind], args: argparse.Namespace, config: Config) -> int:
    """Print the verdict of each kind; the worst exit status, where 1 is worse than 2."""
    found = [verdict_of(kind, args, config) for kind in kinds]
    if args.format == "json":
        print(as_json({"verdicts": list(map(as_data, found))}))
    else:
        for one in found:
            show(one, args.format, every=args.all)
    statuses = {one.status for one in found}
    return 1 if 1 in statuses else max(statuses)


def verdict_of(kind: Kind, args: argparse.Namespace, config: Config) -> Verdict:
    """Return what was decided on one kind."""
    rows = rows_of_kind(kind, limits_of(args).factor)
    if not rows:
        raise UserError(f"nothing was measured on {kind.machine}")
    names = [side.environment for side in next(iter(kind.blocks.values())).sides]
    packages = [stored_packages(config.results_dir, kind.machine, name, kind.commits) for name in names]
    pythons = [entry["python"] for entry in config.include]
    others = pair.packages_that_differ(args.library, packages, pythons)
    sides = sides_of([args.old, args.new], pythons, packages)
    return verdict(args.library, sides, rows, kind.machine, limits_of(args), others, args.unclear)


def rows_of_kind(kind: Kind, factor: float) -> list[compare.Row]:
    """Return what one kind decided, by the rules of `arrayspeed upgrade`."""
    known: compare.Found = {}
    decisions: dict[compare.Compared, Decision] = {}
    for (name, _, state), decision in kind.decisions.items():
        block, played = kind.blocks[name], kind.found[name]
        where, names = compare.key(block.one), [side.environment for side in block.sides]
        known[where] = compare.Sides(*([one for one in played if one.one.environment == each] for each in names))
        decisions[(where, state) if state else where] = decision
    return compare.rows_of(known, decisions, factor)


def status(args: argparse.Namespace) -> int:
    """Print what the last run knew, and what hosts there are."""
    path = Path(load_config().results_dir, STATE)
    if not path.exists():
        raise UserError(f"{path.parent} has no fleet's run: arrayspeed fleet run")
    known = json.loads(path.read_text())
    lines = []
    for name, kind in known["kinds"].items():
        state = "finished" if kind["finished"] else f"{kind['waiting']} waiting"
        begun = f"{kind['begun']} of {kind['blocks']} blocks have records"
        lines.append(f"{name}: {begun}, {kind['failed']} failed, {state}")
    for name, host in known["hosts"].items():
        doing = host["aside"] or (f"measuring {len(host['running'])} blocks" if host["running"] else "idle")
        lines.append(f"  {name} ({host['kind'] or 'joining'}): {host['blocks']} blocks done; {doing}")
    workers: dict[str, list[str]] = {}
    if args.scheduler or args.cluster:
        with connected(args.scheduler, Cluster.read(args.cluster) if args.cluster else None) as client:
            workers = {address: list(map(str, tasks)) for address, tasks in sorted(client.processing().items())}
    lines += [f"  {address}: {', '.join(tasks) or 'idle'}" for address, tasks in workers.items()]
    print_as(Shown([], {"kinds": known["kinds"], "hosts": known["hosts"], "workers": workers}, lines), args.format)
    return 0
