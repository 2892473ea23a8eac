"""What a file says of itself without being run: its syntax, and the header with its dependencies."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from arrayspeed.model.errors import UserError
from arrayspeed.own import asv_project

#: PEP 723's own expression for the blocks of a script.
BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")

#: The kind of code, and the one function, of a command; nothing of it is loaded.
COMMAND = "command"

#: The kind of code that is the import of modules, and what the names of its items begin with: no function's does.
IMPORT, PREFIX = "import", "import "

#: The kinds of which nothing is in a file.
WITHOUT_FILE = (COMMAND, IMPORT)

HINT = "name a function bench_…, and see `arrayspeed upgrade --help`"


@dataclass(frozen=True)
class Script:
    """A file to measure.

    Attributes
    ----------
    path
        Absolute.
    digest
        Of its content.
    dependencies
        Requirements of its header (PEP 723).
    python
        The versions of Python that the header allows.
    kind
        As `arrayspeed.own.kinds` names it.
    command, metric
        A shell command, run in ``path``, and the expression that finds its figure.
    modules
        Modules that are imported in ``path``, and nothing else.
    times_only
        Whether nothing but times is asked for: what asv's ``time_*`` are for.
    build
        Commands that build the project, where asv.conf.json has some.
    more
        Of which metrics more is better, by their names; "" where there is only one.
    asked
        What a worker is asked for besides: how many calls run at once, whether tests are measured whole.
    """

    path: Path
    digest: str
    dependencies: tuple[str, ...] = ()
    python: str = ""
    kind: str = "file"
    command: str = ""
    metric: str = ""
    modules: tuple[str, ...] = ()
    times_only: bool = False
    build: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_file(self) -> bool:
        """Whether a worker loads it; a command and an import are run where arrayspeed is."""
        return not (self.command or self.modules)

    @property
    def folder(self) -> Path:
        """Where results go unless somebody says otherwise: beside the file, or where a command is run."""
        return (self.path.parent if self.has_file else self.path) / ".arrayspeed"

    @property
    def name(self) -> str:
        """The file's name."""
        return self.command or (f"import {', '.join(self.modules)}" if self.modules else self.path.name)

    @property
    def stem(self) -> str:
        """What files of results are called."""
        return self.path.stem if self.has_file else self.kind


def suite(path: str | Path, kind: str, needs: tuple[str, ...] = (), file: bool = True) -> Script:
    """Return a folder of benchmarks or tests, or where ``file`` is true one file.

    Raises
    ------
    UserError
        It is not there.
    """
    path = Path(path).absolute()
    if not (path.is_dir() or (file and path.is_file())):
        raise UserError(f"{path} does not exist" if not path.exists() else f"{path} is not a folder")
    return Script(path, digest_of(path), needs, kind=kind)


def of_asv(path: str | Path) -> Script:
    """Return a folder of asv benchmarks, or that of a project whose asv.conf.json names it.

    Raises
    ------
    UserError
        It is not there, or the configuration is none.
    """
    configuration = Path(path, asv_project.NAME)
    project = asv_project.read(configuration) if configuration.is_file() else asv_project.AsvProject(Path(path))
    # pympler is what asv_runner's mem_* need.
    needs = (f"asv_runner=={version('asv_runner')}", "pympler", *project.requirements)
    return replace(suite(project.benchmarks, "asv", needs, file=False), times_only=True, build=project.build)


def digest_of(path: Path) -> str:
    """Of a file, or of all Python files below a folder and their names."""
    whole = hashlib.sha256()
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        whole.update(os.fsencode(file.relative_to(path)) + b"\0" + file.read_bytes() + b"\0")
    return whole.hexdigest()


def of_command(command: str, metric: str = "", more: tuple[str, ...] = ()) -> Script:
    """Return a command that is run where arrayspeed is; ``more``: metrics of which more is better."""
    digest = hashlib.sha256(f"{command}\0{metric}\0{more}".encode()).hexdigest()
    return Script(Path.cwd(), digest, kind=COMMAND, command=command, metric=metric, more=more)


def of_modules(names: Sequence[str]) -> Script:
    """Return modules that are imported where arrayspeed is.

    Raises
    ------
    UserError
        One is not the name of a module.
    """
    for name in names:
        if not all(part.isidentifier() for part in name.split(".")):
            raise UserError(f"--import {name!r} is not the name of a module: json, say, or json.decoder")
    modules = tuple(dict.fromkeys(names))
    return Script(Path.cwd(), hashlib.sha256("\0".join(modules).encode()).hexdigest(), kind=IMPORT, modules=modules)


def read(path: str | Path) -> Script:
    """Return a file with ``bench_*`` functions.

    Raises
    ------
    UserError
        It is not there, is no Python, has no such function, or a header that is none.
    """
    path = Path(path)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is no file" if path.exists() else "does not exist"
        raise UserError(f"{path} {what}")
    try:
        content = path.read_bytes()
        tree = ast.parse(content, filename=str(path))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except SyntaxError as error:
        raise UserError(f"{path.name}:{error.lineno or ''}: {error.msg}".replace("::", ":")) from error
    except ValueError as error:  # null bytes, before Python 3.11.4
        raise UserError(f"{path.name}: {error}") from error
    if not may_have_functions(tree):
        raise UserError(f"{path.name} has no function whose name begins with bench_: {HINT}")
    dependencies, python = header(content.decode("utf-8", "replace"), path.name)
    return Script(path.absolute(), hashlib.sha256(content).hexdigest(), dependencies, python)


def may_have_functions(tree: ast.AST) -> bool:
    """Return whether anything of it is called ``bench_``, or could be: names may be made while it runs."""
    return any(
        getattr(node, attribute, "").startswith("bench_") or (isinstance(node, ast.alias) and node.name == "*")
        for node in ast.walk(tree)
        for attribute in ("name", "id", "asname")
        if isinstance(getattr(node, attribute, None), str)
    ) or any(isinstance(node, ast.Constant) and "bench_" in str(node.value) for node in ast.walk(tree))


def header(text: str, name: str) -> tuple[tuple[str, ...], str]:
    """Return the dependencies and the versions of Python of a script's header.

    Raises
    ------
    UserError
        It has several headers, or one that cannot be read.
    """
    found = [match for match in BLOCK.finditer(text.replace("\r\n", "\n")) if match["type"] == "script"]
    if not found and re.search(r"(?m)^# /// script\s*$", text):
        raise UserError(f"{name}: the header `# /// script` does not end: its lines begin with #, the last is `# ///`")
    if not found:
        return (), ""
    if len(found) > 1:
        raise UserError(f"{name} has {len(found)} headers `# /// script`: one is allowed")
    lines = found[0]["content"].splitlines()
    try:
        data = tomllib.loads("\n".join(line[2:] if line.startswith("# ") else line[1:] for line in lines))
        dependencies, python = data.get("dependencies", []), data.get("requires-python", "")
        if not isinstance(dependencies, list) or not all(isinstance(each, str) for each in [*dependencies, python]):
            raise TypeError('dependencies is a list of texts and requires-python a text: dependencies = ["packaging"]')
        for each in dependencies:
            Requirement(each)
        python = str(SpecifierSet(python))
    except (tomllib.TOMLDecodeError, InvalidRequirement, InvalidSpecifier, TypeError) as error:
        raise UserError(f"{name}: the header `# /// script` cannot be read: {error}".splitlines()[0]) from error
    return tuple(dependencies), python
