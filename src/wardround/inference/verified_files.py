"""Reading the files of a model: plain files of the stated size and digest, and nothing else."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wardround.errors import ModelError
from wardround.inference.metadata import WEIGHTS_ENDING, File

LARGEST_BYTES = 4 * 1024**3
"""The limit on the size of a model file, regardless of its metadata."""
LARGEST_WEIGHTS = 64 * 1024**3
"""The same for weights in a file of their own, which are never read into memory at once."""


def read_verified(folder: Path, file: File) -> bytes:
    """Return the bytes of a model's file.

    Raises:
        ModelError: it is missing, not a plain file, or differs from the metadata.
    """
    with _open_file(folder, file) as number:
        parts = []
        left = file.bytes
        while left and (part := os.read(number, left)):
            parts.append(part)
            left -= len(part)
    content = b"".join(parts)
    _require_digest(folder, file, content)
    return content


def mmap_verified(folder: Path, file: File) -> mmap.mmap:
    """Return the same as a read-only memory map: pages that processes share, read when they are used.

    Raises:
        ModelError: as for ``verified``; or it is empty.
    """
    if not file.bytes:
        raise ModelError(f"{folder / file.name} is empty; install the model again")
    with _open_file(folder, file) as number:
        content = mmap.mmap(number, file.bytes, access=mmap.ACCESS_READ)
    _require_digest(folder, file, content)
    return content


def require_unchanged(folder: Path, file: File) -> None:
    """Verify the bytes of a model's file, of any size, without keeping them in memory.

    Raises:
        ModelError: as for ``read_verified``; or it is empty.
    """
    mmap_verified(folder, file).close()


def require_present(folder: Path, file: File) -> None:
    """Verify that a file exists, is plain, and has the stated size, without reading it.

    Raises:
        ModelError: it does not.
    """
    with _open_file(folder, file):
        pass


@contextmanager
def _open_file(folder: Path, file: File) -> Iterator[int]:
    """Return a descriptor of a plain file of the stated size; links are not followed."""
    path = folder / file.name
    if file.bytes > (LARGEST_WEIGHTS if file.name.endswith(WEIGHTS_ENDING) else LARGEST_BYTES):
        raise ModelError(f"{path}: {file.bytes} bytes exceed the limit for models; use a smaller one")
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as cause:
        raise ModelError(f"{path}: {_describe_cause(path, cause)}; install the model again") from cause
    try:
        state = os.fstat(number)
        if not stat.S_ISREG(state.st_mode):
            raise ModelError(f"{path} is not a plain file; install the model again")
        if state.st_size != file.bytes:
            raise ModelError(
                f"{path} has {state.st_size} bytes, its metadata says {file.bytes}; install the model again"
            )
        yield number
    finally:
        os.close(number)


def _describe_cause(path: Path, cause: OSError) -> str:
    return "it is a symbolic link" if path.is_symlink() else cause.strerror or str(cause)


def _require_digest(folder: Path, file: File, content: bytes | mmap.mmap) -> None:
    import hashlib  # it loads OpenSSL, which is faster for a whole model and takes 2 ms

    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise ModelError(
            f"{folder / file.name} is not the file its metadata describes (SHA-256 {found[:12]}, expected "
            f"{file.sha256[:12]}); install the model again"
        )
