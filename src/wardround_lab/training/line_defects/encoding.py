"""Windows as input of a model: tokens, and the position of the marker token of each line.

A line is its mark, its depth and its words. The mark is an ordinary token, so the base needs no new ones and
keeps its embedding. An encoder attends to the complete window, so the mark comes first; a decoder attends to
earlier tokens only, so it comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.errors import TrainingError, UsageError
from wardround.training_tasks import Window
from wardround_lab.corpora.records import rows_of
from wardround_lab.training.choice_dataset import repository_side
from wardround_lab.training.recipe import DataPart, MarkerPosition

if TYPE_CHECKING:
    from tokenizers import Tokenizer

UNTOUCHED = "~"
"""Replaces the blank that marks a line as unchanged."""
_LONGEST_LINE = 40
"""Maximum number of tokens of one line."""
_DEEPEST = 9
_INDENT = 4


@dataclass(frozen=True, slots=True)
class EncodedWindow:
    """A window as numbers, for its judged lines.

    Attributes:
        places: positions of their marks among the tokens.
        lines: their 0-based numbers.
        faulty: whether they are defective.
        classes: index of the defect class among the task's; -1 if there is none or it is unknown.
    """

    window: Window
    tokens: tuple[int, ...]
    places: tuple[int, ...]
    lines: tuple[int, ...]
    faulty: tuple[bool, ...]
    classes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WindowSides:
    """The windows of the three parts, in the order of the records."""

    training: tuple[Window, ...]
    validation: tuple[Window, ...]
    evaluation: tuple[Window, ...]


def divide_windows(data: DataPart, folder: Path) -> WindowSides:
    """Split the windows of a recipe's records by repository and time.

    Raises:
        TrainingError: a file cannot be read, or there are none to train on.
    """
    sides: dict[str, list[Window]] = {side: [] for side in ("train", "validation", "evaluation")}
    side_of = repository_side(data)
    try:
        for name in data.records:
            for window in rows_of(folder / name, Window):
                side = side_of(window.repository, window.time)
                if side is not None:
                    sides[side].append(window)
    except UsageError as cause:
        raise TrainingError(str(cause)) from cause
    if not any(window.origin == "injected" for window in sides["train"]):
        raise TrainingError("data.train: the records have no injected defects of its repositories; mine more")
    return WindowSides(*(tuple(side) for side in sides.values()))


def judged_lines(window: Window) -> list[int]:
    """Return the judged lines: the added ones; without any, the first removed one."""
    come = [at for at, mark in enumerate(window.marks) if mark == "+" and window.lines[at].strip()]
    return come or [at for at, mark in enumerate(window.marks) if mark == "-"][:1]


class WindowEncoder:
    """Encodes windows with one tokenizer.

    Args:
        most: maximum number of tokens of a window.
    """

    def __init__(
        self, tokenizer: Tokenizer, most: int, position: MarkerPosition, classes: Sequence[str]
    ) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_str(tokenizer.to_str())
        self._tokenizer.no_truncation()
        ends = self._tokenizer.encode("").ids
        self._head = ends[:1] if position == "start" else []
        self._tail = ends[len(self._head) :]
        self._most, self._position = most, position
        self._class = {name: at for at, name in enumerate(classes)}
        self._known: dict[str, list[int]] = {}

    def sheets(self, windows: Iterable[Window]) -> list[EncodedWindow]:
        """Encode each window with a judged line that fits."""
        return [sheet for window in windows if (sheet := self.sheet(window)) is not None]

    def sheet(self, window: Window) -> EncodedWindow | None:
        """Encode a window; None if no line is judged, or the changed lines are too long."""
        expected = judged_lines(window)
        rows = self._rows(window)
        retained = self._fitting_lines(window, rows)
        if not expected or not retained:
            return None
        tokens, location = list(self._head), {}
        for at in retained:
            location[at] = len(tokens) if self._position == "start" else len(tokens) + len(rows[at]) - 1
            tokens += rows[at]
        kind = {fault.at: self._class.get(fault.kind, -1) for fault in window.faults}
        expected = [at for at in expected if at in location]
        if not expected:
            return None
        return EncodedWindow(
            window, (*tokens, *self._tail), tuple(location[at] for at in expected), tuple(expected),
            tuple(at in kind for at in expected), tuple(kind.get(at, -1) for at in expected),
        )  # fmt: skip

    def _rows(self, window: Window) -> list[list[int]]:
        least = min((_indent_width(line) for line in window.lines if line.strip()), default=0)
        return [
            self._row(mark, min(_DEEPEST, max(0, _indent_width(line) - least) // _INDENT), line.strip())
            for mark, line in zip(window.marks, window.lines, strict=True)
        ]

    def _row(self, mark: str, depth: int, text: str) -> list[int]:
        sign = self._tokens(UNTOUCHED if mark == " " else mark)[:1]
        words = [*self._tokens(str(depth))[:1], *self._tokens(text)][:_LONGEST_LINE]
        return [*sign, *words] if self._position == "start" else [*words, *sign]

    def _tokens(self, text: str) -> list[int]:
        if text not in self._known:
            self._known[text] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return self._known[text]

    def _fitting_lines(self, window: Window, rows: Sequence[Sequence[int]]) -> list[int]:
        """Return the lines that fit: unchanged ones are dropped first, from the longer end."""
        retained = list(range(len(rows)))
        size = len(self._head) + len(self._tail) + sum(map(len, rows))
        while retained and size > self._most:
            touched = [at for at, line in enumerate(retained) if window.marks[line] != " "]
            if not touched:
                return []
            before, after = touched[0], len(retained) - 1 - touched[-1]
            if not before and not after and set(window.marks) != {"+"}:
                return []
            size -= len(rows[retained.pop(0 if before > after else -1)])
        return retained


def _indent_width(line: str) -> int:
    return len(line) - len(line.lstrip())
