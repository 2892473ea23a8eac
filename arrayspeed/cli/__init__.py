"""Commands, one file each: arguments in, one call, text out. `main` finds them.

It must not compute, compare or measure anything itself.
"""
