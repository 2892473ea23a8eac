"""Plain data and plain words that every room may use: combinations, libraries, units, text, errors.

It must not know files, asv's runner, statistics or commands, and imports nothing of ours but `kernels`.
"""
