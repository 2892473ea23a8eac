"""What can go wrong between a name and a ready call."""


class NotAvailable(NotImplementedError):
    """This combination cannot run here: library not installed, no such device, kernel not in this library.

    A subclass of NotImplementedError, which asv takes as "n/a" when a setup raises it.
    """


class WrongResult(AssertionError):
    """A kernel returned the wrong dtype, device or values: a failure, never a time."""
