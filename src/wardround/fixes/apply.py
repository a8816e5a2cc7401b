"""Applying the safe fixes of a review to the index and the work tree, separately.

The fix is computed from the staged text. The index gets exactly that; the work-tree file gets it merged with
the unstaged changes, and if both change the same lines all fixes of the file are rejected.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Callable, Iterable

import msgspec

from wardround.change.repository import INDEX, Repository
from wardround.findings import Edit, Finding, SuggestedFix
from wardround.fixes import journal
from wardround.fixes.edits import apply
from wardround.fixes.journal import IndexEntry, Journal, WorktreeFile
from wardround.review_result import ReviewResult

_CONTEXT = 3
"""Unchanged lines around each change of the patch; none if one of them could be a secret."""


class FixResult(msgspec.Struct, frozen=True):
    """The result of applying fixes: findings by file, the patch, and the rejected fixes with reasons."""

    findings: int
    files: tuple[str, ...]
    patch: str | None
    refused: tuple[str, ...]


class _NewText(msgspec.Struct, frozen=True):
    path: str
    old: str
    new: str
    findings: int
    holds_secret: bool = False


def fix(
    repository: Repository, review: ReviewResult, breakage: Callable[[str, str, str], str | None]
) -> FixResult:
    """Apply every safe fix of a review of the staged change or of the work tree.

    Args:
        breakage: (path, text before, text after) -> why a fix breaks the file; None if it does not.

    Raises:
        FixRejected: the state folder cannot be written; nothing was changed.
    """
    refused: list[str] = []
    texts = list(_new_texts(review, breakage, refused))
    index: list[IndexEntry] = []
    worktree: list[WorktreeFile] = []
    contents: dict[str, bytes] = {}
    done: list[_NewText] = []
    for text in texts:
        planned = _plan(repository, review, text, refused)
        if planned is None:
            continue
        entry, content = planned
        if entry is not None:
            index.append(entry)
        if content is not None:
            name = f"content-{len(contents)}"
            contents[name] = content[1]
            worktree.append(WorktreeFile(text.path, content[0], name))
        done.append(text)
    if not done:
        return FixResult(0, (), None, tuple(refused))
    contents["last-fix.patch"] = _patch(done).encode("utf-8", "surrogateescape")
    log = Journal(str(repository.root), str(repository.index_file), tuple(index), tuple(worktree))
    left = journal.replay(repository, log, contents)
    refused += [f"{path}: it changed while the fix was applied" for path in left]
    files = tuple(text.path for text in done if text.path not in left)
    count = sum(text.findings for text in done if text.path not in left)
    return FixResult(count, files, str(journal.folder_of(repository) / "last-fix.patch"), tuple(refused))


def _new_texts(
    review: ReviewResult, breakage: Callable[[str, str, str], str | None], refused: list[str]
) -> Iterable[_NewText]:
    """Return the texts with all compatible fixes; overlapping edits wait for the next run."""
    by_file: dict[str, list[tuple[Finding, SuggestedFix]]] = defaultdict(list)
    for finding in review.visible:
        fix = finding.suggested_fix
        if fix is not None and fix.safe and finding.status in review.counted:
            by_file[finding.file].append((finding, fix))
    for path, fixes in sorted(by_file.items()):
        old = review.text_of(path)
        if old is None:
            continue
        edits: list[Edit] = []
        used = 0
        for _, fix in fixes:
            try:
                apply(old, [*edits, *fix.edits])
            except ValueError:
                continue
            edits += fix.edits
            used += 1
        new = apply(old, edits)
        trouble = breakage(path, old, new)
        if trouble is not None:
            refused.append(f"{path}: the fixed file would not parse ({trouble})")
        elif new != old:
            masked = any(f.masked for f in review.findings if f.file == path)
            yield _NewText(path, old, new, used, masked)


def _plan(
    repository: Repository, review: ReviewResult, text: _NewText, refused: list[str]
) -> tuple[IndexEntry | None, tuple[str, bytes] | None] | None:
    """Return the new content of one file: in the index, and in the work tree; None if it is rejected."""
    old, new = text.old.encode(), text.new.encode()
    file = repository.root / text.path
    present = file.read_bytes() if file.is_file() and not file.is_symlink() else None
    if review.change.head != INDEX:
        if present != old:
            refused.append(
                f"{text.path}: it starts with a byte order mark, or changed meanwhile; fix it by hand"
            )
            return None
        return None, (journal.digest(old), new)
    changed = review.change.file(text.path)
    assert changed is not None
    assert changed.head_blob is not None
    if repository.blobs.get(changed.head_blob) != old:
        refused.append(f"{text.path}: it starts with a byte order mark; fix it by hand")
        return None
    entry = IndexEntry(text.path, changed.mode, changed.head_blob, repository.write_blob(new))
    if present is None:
        return entry, None
    merged = repository.merge_file(text.path, present, entry.old, entry.new)
    if merged is None:
        refused.append(f"{text.path}: unstaged edits touch the same lines; stage or stash them")
        return None
    return entry, (journal.digest(present), merged)


def _patch(texts: Iterable[_NewText]) -> str:
    lines: list[str] = []
    for text in texts:
        lines += difflib.unified_diff(
            text.old.splitlines(keepends=True), text.new.splitlines(keepends=True),
            f"a/{text.path}", f"b/{text.path}", n=0 if text.holds_secret else _CONTEXT,
        )  # fmt: skip
    return "".join(lines)
