"""The names that a module exports, and whether another module provides one.

Nothing is run: a module that computes its names (``globals()``, ``__getattr__``, a star import of a module
outside the repository) is *unknown*, and a check must not report anything about it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import ModuleType

import msgspec

from wardround.change.repository_view import RepositoryView
from wardround.languages.python.tree import parse, walk
from wardround.lazy import LazyPattern
from wardround_python.analysis.import_resolution import ModuleLocation

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_DYNAMIC = LazyPattern(
    r"(?<![\w.])(?:globals\s*\(|locals\s*\(\s*\)|vars\s*\(\s*\)|exec\s*\()"
    r"|\bsys\.modules\s*\[\s*__name__|\bsys\.modules\s*\[[^\]\n]{0,200}\]\s*=|\bsys\.modules\.(?:get\(\s*__name__|[us])"
    r"|\bsetattr\s*\(\s*sys\b|\b__path__\b|\blazy_import\b|\brecreate_module\b"
)
_GENERATED = LazyPattern(
    r"^_*version$|_version$|^version_info$|_pb2|_grpc|generated|_gen$|^_?build_|parsetab|_rc$"
)
_MOST_HOPS = 3
_MODULES_KEPT = 32
_COMPILED = (".pyi", ".pyx", ".pxd", ".so", ".pyd", ".c", ".cpp", ".rs", ".pyc", ".py.in", ".py.j2")
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_IMPLICIT = frozenset({*dir(ModuleType("")), "__file__", "__path__", "__builtins__", "__cached__"})
"""The names that a module has without a statement that binds them."""


def is_dynamic(text: str) -> bool:
    """Return True if a module may have names that no statement of it shows."""
    return _DYNAMIC.search(text) is not None


def module_names(tree: ast.Module) -> dict[str, int]:
    """Return the names that the statements of a module bind at its top, and the line of the first binding.

    Branches count whatever their condition is, and so do the names that a function declares ``global``.
    """
    result: dict[str, int] = {}
    for statement in _top_statements(tree):
        for name in _bound_by(statement):
            result.setdefault(name, statement.lineno)
    for node in walk(tree):
        if isinstance(node, ast.Global):
            for name in node.names:
                result.setdefault(name, node.lineno)
    return result


def star_imports(tree: ast.Module) -> list[ast.ImportFrom]:
    """Return the ``from x import *`` statements of a module."""
    imports = (statement for statement in _top_statements(tree) if isinstance(statement, ast.ImportFrom))
    return [item for item in imports if item.names[0].name == "*"]


def _top_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of a module in source order, those in branches, loops and handlers too."""
    stack: list[ast.AST] = [*reversed(tree.body)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = [item for name in _BLOCKS for item in getattr(node, name, ())]
            stack.extend(reversed([element for element in inner if isinstance(element, ast.AST)]))


def _bound_by(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import() | ast.ImportFrom():
            yield from _imported_names(statement)
        case ast.Delete():
            return
        case _:
            yield from chain.from_iterable(map(_stored_name, walk(statement)))


def _imported_names(statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the names that an import binds; not those behind a star."""
    for alias in statement.names:
        if alias.asname:
            yield alias.asname
        elif isinstance(statement, ast.Import):
            yield alias.name.partition(".")[0]
        elif alias.name != "*":
            yield alias.name


def _stored_name(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(ctx=ast.Store()):
            yield node.id
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name


def names_of(text: str) -> Mapping[str, int]:
    """Return ``module_names`` of a source; none if it cannot be parsed."""
    shown = _exported_names(text)
    return {} if shown is None else shown.names


def string_constants(tree: ast.Module) -> set[str]:
    """Return the strings of a module, except docstrings and those that ``__all__`` lists."""
    listed = {
        id(inner)
        for node in walk(tree)
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and "__all__" in _targets(node)
        for inner in walk(node)
    }
    texts = (child for child in walk(tree) if isinstance(child, ast.Constant) and id(child) not in listed)
    return {text.value for text in texts if isinstance(text.value, str)}


def _targets(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def is_package(path: str) -> bool:
    return path.rpartition("/")[2] == "__init__.py"


def stem_of(path: str) -> str:
    """Return a module's path without its suffix; of a package its folder."""
    return path.removesuffix(".py").removesuffix("/__init__")


def module_at(stem: str, project: RepositoryView) -> str | None:
    """Return the path of the module that Python imports for a stem; packages come first."""
    return next((p for p in (f"{stem}/__init__.py", f"{stem}.py") if project.read(p) is not None), None)


def has_other_source(stem: str, project: RepositoryView) -> bool:
    """Return True if an extension or a folder may be imported for a stem instead of a source file."""
    endings = [f"{stem}{ending}" for ending in _COMPILED]
    return bool(project.paths([*endings, f"{stem}.*.so", f"{stem}.cpython*", f"{stem}/*"]))


def provides_name(path: str, name: str, project: RepositoryView, hops: int = _MOST_HOPS) -> bool | None:
    """Return True if a module has a name to import, False if it has not, None if that is unknown."""
    text = project.read(path)
    if text is None:
        return None
    shown = _exported_names(text)
    if shown is None or name in shown.names or name in _IMPLICIT:
        return None if shown is None else True
    if is_package(path) and has_submodule(stem_of(path), name, project):
        return True
    if shown.is_dynamic or name in shown.strings:
        return None
    return _provides_by_star(path, shown, name, project, hops)


class _ExportedNames(msgspec.Struct, frozen=True):
    """The exported names of a module."""

    names: Mapping[str, int]
    strings: Collection[str]
    stars: Sequence[ast.ImportFrom]
    is_dynamic: bool


@lru_cache(maxsize=_MODULES_KEPT)
def _exported_names(text: str) -> _ExportedNames | None:
    try:
        tree = parse(text)
    except UNREADABLE:
        return None
    names = module_names(tree)
    computed = is_dynamic(text) or "__getattr__" in names
    return _ExportedNames(names, string_constants(tree), star_imports(tree), computed)


def has_submodule(folder: str, name: str, project: RepositoryView) -> bool:
    """Return True if a package has a module of a name, as a file or as a folder."""
    stem = f"{folder}/{name}"
    return module_at(stem, project) is not None or has_other_source(stem, project)


def _provides_by_star(
    path: str, shown: _ExportedNames, name: str, project: RepositoryView, hops: int
) -> bool | None:
    """Return ``provides`` through the star imports of a module."""
    answers: list[bool | None] = []
    for node in shown.stars:
        target = imported_module(path, node, project)
        answers.append(provides_name(target, name, project, hops - 1) if target and hops else None)
    return True if True in answers else None if None in answers else False


def imported_module(path: str, node: ast.ImportFrom, project: RepositoryView) -> str | None:
    """Return the path of the module that a ``from`` import names, if it is in the repository."""
    named = node.module.split(".") if node.module else []
    folders = path.split("/")[:-1]
    if node.level:
        above = folders[: len(folders) - node.level + 1]
        return module_at("/".join([*above, *named]), project) if len(folders) >= node.level - 1 else None
    for depth in range(len(folders), -1, -1):
        result = module_at("/".join([*folders[:depth], *named]), project)
        if result is not None and ModuleLocation.of(result).can_only_be(path, node.module or "", 0, project):
            return result
    return None


def dotted_name(path: str, project: RepositoryView) -> str:
    """Return a module's name as imports write it: from the topmost folder above it that is a package."""
    parts = stem_of(path).split("/")
    start = len(parts) - 1
    while start > 0 and project.read("/".join([*parts[:start], "__init__.py"])) is not None:
        start -= 1
    return ".".join(parts[start:])


def is_generated(path: str, project: RepositoryView) -> bool:
    """Return True if a build may write a module: by its name, or by the project's set-up."""
    stem = stem_of(path).rpartition("/")[2]
    if _GENERATED.search(stem):
        return True
    return bool(project.files_with_word([f"{stem}.py"], ("*.gitignore", "*setup.py", "*Makefile")))


def is_packaged_elsewhere(top: str, project: RepositoryView) -> bool:
    """Return True if a top-level package of the repository may also come from an installed distribution."""
    names = [top, top.replace("_", "-")]
    files = (
        "*pyproject.toml",
        "*setup.py",
        "*setup.cfg",
        "*requirements*",
        "*Pipfile",
        "*env*.yml",
        "*.lock",
    )
    return bool(project.files_with_word(list(dict.fromkeys(names)), files))
