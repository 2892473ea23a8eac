"""The schema of JSON itself, and that every command that prints some has its part in it."""

import re

import pytest
from jsonschema import Draft202012Validator, ValidationError

from arrayspeed.cli.main import COMMANDS, parser, subcommands
from support import schema
from tests.conftest import ROOT

#: Commands that print what another one does.
LIKE = {"compare": "upgrade", "peers": "upgrade"}


def prints_json(command):
    """Whether a command has an option to print JSON."""
    nested = [subcommands(parser([command]))[command]]
    for sub in nested:  # fleet has commands of its own
        nested += [one for action in sub._actions for one in getattr(action, "_name_parser_map", {}).values()]
    return any("--format" in each.option_strings for sub in nested for each in sub._actions)


def test_the_schema_is_one():
    Draft202012Validator.check_schema({"$defs": schema.DEFINITIONS})


@pytest.mark.parametrize("command", [name for name in COMMANDS if prints_json(name)])
def test_every_command_that_prints_json_has_a_definition_that_a_test_reads(command):
    name = LIKE.get(command, command)
    assert f"arrayspeed {name}" in schema.DEFINITIONS[name]["description"]
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert re.search(rf'schema\.read\(\s*"{name}"', tests)


def test_what_is_not_promised_is_refused():
    data = '{"format": 1, "comparisons": [], "verdict_counts": {}, "exit_status": 2}'
    assert schema.read("decide", data)["exit_status"] == 2
    for wrong in (data.replace("1", "2", 1), data.replace("2}", "3}"), data.replace('"comparisons"', '"others"')):
        with pytest.raises(ValidationError):
            schema.read("decide", wrong)
