"""The answer of an instance as the rewards need it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from wardround.authoring.stages import PatchedFile
from wardround.change.change_source import decode_text
from wardround.change.diff import ChangedFile
from wardround.change.repository import Repository
from wardround.change.trees import Tree
from wardround_lab.experiments.instances.answer_files import is_answer_file
from wardround_lab.experiments.instances.model import MinedInstance


class Gold(msgspec.Struct, frozen=True):
    """The answer of an instance.

    Attributes:
        lines: path -> the lines of the parent that the answer changes; of an insertion the line before it.
        files: the contents with the answer, without tests and documentation.
        new_lines: path -> the lines that the answer adds or changes, as its files have them.
    """

    lines: Mapping[str, frozenset[int]]
    files: tuple[PatchedFile, ...]
    new_lines: Mapping[str, frozenset[int]] = {}


def gold_of(repository: Repository, instance: MinedInstance) -> Gold:
    """Return the answer of an instance.

    Raises:
        GitError: the repository lacks one of its commits.
    """
    changed = list(_answer_files(repository, instance))
    tree = repository.tree(instance.commit)
    lines = {file.path: changed_lines(file) for file in changed}
    return Gold(
        {path: numbers for path, numbers in lines.items() if numbers},
        tuple(_patched_file(tree, file.path) for file in sorted(changed, key=lambda file: file.path)),
        {file.path: new_lines(file) for file in changed},
    )


def _answer_files(repository: Repository, instance: MinedInstance) -> Iterator[ChangedFile]:
    tests = set(instance.tests)
    for file in repository.range(instance.parent, instance.commit).files:
        if file.path not in tests and file.is_regular and is_answer_file(file.path):
            yield file


def _patched_file(tree: Tree, path: str) -> PatchedFile:
    content = tree.read(path)
    return PatchedFile(path, None if content is None else decode_text(content))


def changed_lines(file: ChangedFile) -> frozenset[int]:
    """Return the changed lines at the parent; of an insertion the line before it."""
    lines: set[int] = set()
    for hunk in file.hunks:
        first = max(hunk.base_start, 1)
        lines.update(range(first, first + max(hunk.base_length, 1)))
    return frozenset(lines)


def new_lines(file: ChangedFile) -> frozenset[int]:
    """Return the lines that a change adds to a file, as the file has them after it."""
    lines: set[int] = set()
    for hunk in file.hunks:
        lines.update(range(hunk.head_start, hunk.head_start + hunk.head_length))
    return frozenset(lines)
