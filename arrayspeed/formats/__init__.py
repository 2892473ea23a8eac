"""How decisions are printed: tables for a terminal, markdown, JSON, pages that are one file.

It must not decide anything, nor know where decisions come from.
"""
