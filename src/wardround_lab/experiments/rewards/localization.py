"""Rewards of a localization: how much of the answer's code it found, in how much text.

The lines of the answer are those that it changes at the parent; of an insertion the line before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wardround.authoring.stages import CodePointer, LocalizationResult
from wardround.retrieval.file_search import is_accompanying_file, is_source

Lines = Mapping[str, frozenset[int]]
"""Path -> lines."""
FIRST = 3
DIRECTIONS = {
    "gold_lines": True,
    "any_gold_line": True,
    "gold_file": True,
    "gold_file_1": True,
    "gold_file_3": True,
    "relevant_lines": True,
    "compression": True,
    "tokens": False,
}
"""The rewards below by name; True if more is better."""


def code_lines(gold: Lines) -> dict[str, frozenset[int]]:
    """Return the lines of source files; those of changelogs, documentation and tests are no code to find."""
    return {path: lines for path, lines in gold.items() if is_source(path) and not is_accompanying_file(path)}


def lines_of(pointers: Iterable[CodePointer]) -> dict[str, frozenset[int]]:
    """Return the lines of pointers by path."""
    found: dict[str, set[int]] = {}
    for pointer in pointers:
        found.setdefault(pointer.path, set()).update(range(pointer.first_line, pointer.last_line + 1))
    return {path: frozenset(lines) for path, lines in found.items()}


def gold_line_share(shown: Lines, gold: Lines) -> float:
    """Return the share of the answer's lines that are shown; the answer has at least one."""
    return _common(shown, gold) / _count(gold)


def has_gold_line(shown: Lines, gold: Lines) -> bool:
    """Return True if one of the answer's lines is shown."""
    return _common(shown, gold) > 0


def has_gold_file(paths: Sequence[str], gold: Lines, most: int | None = None) -> bool:
    """Return True if a file of the answer is among the first files.

    Args:
        paths: the best first, each once.
        most: the number of files that count; None for all.
    """
    return not gold.keys().isdisjoint(paths[:most])


def relevant_share(shown: Lines, gold: Lines) -> float:
    """Return the share of the shown lines that are lines of the answer; 0 if none are shown."""
    return _common(shown, gold) / max(_count(shown), 1)


def compression(source_tokens: int, text_tokens: int) -> float:
    """Return the tokens of all source files for each token of the text."""
    return source_tokens / max(text_tokens, 1)


def localization_rewards(
    result: LocalizationResult, gold: Lines, source_tokens: int, text_tokens: int
) -> dict[str, float]:
    """Return all rewards of a localization with a ready text, by name.

    Args:
        gold: the lines of source files, at least one.
    """
    shown = lines_of(result.shown)
    paths = list(dict.fromkeys(pointer.path for pointer in result.pointers))
    return {
        "gold_lines": gold_line_share(shown, gold),
        "any_gold_line": float(has_gold_line(shown, gold)),
        "gold_file": float(has_gold_file(paths, gold)),
        "gold_file_1": float(has_gold_file(paths, gold, 1)),
        "gold_file_3": float(has_gold_file(paths, gold, FIRST)),
        "relevant_lines": relevant_share(shown, gold),
        "compression": compression(source_tokens, text_tokens),
        "tokens": float(text_tokens),
    }


def _common(lines: Lines, others: Lines) -> int:
    return sum(len(lines[path] & others[path]) for path in lines.keys() & others.keys())


def _count(lines: Lines) -> int:
    return sum(map(len, lines.values()))
