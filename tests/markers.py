"""Markers that follow from what a test uses, and where the session keeps those of all tests."""

import pytest

#: Fixture -> the marker of every test that uses it, directly or through another: what is slow cannot be forgotten.
MARKERS = {"newest": "environment", "open_page": "browser"}

#: Test -> the names of its markers, of all tests that were collected, whichever of them are chosen to run.
COLLECTED = pytest.StashKey[dict[str, set[str]]]()
