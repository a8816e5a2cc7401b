"""The index of a package's checks, by which each is selected before it is imported.

It is built from the check modules on first use and cached on disk until a source file changes.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Literal

import msgspec

from wardround import __version__
from wardround.checks.base import ChangeCheck, RuleDoc
from wardround.lazy import package_state
from wardround.storage.digest import sha256
from wardround.storage.memo import memoize_on_disk

_SHARED = ("wardround.checks", "wardround.languages", "wardround.semantics", "wardround.text")
"""Packages of the engine from which check modules import words and base classes."""

CheckScope = Literal["file", "change"]
"""The scope of a check: one file, or a change with all its files."""


class CheckEntry(msgspec.Struct, frozen=True, array_like=True):
    """The facts by which a check is selected; empty kinds, words or prefilter exclude nothing.

    Attributes:
        target: ``module:class``, relative to the package.
        kinds: kinds of files the check is for; parts of paths, in lower case, if the scope is a change.
        words: every file that the check can report contains at least one.
        prefilter: ``module:function`` that every such file passes.
    """

    id: str
    target: str
    scope: CheckScope
    kinds: tuple[str, ...]
    words: tuple[str, ...]
    prefilter: str


@cache
def check_index(package: str) -> tuple[CheckEntry, ...]:
    """Return the entries of every check in a package, by id."""
    packages = (package.partition(".")[0], *_SHARED)
    state = "\n".join((__version__, package, *map(package_state, packages)))
    name = sha256(state.encode("utf-8", "surrogateescape")).hexdigest()
    return memoize_on_disk("checks", name, lambda: build_index(package), tuple[CheckEntry, ...])


def build_index(package: str) -> tuple[CheckEntry, ...]:
    """Import every check module of a package and return the entries, by id."""
    checks = sorted(discover_checks(package), key=lambda check: check.ID)
    return tuple(_entry(check, package) for check in checks)


def discover_checks(package: str) -> list[type[RuleDoc]]:
    """Return the checks that the modules of a package and of its subpackages define."""
    found: list[type[RuleDoc]] = []
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        values = vars(importlib.import_module(module.name)).values()
        found += [value for value in values if _is_defined_in(value, module.name)]
    return found


def _is_defined_in(value: object, module: str) -> bool:
    is_check = isinstance(value, type) and issubclass(value, RuleDoc)
    return is_check and value.__module__ == module and hasattr(value, "ID")


def _entry(check: type[RuleDoc], package: str) -> CheckEntry:
    kinds, words = check.prefilter_keys()
    return CheckEntry(
        id=check.ID,
        target=f"{check.__module__.removeprefix(f'{package}.')}:{check.__name__}",
        scope="change" if issubclass(check, ChangeCheck) else "file",
        kinds=tuple(sorted(kinds)),
        words=tuple(words),
        prefilter=check.PREFILTER,
    )
