"""Markers that follow from what a test uses, and where the session keeps those of all tests."""

import pytest

#: Fixture -> the marker of every test that uses it, directly or through another: what is slow cannot be forgotten.
MARKERS = {
    "newest": "environment",
    "open_page": "browser",
    # A project in a repository, all committed results, and a copy of all that fingerprints read.
    **dict.fromkeys(("toy", "mistaken", "committed", "tree"), "seconds"),
}

#: Modules whose tests run commands as users do, again and again -> what `make test` has of each.
COMMANDS = {
    "test_action": (),
    "test_asv": (),
    "test_audit": (),
    "test_bisect": (),
    "test_commits": (),
    "test_environment": (),
    "test_existing": (),
    "test_explain": (),
    "test_fleet": (),
    "test_hidden": (),
    "test_imports": ("test_the_command_names_the_module_of_a_planted_slow_import",),
    "test_in_turn": (),
    "test_init": (),
    "test_jax_semantics": (),
    "test_long_runs": (),
    "test_matrix": ("test_an_update_changes_the_lines_and_nothing_else",),
    "test_merge": (),
    "test_own_forms": (),
    "test_own": ("test_a_side_that_waits_longer_is_slower", "test_results_go_where_they_are_wanted"),
    "test_own_mistakes": (),
    "test_own_sides": (),
    "test_own_suites": (),
    "test_pages": (),
    "test_peers": (),
    "test_plots": (),
    "test_soak": (),
    "test_profile": ("test_a_planted_slow_function_of_a_c_library_is_named",),
    "test_watch": (),
    "test_wheel": (),
}

#: What makes a test too long for `make check`; those of `COMMANDS` that have one of these have the marker ``commands``.
LONG = {"environment", "seconds", "clock"}

#: Target -> markers of which one puts a test there and not in the target before, the last target first.
LEVELS = {
    "all": {"mutation", "compile", "audit", "rest"},
    "ci": {"commands", "faults", "browser", "long"},
    "test": LONG,
}

#: What runs alone, in whatever target: it compares times.
ALONE = "clock"

#: Modules of which one worker has minutes of work, a library's kernels.
LONGEST = ("test_kernels", "test_mutants", "test_audit", "test_asv", "test_long_runs")

#: Test -> the names of its markers, of all tests that were collected, whichever of them are chosen to run.
COLLECTED = pytest.StashKey[dict[str, set[str]]]()


def level(markers):
    """The target that a test belongs to by the names of its markers: `make check` where none says otherwise."""
    return next((name for name, those in LEVELS.items() if those & set(markers)), "check")
