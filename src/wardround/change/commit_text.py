"""Git's own editing of commit messages, trailers and notes."""

from __future__ import annotations

import os
from copy import copy
from pathlib import Path

from wardround.change.git_process import GitProcess
from wardround.change.git_programs import TEXT_SETTINGS, with_settings_only
from wardround.change.revisions import END

_TRAILERS = ("interpret-trailers", "--no-divider")
_EMPTY_STATUS = (0, 1)


class CommitText:
    """Reads and edits messages that are about to be committed, and the notes of commits."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git

    def trailers(self, file: Path) -> str:
        """Return the trailers of a message, one a line."""
        return self._git.output(*_TRAILERS, "--parse", os.fspath(file))

    def trailers_of(self, commit: str) -> str:
        """Return the trailers of a commit, one a line."""
        form = "--format=%(trailers:only,unfold)"
        return self._git.output("log", "-1", "--no-show-signature", form, END, commit, "--")

    def add_trailer(self, file: Path, trailer: str) -> None:
        """Add a trailer to a message file; the configured commands of other trailers do not run."""
        options = ("--in-place", "--where=end", "--if-exists=addIfDifferent", "--if-missing=add")
        git = copy(self._git)
        git.env = with_settings_only(git.env, git.settings(TEXT_SETTINGS))
        git.output(*_TRAILERS, *options, "--trailer", trailer, os.path.abspath(file))

    def without_comments(self, text: str) -> str:
        """Return the text of a message without its comments."""
        content = text.encode("utf-8", "surrogateescape")
        return self._git.output("stripspace", "--strip-comments", stdin=content)

    def note(self, ref: str, commit: str) -> str:
        """Return the note of a commit; empty if there is none."""
        return self._git.output("notes", f"--ref={ref}", "show", commit, allow=_EMPTY_STATUS)

    def append_note(self, ref: str, commit: str, text: str) -> None:
        """Append a paragraph to the note of a commit."""
        self._git.output("notes", f"--ref={ref}", "append", "-m", text, commit)

    def authorship(self, commit: str) -> tuple[str, str, str]:
        """Return name, address and time of the author of a commit, as git gives them to git hooks."""
        form = "--format=%an%x00%ae%x00@%ad"
        options = ("log", "-1", "--no-show-signature", "--date=raw", form, "--end-of-options")
        name, address, time = self._git.output(*options, commit, "--").rstrip("\n").split("\0")
        return name, address, time
