"""Functions that leak, each in another way, and functions that only fill caches: what `benchmarks.keeping` says of one.

Standard library only, but for the function that keeps buffers of Polars.
"""

import ctypes
import functools
import re
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from benchmarks import keeping

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = LIBC.realloc.restype = LIBC.mmap.restype = ctypes.c_void_p
LIBC.malloc.argtypes = [ctypes.c_size_t]
LIBC.free.argtypes = [ctypes.c_void_p]
LIBC.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]

#: Of mmap(2) on Linux: pages to be read and written, of this process alone, and of no file.
READ_WRITE, ANONYMOUS = 3, 0x22


def main(name):
    """Bytes that are counted, those that memory grows by, and what this may be wrong by."""
    call = globals()[name]()
    call()
    yield keeping.kept_by(call, keeping.seconds_of(call))._asdict()


def touched(size):
    """A block of the C library that was written to."""
    block = LIBC.malloc(size)
    LIBC.memset(block, 1, size)
    return block


def nothing():
    return lambda: None


def leak_by_malloc():
    return lambda: touched(200)


def leak_by_mmap():
    return lambda: LIBC.memset(LIBC.mmap(None, 8192, READ_WRITE, ANONYMOUS, -1, 0), 1, 8192)


def leak_in_a_thread():
    """In the arena of a thread that stays."""
    pool = ThreadPoolExecutor(1)
    return lambda: pool.submit(touched, 3000).result()


def leak_of_another_allocator():
    """Buffers of 8,000 bytes, of a library that brings an allocator."""
    import polars

    made, kept = polars.Series("a", range(1000)), []
    return lambda: kept.append(made + 1)


def leak_of_large_blocks_of_another_allocator():
    import polars

    made, kept = polars.Series("a", range(200_000)), []
    return lambda: kept.append(made + 1)


def fragments():
    """Blocks are freed, and each new one is too large for any of the holes: small ones that stay lie between them."""
    for _ in range(100):
        touched(60_000)  # what the interpreter has freed so far has no room for more
    sizes = count(60_000, 16)

    def call():
        size = next(sizes)
        block, behind = touched(size), LIBC.malloc(size)
        LIBC.realloc(behind, 24)
        LIBC.free(block)

    return call


def fills_a_dictionary():
    made, keys = {}, count()

    def call():
        if len(made) < 5000:
            made[next(keys)] = bytes(100)

    return call


def fills_an_lru_cache():
    cached, keys = functools.lru_cache(4096)(lambda key: bytes(200)), count()
    return lambda: cached(next(keys))


def writes_to_a_list_made_at_first():
    made, keys = [], count()

    def call():
        if not made:
            made.extend([0.0] * 100_000)
        made[next(keys) % len(made)] = 1.5

    return call


def interns_names():
    keys = count()
    return lambda: sys.intern(f"a name of its own {next(keys) % 3000}")


def compiles_patterns():
    keys = count()
    return lambda: re.compile(f"a{next(keys)}b")


def grows_a_list_and_clears_it():
    made = []

    def call():
        made.append(bytes(1000))
        if len(made) >= 500:
            made.clear()

    return call


def uses_a_buffer_again():
    buffer, keys = bytearray(), count()

    def call():
        del buffer[:]
        buffer.extend(bytes(1000 + 997 * next(keys) % 50_000))

    return call


def takes_a_large_block_each_time():
    return lambda: bytearray(8 << 20)


def starts_threads_once():
    made = []

    def call():
        if not made:
            made.append(ThreadPoolExecutor(4))
        return list(made[0].map(len, ["a"] * 8))

    return call


def keeps_the_last_thousand():
    last = deque(maxlen=1000)
    return lambda: last.append(bytes(500))


def fills_large_blocks():
    blocks, keys = {}, count()

    def call():
        key = next(keys) % 16
        if key not in blocks:
            blocks[key] = bytearray(4 << 20)
        blocks[key][::4096] = bytes(1024)

    return call
