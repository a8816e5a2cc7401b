"""What a finding hangs on besides its line number, so that it keeps its identity when lines move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from wardround.specialists import StatementOf
from wardround.storage.digest import sha256

_IGNORED = str.maketrans(dict.fromkeys("(),'\"\\"))


class StatementIndex:
    """The statements of one text, without what a formatter changes: white space, quotes, brackets, commas."""

    def __init__(self, text: str, statement_of: StatementOf) -> None:
        self._lines = text.split("\n")
        self._statement_of = statement_of
        self._known: dict[tuple[int, int], str] = {}

    def statement_at(self, line: int) -> str:
        """The normalised statement a line belongs to."""
        first, last = self._statement_of(line)
        if (first, last) not in self._known:  # hundreds of findings may stand on one line of megabytes
            text = "".join("".join(part.split()) for part in self._lines[first - 1 : last])
            self._known[first, last] = text.translate(_IGNORED)
        return self._known[first, last]


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
        names.append(sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16])
    return names
