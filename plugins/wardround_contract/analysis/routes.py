"""The routes and the names of routes that source files declare."""

from __future__ import annotations

import re

from wardround.checks.lazy import LazyPattern

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
    parts = [one for one in _ENTRY.sub("", inner).split("/") if one and not one.startswith(("(", "@"))]
    if any(one.startswith("_") for one in parts) or not parts:
        return ""
    return "/" + "/".join(parts)


def pattern_of(route: str) -> re.Pattern[str] | None:
    """Return the pattern of strings that lead to a route; None if it has too few fixed parts.

    Parameters match a placeholder of a template or a value.
    """
    parts = [one for one in route.strip("/").split("/") if one]
    fixed = [one for one in parts if not _is_parameter(one)]
    is_distinctive = len(fixed) >= 2 or (len(fixed) == 1 and len(fixed[0]) >= 5 and "api" not in fixed[0])
    if not is_distinctive or not fixed or (parts and _is_parameter(parts[0])):
        return None
    inner = "/".join(
        r"(?:\$\{[^}]+\}|\{[^}]+\}|:?[\w-]+)" if _is_parameter(one) else re.escape(one) for one in parts
    )
    return re.compile(rf"(?:['\"`]|\$\{{\w+\}}|\{{\w+\}}|https?://[\w.:-]+)/{inner}/?(?=['\"`?#])")


def longest_part(route: str) -> str:
    """Return the fixed part of a route that is searched."""
    words = re.findall(r"\w+", " ".join(one for one in route.split("/") if not _is_parameter(one)))
    return max(words, key=len, default="")


def _is_parameter(part: str) -> bool:
    return part.startswith(("[", "{", ":", "<", "*", "$"))
