"""JSON that commands print, read and checked against the schema that programs are promised."""

import json

import pytest
from jsonschema import Draft202012Validator

from arrayspeed.formats.data import SCHEMA

DEFINITIONS = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]


def read(command, text):
    """What a command printed, which its definition allows."""
    data = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    Draft202012Validator({"$ref": f"#/$defs/{command}", "$defs": DEFINITIONS}).validate(data)
    return data
