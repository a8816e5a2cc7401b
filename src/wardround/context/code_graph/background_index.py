"""Indexing in a separate process, so that the next review has the code graph and this one does not wait.

The process starts at the first review at commit that needs the graph of more files than it may read. It has
the lowest priority, writes only to the store in the user's cache folder, and one runs at a time.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wardround.errors import GraphNotBuilt

SWITCH = "WARDROUND_BACKGROUND_INDEX"
"""The variable whose value ``off`` prevents such a process."""
BUDGET_S = 300.0
"""Seconds of processor time of one process; the next one continues."""
_PAUSE_S = 600.0
"""Seconds after which another process may start for the same repository."""
_LOWEST_PRIORITY = 19


def start_indexing(root: Path, store: Path | None, environ: Mapping[str, str]) -> bool:
    """Start to index the last commit of a repository, unless that was started a short time ago.

    Args:
        root: root folder of the repository.
        store: the file of its graph; None for an in-memory graph.

    Returns:
        False if no process indexes it: in CI, if indexing is disabled, or without a store.
    """
    if (
        store is None
        or environ.get(SWITCH) == "off"
        or environ.get("CI", "false").lower() not in ("", "false")
    ):
        return False
    try:
        if _is_due(_lock_file(store)):
            _start(root, store, environ)
    except OSError:
        return False
    return True


def _lock_file(store: Path) -> Path:
    return store.with_suffix(".indexing")


def _is_due(lock: Path) -> bool:
    """Return True, and record the start, if none was recorded a short time ago."""
    if lock.exists() and time.time() - lock.stat().st_mtime < _PAUSE_S:
        return False
    lock.touch(mode=0o600)
    return True


def _start(root: Path, store: Path, environ: Mapping[str, str]) -> None:
    own = (sys.executable, "-P", "-m", "wardround")  # -P: modules of the current directory are not ours
    subprocess.Popen(
        [*own, "index", "--background", "--repo", os.fspath(root)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=store.parent,
        env={name: value for name, value in environ.items() if not name.startswith("GIT_")},
        start_new_session=True,
    )


@contextmanager
def alone(store: Path | None) -> Iterator[None]:
    """Lower the priority of this process, and hold the lock of a store.

    Raises:
        GraphNotBuilt: another process holds it, or the store has no file.
    """
    if store is None:
        raise GraphNotBuilt("the code graph cannot be stored in the cache folder, so it is not indexed")
    os.nice(_LOWEST_PRIORITY)
    with _lock_file(store).open("ab") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as cause:
            raise GraphNotBuilt("another process indexes this repository already") from cause
        yield
