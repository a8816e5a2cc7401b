"""The evidence about each changed file: its role, its reviewers, its size, and the tests of the change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from wardround.assignment.work_units import ClaimedFile
from wardround.change.diff import ChangedFile
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.symbol_moves import SymbolMove
from wardround.execution.review_run import RawReview
from wardround.planes.evidence import FileEvidence, FileRole
from wardround.planes.file_roles import role_of
from wardround.planes.tested import AddedText, asserts_any_word, names_of_sources, read_added
from wardround.processors.model import ChangeTexts


def file_evidence(
    results: RawReview, claimed: Sequence[ClaimedFile], texts: ChangeTexts, moves: Sequence[SymbolMove]
) -> tuple[FileEvidence, ...]:
    """Return the evidence of all changed files, sorted by path.

    Args:
        results: results of tools and checks.
        claimed: the files with the specialists that claim them by name or content. A change-level check that
            reports a file does not become its reviewer: a finding about a missing test does not make the file
            a test.
        texts: the changed files.
        moves: the moved symbols, by their paths at the head.
    """
    files = sorted(results.change.files, key=lambda file: file.path)
    roles = _roles(files, claimed, texts)
    added = {file.file.path: read_added(file, texts.head) for file in claimed}
    tests = _tests(roles, added)
    reviewers = _reviewers(results)
    moved = _moved_lines(moves)
    return tuple(
        FileEvidence(
            escape_undecodable(file.path),
            roles[file.path],
            _names(added.get(file.path)),
            tuple(sorted(reviewers.get(file.path, ()))),
            added_lines=added[file.path].count if file.path in added else file.added_lines,
            moved_lines=sum(map(file.is_added_line, moved.get(file.path, ()))),
            removed_lines=sum(hunk.base_length for hunk in file.hunks),
            tests_change=file.path in tests,
        )
        for file in files
    )


def _names(added: AddedText | None) -> tuple[str, ...]:
    """Return the names of the specialists of a file."""
    return () if added is None else tuple(sorted(specialist.name for specialist in added.claimed.specialists))


def _roles(
    files: Sequence[ChangedFile], claimed: Sequence[ClaimedFile], texts: ChangeTexts
) -> dict[str, FileRole]:
    names = {file.file.path: {specialist.name for specialist in file.specialists} for file in claimed}
    return {file.path: role_of(file, names.get(file.path, ()), texts.head_bytes) for file in files}


def _moved_lines(moves: Sequence[SymbolMove]) -> dict[str, set[int]]:
    """Path -> the lines at the head that a moved symbol had before."""
    moved: dict[str, set[int]] = defaultdict(set)
    for move in moves:
        moved[move.path] |= set(move.moved_lines)
    return moved


def _tests(roles: Mapping[str, FileRole], added: Mapping[str, AddedText]) -> Collection[str]:
    """Return the paths of the test files that test changed source."""
    words = names_of_sources([lines for path, lines in added.items() if roles[path] is FileRole.SOURCE])
    tests = [path for path, role in roles.items() if role is FileRole.TEST and path in added]
    return {path for path in tests if asserts_any_word(added[path], words)} if words else ()


def _reviewers(results: RawReview) -> dict[str, set[str]]:
    reviewers: dict[str, set[str]] = defaultdict(set)
    for reviewer, path in results.head.by_file:
        reviewers[path].add(reviewer.name)
    return reviewers
