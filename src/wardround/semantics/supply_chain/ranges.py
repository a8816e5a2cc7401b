"""Comparison of version ranges: is every version of one allowed by another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from semantic_version import NpmSpec, Version

_CARET = LazyPattern(r"\^\s*v?(\d{1,9}(?:\.\d{1,9}){0,3})")
_TILDE = LazyPattern(r"~\s*v?(\d{1,9}(?:\.\d{1,9}){0,3})")
_BARE = LazyPattern(r"v?\d{1,9}(?:\.\d{1,9}){0,4}[\w.+-]{0,40}")
_RELEASE = LazyPattern(r"v?(?:\d{1,9}!)?(\d{1,9}(?:\.\d{1,9})*)")
_TAG = LazyPattern(r"v?(\d{1,9}(?:\.\d{1,9}){0,5})(?![\w.])")
_AFTER_OPERATOR = LazyPattern(r"([<>=~^])\s+")
_LONGEST = 500
_MOST_PARTS = 8
_HUGE = 99_999_999
"""A part of a version above all that exist."""


def is_wider_range(ecosystem: str, base: str, head: str) -> bool:
    """Return True if the head certainly allows every version of the base, and others too."""
    if base == head or len(base) > _LONGEST or len(head) > _LONGEST:
        return False
    if ecosystem == "pypi":
        old, new = python_range(base), python_range(head)
        return old is not None and new is not None and _is_wider(old, new, _python_probes(old, new))
    if ecosystem == "npm":
        return _widens_npm(base, head)
    return ecosystem == "docker" and _is_shorter(_parts(base), _parts(head))


def _parts(tag: str) -> list[str]:
    """Return the leading numbers of the tag of an image."""
    found = _TAG.match(tag)
    return found[1].split(".") if found is not None else []


def _is_shorter(base: list[str], head: list[str]) -> bool:
    """Return True if a tag is the beginning of another one, and so matches more releases."""
    return 0 < len(head) < len(base) and base[: len(head)] == head


def python_range(text: str) -> SpecifierSet | None:
    """Read a range of PEP 440 or of Poetry; None if it is neither."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # 40 ms

    try:
        return SpecifierSet(",".join(_pep440(part.strip()) for part in text.split(",")))
    except (InvalidSpecifier, ValueError):
        return None


def _pep440(part: str) -> str:
    """Return one part of a range of Poetry in the syntax of PEP 440."""
    if part in ("", "*"):
        return ""
    if (caret := _CARET.fullmatch(part)) is not None:
        return _range_to_next(caret[1], next((i for i, n in enumerate(_numbers(caret[1])) if n), -1))
    if part[:2] not in ("~=",) and (tilde := _TILDE.fullmatch(part)) is not None:
        return _range_to_next(tilde[1], 0 if "." not in tilde[1] else 1)
    if _BARE.fullmatch(part):
        return f"=={part}"
    return f"{part[:-2]}.*" if part.endswith("..*") else part


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _range_to_next(version: str, position: int) -> str:
    """Return the range from a version to the next one that differs at a position; -1 is the last position."""
    numbers = _numbers(version)
    above = numbers[: len(numbers) + position + 1 if position < 0 else position + 1]
    above[-1] += 1
    return f">={version},<{'.'.join(map(str, above))}"


def satisfies_python(requirement: str, version: str) -> bool:
    """Return False only if a version is certainly outside a range."""
    from packaging.version import InvalidVersion, Version  # 40 ms

    allowed = python_range(requirement)
    try:
        return allowed is None or allowed.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return True


def _is_wider(base: Any, head: Any, probes: Iterable[Any]) -> bool:
    """Return True if a range of a library contains each probe of another one, and more of them."""
    known = list(probes)
    retained = [probe in head for probe in known if probe in base]
    return bool(retained) and all(retained) and any(probe in head and probe not in base for probe in known)


def _python_probes(*ranges: SpecifierSet) -> Iterator[str]:
    """Return versions at, just below and just above each limit, and the next release after each."""
    yield from ("0", f"{_HUGE}.0")
    for version in sorted({clause.version for two in ranges for clause in two}):
        found = _RELEASE.match(version)
        numbers = _numbers(found[1])[:_MOST_PARTS] if found is not None else []
        limits = [numbers] if numbers else []
        limits += [[*numbers[:count], numbers[count] + 1] for count in range(len(numbers))]
        for limit in limits:
            text = ".".join(map(str, limit))
            yield from (text, f"{text}.0.0.0.1", _version_below(limit))


def _version_below(limit: list[int]) -> str:
    """Return a version just below a limit."""
    while limit and limit[-1] == 0:
        limit = limit[:-1]
    return ".".join(map(str, [*limit[:-1], limit[-1] - 1, _HUGE])) if limit else "0"


def _widens_npm(base: str, head: str) -> bool:
    old, new = npm_range(base), npm_range(head)
    return old is not None and new is not None and _is_wider(old, new, _probes(old, new))


def npm_range(text: str) -> NpmSpec | None:
    """Parse an npm range; None if it is not one, or is too large to compare."""
    from semantic_version import NpmSpec  # 60 ms

    if len(text) > _LONGEST or text.count("||") > _MOST_PARTS:
        return None
    try:
        return NpmSpec(_strip_spaces(text))
    except ValueError:
        return None


def _strip_spaces(text: str) -> str:
    """Return a range without the spaces after its operators, which the library does not read."""
    return _AFTER_OPERATOR.sub(r"\1", text).strip()


def _probes(*ranges: NpmSpec) -> Iterator[Version]:
    """Return a version at each limit of the ranges, and one just below and above it.

    Between two neighbouring limits all versions are alike, so that these decide.
    """
    from semantic_version import Version

    yield Version(f"{_HUGE}.0.0")
    for target in (target for version_range in ranges for target in _targets(version_range.clause)):
        major, minor, patch = target.major, target.minor or 0, target.patch or 0
        yield Version(f"{major}.{minor}.{patch}")
        yield Version(f"{major}.{minor}.{patch + 1}")
        if patch:
            yield Version(f"{major}.{minor}.{patch - 1}")
        elif minor:
            yield Version(f"{major}.{minor - 1}.{_HUGE}")
        elif major:
            yield Version(f"{major - 1}.{_HUGE}.{_HUGE}")


def _targets(clause: Any) -> Iterator[Version]:
    """Return the limits of a clause of the library."""
    if hasattr(clause, "clauses"):
        for part in clause.clauses:
            yield from _targets(part)
    elif hasattr(clause, "target"):
        yield clause.target
