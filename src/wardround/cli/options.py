"""The change that a command reviews, and the reports it writes.

Separate from the commands, which ``wardround --help`` imports without needing any of this.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from wardround.errors import UsageError


class ChangeSpec(msgspec.Struct, frozen=True):
    """The change to review, named in exactly one way.

    ``since_root`` selects the complete history of ``head`` instead of the commits since ``base``;
    ``named_by`` is their origin, for messages. ``all_files`` takes the tracked files at ``paths``, or all of
    them; ``or_all_files`` does so if the change that is named has no files.
    """

    staged: bool = False
    worktree: bool = False
    base: str | None = None
    head: str | None = None
    diff_file: str | None = None
    repo: Path | None = None
    since_root: bool = False
    named_by: tuple[str, str] = ("--base", "--head")
    all_files: bool = False
    paths: tuple[str, ...] = ()
    or_all_files: bool = False

    @property
    def is_uncommitted(self) -> bool:
        """True if the files come from the index or the working tree, where fixes can be applied."""
        return self.staged or self.worktree or self.all_files


class PushedRef(msgspec.Struct, frozen=True):
    """One line of a pre-push hook's standard input."""

    local: str
    remote: str

    @classmethod
    def parse(cls, line: str) -> PushedRef | None:
        """Parse a line; an empty one names no ref.

        Raises:
            UsageError: git does not write such a line.
        """
        from wardround.change.revisions import is_object_id

        if not line.strip():
            return None
        fields = line.rstrip("\r").split(" ")  # a ref may hold any other space there is
        if len(fields) != 4 or not (is_object_id(fields[1]) and is_object_id(fields[3])):
            raise UsageError(
                f"standard input: {line!r} is not a line of git's pre-push hook, which has two object ids"
            )
        return cls(fields[1], fields[3])


Colour = Literal["auto", "always", "never"]


class ReportSpec(msgspec.Struct, frozen=True):
    """A requested report: its format, a file or standard output, and the colours on standard output."""

    format: str
    path: Path | None
    colour: Colour = "auto"

    @property
    def is_read_at_once(self) -> bool:
        """True if it is printed for people, with a closing line."""
        return self.path is None and self.format in ("text", "github")

    @classmethod
    def parse(cls, text: str, colour: Colour = "auto") -> ReportSpec:
        from wardround.reports import formats, is_format

        name, _, path = text.partition("=")
        if not is_format(name):
            raise UsageError(f"--format {name}: unknown format; choose from {', '.join(formats())}")
        return cls(name, Path(path) if path else None, colour)


class RecordSpec(msgspec.Struct, frozen=True):
    """The requested record.

    Attributes:
        file: where to write it; None writes no file.
        sink: receives its bytes, instead of a file.
        sign_with: ``file:PATH``, ``env:VARIABLE``, a private key URI of securesystemslib, or a path; empty
            for the user's own key, if there is one.
        public_key: file with the public key, for a key that cannot be read.
        passphrase_env: environment variable with the passphrase or PIN.
        store: the requested store, a file or a URL; empty for that of the environment or the local one, in
            which only the profiles named by the configuration are recorded.
        accept: an earlier record to accept instead of a review: a file, ``store`` for a record of the store,
            or empty for the configured source, None to accept none.
        for_commit: the review is that of a git hook, so that the commit may name the record.
    """

    file: Path | None = None
    sink: Callable[[bytes], None] | None = None
    sign_with: str = ""
    public_key: str = ""
    passphrase_env: str = ""
    store: str = ""
    for_commit: bool = False
    accept: str | None = ""


class TicketSpec(msgspec.Struct, frozen=True):
    """The requested ticket.

    Attributes:
        reference: a key, an address, a file, ``auto``, or empty for none.
        offline: only a file may be read.
        branch, title, body: of the change request, in which ``auto`` searches.
    """

    reference: str = ""
    offline: bool = False
    branch: str = ""
    title: str = ""
    body: str = ""
