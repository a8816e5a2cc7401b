"""The lines of files without secrets, as a patch author may see them."""

from __future__ import annotations

from wardround.authoring.context.base_tree import BaseTree, lines_of
from wardround.text.redaction import assigned_secrets, redact_literals, redact_secrets

_MASK = "***"


class RedactedTree:
    """The lines of the files of a commit; secrets are masked, and every line keeps its number."""

    def __init__(self, tree: BaseTree) -> None:
        self._tree = tree
        self._lines: dict[str, list[str]] = {}
        self.masked: set[tuple[str, int]] = set()
        """The files and lines in which something was masked."""

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file; none if it has no text."""
        if path not in self._lines:
            text = self._tree.text(path) or ""
            self._lines[path] = redacted_lines(text, is_code=path not in self._tree.documents)
            self.masked |= self._differences(path)
        return self._lines[path]

    def _differences(self, path: str) -> set[tuple[str, int]]:
        pairs = zip(self._tree.lines(path), self._lines[path], strict=True)
        return {(path, number) for number, (line, shown) in enumerate(pairs, 1) if line != shown}


def redacted_lines(text: str, *, is_code: bool) -> list[str]:
    """Return the lines of a text without secrets, as many as it has."""
    redact = redact_literals if is_code else redact_secrets
    lines = lines_of(text)
    for value in sorted(assigned_secrets(text), key=lambda value: (-len(value), value)):
        text = text.replace(value, _MASK)
    masked = lines_of(redact(text))
    return masked if len(masked) == len(lines) else [redact(line) for line in lines]
