"""The imports in a repository that require a module, or a name of a module.

An import counts only if it is certain to run and certain to refer to that module: those that a handler, a
condition on versions or a ``type: ignore`` allows to fail are skipped.
"""

from __future__ import annotations

import ast
import enum
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from wardround.change.repository_view import RepositoryView
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import parse, unparse, walk
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.removed_uses import RemovedUse
from wardround_python.analysis.callers import bindings
from wardround_python.analysis.exports import (
    UNREADABLE,
    is_package,
    is_packaged_elsewhere,
    module_at,
    provides_name,
    stem_of,
)
from wardround_python.analysis.import_resolution import ON_PATH, ModuleLocation
from wardround_python.analysis.import_roots import ImportRoots
from wardround_python.syntax.calls import keyword_values

_MOST_FILES = 300
"""Maximum number of files with one of the words that are read; more files mean that the word is not specific
to this project.

"""
_NOT_RUN = LazyPattern(
    r"(^|/)(test_?data|fixtures|snapshots|templates|cookiecutter|_?vendor(ed)?|third_party|node_modules"
    r"|site-packages|typings|stubs|examples_broken)/|[{}]"
)
_FAKES = LazyPattern(r"\bsys\.modules\b(?!\[[^\]\n]{1,200}\](?!\s*=(?!=)))")
"""A module that may be replaced by another object; reading ``sys.modules[name]`` replaces nothing."""
_TOLERANT = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"})
_TOLERANT_CONTEXTS = LazyPattern(r"suppress|raises|assertRaises|capture|warns|catch")
_ABOUT_VERSIONS = LazyPattern(
    r"(?i)version|hasattr|getattr|platform|find_spec|\bsys\.|os\.name|\bhas_|\bhave_|available|installed|\bpy[23]|compat"
)
_IGNORED = ("type: ignore", "type:ignore", "pylint: disable", "pyright: ignore", "ty: ignore", "pyre-ignore")
_PATCHERS = frozenset({"patch", "setattr", "delattr"})
_LONG_LINE = 500
"""Length in characters from which a line is not inspected."""
_IMPORT = LazyPattern(r"\bimport\b")
_IN_LIST = LazyPattern(r"[\w,( \t]*")
_ENDS_ITEM = LazyPattern(r"[ \t]*(?:as[ \t]+\w+[ \t]*)?(?:[,);#\\\r\n]|\Z)")
_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg")


class UseTime(enum.Enum):
    """The time at which a use needs the name: when the module runs, or only for a type checker."""

    AT_RUN_TIME = "run time"
    FOR_TYPES = "types"


class ImportUsers:
    """Finds the users of the removed names of a module.

    Args:
        path: the module at the base.
        names: the removed names.
        is_gone: True if the module itself was removed.
    """

    def __init__(
        self, path: str, names: Collection[str], project: RepositoryView, *, is_gone: bool = False
    ) -> None:
        self._path = path
        self._names = frozenset(names)
        self._project = project
        self._is_gone = is_gone
        self._place = ModuleLocation.of(path)
        self._stem = self._place.parts[-1]
        self._elsewhere: dict[str, bool] = {}
        self._roots = ImportRoots(project)

    def uses(self) -> list[RemovedUse]:
        """Return the uses in all other files, by path and line."""
        results: set[RemovedUse] = set()
        for path in self._candidates():
            results.update(self.uses_in(path, self._project.read(path)))
        return sorted(results)

    def uses_in(self, path: str, text: str | None) -> list[RemovedUse]:
        """Return the uses in another file, in no order; none if it cannot be read."""
        if text is None or _NOT_RUN.search(path) or not self._may_use(text) or _FAKES.search(text):
            return []
        try:
            return [*self._uses_in_module(path, text, parse(text))]
        except UNREADABLE:  # nested too deeply, too
            return []

    def _candidates(self) -> Sequence[str]:
        words = [self._stem] if self._is_gone else sorted(self._names)
        paths = self._project.files_with_word(words, ["*.py"])
        others = [path for path in paths if path != self._path and not _NOT_RUN.search(path)]
        near = self._path.split("/")
        return sorted(others, key=lambda path: (-_shared_folder_count(path.split("/"), near), path))[
            :_MOST_FILES
        ]

    def _may_use(self, text: str) -> bool:
        """Return True if a source names the module and a removed name; a relative import may name a package
        by dots only.
        """
        if self._stem not in text and not (is_package(self._path) and "from ." in text):
            return False
        if self._is_gone or "import" not in text:
            return "import" in text
        return any(_may_be_imported(text, *found.span()) for found in self._words.finditer(text))

    @cached_property
    def _words(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(self._names)))})\b")

    def _uses_in_module(self, path: str, text: str, tree: ast.Module) -> Iterator[RemovedUse]:
        lines = text.split("\n")
        imports = _Imports(tree)
        modules: list[tuple[str, str]] = []
        for node, for_types in imports.certain:
            if _is_ignored(node, lines):
                continue
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if self._refers_to_module(path, alias.name, 0):
                        yield from self._module_uses(path, node, for_types)
                        modules.append(
                            (alias.asname or alias.name.partition(".")[0], alias.asname or alias.name)
                        )
            else:
                yield from self._uses_in_from_import(path, node, for_types, modules)
        if self._names and not self._is_gone:
            yield from self._attributes(path, tree, imports, modules)
        yield from self._dotted_text_uses(path, tree, imports)

    def _module_uses(self, path: str, node: ast.stmt, for_types: bool) -> Iterator[RemovedUse]:
        if self._is_gone:
            yield RemovedUse(path, node.lineno, "", for_types)

    def _uses_in_from_import(
        self, path: str, node: ast.ImportFrom, for_types: bool, modules: list[tuple[str, str]]
    ) -> Iterator[RemovedUse]:
        stem = node.module or ""
        if self._refers_to_module(path, stem, node.level):
            yield from self._imported_name_uses(path, node, for_types)
            return
        for alias in node.names:
            if alias.name != self._stem:
                continue
            dotted = f"{stem}.{alias.name}" if stem else alias.name
            if self._refers_to_module(path, dotted, node.level) and self._is_submodule:
                yield from self._module_uses(path, node, for_types)
                modules.append((alias.asname or alias.name, alias.asname or alias.name))

    def _imported_name_uses(self, path: str, node: ast.ImportFrom, for_types: bool) -> Iterator[RemovedUse]:
        """Yield the removed names that an import takes from the module; the import if that was removed."""
        if self._is_gone:
            yield RemovedUse(path, node.lineno, "", for_types)
            return
        for alias in node.names:
            if alias.name in self._names:
                yield RemovedUse(path, alias.lineno, alias.name, for_types)

    @cached_property
    def _is_submodule(self) -> bool:
        """Return True if the module's name in its package can refer only to the module."""
        folder = stem_of(self._path).rpartition("/")[0]
        package = f"{folder}/__init__.py" if folder else "__init__.py"
        text = self._project.read(package)
        if text is None:
            return True
        try:
            tree = parse(text)
        except UNREADABLE:
            return False
        if bindings(tree, self._stem) or _imports_name(tree, self._stem):
            return False
        return not self._is_gone or provides_name(package, self._stem, self._project) is False

    def _attributes(
        self, path: str, tree: ast.Module, imports: _Imports, modules: Sequence[tuple[str, str]]
    ) -> Iterator[RemovedUse]:
        """Yield the attribute accesses that read a name from the module: ``mail.send``."""
        spellings = self._spellings(tree, imports, modules)
        if not spellings:
            return
        accesses = [(node, full) for node, full in self._named_attributes(tree) if full in spellings]
        assigned = {full for node, full in accesses if not isinstance(node.ctx, ast.Load)}
        for node, full in accesses:
            if full not in assigned and imports.is_certain(node):
                yield RemovedUse(path, node.lineno, node.attr, imports.is_for_types(node))

    def _named_attributes(self, tree: ast.Module) -> Iterator[tuple[ast.Attribute, str]]:
        """Yield the attributes with one of the removed names, and their text."""
        for node in walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in self._names:
                yield node, unparse(node)

    def _spellings(self, tree: ast.Module, imports: _Imports, modules: Sequence[tuple[str, str]]) -> set[str]:
        """Return the dotted names by which a file can refer to the names of the module."""
        only = [(local, spelling) for local, spelling in modules if imports.meanings(local) == 1]
        certain = [spelling for local, spelling in only if not bindings(tree, local)]
        return {f"{spelling}.{name}" for spelling in certain for name in self._names}

    def _dotted_text_uses(self, path: str, tree: ast.Module, imports: _Imports) -> Iterator[RemovedUse]:
        """Yield dotted strings that are resolved directly: patches, ``import_module``."""
        for node in walk(tree):
            match node:
                case ast.Call(args=[ast.Constant(value=str(text)), *_]) if "." in text:
                    if imports.is_certain(node):
                        yield from self._uses_in_string(path, node, text)

    def _uses_in_string(self, path: str, call: ast.Call, text: str) -> Iterator[RemovedUse]:
        called = last_name(call.func)
        if called == "import_module" and self._is_gone and self._refers_to_module(path, text, 0):
            yield RemovedUse(path, call.lineno, "")
        elif called in _PATCHERS and not keyword_values(call, "create", "raising"):
            yield from self._patched_uses(path, call, text)

    def _patched_uses(self, path: str, node: ast.Call, text: str) -> Iterator[RemovedUse]:
        parts = text.split(".")
        for end in range(1, len(parts)):
            is_name = self._is_gone or parts[end] in self._names
            if is_name and self._refers_to_module(path, ".".join(parts[:end]), 0) and self._is_submodule:
                yield RemovedUse(path, node.lineno, "" if self._is_gone else parts[end])

    def _refers_to_module(self, importer: str, dotted: str, level: int) -> bool:
        """Return True if an import can refer only to this module."""
        if not self._place.can_only_be(importer, dotted, level, self._project, self._roots):
            return False
        return level > 0 or self._is_reached_from(importer, dotted.split("."))

    def _is_reached_from(self, importer: str, named: Sequence[str]) -> bool:
        """Return True if an absolute import starts in a folder that is certainly on the path of imports."""
        root = self._place.parts[: -len(named)]
        if named[0] in sys.stdlib_module_names or (self._is_gone and self._is_elsewhere(".".join(named))):
            return False
        folders = tuple(importer.split("/")[:-1])
        if folders[: len(root)] == root or root in (("src",), ("lib",)):
            return True
        if root and root[-1] in ON_PATH:
            return self._is_only_module(named)
        is_installed = self._is_project(root) or self._roots.may_import_from(importer, "/".join(root))
        return is_installed and self._is_only(named[0])

    def _is_elsewhere(self, dotted: str) -> bool:
        """Return True if something else may be imported by the name of a removed module."""
        if dotted not in self._elsewhere:
            path, (top, _, _) = dotted.replace(".", "/"), dotted.partition(".")
            others = [f"*{path}.py", f"*{path}/*.py"]
            package = [f"{top}.py", f"{top}/*.py", f"*/{top}.py", f"*/{top}/*.py"]
            ends = re.compile(rf"(^|/){re.escape(path)}(\.py$|/)")
            self._elsewhere[dotted] = any(map(ends.search, self._project.paths(others))) or (
                not self._project.paths(package) and is_packaged_elsewhere(top, self._project)
            )
        return self._elsewhere[dotted]

    def _is_project(self, root: tuple[str, ...]) -> bool:
        """Return True if a folder is where a distribution of the repository has its packages."""
        folders = [root, root[:-1]] if root and root[-1] in ("src", "lib") else [root]
        return any(
            self._project.read("/".join([*f, marker])) is not None for f in folders for marker in _MARKERS
        )

    def _is_only_module(self, named: Sequence[str]) -> bool:
        """Return True if the repository has no other module of a dotted name, and no distribution its top."""
        dotted = "/".join(named)
        found = self._project.paths([f"*/{dotted}.py", f"*/{dotted}/__init__.py", f"{dotted}.py"])
        is_only = all(ModuleLocation.of(path).parts == self._place.parts for path in found)
        return is_only and not is_packaged_elsewhere(named[0], self._project)

    def _is_only(self, top: str) -> bool:
        """Return True if the repository has one top-level package of a name."""
        paths = self._project.paths([f"{top}/*.py", f"*/{top}/*.py", f"{top}.py", f"*/{top}.py"])
        folders = {folder for path in paths for folder in _folders_with(top, path)}
        regular = {folder for folder in folders if self._has_regular(folder, top)}
        return len(regular or folders) <= 1

    def _has_regular(self, folder: str, top: str) -> bool:
        """Return True if a folder, itself not a package, has code that imports of a name find.

        A folder without ``__init__.py`` has lower precedence than every other package of its name.
        """
        inside = f"{folder}/" if folder else ""
        if folder and self._project.read(f"{inside}__init__.py") is not None:
            return False
        return module_at(f"{inside}{top}", self._project) is not None


def _may_be_imported(text: str, start: int, end: int) -> bool:
    """Return True if a word may be an attribute or in a list of imported names, by the surrounding text.

    A word that is called or assigned refers to something else; a file with only such words is not parsed.
    """
    before = text[max(start - _LONG_LINE, 0) : start]
    line = before.rpartition("\n")[2]
    if len(line) == _LONG_LINE or before.rstrip(" \t\r\n\\").endswith("."):
        return True
    if _IMPORT.search(line):
        return "from" in line
    return _IN_LIST.fullmatch(line) is not None and _ENDS_ITEM.match(text, end) is not None


def _folders_with(top: str, path: str) -> Iterator[str]:
    """Yield the folders above a file that contain a package or module of a name."""
    parts = path.removesuffix(".py").split("/")
    for position, part in enumerate(parts):
        if part == top:
            yield "/".join(parts[:position])


class _Imports:
    """The imports of a module that must succeed, and the nodes that always run."""

    def __init__(self, tree: ast.Module) -> None:
        self._states: dict[ast.AST, UseTime | None] = {}
        self.certain: list[tuple[ast.Import | ast.ImportFrom, bool]] = []
        self._meanings: dict[str, set[str]] = {}
        self._enter(tree.body, UseTime.AT_RUN_TIME, in_function=False)

    def is_certain(self, node: ast.AST) -> bool:
        return self._states.get(node) is not None

    def is_for_types(self, node: ast.AST) -> bool:
        return self._states.get(node) is UseTime.FOR_TYPES

    def meanings(self, local: str) -> int:
        """Return the number of different objects that imports bind each name to."""
        return len(self._meanings.get(local, ()))

    def _enter(self, nodes: Sequence[ast.AST], state: UseTime | None, in_function: bool) -> None:
        for node in nodes:
            self._visit(node, state, in_function)

    def _visit(self, node: ast.AST, state: UseTime | None, in_function: bool) -> None:
        self._states[node] = state
        match node:
            case ast.Import() | ast.ImportFrom():
                self._note(node, state)
            case ast.If():
                self._visit_branches(node, state, in_function)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                keeps_state = in_function or not _is_conditional(node)
                self._enter([*ast.iter_child_nodes(node)], state if keeps_state else None, True)
            case _:
                keeps_state = not _tolerates_missing_import(node)
                self._enter([*ast.iter_child_nodes(node)], state if keeps_state else None, in_function)

    def _visit_branches(self, node: ast.If, state: UseTime | None, in_function: bool) -> None:
        inside = _certainty_in_branch(node.test, state, in_function)
        self._enter([node.test], state, in_function)
        self._enter(node.body, inside, in_function)
        self._enter(node.orelse, state if _is_type_checking(node.test) else inside, in_function)

    def _note(self, node: ast.Import | ast.ImportFrom, state: UseTime | None) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                local = alias.asname or alias.name.partition(".")[0]
                source = alias.name if alias.asname else local
            else:
                local, source = (
                    alias.asname or alias.name,
                    f"{'.' * node.level}{node.module or ''}.{alias.name}",
                )
            self._meanings.setdefault(local, set()).add(source)
        if state is not None:
            self.certain.append((node, state is UseTime.FOR_TYPES))


def _certainty_in_branch(test: ast.expr, state: UseTime | None, in_function: bool) -> UseTime | None:
    """Return the certainty in the body of an ``if``."""
    if state is None:
        return None
    if _is_type_checking(test):
        return UseTime.FOR_TYPES
    text = unparse(test)
    if "__name__" in text:
        return state
    return state if in_function and not _ABOUT_VERSIONS.search(text) else None


def _is_type_checking(test: ast.expr) -> bool:
    return (
        unparse(test).rpartition(".")[2] == "TYPE_CHECKING"
        if isinstance(test, (ast.Name, ast.Attribute))
        else False
    )


def _tolerates_missing_import(node: ast.AST) -> bool:
    """Return True if a statement takes the failure of an import in its body."""
    match node:
        case ast.Try():
            return any(map(_is_tolerant, node.handlers))
        case ast.With() | ast.AsyncWith():
            contexts = " ".join(unparse(item.context_expr) for item in node.items)
            return _TOLERANT_CONTEXTS.search(contexts) is not None
        case _:
            return False


def _imports_name(tree: ast.Module, name: str) -> bool:
    """Return True if a module binds a name by importing it from another module."""
    imports = (node for node in walk(tree) if isinstance(node, ast.ImportFrom) and node.module)
    return any((alias.asname or alias.name) == name for node in imports for alias in node.names)


def _is_tolerant(handler: ast.ExceptHandler) -> bool:
    """Return True if a handler takes the failure of an import."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {
        unparse(kind).rpartition(".")[2] for kind in kinds if isinstance(kind, (ast.Name, ast.Attribute))
    }
    return handler.type is None or bool(names & _TOLERANT)


def _is_conditional(node: ast.AST) -> bool:
    """Return True if a function is skipped or stopped if something is missing."""
    decorators = getattr(node, "decorator_list", [])
    return any("skip" in (text := unparse(decorator)) or "xfail" in text for decorator in decorators)


def _is_ignored(node: ast.stmt, lines: Sequence[str]) -> bool:
    """Return True if a comment on a statement hides its import from type checkers."""
    text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
    return any(comment in text for comment in _IGNORED)


def _shared_folder_count(path: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of leading folders that two paths share."""
    return next((n for n, (left, two) in enumerate(zip(path, other, strict=False)) if left != two), 0)
