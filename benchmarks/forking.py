"""A server that forks a process for each request. It knows neither benchmarks nor libraries."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
from collections.abc import Callable


def silence() -> None:
    """Silence libraries: what they print belongs to nobody."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)


def sender(channel: socket.socket) -> Callable[[dict], None]:
    """Return what writes a line of JSON to a socket."""
    return lambda row: channel.sendall((json.dumps(row) + "\n").encode())


def serve(control: socket.socket, play: Callable[[dict, socket.socket], None]) -> None:
    """Fork a process for each request, and tell how each ended, until the other end closes.

    A request is a line of JSON and comes with a socket; ``play`` is given both, in the new process.

    It sleeps in between: a server that wakes up takes the core of a process that measures.
    """
    say = sender(control)
    say({"serving": os.getpid()})
    waiting = selectors.DefaultSelector()
    waiting.register(control, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is not control:
                waiting.unregister(key.fileobj)
                os.close(key.fileobj)
                _, status = os.waitpid(key.data, 0)
                say({"ended": key.data, "status": os.waitstatus_to_exitcode(status)})
                continue
            text, descriptors, _, _ = socket.recv_fds(control, 2**16, 1)
            if not text:
                return
            child = os.fork()
            if child == 0:
                waiting.close()
                control.close()
                os.setpgid(0, 0)
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                try:
                    play(json.loads(text), socket.socket(fileno=descriptors[0]))
                finally:
                    os._exit(0)
            os.close(descriptors[0])
            waiting.register(os.pidfd_open(child), selectors.EVENT_READ, child)
            say({"forked": child})
