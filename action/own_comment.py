"""The number of the comment that an author began with a marker, of all that ``gh api --paginate`` prints."""

import json
import sys


def pages(text):
    """Yield the lists in a text: one, or one a page, depending on the release of gh."""
    decoder = json.JSONDecoder()
    text = text.strip()
    while text:
        page, end = decoder.raw_decode(text)
        yield from page
        text = text[end:].strip()


if __name__ == "__main__":
    author, marker = sys.argv[1:]
    mine = [
        each["id"]
        for each in pages(sys.stdin.read())
        if each["user"]["login"] == author and each["body"].startswith(marker)
    ]
    print(*mine[:1])
