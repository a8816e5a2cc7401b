"""Read objects of a repository by id with long-lived git processes that survive missing objects."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from typing import IO

from wardround.change.git_process import GitProcess
from wardround.change.trees import Blobs


class GitObjects:
    """Contents of blobs from two ``git cat-file`` processes: one returns sizes, one contents."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._blobs: Blobs | None = None
        self._sizes: subprocess.Popen[bytes] | None = None

    def size(self, blob: str) -> int | None:
        """Return the size of a blob in bytes; None if it is missing or not a blob."""
        if "\n" in blob:
            return None
        stdin, stdout = self._open_processes()
        try:
            stdin.write(blob.encode() + b"\n")
            stdin.flush()
            answer = stdout.readline().split()
        except OSError:
            answer = []
        if not answer:
            self._end_sizes()  # git gives up over an object that a partial clone lacks
            return None
        return int(answer[2]) if len(answer) == 3 and answer[1] == b"blob" else None

    def content(self, blob: str) -> bytes | None:
        """Return the bytes of a blob of any size; None if it is missing or not a blob."""
        if self._blobs is None:
            self._blobs = Blobs(self._git)
        return self._blobs.get(blob)

    def close(self) -> None:
        """Stop the processes; a later read starts them again."""
        blobs, self._blobs = self._blobs, None
        if blobs is not None:
            blobs.close()
        self._end_sizes()

    def _open_processes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._sizes is None:
            self._sizes = subprocess.Popen(
                self._git.argv("cat-file", "--batch-check"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._git.env,
                cwd=self._git.folder,
                start_new_session=True,
            )
        assert self._sizes.stdin is not None
        assert self._sizes.stdout is not None
        return self._sizes.stdin, self._sizes.stdout

    def _end_sizes(self) -> None:
        process, self._sizes = self._sizes, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with suppress(OSError, AttributeError):
                    stream.close()  # type: ignore[union-attr]
            process.wait()
