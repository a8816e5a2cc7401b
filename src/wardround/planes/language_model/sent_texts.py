"""The files of a review as they are sent: without secrets, each redacted and split once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wardround.planes.language_model.redaction import Redactor
from wardround.retrieval.definitions import Definition, functions

TextOf = Callable[[str], str | None]
"""Path at the head -> the content at base or head; None if there is none, or if it must not be sent."""


class SentTexts:
    """The files of a review as they are sent.

    Args:
        names: path -> the name that is sent instead, for the files of the change.
    """

    def __init__(self, head: TextOf, base: TextOf, redactor: Redactor, names: Mapping[str, str]) -> None:
        self._head = head
        self._base = base
        self._redactor = redactor
        self._names = names
        self._lines: dict[tuple[str, bool], list[str]] = {}
        self._definitions: dict[str, tuple[Definition, ...]] = {}

    def name(self, path: str) -> str:
        """Return the name of a file as it is sent."""
        return self._names[path] if path in self._names else self._redactor.path(path)

    def text(self, text: str) -> str:
        """Return a text that does not come from a file, redacted for sending."""
        return self._redactor.text(text)

    def lines(self, path: str, *, base: bool = False) -> list[str]:
        """Return the lines of a file at base or head; none if the file does not exist."""
        if (path, base) not in self._lines:
            text = (self._base if base else self._head)(path)
            lines = [] if text is None else self._redactor.lines(path, text, base=base)
            self._lines[path, base] = lines
        return self._lines[path, base]

    def line(self, path: str, number: int) -> str:
        """Return a line of the head; empty if there is none."""
        lines = self.lines(path)
        return lines[number - 1] if number <= len(lines) else ""

    def definitions(self, path: str) -> tuple[Definition, ...]:
        """Return the definitions of a file at the head."""
        if path not in self._definitions:
            self._definitions[path] = tuple(functions(path, "\n".join(self.lines(path))))
        return self._definitions[path]
