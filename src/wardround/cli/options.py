"""The change that a command reviews, and the reports it writes.

Separate from the commands, which ``wardround --help`` imports without needing any of this.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from wardround.errors import UsageError


class ChangeSpec(msgspec.Struct, frozen=True):
    """The change to review, named in exactly one way.

    ``since_root`` takes all of ``head``, its whole history, in place of what came since ``base``;
    ``named_by`` is where the two are from, for messages.
    """

    staged: bool = False
    worktree: bool = False
    base: str | None = None
    head: str | None = None
    diff_file: str | None = None
    repo: Path | None = None
    since_root: bool = False
    named_by: tuple[str, str] = ("--base", "--head")


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


class ReportSpec(msgspec.Struct, frozen=True):
    """A requested report: its format, and a file or standard output."""

    format: str
    path: Path | None

    @classmethod
    def parse(cls, text: str) -> ReportSpec:
        from wardround.reports import FORMATS

        name, _, path = text.partition("=")
        if name not in FORMATS:
            raise UsageError(f"--format {name}: unknown format; choose from {', '.join(FORMATS)}")
        return cls(name, Path(path) if path else None)
