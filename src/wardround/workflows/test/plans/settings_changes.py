"""The effects of a changed file of settings: those that a run of tests reads, by format."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Callable, Mapping

import msgspec

from wardround.lazy import LazyPattern
from wardround.workflows.environments.requirements import logical_lines, name_of
from wardround.workflows.test.plans.settings_tables import SettingsUnread, ini_parts, lock_parts, toml_parts
from wardround.workflows.test.plans.setup_script import script_parts

_REQUIREMENTS = LazyPattern(r"\.(?:txt|in)$")
_NOX_PYTEST = LazyPattern(r"[\"'](?:pytest|unittest)[\"']")
OPTIONS = "-"
"""The name under which files of requirements have lines that name no package."""


class SettingsChange(msgspec.Struct, frozen=True):
    """The effects of a changed file of settings on a run in an environment that is already there.

    Attributes:
        is_effective: a setting changed that can affect every test.
        modules: only code that imports one of them is affected by the other changes.
        packages: normal names of packages that are required in another way.
    """

    is_effective: bool = False
    modules: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()


class SettingsParts(msgspec.Struct, frozen=True):
    """The parts of a file of settings.

    Attributes:
        effective: everything that can affect a run, in a form that compares.
        by_module: module -> what only code that imports it sees, such as the version of the package.
        packages: normal name -> how it is required.
    """

    effective: object
    by_module: Mapping[str, object] = {}
    packages: Mapping[str, object] = {}


def settings_change(path: str, before: str | None, after: str | None) -> SettingsChange:
    """Compare two versions of a file of settings.

    Args:
        before: its content; None if it cannot be read. An absent file is an empty text.
    """
    read = _reader(path)
    if before is None or after is None or read is None:
        return SettingsChange(is_effective=True)
    try:
        old, new = read(before), read(after)
    except SettingsUnread:
        return SettingsChange(is_effective=True)
    return SettingsChange(
        old.effective != new.effective,
        _differing_keys(old.by_module, new.by_module),
        _differing_keys(old.packages, new.packages),
    )


def _differing_keys(old: Mapping[str, object], new: Mapping[str, object]) -> frozenset[str]:
    return frozenset(name for name in {*old, *new} if old.get(name) != new.get(name))


def _reader(path: str) -> Callable[[str], SettingsParts] | None:
    name = posixpath.basename(path)
    known: dict[str, Callable[[str], SettingsParts]] = {
        "pyproject.toml": lambda text: SettingsParts(*toml_parts(text)),
        "setup.cfg": lambda text: SettingsParts(*ini_parts(text)),
        "tox.ini": lambda text: SettingsParts(*ini_parts(text)),
        "setup.py": lambda text: SettingsParts(*script_parts(text)),
        "noxfile.py": _nox,
    }
    locks = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
    if name in locks:
        return lambda text: SettingsParts(None, {}, lock_parts(text))
    return known.get(name) or (_requirements if _REQUIREMENTS.search(name) else None)


def _requirements(text: str) -> SettingsParts:
    lines = list(logical_lines(text))
    packages: dict[str, list[str]] = {}
    for line in lines:
        if name := name_of(line):
            packages.setdefault(name, []).append(" ".join(line.split()))
    packages[OPTIONS] = [line for line in lines if not name_of(line)]
    return SettingsParts(None, {}, packages)


def _nox(text: str) -> SettingsParts:
    """Return the mention of a framework, which is all that is read of the sessions of nox."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as cause:
        raise SettingsUnread from cause
    return SettingsParts(bool(_NOX_PYTEST.search(text)))
