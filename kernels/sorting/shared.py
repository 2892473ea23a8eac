"""Sorting, as most libraries write it."""


def sort(x):
    """Ascending."""
    return xp.sort(x)


def argsort(x):
    """Return the order in which elements ascend."""
    return xp.argsort(x)


def argsort_sorted(x):
    """Return a function of its own, so that PyTorch's compiler does not count it as the other one compiled again."""
    return xp.argsort(x)


def lexsort(keys):
    """Return the order of the last key, within which that of the one before counts."""
    return xp.lexsort(keys)


def searchsorted(table, queries):
    """Return the leftmost place of each."""
    return xp.searchsorted(table, queries)
