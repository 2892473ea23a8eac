"""Stands in for `arrayspeed.fleet.host` in tests of faults: it answers as a host does, with figures made up, at once.

What it is to do wrong is in the file with its name in the folder FLEET_FAULTS, and what all hosts are to say in
``host.json`` there. It imports little, since there are many.
"""

import json
import os
import sys
import time
from pathlib import Path

from benchmarks.preload import end_with_parent

MACHINE = {"arch": "x86_64", "cpu": "made", "num_cpu": "2", "ram": "8 GiB", "os": "Linux", "version": 1}

FIELDS = ("benchmark", "backend", "size", "device")


class Host:
    """One that is simulated."""

    def __init__(self):
        self.name, self.kind = os.environ["ARRAYSPEED_HOST"], os.environ.get("FLEET_KIND", "simulated-2cpu")
        self.faults = Path(os.environ["FLEET_FAULTS"])
        self.told = json.loads((self.faults / "host.json").read_text())
        (self.faults / f"{self.name}.pid").write_text(f"{os.getpid()}")

    @property
    def fault(self):
        """What it is to do wrong now."""
        path = self.faults / self.name
        return path.read_text() if path.exists() else ""

    def files(self, lines=()):
        """The files of a request's records."""
        found = {f"{self.kind}/machine.json": json.dumps(MACHINE | {"machine": self.kind})}
        for environment in self.told["environments"]:
            name = f"{self.kind}/{self.told['commit'][:8]}-{environment}"
            found[f"{name}.packages.txt"] = f"# Python 3.11\n{environment}\n"
            if text := "".join(line for one, line in lines if one == environment):
                found[f"{name}.processes.jsonl"] = text
        return found

    def join(self):
        """What it is."""
        told = self.told | ({"code": "other"} if self.fault == "other code" else {})
        return {**told, "host": self.name, "machine": self.kind, "files": self.files()}

    def play(self, request):
        """Records, as they are asked for."""
        lines = []
        for block, numbers in request["blocks"]:
            for number, side in ((number, side) for number in numbers for side in block["sides"]):
                row = {name: side[name] for name in FIELDS} | {"block": block["name"], "round": number}
                row |= {"value": 1e-3 * (1 + number / 1e4), "host": self.name}
                lines.append((side["environment"], json.dumps(row) + "\n"))
        return {"files": self.files(lines), "seconds": 0.0}

    def answer(self, request):
        """The line that it sends, with its fault."""
        if self.fault == "hang" and request:
            (self.faults / f"{self.name}.hangs").touch()
            while self.fault == "hang":
                time.sleep(0.05)
        answer = self.play(request) if request else self.join()
        fault = self.fault if request else ""
        files = answer["files"]
        if fault == "disk":
            try:
                Path("/dev/full").write_text("x")
            except OSError as error:
                return json.dumps({"failed": f"OSError: {error}"})
        elif fault == "crash":
            os._exit(7)
        elif fault == "twice":
            answer["files"] = {name: text * 2 if ".processes." in name else text for name, text in files.items()}
        elif fault == "swapped":
            answer["files"] = {name: text.replace(".add_", ".sine_") for name, text in files.items()}
        elif fault == "machine":
            files[f"{self.kind}/machine.json"] = json.dumps(MACHINE | {"machine": self.kind, "cpu": "another"})
        elif fault == "nothing":
            answer = {}
        files["../../elsewhere"] = "must not be written"
        return json.dumps(answer)


def main():
    end_with_parent()
    sys.stdin.readline()
    host = Host()
    for line in sys.stdin:
        print(host.answer(json.loads(line)), flush=True)


if __name__ == "__main__":
    main()
