"""A real browser, and a server of files for it."""

import contextlib
import functools
import http.server
import threading
from urllib.parse import urlsplit


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a server of a folder's files."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@contextlib.contextmanager
def opened(browser):
    """A page; any error in its console, and any request that leaves the machine, is an error when it is closed."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    wrong = []

    def heard(message):
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    def sent(request):
        if urlsplit(request.url).hostname not in ("127.0.0.1", None):
            wrong.append(f"left the machine: {request.url}")

    def answered(response):
        if response.status >= 400:
            wrong.append(f"{response.status} {response.url}")

    page.on("console", heard)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", sent)
    page.on("response", answered)
    yield page
    page.close()
    assert wrong == []


def serious_faults(page):
    """What axe-core finds wrong with a page that it calls serious or critical: rule -> the elements."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return {
        one["id"]: [node["html"] for node in one["nodes"]] for one in found if one["impact"] in ("serious", "critical")
    }
