"""How decisions are printed: tables for a terminal, markdown, JSON.

It must not decide anything, nor know where decisions come from.
"""
