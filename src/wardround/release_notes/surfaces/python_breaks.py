"""The declarations of changed Python objects, and the file that makes each public."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from wardround.context.surface.model import SurfaceChange
from wardround.release_notes.surfaces.attribution import Search
from wardround.release_notes.surfaces.declaration import PRESENCE, Declaration, Reader, present
from wardround.release_notes.surfaces.public_names import PublicNames, module_parts
from wardround.release_notes.surfaces.python_declaration import (
    listed_declaration,
    python_declaration,
    qualified_name,
)
from wardround.release_notes.surfaces.signature_change import facets_of, signature_change
from wardround.release_notes.surfaces.signature_form import short_form
from wardround.release_notes.surfaces.surface_break import REMOVED, SurfaceBreak
from wardround.release_notes.surfaces.two_trees import TwoTrees, other_places

_STUB = ".pyi"


@dataclass(frozen=True)
class PythonBreaks:
    """Reads the changes of the Python API between two trees."""

    trees: TwoTrees

    def read(self, change: SurfaceChange) -> SurfaceBreak | None:
        """Return a change with its declarations; None if no call or import has to change."""
        if change.detail != REMOVED:
            return self._other_signature(change)
        if _is_module(change):
            return self._removed_module(change)
        return self._removed_object(change)

    def _removed_module(self, change: SurfaceChange) -> SurfaceBreak:
        paths = (change.path, *other_places(change.path))
        search = Search(paths, _read_module, {PRESENCE: "present"}, is_file=True)
        return SurfaceBreak(change, change.name, _last(change.name), search)

    def _removed_object(self, change: SurfaceChange) -> SurfaceBreak | None:
        paths = self.trees.paths(change.path)
        text = self.trees.sides.base.read(change.path) or ""
        qualified = qualified_name(text, change.line, change.name) or _last(change.name)
        read = _reader(qualified)
        base, head = self.trees.base(paths, read), self.trees.head(paths, read)
        if head.is_present:
            return self._removed_export(change, base, qualified)
        if change.path.endswith(_STUB) and self._is_implemented(change.path, qualified):
            return None
        symbol = self._base_names.symbol(change.name, change.path, qualified)
        own = _last(qualified)
        search = Search(paths[:1], read, {PRESENCE: "present"}, _definition_start(own, base))
        return SurfaceBreak(change, symbol, own, search, base, qualified=qualified)

    def _is_implemented(self, stub: str, qualified: str) -> bool:
        """Return True if the module of a stub did not have an object, or still has it."""
        path = stub.removesuffix(_STUB) + ".py"
        base, head = self.trees.sides.base.read(path), self.trees.sides.head.read(path)
        if base is None or head is None:
            return False
        is_declared = python_declaration(base, qualified).is_present
        return not is_declared or python_declaration(head, qualified).is_present

    def _removed_export(self, change: SurfaceChange, base: Declaration, qualified: str) -> SurfaceBreak:
        """Return the removal of a name from an import or from ``__all__``; its definition remains."""
        own = _last(change.name)
        paths = self.trees.paths(change.path)

        def read_list(text: str) -> Declaration:
            return listed_declaration(text, own)

        if self.trees.base(paths, read_list).is_present and not self.trees.head(paths, read_list).is_present:
            search = Search(paths, read_list, {PRESENCE: "present"}, rf"\b{own}\b")
        else:
            search = Search(
                (self._exporting_path(change),), _reader(own), {PRESENCE: "present"}, rf"\b{own}\b"
            )
        symbol = self._base_names.shortest(change.name, change.path)
        return SurfaceBreak(change, symbol, own, search, base, qualified=qualified)

    def _exporting_path(self, change: SurfaceChange) -> str:
        """Return the file of the module that a dotted path names."""
        parts, module = change.name.split(".")[:-1], module_parts(change.path)
        if parts and parts[0] in module:
            path = "/".join((*module[: module.index(parts[0])], *parts))
            for candidate in (f"{path}/__init__.py", f"{path}.py"):
                if self.trees.sides.base.has(candidate):
                    return candidate
        return change.path

    def _other_signature(self, change: SurfaceChange) -> SurfaceBreak | None:
        paths = self.trees.paths(change.path)
        text = self.trees.sides.head.read(change.path) or ""
        qualified = qualified_name(text, change.line, change.name)
        read = _read_module if qualified is None else _reader(qualified)
        base, head = self.trees.base(paths, read), self.trees.head(paths, read)
        symbol = self._head_names.symbol(
            change.name, change.path, (qualified or "").removesuffix(".__init__")
        )
        own = _last(symbol)
        if qualified is None or not (base.is_present and head.is_present):
            return SurfaceBreak(change, symbol, own, Search(paths, read, {}), base, head)
        signature = signature_change(base, head)
        if not signature.is_breaking:
            return None
        search = Search(paths, read, facets_of(signature, base), _header(_last(qualified)))
        base, head = (
            replace(side, form=short_form(qualified, side.parameters, signature.names))
            for side in (base, head)
        )
        return SurfaceBreak(change, symbol, own, search, base, head, signature, qualified)

    @cached_property
    def _base_names(self) -> PublicNames:
        return PublicNames(self.trees.sides.base)

    @cached_property
    def _head_names(self) -> PublicNames:
        return PublicNames(self.trees.sides.head)


def _reader(qualified: str) -> Reader:
    return lambda text: python_declaration(text, qualified)


def _definition_start(own: str, declaration: Declaration) -> str:
    """Return a pattern for the start of a definition; for a variable, of its name."""
    if declaration.form.startswith("class "):
        return rf"class {own}\b"
    return rf"def {own}\b" if "(" in declaration.form else rf"\b{own}\b"


def _header(own: str) -> str:
    """Return a pattern for the name and the parameters of a function."""
    return rf"def {own}\b[^(:]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"


def _read_module(text: str) -> Declaration:
    return present("")


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def _is_module(change: SurfaceChange) -> bool:
    """Return True if the removed object is the module of its file."""
    return change.line == 1 and module_parts(change.path)[-1] == _last(change.name)
