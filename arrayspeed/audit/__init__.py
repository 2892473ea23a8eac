"""The evidence that this machine's numbers are what they claim to be, as rows that pass or fail.

`worker` holds what runs in a measuring environment, where the libraries are; nothing there may import the tools. The
rest drives it and compares asv's figures, and those of blocks, with an independent clock: `script`. `copies` compares a
benchmark with itself. It must not know commands or pages.
"""
