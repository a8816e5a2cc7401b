"""Attacks: settings of a repository that name programs, each of which git starts for some command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wardround.change.repository import INDEX, WORKTREE, Repository

if TYPE_CHECKING:
    from tests.conftest import GitRepository

BEFORE, AFTER = "def f(x):\n    return x\n", "def f(x=[]):\n    return x\n"
_PROGRAM_KEYS = (
    "filter.x.clean", "filter.x.smudge", "filter.x.process", "filter.a=b.clean", "filter.a=b.smudge",
    "filter.a=b.process", "diff.x.command", "diff.x.textconv", "diff.external", "merge.x.driver",
    "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
    "core.alternateRefsCommand", "credential.helper", "gpg.program", "pager.diff", "pager.log", "pager.grep",
    "interactive.diffFilter", "sequence.editor", "trailer.x.command", "trailer.y.cmd",
)  # fmt: skip
_SWITCHES = {
    "filter.x.required": "true", "filter.a=b.required": "true", "log.showSignature": "true",
    "diff.renames": "true", "trailer.y.key": "Wardround-Record",
}  # fmt: skip
_ATTRIBUTES = "*.py filter=x diff=x merge=x\n*.txt filter=a=b diff=x\n"


@pytest.fixture
def hostile(repo: GitRepository, tmp_path: Path) -> tuple[GitRepository, Callable[[], str]]:
    """A repository whose settings name a program everywhere, and a function that reports how it was
    started.
    """
    started, program = tmp_path / "started", tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >>{started}\ncat\n')
    program.chmod(0o755)
    library = _submodule(repo, tmp_path / "library", program)
    repo.commit({".gitattributes": _ATTRIBUTES, "a.py": BEFORE, "b.txt": "one\n"})
    for key in _PROGRAM_KEYS:
        repo.git("config", key, f"{program} {key}")
    for key, value in _SWITCHES.items():
        repo.git("config", key, value)
    hooks = tmp_path / "git-hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-index-change", "pre-commit", "post-checkout"):
        (hooks / name).symlink_to(program)
    repo.git("config", "core.hooksPath", hooks)
    repo.write("a.py", AFTER)
    repo.write("b.txt", "two\n")
    repo.write(f"{library}/c.py", AFTER)
    started.unlink(missing_ok=True)
    return repo, lambda: started.read_text() if started.exists() else ""


def _submodule(repo: GitRepository, source: Path, program: Path) -> str:
    """Add a submodule whose own settings name the program, and return its path."""
    source.mkdir()
    library = type(repo)(source)
    library.git("init", "--quiet")
    library.commit({"c.py": BEFORE, ".gitattributes": "* filter=x\n"})
    repo.git("submodule", "--quiet", "add", source, "library")
    own = type(repo)(repo.root / "library")
    for key in ("filter.x.clean", "filter.x.process", "core.fsmonitor"):
        own.git("config", key, f"{program} submodule {key}")
    return "library"


def _stage(repo: GitRepository, **files: str) -> None:
    """Put content into the index without git's own filters."""
    with Repository(repo.root) as repository:
        entries = [(f"{name}.py", repository.write_blob(text.encode())) for name, text in files.items()]
        repository.update_index(("100644", blob, path) for path, blob in entries)


def test_a_change_of_the_work_tree_is_read_by_its_bytes(
    hostile: tuple[GitRepository, Callable[[], str]],
) -> None:
    repo, started = hostile
    with Repository(repo.root) as repository:
        change = repository.worktree()
        read = {file.path: repository.content(file, WORKTREE) for file in change.files}

    assert {path: read[path] for path in ("a.py", "b.txt")} == {"a.py": AFTER.encode(), "b.txt": b"two\n"}
    assert [len(file.hunks) for file in change.files if file.path in ("a.py", "b.txt")] == [1, 1]
    assert started() == ""


def test_the_index_is_compared_with_files_by_their_bytes(
    hostile: tuple[GitRepository, Callable[[], str]],
) -> None:
    repo, started = hostile
    with Repository(repo.root) as repository:
        staged = repository.staged_change()

        assert staged.files == ()
        assert repository.differs_from_worktree(INDEX) >= {"a.py", "b.txt"}
        assert repository.differs_from_worktree(repository.head() or "") >= {"a.py", "b.txt"}
        assert repository.files_with_word(INDEX, ["x"], ["*.py"]) == ["a.py"]
        repository.author(repository.head() or "")
        repository.messages(repository.empty_tree, "HEAD")
    assert started() == ""


def test_a_fix_is_merged_into_a_file_without_filters(
    hostile: tuple[GitRepository, Callable[[], str]],
) -> None:
    repo, started = hostile
    with Repository(repo.root) as repository:
        old, new = (repository.write_blob(text.encode()) for text in (AFTER, BEFORE))

        assert repository.merge_file("a.py", AFTER.encode(), old, new) == BEFORE.encode()
    assert started() == ""


def test_a_trailer_is_added_without_the_commands_of_others(
    hostile: tuple[GitRepository, Callable[[], str]], tmp_path: Path
) -> None:
    repo, started = hostile
    repo.git("config", "core.commentChar", ";")
    message = tmp_path / "message"
    message.write_text("Subject\n\n; a comment\n")
    with Repository(repo.root) as repository:
        text = repository.commit_text
        text.add_trailer(message, "Wardround-Record: sha256:00")
        trailers = text.trailers(message)
        text.append_note("wardround", repository.head() or "", "a note")

        assert text.note("wardround", repository.head() or "") == "a note\n"
    assert trailers == "Wardround-Record: sha256:00\n"
    assert message.read_text() == "Subject\n\nWardround-Record: sha256:00\n\n; a comment\n"
    assert started() == ""


@pytest.mark.parametrize(
    "command",
    [
        ("review", "--worktree"),
        ("review", "--staged", "--fix"),
        ("hook",),
        ("related", "--neighbours", "--staged"),
        ("test", "--staged"),
        ("behaviour", "--staged"),
    ],
    ids=" ".join,
)
def test_no_command_starts_a_program_that_the_repository_names(
    hostile: tuple[GitRepository, Callable[[], str]], command: tuple[str, ...]
) -> None:
    repo, started = hostile
    _stage(repo, a=AFTER)

    done = repo.wardround(*command)

    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2, 4), done.stderr
    assert started() == ""
