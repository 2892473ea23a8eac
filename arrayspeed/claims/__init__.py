"""The question "is it true what the articles say?": their claims, the rules that decide them, and the evidence.

It must not measure, nor know commands or pages.
"""
