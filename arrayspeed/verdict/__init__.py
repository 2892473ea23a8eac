"""What came of a comparison: rows, the outcome, and how people and programs read them.

It must not know commands, asv, or what is measured.
"""
