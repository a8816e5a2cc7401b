"""Environment variables that the documentation lists and that the code reads no more."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.sides import Side, Sides
from wardround.lazy import LazyPattern

KIND = SurfaceKind.SETTINGS
_CODE = (
    ".py",
    ".ts",
    ".tsx",
    ".js",
    ".mjs",
    ".cjs",
    ".go",
    ".rb",
    ".rs",
    ".java",
    ".php",
    ".sh",
    ".vue",
    ".prisma",
)
_READ = LazyPattern(
    r"(?:environ(?:\.get)?[\[(]\s*|getenv\(\s*|process\.env\.|env\(\s*|env\.\w+\(\s*)['\"]?([A-Z][A-Z0-9_]{3,})\b"
)
_WORD = LazyPattern(r"\w+")
_TEST = LazyPattern(
    r"(?i)(?:^|/)(?:tests?|__tests__|e2e|spec|scripts|\.github|ci|examples?)/|[._]test\.|test_"
)
_DOCUMENTATION = LazyPattern(
    r"(?i)(?:^|/)(?:readme[\w.-]*|[\w.-]*\.env\.(?:example|sample|template|dist)|\.env|env\.sample|"
    r"[\w.-]*config[\w.-]*\.(?:md|rst|mdx)|docs?/.*\.(?:md|rst|mdx|adoc)|(?:docker-)?compose[\w.-]*\.ya?ml)$"
)
_MOST_FILES = 6_000
_OF_PLATFORM = frozenset(
    {"SSLKEYLOGFILE", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
    | {
        "PATH",
        "HOME",
        "USER",
        "SHELL",
        "EDITOR",
        "PAGER",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TERM",
        "COLUMNS",
        "TMPDIR",
        "NO_COLOR",
    }
)
"""Variables that libraries of the platform read, whether or not the code mentions them."""


def compare(sides: Sides) -> Iterator[SurfaceChange]:
    """Yield the documented variables that some changed file read and that nothing in the tree mentions."""
    lost = dict(_lost_variables(sides))
    for name in _documented_names(sides.base, sorted(lost)) if lost else ():
        if not _is_mentioned(sides.head, name):
            path, line = lost[name]
            yield SurfaceChange(KIND, path, line, f"environment variable `{name}`", "is removed", True)


def _lost_variables(sides: Sides) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield the variables that changed files only read at the base, with their positions."""
    pairs = list(sides.text_pairs(_is_code))
    after = {word for pair in pairs for word in _WORD.findall(pair.head or "")}
    for pair in pairs:
        for match in _READ.finditer(pair.base):
            if match[1] not in after and match[1] not in _OF_PLATFORM:
                yield match[1], (pair.base_path, pair.base.count("\n", 0, match.start(1)) + 1)


def _is_code(path: str) -> bool:
    return path.endswith(_CODE) and not _TEST.search(path)


def _documented_names(side: Side, names: Sequence[str]) -> list[str]:
    paths = [path for path in side.paths if _DOCUMENTATION.search(path)][:_MOST_FILES]
    side.fetch(paths)
    texts = "\n".join(side.read(path) or "" for path in paths)
    return [name for name in names if re.search(rf"\b{name}\b", texts)]


def _is_mentioned(side: Side, name: str) -> bool:
    """Return True if a file of code or configuration at the head still has the name, or builds it."""
    paths = [
        path for path in side.paths if _is_code(path) or posixpath.basename(path).startswith("Dockerfile")
    ]
    if len(paths) > _MOST_FILES:
        return True
    side.fetch(paths)
    suffix = name.partition("_")[2]
    pattern = re.compile(rf"\b(?:{name}|{suffix})\b" if len(suffix) > 5 else rf"\b{name}\b", re.IGNORECASE)
    return any(pattern.search(side.read(path) or "") for path in paths)
