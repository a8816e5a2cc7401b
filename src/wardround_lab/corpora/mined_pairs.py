"""Mined items as records for instruction tuning: a commit by its message, a choice by its query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from wardround.errors import UsageError
from wardround.training_tasks import Choice
from wardround_lab.corpora.records import (
    Corpus,
    Curated,
    Mined,
    RecordedFile,
    RecordedHunk,
    lines_of,
    record_of,
    rows_of,
)

_CHOOSE = "Which of the numbered texts belong to this one? Answer with their numbers."


def curated_rows(path: Path) -> Iterator[tuple[int, Curated]]:
    """Yield the records of a file of ``data mine`` or of reviewed records, with the numbers of their lines.

    Commits without changed lines, such as pure renames, are left out.

    Raises:
        UsageError: it cannot be read, a line is malformed, or its items are neither.
    """
    numbers = (number for number, _ in lines_of(path))
    for number, row in zip(numbers, _rows(path), strict=True):
        if row is not None:
            yield number, row


def _rows(path: Path) -> Iterator[Curated | None]:
    fields = _fields(path)
    licence = _licences(path)
    if {"kind", "commit"} <= fields:
        yield from (_of_commit(one, licence(one.repository)) for one in rows_of(path, Mined))
    elif "candidates" in fields:
        yield from (_of_choice(one, licence(one.repository)) for one in rows_of(path, Choice))
    elif fields and "instruction" not in fields and "repository" in fields:
        raise UsageError(
            f"{path}: its items have neither an instruction nor commits nor choices; give a file of "
            f"data mine --kind, of a task of choices, or of reviewed records"
        )
    else:
        yield from rows_of(path, Curated)


def _fields(path: Path) -> set[str]:
    """Return the keys of the first item; none if it is not an object."""
    for _, line in lines_of(path):
        try:
            return set(msgspec.json.decode(line, type=dict[str, msgspec.Raw]))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            break
    return set()


def _licences(path: Path) -> Callable[[str], str]:
    """Return the licences of the repositories, as the record next to a mined file has them."""
    try:
        corpus = msgspec.json.decode(record_of(path).read_bytes(), type=Corpus)
    except (OSError, msgspec.MsgspecError):
        return lambda repository: ""
    found = {one.name: one.licence for one in corpus.repositories}
    return lambda repository: found.get(repository, "")


def _of_commit(commit: Mined, licence: str) -> Curated | None:
    """Return the change that a message describes; the input is the replaced lines."""
    before = "\n".join(_removed(file) for file in commit.files if any(hunk.removed for hunk in file.hunks))
    change = "\n".join(_patch(file) for file in commit.files if file.hunks)
    message = "\n\n".join(filter(None, (commit.subject.strip(), commit.body.strip())))
    if not change or not message:
        return None
    path = commit.files[0].path if len(commit.files) == 1 else ""
    return Curated(message, change, before, commit.repository, commit.time, licence, path)


def _removed(file: RecordedFile) -> str:
    return "\n".join((file.base_path or file.path, *(line for hunk in file.hunks for line in hunk.removed)))


def _patch(file: RecordedFile) -> str:
    old = "/dev/null" if file.base_path is None else f"a/{file.base_path}"
    return "\n".join(
        (f"--- {old}", f"+++ b/{file.path}", *(line for hunk in file.hunks for line in _hunk(hunk)))
    )


def _hunk(hunk: RecordedHunk) -> Iterator[str]:
    yield f"@@ -{hunk.base_line},{len(hunk.removed)} +{hunk.line},{len(hunk.added)} @@"
    yield from (f"-{line}" for line in hunk.removed)
    yield from (f"+{line}" for line in hunk.added)


def _of_choice(choice: Choice, licence: str) -> Curated:
    numbered = "\n\n".join(f"{number}. {text}" for number, text in enumerate(choice.candidates, 1))
    right = ", ".join(str(index + 1) for index in choice.right)
    given = f"{choice.query}\n\n{numbered}"
    return Curated(_CHOOSE, right, given, choice.repository, choice.time, licence)
