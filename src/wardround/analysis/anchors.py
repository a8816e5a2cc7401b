"""What a finding hangs on besides its line number, so that it keeps its identity when lines move."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from wardround.specialists import StatementOf

_IGNORED = str.maketrans(dict.fromkeys("(),'\"\\"))


class Anchors:
    """The statements of one text, without what a formatter changes: white space, quotes, brackets, commas."""

    def __init__(self, text: str, statement_of: StatementOf) -> None:
        self._lines = text.split("\n")
        self._statement_of = statement_of

    def of(self, line: int) -> str:
        """The normalised statement a line belongs to."""
        first, last = self._statement_of(line)
        text = "".join("".join(part.split()) for part in self._lines[first - 1 : last])
        return text.translate(_IGNORED)


def fingerprints(parts: Iterable[tuple[str, str, str]]) -> list[str]:
    """Name findings so that the names survive moved lines and reformatting.

    Args:
        parts: (defect class, path, anchor) of each finding of a file, in the order of their places. The
            path is the base's where the change renames the file.

    Returns:
        16 hexadecimal digits for each; findings alike in all parts are told apart by their order.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    names = []
    for part in parts:
        text = "\0".join((*part, str(seen[part])))
        seen[part] += 1
        names.append(hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16])
    return names
