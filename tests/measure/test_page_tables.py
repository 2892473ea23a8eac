"""Forked processes begin with the pages of files that their server has in its tables."""

import ctypes
import mmap
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import page_tables
from benchmarks.page_tables import PAGE, enter, entered

ROOT = Path(__file__).parents[2]

#: Of the file: more than Linux enters with each page that is met, which is 16 to 512.
PAGES = 4096

pytestmark = pytest.mark.skipif(not entered(), reason="the system does not tell which pages a process has entered")


@pytest.fixture
def mapped(tmp_path):
    """A mapped file and the function that says which of its pages a list of runs has."""
    path = tmp_path / "constants"
    path.write_bytes(b"1" * PAGE * PAGES)
    with open(path, "rb") as file:
        memory = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def of_file(runs):
        return {
            (each - start) // PAGE
            for address, size in runs
            for each in range(address, address + size, PAGE)
            if start <= each < start + PAGES * PAGE
        }

    return memory, of_file


def test_the_pages_that_were_met_are_found_and_not_those_far_from_them(mapped):
    memory, of_file = mapped
    assert of_file(entered()) == set()
    for page in (3, 4000):
        assert memory[page * PAGE] == ord("1")
    found = of_file(entered())
    assert {3, 4000} <= found
    assert not found & set(range(1500, 2500))


def test_pages_are_entered_again_and_no_others(mapped):
    memory, of_file = mapped
    assert memory[3 * PAGE] == ord("1")
    runs = [run for run in entered() if of_file([run])]
    found = of_file(runs)
    memory.madvise(mmap.MADV_DONTNEED)
    assert of_file(entered()) == set()
    enter([(PAGE, PAGE), *runs])  # of which the first is no longer mapped
    assert of_file(entered()) == found
    assert memory[3 * PAGE] == ord("1")


def test_where_the_system_does_not_tell_nothing_is_entered(monkeypatch):
    def refused(path, *arguments, **options):
        raise PermissionError(path)

    monkeypatch.setattr("builtins.open", refused)
    assert page_tables.entered() == []


#: Prints the bytes of files that a server and a process forked from it have entered, and those of one forked from that.
SERVER = """
import os
from benchmarks.page_tables import entered
from benchmarks.preload import preload

def size():
    return sum(each for _, each in entered())

def forked(then):
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, str(size()).encode())
        then()
        os._exit(0)
    os.close(write)
    text = os.read(read, 20).decode()
    os.wait()
    return text

before = forked(lambda: None)
preload("numpy")
print(before, size(), forked(lambda: print(forked(lambda: None), flush=True)), flush=True)
"""


@pytest.mark.seconds
def test_a_process_that_a_server_forks_has_the_pages_of_its_library_and_what_it_forks_has_not():
    run = subprocess.run([sys.executable, "-c", SERVER], cwd=ROOT, capture_output=True, text=True, check=True)
    grandchild, before, server, child = map(int, run.stdout.split())
    assert before < server / 2
    assert grandchild < server / 2
    assert 0.95 < child / server < 1.1
