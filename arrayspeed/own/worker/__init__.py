"""What runs in a side's environment: standard library only, from Python 3.8 on, started by its path.

Nothing of arrayspeed is installed there, and what its users import must not meet our modules: `__main__` loads this
folder as a package of its own name. What only annotations need is not imported, `typing` least of all: a user's file
that imports it too would seem to load faster.

    loading     the functions of a file, of an asv suite, of pytest-benchmark tests
    stack       a place on Python's stack as in a script
    waiting     results that are not there yet when a call returns
    values      what a call returned, as a digest and as plain numbers
    memory      memory at its peak
    keeping     memory that every call keeps: a link to the file of our own benchmarks
    allocator   the state of the allocator in which calls are timed: a link, too
    programs    what compilers made of a function, or a profile of it
    measuring   one function: its first call, its memory, its values, and batches of calls
    serving     requests in, answers out
"""
