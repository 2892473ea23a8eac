"""A verdict as a page that is one file."""


def as_page(verdict):
    """See below."""
    return ""
