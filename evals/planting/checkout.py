"""The texts of a work tree, and a break of them."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

SOURCES = (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs")


SKIPPED = re.compile(
    r"(^|/)(node_modules|vendor|dist|build|fixtures|migrations|docs?|examples?|locale|__snapshots__|integrations|codemods)/"
    r"|\.min\.|\.d\.ts$|(^|/)tests?/|test_|\.test\.|\.spec\.|conftest"
)


_LONGEST = 200_000


@dataclass(frozen=True)
class Break:
    """A planted break.

    Attributes:
        edits: path -> the new text; None deletes the file.
        name: the removed or changed name, as a message has to contain it.
        uses: the files that are broken.
    """

    kind: str
    language: str
    name: str
    edits: dict[str, str | None]
    uses: tuple[str, ...]


@dataclass
class Checkout:
    """The texts of a work tree."""

    root: Path
    texts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Path) -> Checkout:
        out = subprocess.run(
            ["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=True
        )
        texts = {}
        for name in out.stdout.split("\0"):
            path = root / name
            try:
                if name and path.is_file() and not path.is_symlink() and path.stat().st_size < _LONGEST:
                    texts[name] = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
        return cls(root, texts)

    def sources(self, *endings: str) -> dict[str, str]:
        return {p: t for p, t in self.texts.items() if p.endswith(endings) and not SKIPPED.search(p)}

    def users(self, pattern: str, endings: tuple[str, ...], without: str, word: str = "") -> tuple[str, ...]:
        """Return the other files that match a pattern; those without a word are not searched."""
        found = re.compile(pattern)
        words = [part for part in re.findall(r"\w+", word) if part]
        paths = self.by_word.get(max(words, key=len), set()) if words else self.texts
        return tuple(
            sorted(p for p in paths if p != without and p.endswith(endings) and found.search(self.texts[p]))
        )

    @cached_property
    def by_word(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path, text in self.texts.items():
            for word in set(re.findall(r"\w+", text)):
                found[word].add(path)
        return found


Planter = Callable[[Checkout], Iterator[Break]]


def replaced(text: str, line: int, old: str, new: str) -> str | None:
    lines = text.split("\n")
    changed = re.sub(rf"\b{re.escape(old)}\b", new, lines[line - 1], count=1)
    if changed == lines[line - 1]:
        return None
    lines[line - 1] = changed
    return "\n".join(lines)


def without_lines(text: str, first: int, last: int) -> str:
    lines = text.split("\n")
    return "\n".join(lines[: first - 1] + lines[last:])
