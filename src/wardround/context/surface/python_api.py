"""The public API of published Python packages, compared with griffe without importing any of them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
import posixpath
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.checks.lazy import LazyPattern
from wardround.context.surface.model import ComparingTool, NotCompared, SurfaceChange, SurfaceKind
from wardround.context.surface.packages import UNPUBLISHED, is_in, python_packages
from wardround.context.surface.sides import Side, Sides
from wardround.languages.python.tree import parse

if TYPE_CHECKING:
    import griffe

KIND = SurfaceKind.PYTHON_API
MISSING = "griffe is not installed (pip install 'wardround[ci]')"
_MOST_FILES = 1_500
"""The limit on modules of a package: about ten seconds for both sides."""
_INTERNAL = LazyPattern(
    r"(?i)(?:^|[./])(?:_\w+|tests?|conftest|internals?|vendor(?:ed)?|migrations|alembic)(?:[./]|$)"
)
_TYPE_VARIABLE = LazyPattern(r"(?:\w+\.)?(?:TypeVar|ParamSpec|TypeVarTuple)\(")
_HARMLESS = frozenset(
    {"RETURN_CHANGED_TYPE", "PARAMETER_CHANGED_DEFAULT", "CLASS_REMOVED_BASE", "OBJECT_CHANGED_KIND"}
)
"""Differences that griffe reports and that calls and imports survive."""
Result = SurfaceChange | NotCompared | ComparingTool
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def compare(sides: Sides) -> Iterator[Result]:
    """Yield what the public APIs of the changed packages lose, and what could not be compared."""
    changed = sorted(path for path in sides.changed_paths if _is_module(path))
    for package in python_packages(sides.base, changed):
        for module in package.modules:
            files = [path for path in changed if is_in(path, module)]
            if files:
                yield from _compared(sides, module, files)


def _is_module(path: str) -> bool:
    return path.endswith((".py", ".pyi")) and not _INTERNAL.search(path.rpartition("/")[0] + "/")


def _compared(sides: Sides, module: str, changed: Sequence[str]) -> Iterator[Result]:
    if importlib.util.find_spec("griffe") is None:
        yield NotCompared(KIND, MISSING)
        return
    broken = _unreadable(sides, changed)
    if broken:
        yield NotCompared(KIND, f"{broken} is not valid Python")
        return
    files = [_files(side, module) for side in (sides.base, sides.head)]
    if max(map(len, files)) > _MOST_FILES:
        yield NotCompared(KIND, f"{module} has more than {_MOST_FILES} modules")
        return
    if not files[1]:
        yield _removed_package(module)
        return
    with tempfile.TemporaryDirectory(prefix="wardround-surface-") as folder:
        yield from _with_griffe(sides, module, files, Path(folder))


def _removed_package(module: str) -> SurfaceChange:
    name = posixpath.basename(module).removesuffix(".py")
    path = module if module.endswith(".py") else f"{module}/__init__.py"
    return SurfaceChange(KIND, path, 1, name, "is removed", True)


def _unreadable(sides: Sides, changed: Sequence[str]) -> str:
    """Return a changed module that does not parse on a side where it exists; empty if all do."""
    for path in changed:
        for side in (sides.base, sides.head):
            if side.has(path):
                text = side.read(path)
                try:
                    if text is None:
                        return path
                    parse(text)
                except _UNREADABLE:
                    return path
    return ""


def _files(side: Side, module: str) -> list[str]:
    files = [path for path in side.paths if is_in(path, module) and path.endswith((".py", ".pyi"))]
    return [path for path in files if not UNPUBLISHED.search(path[len(module) :])]


def _with_griffe(sides: Sides, module: str, files: Sequence[Sequence[str]], folder: Path) -> Iterator[Result]:
    import griffe  # 60 ms; only changes of published packages need it

    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    loaded = []
    for name, side, paths in zip(("base", "head"), (sides.base, sides.head), files, strict=True):
        _write(side, paths, folder / name)
        search = folder / name / posixpath.dirname(module)
        try:
            loaded.append(_loaded(_import_name(module), search))
        except (griffe.GriffeError, *_UNREADABLE) as cause:
            reason = " ".join(str(cause).split()) or type(cause).__name__
            yield NotCompared(KIND, f"griffe cannot load {module}: {reason}")
            return
    yield ComparingTool("griffe", importlib.metadata.version("griffelib"))
    yield from _Difference(loaded[0], loaded[1], module, folder).changes()


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


def _loaded(name: str, folder: Path) -> griffe.Module:
    """Load a package by its syntax alone: nothing in it is imported, nor anything that is installed."""
    import griffe

    loader = griffe.GriffeLoader(
        search_paths=[folder], allow_inspection=False, store_source=False, extensions=griffe.Extensions()
    )
    module = loader.load(name, try_relative_path=False)
    assert isinstance(module, griffe.Module)
    for one in _modules(module):
        _publish_exports(one)
    loader.resolve_aliases(implicit=False, external=False)
    return module


def _modules(module: griffe.Module) -> Iterator[griffe.Module]:
    yield module
    for one in module.members.values():
        if not one.is_alias and one.is_module:
            yield from _modules(one)  # type: ignore[arg-type]


def _publish_exports(module: griffe.Module) -> None:
    """Mark what a package imports from its own modules as public, where no ``__all__`` decides."""
    from griffe import Alias

    if module.exports or not module.is_init_module:
        return
    own = module.path.partition(".")[0]
    for name, member in module.members.items():
        if isinstance(member, Alias) and not name.startswith("_"):
            member.public = member.target_path.startswith(f"{own}.")


@dataclass(frozen=True)
class _Difference:
    """Both versions of a package, loaded from a folder."""

    base: griffe.Module
    head: griffe.Module
    module: str
    folder: Path

    def changes(self) -> Iterator[SurfaceChange]:
        """Yield one change for each object, with all of its differences."""
        import griffe

        found: dict[str, list[griffe.Breakage]] = defaultdict(list)
        for one in griffe.find_breaking_changes(self.base, self.head):
            if not _INTERNAL.search(one.obj.path) and not _is_type_variable(one.obj):
                found[self._identity(one.obj)].append(one)
        removed = {path for path, all_ in found.items() if all_[0].kind.name == "OBJECT_REMOVED"}
        for path, all_ in sorted(found.items()):
            if not any(path.startswith(f"{other}.") for other in removed):
                yield self._change(all_)

    def _identity(self, found: Any) -> str:
        """Return the path at which an object is defined, however often it is inherited or exported."""
        return str(found.target_path if found.is_alias else found.path)

    def _change(self, found: Sequence[griffe.Breakage]) -> SurfaceChange:
        shortest = min(found, key=lambda one: (one.obj.path.count("."), one.obj.path))
        details = list(dict.fromkeys(_detail(one) for one in found))
        kinds = {one.kind.name for one in found}
        is_breaking = not kinds <= _HARMLESS
        if "OBJECT_REMOVED" in kinds and self._remains(shortest.obj):
            is_breaking, details = False, ["is moved"]
        path, line = self._place(shortest.obj)
        name = shortest.obj.path
        return SurfaceChange(KIND, path, line, name, "; ".join(details), is_breaking)

    def _remains(self, removed: Any) -> bool:
        """Return True if the package exports the name, or all names of the module, on both sides."""
        if not removed.is_alias and removed.is_module:
            return bool(removed.members) and all(
                self._remains(one) for one in removed.members.values() if one.is_public
            )
        parts = removed.path.split(".")
        if len(parts) < 3 or removed.parent is None or not removed.parent.is_module:
            return False
        return all(_exports(package, parts[-1]) for package in (self.base, self.head))

    def _place(self, found: Any) -> tuple[str, int]:
        """Return the file and the line of an object; of one that is defined elsewhere, the package."""
        import griffe

        try:
            target = found.final_target if found.is_alias else found
            path = Path(target.filepath).relative_to(self.folder).as_posix().partition("/")[2]
            return path, target.lineno or 1
        except (ValueError, TypeError, AttributeError, griffe.GriffeError):
            return self.module, 1


def _exports(package: griffe.Module, name: str) -> bool:
    """Return True if a package has a public name, and its import leads to a definition."""
    from griffe import Alias, AliasResolutionError, CyclicAliasError

    member = package.all_members.get(name)
    try:
        is_public = member is not None and member.is_public
        return is_public and (not isinstance(member, Alias) or member.final_target is not None)
    except (AliasResolutionError, CyclicAliasError):
        return False


def _is_type_variable(found: Any) -> bool:
    """Return True for a type variable, which only annotations use."""
    value = "" if found.is_alias or not found.is_attribute else str(found.value)
    return bool(_TYPE_VARIABLE.match(value))


def _detail(one: griffe.Breakage) -> str:
    """Return a difference as a predicate of the name of its object."""
    old, new = one.old_value, one.new_value
    name = getattr(new, "name", "") or getattr(old, "name", "")
    match one.kind.name:
        case "OBJECT_REMOVED":
            return "is removed"
        case "PARAMETER_REMOVED":
            return f"has no parameter `{name}`"
        case "PARAMETER_ADDED_REQUIRED":
            return f"requires the new parameter `{name}`"
        case "PARAMETER_CHANGED_REQUIRED":
            return f"requires the parameter `{name}`"
        case "PARAMETER_MOVED":
            return f"has the parameter `{name}` at another position"
        case "PARAMETER_CHANGED_KIND":
            return f"takes the parameter `{name}` as {new.kind.value}"
        case "PARAMETER_CHANGED_DEFAULT":
            return f"has the default `{new.default}` for `{name}`"
        case "RETURN_CHANGED_TYPE":
            return "has another return type"
        case "CLASS_REMOVED_BASE":
            return "has fewer base classes"
        case "OBJECT_CHANGED_KIND":
            return f"is a {new.value} and was a {old.value}"
        case other:
            return other.lower().replace("_", " ")
