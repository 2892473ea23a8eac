"""What processes gave: written, read, and put together for comparisons. The only room that knows files of results.

It must not start a process, nor know what a question wants of the records.
"""
