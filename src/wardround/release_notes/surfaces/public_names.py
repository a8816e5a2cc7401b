"""The names that users of a Python package write: the shortest path from which they can import an object."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wardround.context.surface.sides import Side
from wardround.languages.python.tree import UNREADABLE, parse, unparse


@dataclass
class PublicNames:
    """The names that the packages of a tree import from their modules; each ``__init__`` is read once."""

    side: Side
    _bound: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def symbol(self, dotted: str, path: str, qualified: str) -> str:
        """Return the name that users write for an object of a module.

        Args:
            dotted: its path in the package; for an inherited member that of any class that has it.
            qualified: its name in the module.
        """
        parts, module = dotted.split("."), module_parts(path)
        if not qualified or parts[0] not in module or dotted.endswith(f".{qualified}"):
            return self._export_of(self.shortest(dotted, path), path, qualified)
        start = module.index(parts[0])
        defined = ".".join((*module[start:], qualified))
        return self._export_of(self.shortest(defined, path), path, qualified)

    def _export_of(self, symbol: str, path: str, qualified: str) -> str:
        """Return the name of a member in a subclass that the package exports if its own class is not."""
        owner, _, rest = qualified.partition(".")
        if not symbol.endswith(f".{qualified}") or module_length(symbol.split("."), module_parts(path)) == 0:
            return symbol
        for name in _subclasses(self.side.read(path) or "", owner):
            other = f"{symbol.removesuffix(qualified)}{name}{f'.{rest}' if rest else ''}"
            shorter = self.shortest(other, path)
            if shorter != other and not shorter.startswith("_"):
                return shorter
        return symbol

    def shortest(self, dotted: str, path: str) -> str:
        """Return the shortest path from which users can import an object.

        Args:
            dotted: the path of the object at its definition.
            path: the file that declares it.
        """
        parts = dotted.split(".")
        module = module_parts(path)
        count = module_length(parts, module)
        if count == 0 or count == len(parts):
            return dotted
        root = module[: len(module) - count]
        for length in range(1, count):
            names = self._names("/".join((*root, *parts[:length], "__init__.py")))
            origin = names.get(parts[count])
            if origin is not None and f"{'.'.join(parts[length:count])}.".startswith(origin):
                return ".".join((*parts[:length], *parts[count:]))
        return dotted

    def _names(self, path: str) -> Mapping[str, str]:
        """Return the names that a package imports from its own modules, with the module and a dot."""
        if path not in self._bound:
            self._bound[path] = dict(self._read(path))
        return self._bound[path]

    def _read(self, path: str) -> Iterator[tuple[str, str]]:
        own = posixpath.basename(posixpath.dirname(path))
        for node in _imports(self.side.read(path) or ""):
            module = _own_module(node, own)
            if module is None:
                continue
            for alias in node.names:
                if alias.name == "*":
                    yield from ((name, f"{module}.") for name in self._star_names(path, module))
                elif alias.asname in (None, alias.name):
                    yield alias.name, f"{module}."

    def _star_names(self, path: str, module: str) -> set[str]:
        """Return the public names of a module that a package imports completely."""
        text = self.side.read(f"{posixpath.dirname(path)}/{module.replace('.', '/')}.py")
        try:
            tree = parse(text or "")
        except UNREADABLE:
            return set()
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        return {name for name in names if not name.startswith("_")}


def _imports(text: str) -> list[ast.ImportFrom]:
    try:
        return [node for node in parse(text).body if isinstance(node, ast.ImportFrom)]
    except UNREADABLE:
        return []


def _subclasses(text: str, owner: str) -> list[str]:
    """Return the classes of a module that extend a class of it."""
    try:
        tree = parse(text)
    except UNREADABLE:
        return []
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    return [node.name for node in classes if owner in map(unparse, node.bases)]


def _own_module(node: ast.ImportFrom, package: str) -> str | None:
    """Return the module of an import relative to its package; None if it is in another one."""
    module = node.module or ""
    if node.level == 1:
        return module
    first, _, rest = module.partition(".")
    return rest if node.level == 0 and first == package and rest else None


def module_parts(path: str) -> list[str]:
    """Return the folders of a module and its name; a package is named by its folder."""
    return path.removesuffix(".pyi").removesuffix(".py").removesuffix("/__init__").split("/")


def module_length(parts: Sequence[str], module: Sequence[str]) -> int:
    """Return the number of parts of a dotted path that name its module; 0 if the module is another one."""
    for count in range(min(len(parts), len(module)), 0, -1):
        if list(module[-count:]) == list(parts[:count]):
            return count
    return 0
