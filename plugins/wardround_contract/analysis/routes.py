"""The routes and the names of routes that source files declare."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

_NAMED = LazyPattern(r"\b(?:re_)?(?:path|url)\((?:[^()]|\([^()]*\))*?\bname\s*=\s*['\"]([\w.:-]+)['\"]")
_DECORATED = LazyPattern(
    r"@\w*(?:app|router|bp|blueprint|api|routes?|server)\w*\.(?:get|post|put|patch|delete|route|websocket)\(\s*['\"](/[^'\"]*)['\"]"
)
_CALLED = LazyPattern(
    r"\b\w*(?:app|router|server|route|fastify)\w*\s*\.(?:get|post|put|patch|delete|all)\(\s*['\"`](/[^'\"`]*)['\"`]\s*,",
    re.IGNORECASE,
)
_FILE_ROUTE = LazyPattern(r"(?:^|/)(?:src/)?(?:app|pages)/(.*)\.(?:tsx?|jsx?|mdx)$")
_ENTRY = LazyPattern(r"(?:^|/)(?:page|route|index)$")
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs")


def route_names(path: str, text: str) -> dict[str, int]:
    """Return the names of the URL patterns of a Django module, with their lines."""
    if not path.endswith(".py") or "name" not in text:
        return {}
    return {match[1]: text.count("\n", 0, match.start(1)) + 1 for match in _NAMED.finditer(text)}


def routes(path: str, text: str) -> dict[str, int]:
    """Return the paths that decorators or routers of a file handle, with their lines."""
    pattern = _DECORATED if path.endswith(".py") else _CALLED if path.endswith(_SCRIPTS) else None
    if pattern is None:
        return {}
    return {match[1]: text.count("\n", 0, match.start(1)) + 1 for match in pattern.finditer(text)}


def file_route(path: str) -> str:
    """Return the path that a file of a Next.js application handles; empty for any other file."""
    match = _FILE_ROUTE.search(path)
    if match is None:
        return ""
    is_app = f"/{path}".rfind("/app/") > f"/{path}".rfind("/pages/")
    inner = match[1]
    if is_app and not re.search(r"(?:^|/)(?:page|route)$", inner):
        return ""
    parts = [part for part in _ENTRY.sub("", inner).split("/") if part and not part.startswith(("(", "@"))]
    if any(part.startswith("_") for part in parts) or not parts:
        return ""
    return "/" + "/".join(parts)


def pattern_of(route: str) -> re.Pattern[str] | None:
    """Return the pattern of strings that lead to a route; None if it has too few fixed parts.

    Parameters match a placeholder of a template or a value.
    """
    parts = [part for part in route.strip("/").split("/") if part]
    if not _is_distinctive(parts) or _is_parameter(parts[0]):
        return None
    inner = "/".join(_ANY_VALUE if _is_parameter(part) else re.escape(part) for part in parts)
    return re.compile(rf"(?:['\"`]|\$\{{\w+\}}|\{{\w+\}}|https?://[\w.:-]+)/{inner}/?(?=['\"`?#])")


_ANY_VALUE = r"(?:\$\{[^}]+\}|\{[^}]+\}|:?[\w-]+)"


def _is_distinctive(parts: list[str]) -> bool:
    """Return True if a route has two literal segments, or a single one that is long enough."""
    fixed = [part for part in parts if not _is_parameter(part)]
    if len(fixed) == 1:
        return len(fixed[0]) >= 5 and "api" not in fixed[0]
    return len(fixed) >= 2


def longest_segment(route: str) -> str:
    """Return the fixed part of a route that is searched."""
    words = re.findall(r"\w+", " ".join(part for part in route.split("/") if not _is_parameter(part)))
    return max(words, key=len, default="")


def _is_parameter(part: str) -> bool:
    return part.startswith(("[", "{", ":", "<", "*", "$"))
