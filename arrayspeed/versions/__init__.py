"""The question "what did each release do?": all releases of a library against one anchor in each block.

It must not know commands or pages.
"""
