"""The differences that griffe finds between two versions of a package, as changes of its public API."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.python_documentation import Documentation
from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    import griffe

INTERNAL = LazyPattern(
    r"(?i)(?:^|[./])(?:_\w+|tests?|conftest|internals?|vendor(?:ed)?|migrations|alembic)(?:[./]|$)"
)
"""Modules that are private by their names."""
_HARMLESS = frozenset(
    {"RETURN_CHANGED_TYPE", "PARAMETER_CHANGED_DEFAULT", "CLASS_REMOVED_BASE", "OBJECT_CHANGED_KIND"}
)
"""Differences that griffe reports and that calls and imports survive."""
_COMMANDS = frozenset({"command", "group", "option", "argument", "callback"})
_EXCEPTIONS = ("Error", "Exception", "Warning")
_TYPE_VARIABLE = LazyPattern(r"(?:\w+\.)?(?:TypeVar|ParamSpec|TypeVarTuple)\(")


@dataclass(frozen=True)
class Difference:
    """Both versions of a package, loaded from a folder.

    Attributes:
        module: the path of the package in the repository.
        folder: it has the versions in ``base`` and ``head``.
        documentation: limits the public API to the names that it mentions and the package exports.
    """

    base: griffe.Module
    head: griffe.Module
    module: str
    folder: Path
    documentation: Documentation | None = None

    def changes(self) -> Iterator[SurfaceChange]:
        """Yield one change for each object, with all of its differences."""
        import griffe

        found: dict[str, list[griffe.Breakage]] = defaultdict(list)
        for breakage in griffe.find_breaking_changes(self.base, self.head):
            if _is_compared(breakage) and self._is_published(breakage.obj):
                found[_definition(breakage.obj)].append(breakage)
        removed = {path for path, all_ in found.items() if all_[0].kind.name == "OBJECT_REMOVED"}
        for path, all_ in sorted(found.items()):
            if not any(path.startswith(f"{other}.") for other in removed):
                change = self._change(all_)
                if change is not None:
                    yield change

    def _is_published(self, found: Any) -> bool:
        """Return True if users rely on an object, by its name and where it is documented or exported."""
        path = self._public_path(found)
        if INTERNAL.search(path) or _is_type_variable(found):
            return False
        if self.documentation is None or self.documentation.has(path):
            return True
        names = path.split(".")[1:]
        return any(_exports_name(self.base, name) and _is_passed_on(self.base, name) for name in names)

    def _public_path(self, found: Any) -> str:
        """Return the path that users import an object by, if a public module imports it from a private one.

        A call of a class calls its constructor, so that both have the same path.
        """
        path = str(found.path).removesuffix(".__init__")
        if not INTERNAL.search(path):
            return path
        names = path.split(".")
        for count in range(len(names), 1, -1):
            public = self._exported.get(".".join(names[:count]))
            if public is not None:
                return ".".join((public, *names[count:]))
        return path

    @cached_property
    def _exported(self) -> Mapping[str, str]:
        """The public paths of what private modules define, by the paths of the definitions."""
        import griffe

        found: dict[str, str] = {}
        for module in _public_modules(self.base):
            for name, member in module.members.items():
                if isinstance(member, griffe.Alias) and _exports_name(module, name):
                    found.setdefault(_definition(member.final_target), f"{module.path}.{name}")
        return found

    def _change(self, found: Sequence[griffe.Breakage]) -> SurfaceChange | None:
        """Return the change of an object; None if callers do not notice it."""
        if found[0].kind.name == "OBJECT_REMOVED":
            return self._removal([breakage.obj for breakage in found])
        found = [breakage for breakage in _drop_receiver(found) if not _is_harmless(breakage)]
        if not found or _is_command(found[0].obj):
            return None
        details = list(dict.fromkeys(_detail(breakage) for breakage in found))
        is_breaking = not {breakage.kind.name for breakage in found} <= _HARMLESS
        return self._to_surface_change(
            _shortest([breakage.obj for breakage in found]), "; ".join(details), is_breaking
        )

    def _removal(self, found: Sequence[Any]) -> SurfaceChange:
        """Return the change of an object that is missing at one or more of its paths."""
        lost = [breakage for breakage in found if not self._is_dynamic(breakage)]
        if not lost:
            return self._to_surface_change(_shortest(found), "is deprecated or dynamic", is_breaking=False)
        shortest = _shortest(lost)
        if self._is_still_exported(shortest):
            return self._to_surface_change(shortest, "is moved", is_breaking=False)
        return self._to_surface_change(shortest, "is removed", is_breaking=True)

    def _to_surface_change(self, found: Any, detail: str, is_breaking: bool) -> SurfaceChange:
        path, line = self._object_location(found)
        name = self._public_path(found)
        return SurfaceChange(SurfaceKind.PYTHON_API, path, line, name, detail, is_breaking)

    def _is_still_exported(self, removed: Any) -> bool:
        """Return True if the package exports the name, or all names of the module, at base and head."""
        if not removed.is_alias and removed.is_module:
            return bool(removed.members) and all(
                self._is_still_exported(member) for member in removed.members.values() if member.is_public
            )
        parts = removed.path.split(".")
        if len(parts) < 3 or removed.parent is None or not removed.parent.is_module:
            return False
        return all(_exports_name(package, parts[-1]) for package in (self.base, self.head))

    def _is_dynamic(self, removed: Any) -> bool:
        """Return True if the owner may still have the name by ``__getattr__`` or another base class."""
        if self._is_inherited(removed) and self._is_dynamic(removed.target):
            return True
        old = removed.parent
        new = None if old is None else self._head_object(old.path)
        if old is None or new is None:
            return False
        if not new.is_module:
            return "__getattr__" in new.members or _bases(old) != _bases(new)
        if "__getattr__" not in new.members:
            return False
        text = Path(new.filepath).read_text(encoding="utf-8")
        return bool(re.search(rf"['\"]{re.escape(removed.name)}['\"]", text))

    def _is_inherited(self, removed: Any) -> bool:
        return bool(removed.is_alias and removed.parent is not None and removed.parent.is_class)

    def _head_object(self, path: str) -> Any:
        """Return the object at a path of the head; None if it is missing or not defined in the package."""
        found: Any = self.head
        for name in path.split(".")[1:]:
            found = found.members.get(name)
            if found is None or found.is_alias:
                return None
        return found

    def _object_location(self, found: Any) -> tuple[str, int]:
        """Return the file and the line of an object; of one that is defined elsewhere, the package."""
        import griffe

        try:
            target = found.final_target if found.is_alias else found
            path = Path(target.filepath).relative_to(self.folder).as_posix().partition("/")[2]
            return path, target.lineno or 1
        except (ValueError, TypeError, AttributeError, griffe.GriffeError):
            return self.module, 1


def _public_modules(module: griffe.Module) -> Iterator[griffe.Module]:
    """Yield a package and its public modules, outer ones first."""
    yield module
    for member in module.members.values():
        if not member.is_alias and member.is_module and not INTERNAL.search(member.path):
            yield from _public_modules(member)  # type: ignore[arg-type]


def _is_compared(item: griffe.Breakage) -> bool:
    """Return False for a special method that is removed, as another definition may replace it, and for the
    constructor of an exception, which the package itself calls.
    """
    name = item.obj.name
    if not (name.startswith("__") and name.endswith("__")):
        return True
    owner = item.obj.parent
    if item.kind.name == "OBJECT_REMOVED" or owner is None or not owner.is_class:
        return False
    return name == "__init__" and not owner.name.endswith(_EXCEPTIONS)


def _drop_receiver(found: Sequence[griffe.Breakage]) -> Sequence[griffe.Breakage]:
    """Return the differences without those of ``self`` and ``cls``, which move all other parameters."""
    names = [_parameter(breakage) for breakage in found]
    if not {"self", "cls"} & set(names):
        return found
    retained = zip(found, names, strict=True)
    return [
        breakage
        for breakage, name in retained
        if name not in ("self", "cls") and breakage.kind.name != "PARAMETER_MOVED"
    ]


def _is_harmless(item: griffe.Breakage) -> bool:
    """Return True if a parameter for all further arguments has another name."""
    if item.kind.name != "PARAMETER_REMOVED" or "variadic" not in item.old_value.kind.value:
        return False
    return any(new.kind is item.old_value.kind for new in getattr(item.obj, "parameters", ()))


def _parameter(item: griffe.Breakage) -> str:
    """Return the name of the parameter that a difference is about."""
    return getattr(item.new_value, "name", "") or getattr(item.old_value, "name", "")


def _shortest(found: Sequence[Any]) -> Any:
    """Return the object with the path that is the shortest to import."""
    return min(found, key=lambda definition: (definition.path.count("."), definition.path))


def _definition(found: Any) -> str:
    """Return the path at which an object is defined, however often it is inherited or exported."""
    return str(found.target_path if found.is_alias else found.path)


def _bases(found: Any) -> list[str]:
    return [str(base) for base in found.bases] if found.is_class else []


def _exports_name(package: griffe.Module, name: str) -> bool:
    """Return True if a package has a public name of its own, and its import resolves to a definition."""
    from griffe import Alias, AliasResolutionError, CyclicAliasError

    member = package.all_members.get(name)
    try:
        is_public = member is not None and member.is_public and not member.is_module
        return is_public and (not isinstance(member, Alias) or member.final_target is not None)
    except (AliasResolutionError, CyclicAliasError):
        return False


def _is_passed_on(package: griffe.Module, name: str) -> bool:
    """Return True if a package imports a name from one of its modules, or lists it in ``__all__``."""
    return package.all_members[name].is_alias or name in (package.exports or ())


def _is_command(found: Any) -> bool:
    """Return True for a function that click or typer calls: its parameters are options."""
    called = (str(decorator.callable_path) for decorator in getattr(found, "decorators", ()))
    return any(path.rpartition(".")[2] in _COMMANDS for path in called)


def _is_type_variable(found: Any) -> bool:
    """Return True for a type variable, which only annotations use."""
    value = "" if found.is_alias or not found.is_attribute else str(found.value)
    return bool(_TYPE_VARIABLE.match(value))


def _detail(item: griffe.Breakage) -> str:
    """Return a difference as a predicate of the name of its object."""
    old, new, name = item.old_value, item.new_value, _parameter(item)
    match item.kind.name:
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
