"""The question "is it true?" of what the articles say and of what we found ourselves: sentences, the rules that decide
them, and the evidence.

It must not measure, nor know commands or pages.
"""
