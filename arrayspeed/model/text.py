"""Text from results, which anyone may have written, made harmless to show and to name files after."""

from __future__ import annotations

import hashlib
import json
import re


def printable(text: str) -> str:
    """Text without control characters: a terminal would obey them, and XML does not allow them."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]", "�", text)


def file_name(*parts: str) -> str:
    """Return a file's name of letters, digits, hyphens and underscores."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", "_".join(parts))


def digest(*parts: object) -> str:
    """Return a name for what is the same."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:12]
