"""Mined items as records for instruction tuning: a commit by its message, a choice by its query, a short text
by its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from wardround.errors import UsageError
from wardround.training_tasks import Choice, LabelledText
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
_CLASSIFY = "Which kind is this text? Answer with one word: {classes}."


def curated_rows(path: Path) -> Iterator[tuple[int, Curated]]:
    """Yield the records of a file of ``data mine`` or of reviewed records, with the numbers of their lines.

    Commits without changed lines, such as pure renames, are excluded.

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
        yield from (_curate_commit(row, licence(row.repository)) for row in rows_of(path, Mined))
    elif "candidates" in fields:
        yield from (_curate_choice(row, licence(row.repository)) for row in rows_of(path, Choice))
    elif {"label", "text"} <= fields:
        yield from _labelled_rows(path, licence)
    elif fields and "instruction" not in fields and "repository" in fields:
        raise UsageError(
            f"{path}: its items have neither an instruction nor commits, choices or labels; give a file "
            f"of data mine or of reviewed records"
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
    found = {repository.name: repository.licence for repository in corpus.repositories}
    return lambda repository: found.get(repository, "")


def _curate_commit(commit: Mined, licence: str) -> Curated | None:
    """Return the change that a message describes; the input is the replaced lines."""
    before = "\n".join(
        _removed_lines(file) for file in commit.files if any(hunk.removed for hunk in file.hunks)
    )
    change = "\n".join(_patch(file) for file in commit.files if file.hunks)
    message = "\n\n".join(filter(None, (commit.subject.strip(), commit.body.strip())))
    if not change or not message:
        return None
    path = commit.files[0].path if len(commit.files) == 1 else ""
    return Curated(message, change, before, commit.repository, commit.time, licence, path)


def _removed_lines(file: RecordedFile) -> str:
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


def _labelled_rows(path: Path, licence: Callable[[str], str]) -> Iterator[Curated]:
    """Yield the texts of a file, each with the question for its class among those that occur there."""
    texts = list(rows_of(path, LabelledText))
    instruction = _CLASSIFY.format(classes=", ".join(sorted({text.label for text in texts})))
    for text in texts:
        yield Curated(
            instruction, text.label, text.text, text.repository, text.time, licence(text.repository)
        )


def _curate_choice(choice: Choice, licence: str) -> Curated:
    numbered = "\n\n".join(f"{number}. {text}" for number, text in enumerate(choice.candidates, 1))
    right = ", ".join(str(index + 1) for index in choice.right)
    given = f"{choice.query}\n\n{numbered}"
    return Curated(_CHOOSE, right, given, choice.repository, choice.time, licence)
