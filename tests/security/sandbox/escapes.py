"""Attempts to leave the sandbox: programs of Python in ``escapes.yml``, which print ESCAPED if they succeed.

A program runs in the tree with the prelude below. Names in angle brackets are replaced by what the host has:
the home with a secret, the repository, sockets that listen, a process. Every program prints TRIED in the end,
so that one that cannot run is not mistaken for one that failed to escape.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

PRELUDE = """\
import ctypes, errno, glob, os, pathlib, platform, signal, socket, stat, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
HOME, REPO, GIT_DIR, SECRET = "<home>", "<repo>", "<git_dir>", "<secret>"
PID, PORT, ADDRESS, SOCKET, ABSTRACT = <pid>, <port>, "<address>", "<socket>", "<abstract>"
X86 = platform.machine() == "x86_64"

def escaped(why=""):
    print("ESCAPED", why, flush=True)

def attempt(action, *arguments):
    try:
        result = action(*arguments)
    except (OSError, ValueError, AttributeError, MemoryError) as error:
        return None
    escaped(repr(result)[:80])

def contains(path):
    try:
        with open(path, "rb") as file:
            return SECRET.encode() in file.read(1 << 20)
    except OSError:
        return False

def search(*paths):
    for path in paths:
        if contains(path):
            escaped(path)

def call(name, number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result >= 0:
        escaped(name)
    return ctypes.get_errno()

def send(family, kind, target):
    with socket.socket(family, kind) as one:
        one.settimeout(2)
        one.connect(target)
        one.send(SECRET.encode())

"""


@dataclass(frozen=True, slots=True)
class Escape:
    """An attempt.

    Attributes:
        open_without: True if it succeeds without isolation, which shows that the program is a real attempt.
        loopback: True to run it where internet sockets are permitted.
    """

    name: str
    program: str
    open_without: bool = False
    loopback: bool = False


_GROUPS = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text("utf-8"))
ESCAPES = tuple(Escape(**row) for rows in _GROUPS.values() for row in rows)
