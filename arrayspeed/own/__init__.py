"""Somebody's own code: one file (or suite, or command) on two sides or more, and a verdict. And samples of other tools.

It must not know our kernels, their records or asv's environments.

    script       what a file says of itself: its functions, and the dependencies in its header
    sides        what is compared: requirements, an interpreter, environment variables
    environments folders with these packages, kept
    worker       what runs in a side's environment
    process      that process, seen from here
    rounds       one process of every side a round, which take turns
    records      a line of JSON for each process and function
    results      whether two sides return the same
    measures     how each measure is judged
    until_decided  rounds and looks
    verdict      everything that was found, for `arrayspeed.verdict`
    samples      what other tools measured
"""
