"""Mistakes of users, told in one line."""


class UserError(Exception):
    """Something that the user can mend; the command prints the message alone and exits with 2."""
