"""The question "what does this version do to me?": two environments in blocks, judged, and told.

It must not know commands or pages.
"""
