"""Other suites: a file each, which is measured as people's own code is. Run in an environment of array libraries, so
these files import nothing of arrayspeed. They import nothing of each other either: what was measured is kept by the
digest of one file and that of the code which it calls.
"""
