"""A patch as a commit that no branch has: the form in which it is reviewed, run and compared."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

import msgspec

from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.stages import Patch, PatchedFile
from wardround.change.change_source import decode_text
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.change.trees import Tree

MOST_BYTES = 4 << 20
"""The largest patch, as the sum of its new contents."""
_NOTHING = "/dev/null"
_MESSAGE = "Candidate of wardround solve\n"


class UnusablePatch(Exception):
    """A patch cannot be evaluated; the text is the reason."""


class Candidate(msgspec.Struct, frozen=True):
    """A patch without its edits of files that judge it.

    Attributes:
        commit: id of the commit.
        diff: the unified diff of the patch.
        refused: paths of edits that were left out, because the files judge the patch.
    """

    patch: Patch
    base: str
    commit: str
    diff: str
    refused: tuple[str, ...] = ()

    def change(self, repository: Repository) -> Change:
        """Return the change from the base to the candidate."""
        return repository.between(self.base, self.commit)


def make_candidate(repository: Repository, base: str, patch: Patch, judging_files: JudgingFiles) -> Candidate:
    """Store a patch as a commit; files that judge it remain as they are at the base.

    Raises:
        UnusablePatch: it changes nothing, or is too large.
    """
    tree = repository.tree(base)
    changed = _changed_files(tree, patch)
    refused = tuple(file.path for file in changed if file.path in judging_files)
    files = [file for file in changed if file.path not in judging_files]
    if not files:
        raise UnusablePatch(_emptiness(refused))
    commit = repository.commit_files(base, {file.path: _content(file) for file in files}, _MESSAGE)
    return Candidate(patch, base, commit, unified_diff(tree, files), refused)


def _changed_files(tree: Tree, patch: Patch) -> list[PatchedFile]:
    """Return the files whose content differs from that in a tree.

    Raises:
        UnusablePatch: they are too large.
    """
    if sum(len(file.text or "") for file in patch.files) > MOST_BYTES:
        raise UnusablePatch(f"the patch has more than {MOST_BYTES} characters")
    return [file for file in patch.files if tree.read(file.path) != _content(file)]


def unified_diff(tree: Tree, files: Iterable[PatchedFile]) -> str:
    """Return the patch of some files in the form of git, without object ids."""
    return "".join(line for file in files for line in _diff_lines(tree, file))


def _diff_lines(tree: Tree, file: PatchedFile) -> Iterator[str]:
    content = tree.read(file.path)
    before = "" if content is None else decode_text(content) or ""
    old, new = f"a/{file.path}", f"b/{file.path}"
    yield f"diff --git {old} {new}\n"
    if content is None:
        yield "new file mode 100644\n"
    if file.text is None:
        yield "deleted file mode 100644\n"
    origin = _NOTHING if content is None else old
    target = _NOTHING if file.text is None else new
    for line in difflib.unified_diff(_lines(before), _lines(file.text or ""), origin, target):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Return the lines as git has them: other line separators of Unicode end none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _content(file: PatchedFile) -> bytes | None:
    if file.text is None:
        return None
    return file.text.encode("utf-8", "surrogateescape")


def _emptiness(refused: tuple[str, ...]) -> str:
    if refused:
        return f"the patch changes only files that judge it: {', '.join(refused)}"
    return "the patch changes nothing"
