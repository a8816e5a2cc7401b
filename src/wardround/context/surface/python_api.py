"""The public API of published Python packages, compared with griffe without importing any of them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
import posixpath
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.change.snapshot import Snapshot
from wardround.context.surface.model import ComparingTool, NotCompared, SurfaceChange, SurfaceKind
from wardround.context.surface.packages import UNPUBLISHED, has_commands, is_in, python_packages
from wardround.context.surface.python_declarations import declarations
from wardround.context.surface.python_difference import INTERNAL, Difference
from wardround.context.surface.python_documentation import Documentation
from wardround.context.surface.sides import Side, Sides
from wardround.languages.python.tree import parse

if TYPE_CHECKING:
    import griffe

KIND = SurfaceKind.PYTHON_API
MISSING = "griffe is not installed (pip install 'wardround[ci]')"
_MOST_FILES = 1_500
"""Maximum number of modules of a package: about ten seconds for base and head."""
Result = SurfaceChange | NotCompared | ComparingTool
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def compare(sides: Sides) -> Iterator[Result]:
    """Yield what the public APIs of the changed packages lose, and what could not be compared."""
    changed = sorted(path for path in sides.changed_paths if _is_module(path))
    for package in python_packages(sides.base, changed):
        for module in package.modules:
            files = [path for path in changed if is_in(path, module)]
            if files:
                documentation = Documentation(sides.base) if has_commands(sides.base, package) else None
                yield from _compare_package(sides, module, files, documentation)


def _is_module(path: str) -> bool:
    return path.endswith((".py", ".pyi")) and not INTERNAL.search(path.rpartition("/")[0] + "/")


def _compare_package(
    sides: Sides, module: str, changed: Sequence[str], documentation: Documentation | None
) -> Iterator[Result]:
    """Compare a package.

    Args:
        documentation: documentation of a program, whose users import the names that it mentions or exports;
            None for a library.
    """
    broken = [
        path for path in changed for side in (sides.base, sides.head) if _declared_names(side, path) is None
    ]
    if broken:
        yield NotCompared(KIND, f"{broken[0]} is not valid Python")
        return
    if all(
        (_declared_names(sides.base, path) or set()) <= (_declared_names(sides.head, path) or set())
        for path in changed
    ):
        return  # nothing is removed or declared in another way
    if importlib.util.find_spec("griffe") is None:
        yield NotCompared(KIND, MISSING)
        return
    head_module = _head_module(sides, module)
    files = [_files(sides.base, module), _files(sides.head, head_module)]
    if max(map(len, files)) > _MOST_FILES:
        yield NotCompared(KIND, f"{module} has more than {_MOST_FILES} modules")
        return
    if not files[1]:
        yield _removed_package(module)
        return
    with Snapshot() as private:
        yield from _compare_with_griffe(sides, (module, head_module), files, private.home, documentation)


def _head_module(sides: Sides, module: str) -> str:
    """Return the path of a package at the head, where another folder may contain it."""
    if _files(sides.head, module):
        return module
    name = posixpath.basename(module)
    own = name if name.endswith(".py") else f"{name}/__init__.py"
    moved = [path for path in sides.head.paths if f"/{path}".endswith(f"/{own}")]
    published = [path for path in moved if not UNPUBLISHED.search(path)]
    return published[0].removesuffix("/__init__.py") if len(published) == 1 else module


def _removed_package(module: str) -> SurfaceChange:
    name = posixpath.basename(module).removesuffix(".py")
    path = module if module.endswith(".py") else f"{module}/__init__.py"
    return SurfaceChange(KIND, path, 1, name, "is removed", True)


def _declared_names(side: Side, path: str) -> Set[str] | None:
    """Return the declarations of a module, none of a missing one; None if it is not valid Python."""
    if not side.has(path):
        return frozenset()
    text = side.read(path)
    try:
        return None if text is None else declarations(parse(text))
    except _UNREADABLE:
        return None


def _files(side: Side, module: str) -> list[str]:
    files = [path for path in side.paths if is_in(path, module) and path.endswith((".py", ".pyi"))]
    return [path for path in files if not UNPUBLISHED.search(path[len(module) :])]


def _compare_with_griffe(
    sides: Sides,
    modules: tuple[str, str],
    files: Sequence[Sequence[str]],
    folder: Path,
    documentation: Documentation | None,
) -> Iterator[Result]:
    import griffe  # 60 ms; only changes of published packages need it

    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    loaded = []
    versions = zip(("base", "head"), (sides.base, sides.head), modules, files, strict=True)
    for name, side, module, paths in versions:
        _write(side, paths, folder / name)
        search = folder / name / posixpath.dirname(module)
        try:
            loaded.append(_load_package(_import_name(module), search))
        except (griffe.GriffeError, *_UNREADABLE) as cause:
            reason = " ".join(str(cause).split()) or type(cause).__name__
            yield NotCompared(KIND, f"griffe cannot load {module}: {reason}")
            return
    yield ComparingTool("griffe", importlib.metadata.version("griffelib"))
    yield from Difference(loaded[0], loaded[1], modules[0], folder, documentation).changes()


def _import_name(module: str) -> str:
    return posixpath.basename(module).removesuffix(".pyi").removesuffix(".py")


def _write(side: Side, paths: Sequence[str], folder: Path) -> None:
    """Write the modules into a private folder, from which griffe reads them."""
    side.fetch(paths)
    for path in paths:
        if ".." not in path.split("/"):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(side.read(path) or "", encoding="utf-8")


def _load_package(name: str, folder: Path) -> griffe.Module:
    """Load a package by its syntax only: neither its modules nor installed packages are imported."""
    import griffe

    loader = griffe.GriffeLoader(
        search_paths=[folder], allow_inspection=False, store_source=False, extensions=griffe.Extensions()
    )
    module = loader.load(name, try_relative_path=False)
    assert isinstance(module, griffe.Module)
    for submodule in _modules(module):
        _publish_exports(submodule)
    loader.resolve_aliases(implicit=False, external=False)
    return module


def _modules(module: griffe.Module) -> Iterator[griffe.Module]:
    yield module
    for member in module.members.values():
        if not member.is_alias and member.is_module:
            yield from _modules(member)  # type: ignore[arg-type]


def _publish_exports(module: griffe.Module) -> None:
    """Mark names that a package imports from its modules as public, unless ``__all__`` lists the public
    names.
    """
    from griffe import Alias

    if module.exports or not module.is_init_module:
        return
    for name, member in module.members.items():
        if isinstance(member, Alias) and not name.startswith("_"):
            member.public = member.target_path.startswith(f"{module.path}.")
