"""The paths, lines and names that a task mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from wardround.lazy import LazyPattern
from wardround.text.tokens import KEYWORDS

_PATH = LazyPattern(r"[\w.@+-]+(?:[/\\][\w.@+-]+)*\.\w{1,10}\b|[\w.@+-]+(?:/[\w.@+-]+)+")
_LINE = LazyPattern(r"(?:\", line |:|#L|, line )(\d{1,6})\b")
_DOTTED = LazyPattern(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b")
_IN_BACKTICKS = LazyPattern(r"`{1,2}([^`\n]{2,80})`{1,2}")
_FILE = LazyPattern(
    r"[\w.@+-]*(?:[/\\][\w.@+-]+)+|\b[\w-]+\.(?:pyi?|[cm]?[jt]sx?|md|rst|json|ya?ml|toml|cfg|sql|go|rs|txt)\b"
)
"""Paths, and names of files; other dotted names are those of code."""
_SCOPE = LazyPattern(r"(?m)^[a-z]{2,12}\([^)\n]{0,60}\)!?:")
_ADDRESS = LazyPattern(r"https?://\S+")
_NAME = LazyPattern(r"(?<![\w$%/\\-])[A-Za-z_$][\w$]*", re.ASCII)
_HAS_FORM_OF_CODE = LazyPattern(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[A-Z][a-z]+[A-Z]|^_+\w")
_CALLED = LazyPattern(r"\b([A-Za-z_$][\w$]{2,})\((?![\w ,/-]*\)!?:)")
"""A call; not the type and scope of a conventional message, as in ``fix(parser): ...``."""
_SHORTEST = 3
_MOST_ALIKE = 3
"""Files with the same ending of a path, above which a mention is of none of them."""
_MOST_NAMES = 40


class Mention(msgspec.Struct, frozen=True, order=True):
    """A file that a task mentions.

    Attributes:
        line: 1-based; 0 for the complete file.
        name: as the task has it.
    """

    path: str
    line: int
    name: str


def mentioned_files(text: str, paths: Iterable[str]) -> list[Mention]:
    """Return the files of a repository that a text names by path, file name or module, in its order."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    found = [*_by_path(text, by_name), *_by_module(text, by_name)]
    return list(dict.fromkeys(found))


def _by_path(text: str, by_name: dict[str, list[str]]) -> Iterator[Mention]:
    for match in _PATH.finditer(text):
        named = match.group().replace("\\", "/").strip("./")
        line = _LINE.match(text, match.end())
        for path in _with_longest_ending(named, by_name.get(named.rpartition("/")[2], ())):
            yield Mention(path, int(line[1]) if line else 0, match.group())


def _with_longest_ending(named: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that share the most last parts with a name; none if there are too many."""
    lengths = {path: _shared_ending(named.split("/"), path.split("/")) for path in paths}
    longest = max(lengths.values(), default=0)
    best = sorted(path for path, length in lengths.items() if length == longest)
    return best if len(best) <= _MOST_ALIKE else []


def _shared_ending(parts: Sequence[str], others: Sequence[str]) -> int:
    count = 0
    for part, other in zip(reversed(parts), reversed(others), strict=False):
        if part != other:
            break
        count += 1
    return count


def _by_module(text: str, by_name: dict[str, list[str]]) -> Iterator[Mention]:
    """Yield the files of dotted names such as ``package.module.function``."""
    for dotted in dict.fromkeys(_DOTTED.findall(text)):
        parts = dotted.split(".")
        candidates = (_files_of_module(parts[:end], by_name) for end in range(len(parts), 1, -1))
        for path in next(filter(None, candidates), ()):
            yield Mention(path, 0, dotted)


def _files_of_module(parts: Sequence[str], by_name: dict[str, list[str]]) -> list[str]:
    """Return the files of a module; none if there are too many."""
    ending = f"/{'/'.join(parts)}.py"
    paths = by_name.get(f"{parts[-1]}.py", [])
    found = sorted(path for path in paths if f"/{path}".endswith(ending))
    return found if len(found) <= _MOST_ALIKE else []


def mentioned_names(text: str) -> list[str]:
    """Return the identifiers that have the form of code, in the order of the text; none of a path."""
    plain = _FILE.sub(" ", _ADDRESS.sub(" ", _SCOPE.sub("", text)))
    found: dict[str, None] = {}
    for quoted in _IN_BACKTICKS.findall(plain):
        found |= dict.fromkeys(_NAME.findall(quoted))
    found |= dict.fromkeys(_CALLED.findall(plain))
    found |= dict.fromkeys(filter(_HAS_FORM_OF_CODE.search, _NAME.findall(plain)))
    names = (name for name in found if len(name) >= _SHORTEST and name not in KEYWORDS)
    return list(islice(names, _MOST_NAMES))
