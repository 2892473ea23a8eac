"""The question "did the compiled program change?": the programs of both sides of an upgrade, normalised and compared.

It must not know commands or pages.
"""
