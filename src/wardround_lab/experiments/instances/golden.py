"""The golden instances: small repositories by hand, with a fix and a wrong patch, as files of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from wardround.authoring.candidate import unified_diff
from wardround.authoring.instance import Instance
from wardround.authoring.stages import PatchedFile
from wardround.change.git_process import GitProcess
from wardround.change.repository import Repository
from wardround.errors import UsageError
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.tested_base import commit_with_tests

_DESCRIPTION = "instance.json"
_BASE, _FIX, _TESTS, _WRONG = "base", "fix", "tests", "wrong"
_TIME = 1_700_000_000
"""The time of every commit, so that ids are the same on every machine."""
_AUTHOR = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "golden"), ("EMAIL", ""), ("DATE", f"{_TIME} +0000"))
}


class Fault(StrEnum):
    """The kinds of fault."""

    BOUNDARY = "boundary"
    CONDITION = "condition"
    GUARD = "guard"
    SHARED_STATE = "shared-state"
    SWALLOWED_ERROR = "swallowed-error"


class _Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fault: Fault
    language: str
    text: str
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]


class GoldenInstance(msgspec.Struct, frozen=True):
    """An instance as its folder has it; the contents of files are by path.

    Attributes:
        base: the files with the fault and its earlier tests.
        fix: the files of the answer.
        tests: the test files that judge patches.
        wrong: the files of a patch that the tests must reject.
    """

    name: str
    description: _Description
    base: Mapping[str, bytes]
    fix: Mapping[str, bytes]
    tests: Mapping[str, bytes]
    wrong: Mapping[str, bytes]


class GoldenRepository(msgspec.Struct, frozen=True):
    """A golden instance in a repository.

    Attributes:
        wrong: id of a commit that no branch has: the base with the wrong patch.
    """

    mined: MinedInstance
    wrong: str


def read_golden(folder: Path) -> list[GoldenInstance]:
    """Read all golden instances in a folder, by name.

    Raises:
        UsageError: there is none, or a file is missing or malformed.
    """
    names = sorted(path.parent.name for path in folder.glob(f"*/{_DESCRIPTION}"))
    if not names:
        raise UsageError(f"{folder}: no folder in it has a file {_DESCRIPTION}; name the golden instances")
    return [_read_instance(folder / name) for name in names]


def _read_instance(folder: Path) -> GoldenInstance:
    file = folder / _DESCRIPTION
    try:
        description = msgspec.json.decode(file.read_bytes(), type=_Description)
        parts = {part: dict(_files(folder / part)) for part in (_BASE, _FIX, _TESTS, _WRONG)}
    except (OSError, msgspec.MsgspecError) as cause:
        raise UsageError(f"{file}: it does not describe a golden instance ({cause}); correct it") from cause
    empty = [part for part, files in parts.items() if not files]
    if empty:
        raise UsageError(f"{folder}: it has no files in {', '.join(empty)}; add them")
    return GoldenInstance(folder.name, description, **parts)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def make_repository(golden: GoldenInstance, folder: Path) -> GoldenRepository:
    """Make a repository with two commits in a new folder: the fault, and its fix with tests.

    Raises:
        GitError: git is missing, or the folder has a repository with other commits.
    """
    folder.mkdir(parents=True)
    git = GitProcess(folder, {**os.environ, **_AUTHOR})
    git.output("init", "--quiet", "--initial-branch=main")
    parent = _commit(git, golden.base, golden.name)
    commit = _commit(git, {**golden.fix, **golden.tests}, golden.description.text)
    with Repository(folder) as repository:
        mined = _mined_instance(golden, repository, parent, commit)
        return GoldenRepository(mined, repository.commit_files(mined.base, golden.wrong, "A wrong patch\n"))


def _commit(git: GitProcess, files: Mapping[str, bytes], message: str) -> str:
    for path, content in files.items():
        file = git.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    git.output("add", "--all")
    git.output("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", message)
    return git.output("rev-parse", "HEAD").strip()


def _mined_instance(
    golden: GoldenInstance, repository: Repository, parent: str, commit: str
) -> MinedInstance:
    description, tests = golden.description, tuple(golden.tests)
    base = commit_with_tests(repository, parent, commit, tests)
    files = [PatchedFile(path, content.decode()) for path, content in golden.fix.items()]
    return MinedInstance(
        id=Instance(base, description.text, description.fail_to_pass).id,
        repository=f"golden/{golden.name}",
        commit=commit,
        parent=parent,
        base=base,
        date=datetime.fromtimestamp(_TIME, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        text=description.text,
        gold=unified_diff(repository.tree(parent), files),
        tests=tests,
        fail_to_pass=description.fail_to_pass,
        pass_to_pass=description.pass_to_pass,
        environment="the environment of wardround" if description.language == "python" else "Node.js",
    )
