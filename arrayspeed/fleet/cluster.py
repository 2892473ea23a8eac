"""Schedulers that are there, and clusters that are started for one run: here, by ssh, by Slurm, on Kubernetes.

All but the first kind of option is the cluster class's own, from the file's table ``[options]``. What matters to
measuring is set here: no nanny, one thread, and a worker that is idle while a process of its host measures.
"""

from __future__ import annotations

import json
import logging
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arrayspeed.model.errors import UserError

if TYPE_CHECKING:
    from distributed import Client
    from distributed.deploy.cluster import Cluster as Started

#: Seconds that a scheduler has to answer.
PATIENCE = 10

#: Dask's own configuration: no profiler that wakes up every 10 ms, and heartbeats that are seldom.
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.worker-ttl": "5 minutes",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.comm.timeouts.connect": f"{PATIENCE}s",
}

#: Variables that have a worker read the same configuration, where another program starts it.
VARIABLES = {
    "DASK_" + name.replace(".", "__").replace("-", "_").upper(): str(value)
    for name, value in QUIET.items()
    if name.startswith(("distributed.worker", "distributed.admin"))
}


@dataclass
class Cluster:
    """What a file says: its kind, how many workers, the project's folder there, and the class's own options."""

    kind: str
    workers: int = 1
    folder: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Cluster:
        """Return a file's cluster.

        Raises
        ------
        UserError
            It cannot be read, or says something else.
        """
        try:
            found = cls(**tomllib.loads(Path(path).read_text()))
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
            raise UserError(f"{path} is not a description of a cluster: {error}") from error
        if found.kind not in KINDS:
            raise UserError(f"{path}: kind {found.kind!r} is not one of {', '.join(KINDS)}")
        if not isinstance(found.workers, int) or found.workers < 1 or not isinstance(found.options, dict):
            raise UserError(f"{path}: workers is a number from 1 up, and [options] a table")
        return found


def local(cluster: Cluster) -> Started:
    """Return this host."""
    from distributed import LocalCluster

    return LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, **cluster.options)


def ssh(cluster: Cluster) -> Started:
    """Hosts by their names; the first of ``hosts`` has the scheduler."""
    from distributed import SSHCluster

    return SSHCluster(worker_class="distributed.Worker", worker_options={"nthreads": 1}, **cluster.options)


def slurm(cluster: Cluster) -> Started:
    """Jobs of Slurm, a worker each; a node is theirs alone unless the file says otherwise."""
    from dask_jobqueue import SLURMCluster  # type: ignore[attr-defined]  # it does not say what it exports

    ours: dict[str, Any] = {
        "cores": 1,
        "processes": 1,
        "nanny": False,
        "memory": "1GB",
        "job_mem": "0",
        "job_extra_directives": ["--exclusive"],
    }
    ours["job_script_prologue"] = [f"export {name}={value}" for name, value in VARIABLES.items()]
    return SLURMCluster(n_workers=cluster.workers, **(ours | cluster.options))


def manifest(cluster: Cluster) -> dict[str, Any]:
    """Return a DaskCluster of the Kubernetes operator: a pod a worker, no two of them on a node."""
    from dask_kubernetes.operator import make_cluster_spec

    name, label = cluster.options.get("name", "arrayspeed"), "dask.org/cluster-name"
    spec = make_cluster_spec(**({"name": name, "n_workers": cluster.workers} | cluster.options))
    # Kubernetes' schema has no null.
    text = json.dumps(spec)
    made: dict[str, Any] = json.loads(text, object_hook=lambda item: {k: v for k, v in item.items() if v is not None})
    pod = made["spec"]["worker"]["spec"]
    container = pod["containers"][0]
    container["args"] = ["dask", "worker", "--name", "$(DASK_WORKER_NAME)", "--no-nanny", "--nthreads", "1"]
    container["env"] = [*container.get("env", []), *({"name": key, "value": text} for key, text in VARIABLES.items())]
    apart = {"labelSelector": {"matchLabels": {label: name}}, "topologyKey": "kubernetes.io/hostname"}
    pod["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    return made


def kubernetes(cluster: Cluster) -> Started:
    """Pods by Dask's operator."""
    from dask_kubernetes.operator import KubeCluster

    made: Started = KubeCluster(custom_cluster_spec=manifest(cluster))
    return made


KINDS: dict[str, Callable[[Cluster], Started]] = {"local": local, "ssh": ssh, "slurm": slurm, "kubernetes": kubernetes}


@contextmanager
def connected(scheduler: str | None, cluster: Cluster | None) -> Iterator[Client]:
    """Dask's client of a scheduler that is there, or of a cluster that ends with this.

    Raises
    ------
    UserError
        A package is missing, or nobody answers.
    """
    try:
        from dask import config
        from distributed import Client
    except ImportError as error:
        raise UserError("a fleet needs Dask: pip install 'arrayspeed[fleet]'") from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    kind = cluster.kind if cluster else None
    with config.set(QUIET):
        try:
            made = KINDS[cluster.kind](cluster) if cluster else None
            client = Client(made or scheduler, timeout=PATIENCE, set_as_default=False)
        except ImportError as error:
            what = f"a cluster of kind {kind}" if kind else scheduler
            raise UserError(f"{what} needs {error.name}: pip install {error.name}") from error
        except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
            raise UserError(f"no cluster at {scheduler or kind}: {str(error).splitlines()[0]}") from error
        try:
            yield client
        finally:
            client.close(timeout=5)
            if made:
                made.close(timeout=30)


def script(cluster: Cluster) -> str:
    """Return what is handed to the cluster's own system: a job script, or a manifest. Nothing is started.

    Raises
    ------
    UserError
        That kind has none.
    """
    if cluster.kind == "kubernetes":
        return json.dumps(manifest(cluster), indent=1)
    if cluster.kind == "slurm":
        with slurm(Cluster("slurm", 0, None, cluster.options)) as made:
            text: str = made.job_script()
            return text
    raise UserError(f"a cluster of kind {cluster.kind} has no script")
