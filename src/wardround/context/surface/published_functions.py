"""The changed functions of Python that users outside of the repository can call, by name and package."""

from __future__ import annotations

from collections.abc import Collection

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.context.surface.packages import UNPUBLISHED, is_in, python_packages
from wardround.context.surface.python_difference import INTERNAL
from wardround.context.surface.sides import Side, sides_of

Function = tuple[str, str]
"""A path at the head and a qualified name."""


def published_of(
    source: ChangeSource, change: Change, functions: Collection[Function]
) -> frozenset[Function]:
    """Return the published ones of some functions; none for a diff, which has no trees."""
    git_source = source.in_repository
    if git_source is None or not functions:
        return frozenset()
    return published_in(sides_of(git_source, change).head, functions)


def published_in(side: Side, functions: Collection[Function]) -> frozenset[Function]:
    """Return the functions that are in a published package under public names."""
    public = [function for function in functions if not _is_internal(function)]
    packages = python_packages(side, sorted({path for path, _ in public}))
    modules = [module for package in packages for module in package.modules]
    return frozenset(
        (path, name)
        for path, name in public
        if any(is_in(path, module) and not UNPUBLISHED.search(path[len(module) :]) for module in modules)
    )


def _is_internal(function: Function) -> bool:
    path, name = function
    module = path.removesuffix(".py").removesuffix("/__init__")
    return bool(INTERNAL.search(f"{module}.{name}")) or "<locals>" in name
