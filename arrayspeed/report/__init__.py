"""Pages and pictures, made from records and decisions.

It must not decide anything; its scripts only show what was decided.
"""
