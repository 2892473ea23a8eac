"""Other suites: a file each, which is measured as people's own code is. Run in an environment of array libraries, so
these files import nothing of arrayspeed.
"""
