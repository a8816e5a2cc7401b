"""The version that semantic versioning suggests for the statements of a range."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

import msgspec
from packaging.version import InvalidVersion, Version
from semantic_version import Version as SemanticVersion

from wardround.context.surface.model import SurfaceKind
from wardround.context.surface.packages import table, toml
from wardround.context.surface.sides import Side
from wardround.languages.jsonc import loads
from wardround.lazy import LazyPattern
from wardround.release_notes.model import NoteKind, Statement, SuggestedVersion, VersionPart
from wardround.release_notes.surfaces.version_bounds import lowest_version

_PARTS = {
    NoteKind.BREAKING: VersionPart.MAJOR,
    NoteKind.FEATURE: VersionPart.MINOR,
    NoteKind.DEPRECATION: VersionPart.MINOR,
    NoteKind.SECURITY: VersionPart.PATCH,
    NoteKind.FIX: VersionPart.PATCH,
    NoteKind.PERFORMANCE: VersionPart.PATCH,
    NoteKind.DEPENDENCIES: VersionPart.PATCH,
}
"""The part that a kind of statement raises, the highest first; the others change nothing for users."""
_PYTHON_ONLY = ", which installers respect: the end of support for a Python alone is no major change"
_MOST_NUMBERS = 3
_CENTURY = 2000
_DATE = LazyPattern(r"20\d\d(?:[01]\d(?:[0-3]\d)?)?")
_STATED = LazyPattern(r"(?m)^[ \t]*version[ \t]*=[ \t]*['\"]?v?(\d[\w.+!-]*)['\"]?")


def suggested_version(current: str, statements: Sequence[Statement], year: int) -> SuggestedVersion:
    """Suggest the next version.

    Below 1.0 a breaking change raises the minor version. A pre-release is followed by its release if that is
    high enough.

    Args:
        current: without a prefix such as ``v``; empty if the base has no version.
        year: of the base, by which a calendar version is known.
    """
    statement = _decisive_statement(statements)
    part = VersionPart.NONE if statement is None else _part(statement)
    if not current:
        return SuggestedVersion("", "", part, "no tag and no manifest of the base states a version")
    if is_calendar_version(current, year):
        reason = f"{current} is a calendar version, which states nothing about compatibility"
        return SuggestedVersion(current, "", VersionPart.NONE, reason)
    release = _read(current)
    if release is None:
        reason = f"{current} is not a version of at most three numbers; give the next one"
        return SuggestedVersion(current, "", part, reason)
    if statement is None:
        return SuggestedVersion(
            current, current, part, "no statement of the range changes anything for users"
        )
    is_lowered = part is VersionPart.MAJOR and release.version.major == 0
    raised = VersionPart.MINOR if is_lowered else part
    note = _PYTHON_ONLY if _is_only_python(statement) else ""
    reason = f"{raised}{' below 1.0' if is_lowered else ''}: {statement.text}{note}"
    return SuggestedVersion(current, release.next_version(raised), raised, reason)


def is_calendar_version(version: str, year: int) -> bool:
    """Return True for a version by date, such as ``2024.1``, ``24.2.0`` or ``20240131``.

    A short year is that of the base or the year before or after: 10.8.0 of 2025 is a semantic version.
    """
    first = re.match(r"\d+", version)
    if first is None:
        return False
    return bool(_DATE.fullmatch(first[0])) or abs(int(first[0]) - (year - _CENTURY)) <= 1


def manifest_version(side: Side, folder: str = "") -> str:
    """Return the version that the manifest of a package states; empty if none does."""
    document = loads(side.read(posixpath.join(folder, "package.json")) or "") or {}
    project = toml(side.read(posixpath.join(folder, "pyproject.toml")) or "")
    stated = (
        document.get("version"),
        table(project, "project").get("version"),
        table(project, "tool", "poetry").get("version"),
    )
    found = next((version for version in stated if isinstance(version, str)), "")
    setup = _STATED.search(side.read(posixpath.join(folder, "setup.cfg")) or "")
    return found or (setup[1] if setup else "")


class _Release(msgspec.Struct, frozen=True):
    """A version as semantic versioning knows it, with the number of its numbers as written."""

    version: SemanticVersion
    count: int

    def next_version(self, part: VersionPart) -> str:
        """Return the next version that raises a part, in the form of this one."""
        match part:
            case VersionPart.MAJOR:
                version = self.version.next_major()
            case VersionPart.MINOR:
                version = self.version.next_minor()
            case _:
                version = self.version.next_patch()
        numbers = [version.major, version.minor, version.patch]
        while len(numbers) > self.count and not numbers[-1]:
            numbers.pop()
        return ".".join(map(str, numbers))


def _read(text: str) -> _Release | None:
    """Return a version of semantic versioning or PEP 440; None if it is none, or has more numbers."""
    try:
        return _Release(SemanticVersion(text), _MOST_NUMBERS)
    except ValueError:
        pass
    try:
        version = Version(text)
    except InvalidVersion:
        return None
    if version.epoch or len(version.release) > _MOST_NUMBERS:
        return None
    before = "-rc" if version.is_prerelease else ""
    return _Release(
        SemanticVersion(f"{version.major}.{version.minor}.{version.micro}{before}"), len(version.release)
    )


def _part(statement: Statement) -> VersionPart:
    return VersionPart.MINOR if _is_only_python(statement) else _PARTS[statement.kind]


def _is_only_python(statement: Statement) -> bool:
    """Return True for a higher lowest version of Python: older ones keep the release that they have."""
    form = statement.breaking
    if form is None or form.surface is not SurfaceKind.DEPENDENCIES or form.symbol != "requires-python":
        return False
    return lowest_version(form.old) != lowest_version(form.new)


def _decisive_statement(statements: Sequence[Statement]) -> Statement | None:
    """Return the statement that raises the most; of breaking ones, a change of a published surface."""
    kinds = list(_PARTS)
    relevant = [statement for statement in statements if statement.kind in _PARTS]
    return min(
        relevant,
        key=lambda statement: (
            kinds.index(statement.kind),
            _is_only_python(statement),
            statement.breaking is None,
        ),
        default=None,
    )
