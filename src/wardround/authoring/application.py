"""The application of an accepted patch: to the work tree through the journal of fixes, or as a commit."""

from __future__ import annotations

from wardround.change.repository import Repository
from wardround.errors import FixRejected
from wardround.fixes import journal
from wardround.fixes.journal import Journal, WorktreeFile


def branch_commit(repository: Repository, base: str, commit: str, subject: str) -> str:
    """Return the id of a commit on HEAD with a patch alone, for a branch.

    Raises:
        FixRejected: a file of the patch has uncommitted changes.
    """
    change = repository.between(base, commit)
    head = repository.commit("HEAD")
    tree = repository.tree(head)
    contents: dict[str, bytes | None] = {}
    for file in change.files:
        if tree.read(file.path) != repository.content(file, commit, base=True):
            raise FixRejected(f"{file.path} has uncommitted changes; commit them, and open the branch again")
        contents[file.path] = repository.content(file, commit)
    return repository.commit_files(head, contents, f"{subject}\n")


def apply_patch(repository: Repository, base: str, commit: str) -> tuple[str, ...]:
    """Write the files of a patch, each only while it has the content at the base. Return their paths.

    Raises:
        FixRejected: a file has changed meanwhile, or cannot be written.
    """
    change = repository.between(base, commit)
    files: list[WorktreeFile] = []
    contents: dict[str, bytes] = {}
    for number, file in enumerate(change.files):
        new = repository.content(file, commit)
        if new is None:
            raise FixRejected(f"{file.path}: the patch removes it; remove it by hand, or use --open-branch")
        old = repository.content(file, commit, base=True)
        name = f"content-{number}"
        contents[name] = new
        files.append(WorktreeFile(file.path, "" if old is None else journal.digest(old), name))
    log = Journal(str(repository.root), str(repository.index_file), (), tuple(files))
    remaining = journal.replay(repository, log, contents)
    if remaining:
        raise FixRejected(f"{', '.join(remaining)}: changed since the run began; apply the patch by hand")
    return tuple(file.path for file in files)
