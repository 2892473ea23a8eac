"""What ``shared.py`` calls ``xp`` of libraries whose functions have other names than NumPy's.

Assignments only. Where a signature differs, or where an expert would write other code, the kernel is in the library's
own file.
"""
