"""Checks that run inside a measuring environment, where the libraries are and pytest is not.

``python -m tests.inside MODULE ARGUMENT…`` prints what the module's ``main`` yields, one JSON object a line.
"""
