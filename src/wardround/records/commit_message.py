"""The trailer of a commit message that names a record, edited by ``git interpret-trailers``.

Comments and the part below the scissors line of ``git commit --verbose`` are no part of a message.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from wardround.change.commit_text import CommitText
from wardround.lazy import LazyPattern

KEY = "Wardround-Record"
NOTES = "refs/notes/wardround"
_VALUE = LazyPattern(r"sha256:[0-9a-f]{64}")
_SCISSORS = LazyPattern(r"(?m)^\S+ -{24} >8 -{24}$")


class CommitMessage:
    """The file of a message that git is about to commit."""

    def __init__(self, git: CommitText, file: Path) -> None:
        self._git = git
        self._file = file

    def records(self) -> list[str]:
        """Return the digests of the records that its trailers name, in order."""
        return records_of(self._git.trailers(self._file))

    def is_empty(self) -> bool:
        """Return True if the message has no text, so that git stops the commit."""
        text = self._file.read_bytes().decode("utf-8", "surrogateescape")
        cut = _SCISSORS.search(text)
        return not self._git.without_comments(text[: cut.start()] if cut else text).strip()

    def remove(self, digests: Collection[str]) -> None:
        """Remove the trailers that name these records."""
        lines = self._file.read_bytes().splitlines(keepends=True)
        removed = {f"{KEY}: sha256:{digest}".lower().encode() for digest in digests}
        rest = [line for line in lines if line.strip().lower() not in removed]
        self._file.write_bytes(b"".join(rest))

    def add(self, digest: str) -> None:
        """Add a trailer that names a record."""
        content = self._file.read_bytes()
        if not content.endswith(b"\n"):  # git would not begin a paragraph for the trailer
            self._file.write_bytes(content + b"\n")
        self._git.add_trailer(self._file, f"{KEY}: sha256:{digest}")


def records_of(trailers: str) -> list[str]:
    """Return the digests of the records that lines of trailers name, in order."""
    return [digest for value in values_of(trailers) if (digest := digest_in(value))]


def values_of(trailers: str) -> list[str]:
    """Return the values of trailer lines that name records, in order, including invalid digests."""
    pairs = (line.partition(":") for line in trailers.splitlines())
    return [value.strip() for key, _, value in pairs if key.strip().lower() == KEY.lower()]


def digest_in(value: str) -> str:
    """Return the digest in the value of a trailer; empty if it is not that of a record."""
    return value.removeprefix("sha256:") if _VALUE.fullmatch(value) else ""
