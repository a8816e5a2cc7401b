"""The results of ``wardround related``, and their output formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from wardround import __version__
from wardround.change.encoding import escape_undecodable
from wardround.retrieval.file_search import FileMatch, FunctionMatch
from wardround.retrieval.hunk_search import Evidence
from wardround.retrieval.test_selection import TestMatch
from wardround.text.escaping import json_text, one_line

SCHEMA = "wardround.related/1"
_FUNCTIONS_SHOWN = 3
_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The use of a model: its name, or the reason why none was used."""

    name: str | None
    reason: str | None

    def describe(self, commits: int = 0) -> str:
        """Return the evidence for the order; ``commits`` is the number of earlier commits in it."""
        past = [f"by {commits} past commit{'s' if commits > 1 else ''}"] if commits else []
        if self.name is not None:
            ways = ["by words", *past]
            return f"ordered {', '.join(ways)} and by the model {self.name}"
        if past:
            return f"ordered by words and {past[0]}, without a model: {self.reason}"
        return f"ordered by words alone: {self.reason}"


@dataclass(frozen=True, slots=True)
class RelatedFiles:
    """The first of the matching files, with the matching functions, of ``candidates`` searched files.

    ``commits`` is the number of earlier commits with a message that touched the files.
    """

    candidates: int
    files: Sequence[FileMatch]
    functions: Sequence[FunctionMatch]
    model: ModelUse
    commits: int


@dataclass(frozen=True, slots=True)
class RelatedHunks:
    """The first of the matching hunks, of ``candidates`` searched hunks."""

    candidates: int
    hunks: Sequence[Evidence]
    model: ModelUse


@dataclass(frozen=True, slots=True)
class RelatedTests:
    """The first of the tests that are related to some functions.

    Attributes:
        candidates: the number of searched test files.
        functions: the functions of the query, as ``path::name``.
        of: their total number; only the first of them were searched.
    """

    candidates: int
    functions: Sequence[str]
    of: int
    tests: Sequence[TestMatch]


@dataclass(frozen=True, slots=True)
class RelatedNeighbours:
    """The files near a change, the nearest first, of ``candidates`` indexed files.

    Attributes:
        hunks: the number of hunks of the change.
        files: path, line and name of the nearest symbol (empty for the file), relation, reason and score.
        unparsed: the files that have no symbols, or not all of them, each with the reason.
    """

    candidates: int
    hunks: int
    files: Sequence[tuple[str, int, str, str, str, float]]
    unparsed: Sequence[tuple[str, str]]


def format_neighbours(found: RelatedNeighbours) -> str:
    """Return the files near a change for people, the nearest first, with the evidence for each."""
    lines = []
    for location, (path, line, name, relation, reason, _) in enumerate(found.files, 1):
        lines += [f"{location:>3}  {path}:{line}  {name}".rstrip(), f"       {relation}: {reason}"]
    if not lines:
        lines = [
            f"no file among {found.candidates} source files is near the {found.hunks} hunks of the change"
        ]
    else:
        lines += ["", f"nearest among {found.candidates} source files, by links, words and earlier commits"]
    if found.unparsed:
        lines.append(f"{len(found.unparsed)} files do not parse completely; --format json lists them")
        reasons = Counter(reason for _, reason in found.unparsed)
        lines += [f"  {count}: {reason}" for reason, count in sorted(reasons.items())]
    return "\n".join(map(one_line, lines)) + "\n"


def neighbours_as_json(found: RelatedNeighbours) -> str:
    """Return the same as one JSON document."""
    rows = [
        {
            "file": escape_undecodable(path),
            "line": line,
            "symbol": escape_undecodable(name),
            "relation": relation,
            "reason": escape_undecodable(reason),
            "score": round(score, 3),
        }
        for path, line, name, relation, reason, score in found.files
    ]
    unparsed = [
        {"file": escape_undecodable(path), "reason": escape_undecodable(why)} for path, why in found.unparsed
    ]
    return _json_document(
        "neighbours",
        {"candidates": found.candidates, "hunks": found.hunks, "results": rows, "unparsed": unparsed},
    )


def format_tests(found: RelatedTests) -> str:
    """Return tests for people, best first, with the evidence for each."""
    lines = []
    for location, test in enumerate(found.tests, 1):
        lines.append(f"{location:>3}  {test.case.id}")
        reported = "; ".join(test.why) or "shares words"
        lines.append(
            f"       {test.subject.name}: {reported}" if len(found.functions) > 1 else f"       {reported}"
        )
    if not found.functions:
        lines = ["the change touches no function"]
    elif not lines:
        lines = [f"no test in {found.candidates} files is related to {', '.join(found.functions)}"]
    else:
        lines += ["", f"most likely among the tests of {found.candidates} files; nothing was run"]
    if found.of > len(found.functions):
        lines.append(f"for the first {len(found.functions)} of {found.of} functions")
    return "\n".join(map(one_line, lines)) + "\n"


def tests_as_json(found: RelatedTests) -> str:
    """Return the same as one JSON document."""
    rows = [
        {
            "test": escape_undecodable(test.case.id),
            "file": escape_undecodable(test.case.path),
            "line": test.case.line,
            "end_line": test.case.end_line,
            "function": escape_undecodable(test.subject.id),
            "score": round(test.score, 3),
            "why": [escape_undecodable(reported) for reported in test.why],
        }
        for test in found.tests
    ]
    return _json_document(
        "tests",
        {
            "candidates": found.candidates,
            "functions": list(map(escape_undecodable, found.functions)),
            "of": found.of,
            "results": rows,
        },
    )


def as_text(found: RelatedFiles | RelatedHunks) -> str:
    """Return locations for people, best first, and the evidence behind the order."""
    lines = list(_file_lines(found) if isinstance(found, RelatedFiles) else _hunk_lines(found))
    what = "source files" if isinstance(found, RelatedFiles) else "hunks"
    if not lines:
        lines = [f"nothing among {found.candidates} {what} shares a word with the text"]
    else:
        lines += ["", f"most likely evidence among {found.candidates} {what}, not a verdict"]
    commits = found.commits if isinstance(found, RelatedFiles) else 0
    return "\n".join(map(one_line, [*lines, found.model.describe(commits)])) + "\n"


def _file_lines(found: RelatedFiles) -> Iterator[str]:
    for location, match in enumerate(found.files, 1):
        yield f"{location:>3}  {match.path}"
        inside = [function.function for function in found.functions if function.path == match.path]
        for function in inside[:_FUNCTIONS_SHOWN]:
            yield f"       {function.line}-{function.end_line}  {function.name}"


def _hunk_lines(found: RelatedHunks) -> Iterator[str]:
    for location, match in enumerate(found.hunks, 1):
        hunk = match.hunk
        around = f"  {hunk.function}" if hunk.function else ""
        yield f"{location:>3}  {hunk.path}:{hunk.line}-{hunk.end_line}{around}"[:_COLUMNS]
        first = next((line.strip() for line in hunk.text.split("\n") if line.strip()), "")
        if first and first != hunk.function:
            yield f"       {first}"[:_COLUMNS]


def as_json(found: RelatedFiles | RelatedHunks) -> str:
    """Return one JSON document; the same keys with and without a model."""
    files = isinstance(found, RelatedFiles)
    past = {"commits": found.commits} if isinstance(found, RelatedFiles) else {}
    return _json_document("files" if files else "hunks", {
        "candidates": found.candidates,
        **past,
        "model": {"name": found.model.name, "reason": found.model.reason},
        "results": _file_rows(found) if isinstance(found, RelatedFiles) else _hunk_rows(found),
    })  # fmt: skip


def _json_document(scope: str, answer: dict[str, Any]) -> str:
    head = {"schema": SCHEMA, "tool": {"name": "wardround", "version": __version__}, "scope": scope}
    return json_text(msgspec.json.format(msgspec.json.encode(head | answer), indent=2)) + "\n"


def _file_rows(found: RelatedFiles) -> list[dict[str, Any]]:
    return [
        {
            "file": escape_undecodable(match.path),
            **_scores(match),
            "functions": [
                {
                    "name": function.function.name,
                    "line": function.function.line,
                    "end_line": function.function.end_line,
                }
                for function in found.functions
                if function.path == match.path
            ],
        }
        for match in found.files
    ]


def _hunk_rows(found: RelatedHunks) -> list[dict[str, Any]]:
    return [
        {
            "file": escape_undecodable(hunk.hunk.path),
            "line": hunk.hunk.line,
            "end_line": hunk.hunk.end_line,
            "function": escape_undecodable(hunk.hunk.function),
            **_scores(hunk),
        }
        for hunk in found.hunks
    ]


def _scores(match: FileMatch | Evidence) -> dict[str, float | None]:
    near = None if match.model is None else round(match.model, 3)
    return {"score": round(match.score, 3), "lexical": round(match.lexical, 3), "model": near}
