"""Blocks on many hosts, by Dask: what a task is, who gets it, and what of its answer is believed.

    plan        what is measured, as text that travels
    host        a host's own process: it opens a session, and plays blocks
    worker      what a Dask worker runs: it starts that process, with an environment of its own
    kind        the blocks of one kind of machine: rounds, looks, and who owns what
    answers     what a host sent: checked, and merged into the results
    dispatch    gives blocks to idle hosts, and those of lost hosts to others
    cluster     schedulers that are there, and clusters that are started

It must not know commands or pages. All that it knows is in the results, so that each part can be started again.
"""
