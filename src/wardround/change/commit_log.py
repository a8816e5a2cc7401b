"""The commits of a range with their messages and changed files, and the tags before a commit.

Settings of the user, such as ``log.showSignature`` or ``i18n.logOutputEncoding``, change nothing here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.change.git_process import GitProcess
from wardround.change.revisions import END

_SETTINGS = ("-c", "log.showRoot=true", "-c", "log.diffMerges=first-parent", "-c", "log.follow=false")
_PLAIN = (
    "--no-show-signature", "--no-notes", "--no-color", "--no-decorate", "--no-mailmap", "--encoding=UTF-8",
    "--topo-order", "--reverse",
)  # fmt: skip
_MESSAGE = "%H%x1f%P%x1f%ct%x1f%m%x1f%B"
_FIELDS = 5
_RAW = ("--format=%H", "-z", "--raw", "--no-renames", "--no-abbrev", "--diff-merges=first-parent")
_TAGS = "%(refname:strip=2)%00%(objectname)%00%(*objectname)"
_EQUIVALENT = "="


class FileChange(msgspec.Struct, frozen=True):
    """A file that a commit changes; an id is empty where the file does not exist."""

    path: str
    old: str
    new: str


class LoggedCommit(msgspec.Struct, frozen=True):
    """A commit of a range.

    Attributes:
        time: of the committer, in seconds since 1970.
        message: as text; bytes that are not UTF-8 are Latin-1.
        files: the changes against the first parent, by path.
        is_in_base: the base has a commit with the same change, such as the origin of a cherry-pick.
    """

    id: str
    parents: tuple[str, ...]
    time: int
    message: str
    files: tuple[FileChange, ...]
    is_in_base: bool = False


class Tag(msgspec.Struct, frozen=True, order=True):
    """A tag and the object it names; of an annotated one, the tagged object."""

    name: str
    commit: str


class CommitLog:
    """Reads the history of a repository."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git

    def between(self, base: str, head: str) -> tuple[LoggedCommit, ...]:
        """Return the commits of the head that the base does not have, parents before their children.

        Args:
            base: the id of a commit, as the head; it need not be an ancestor.
        """
        files = dict(self._files(base, head))
        return tuple(self._commits(base, head, files))

    def ids_between(self, base: str, head: str) -> tuple[str, ...]:
        """Return the ids of those commits."""
        return tuple(self._rows("--format=%H", "-z", END, f"{base}..{head}"))

    def _commits(
        self, base: str, head: str, files: Mapping[str, tuple[FileChange, ...]]
    ) -> Iterator[LoggedCommit]:
        marked = ("--cherry-mark", "--right-only", f"--format={_MESSAGE}", "-z")
        for row in self._rows(*marked, END, f"{base}...{head}"):
            commit, parents, time, mark, message = row.split("\x1f", _FIELDS - 1)
            yield LoggedCommit(
                commit,
                tuple(parents.split()),
                int(time),
                _text(message).strip(),
                files.get(commit, ()),
                mark == _EQUIVALENT,
            )

    def base_messages(self, base: str, head: str) -> tuple[str, ...]:
        """Return the messages of the commits that only the base has."""
        rows = self._rows("--format=%B", "-z", END, f"{head}..{base}")
        return tuple(_text(row).strip() for row in rows)

    def _files(self, base: str, head: str) -> Iterator[tuple[str, tuple[FileChange, ...]]]:
        commit, changes = "", list[FileChange]()
        fields = iter(self._rows(*_RAW, END, f"{base}..{head}"))
        for field in fields:
            if not field.lstrip("\n").startswith(":"):
                yield commit, tuple(sorted(changes, key=_path))
                commit, changes = field.strip("\n"), []
                continue
            _, _, old, new, _ = field.lstrip("\n").split(" ")
            changes.append(FileChange(next(fields), _object(old), _object(new)))
        yield commit, tuple(sorted(changes, key=_path))

    def added_line_commits(self, pattern: str, base: str, head: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the commits, oldest first, that add or remove lines of some files which match a pattern.

        Args:
            pattern: an extended regular expression of git.
        """
        if not paths:
            return ()
        searched = ("--format=%H", "-z", "--no-renames", "--no-merges", f"-G{pattern}")
        return tuple(self._rows(*searched, END, f"{base}..{head}", "--", *paths))

    def tags_before(self, commit: str) -> tuple[Tag, ...]:
        """Return the tags of a commit and its ancestors, by name."""
        out = self._git.output("for-each-ref", f"--format={_TAGS}", f"--merged={commit}", "refs/tags")
        rows = (row.split("\0") for row in out.splitlines())
        return tuple(sorted(Tag(name, tagged or own) for name, own, tagged in rows))

    def nearest_tag(self, commit: str, names: Iterable[str]) -> str:
        """Return the tag, of some tags before a commit, with the fewest commits in between."""
        patterns = [f"--match={_escape_glob(name)}" for name in names]
        if not patterns:
            return ""
        options = ("--tags", "--abbrev=0", *patterns)
        return self._git.output("describe", *options, END, commit, allow=(0, 128)).strip()

    def notes(self, ref: str, base: str, head: str) -> dict[str, str]:
        """Return the notes that commits of the range have under a ref."""
        if not self._git.output("for-each-ref", "--count=1", "--format=%(refname)", ref).strip():
            return {}
        out = self._git.output(
            *_SETTINGS,
            "log",
            "--no-show-signature",
            f"--notes={ref}",
            "--format=%H%x1f%N",
            "-z",
            END,
            f"{base}..{head}",
        )
        rows = (row.strip("\n").partition("\x1f") for row in out.split("\0"))
        return {commit: _text(note).strip() for commit, _, note in rows if note.strip()}

    def time(self, commit: str) -> int:
        """Return the time of a commit, in seconds since 1970."""
        return int(self._rows("-1", "--format=%ct", "-z", END, commit)[0])

    def merge_base(self, commit: str, other: str) -> str:
        """Return a best common ancestor of two commits; empty if they have none."""
        return self._git.output("merge-base", END, commit, other, allow=(0, 1)).strip()

    def _rows(self, *arguments: str) -> list[str]:
        out = self._git.output(*_SETTINGS, "log", *_PLAIN, *arguments)
        return [row for row in out.split("\0") if row]


def _path(change: FileChange) -> str:
    return change.path


def _object(name: str) -> str:
    return name if name.strip("0") else ""


def _text(message: str) -> str:
    """Return a message whose undecodable bytes are Latin-1."""
    if message.isascii():
        return message
    content = os.fsencode(message)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _escape_glob(name: str) -> str:
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in name)
