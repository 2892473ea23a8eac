"""Where libraries run: asv's plugin that makes environments (with uv), interpreters as they are, the machine.

It must not know what was measured in them.
"""
