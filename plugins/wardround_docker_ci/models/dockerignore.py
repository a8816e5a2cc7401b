"""The paths that a .dockerignore excludes from a build."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from functools import lru_cache

from wardround.checks.lazy import LazyPattern


class Ignored(enum.Enum):
    """The state of a path in the build context; ``PARTLY`` if a later pattern includes a part of it."""

    NOT = enum.auto()
    PARTLY = enum.auto()
    WHOLLY = enum.auto()


def ignored(path: str, patterns: Sequence[str]) -> Ignored:
    """Return the state of a file or directory of the build context; the last matching pattern wins."""
    name = _clean(path)
    if name in ("", "."):
        return Ignored.NOT
    state = Ignored.NOT
    for pattern in patterns:
        lets_through = pattern.startswith("!")
        body = _clean(pattern.removeprefix("!"))
        if not body:
            continue
        if _fits(body, name):
            state = Ignored.NOT if lets_through else Ignored.WHOLLY
        elif lets_through and state is Ignored.WHOLLY and _may_fit_inside(body, name):
            state = Ignored.PARTLY
    return state


def _clean(path: str) -> str:
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join(parts)


def _fits(pattern: str, name: str) -> bool:
    """Return True if a pattern matches a path or a directory above it."""
    parts = name.split("/")
    expression = _compiled(pattern)
    return any(expression.fullmatch("/".join(parts[: n + 1])) for n in range(len(parts)))


def _may_fit_inside(pattern: str, name: str) -> bool:
    return "**" in pattern or pattern.startswith(name + "/") or "*" in pattern.split("/")[0]


@lru_cache(maxsize=1000)
def _compiled(pattern: str) -> LazyPattern:
    out = ""
    for part in re.findall(r"\*\*/?|\*|\?|[^*?]+", pattern):
        wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
        out += wild.get(part) or re.escape(part)
    return LazyPattern(out)
