"""Imports of modules of the repository, or of their names, that do not exist."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from wardround.change.repository_view import RepositoryView
from wardround.languages.python.tree import parse, unparse, walk
from wardround.semantics.semdiff.removed_uses import RemovedUse
from wardround_python.analysis.exports import (
    UNREADABLE,
    has_other_source,
    is_dynamic,
    is_generated,
    is_package,
    is_packaged_elsewhere,
    module_at,
    provides_name,
)
from wardround_python.analysis.import_users import ImportUsers

_ROOTS_BESIDE = ("src", "lib")
"""Folders at the root of a repository where imports may start, independently of the importer's folder."""
_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", "manage.py")
"""Files in a folder where a program's or a distribution's own imports start."""


def missing_uses(
    path: str, text: str, project: RepositoryView, is_added: Callable[[int], bool]
) -> Iterator[tuple[str, RemovedUse]]:
    """Yield the uses on added lines of a file that the repository lacks, each with the path of its module.

    A missing module has the path that it would have as a file.
    """
    try:
        tree = parse(text)
    except UNREADABLE:
        return
    for module, names in _imported_names(path, tree, project, is_added).items():
        is_gone = project.read(module) is None
        lost = [] if is_gone else [name for name in sorted(names) if _is_missing(module, name, project)]
        if is_gone or lost:
            uses = ImportUsers(module, lost, project, is_gone=is_gone).uses_in(path, text)
            yield from ((module, use) for use in sorted(uses) if is_added(use.line))


def _is_missing(module: str, name: str, project: RepositoryView) -> bool:
    """Return True if a module does not have a name and no file of the repository assigns it from outside."""
    if provides_name(module, name, project) is not False:
        return False
    assigned = re.compile(rf"\.{re.escape(name)}\s*(?::[^=\n]*)?=(?!=)")
    texts = map(project.read, project.files_with_word([name], ["*.py"]))
    return not any(assigned.search(text) for text in texts if text is not None)


def _imported_names(
    path: str, tree: ast.Module, project: RepositoryView, is_added: Callable[[int], bool]
) -> dict[str, set[str]]:
    """Return the modules that added lines import or read from, and the names that they may import from
    each.
    """
    nodes = [*walk(tree)]
    read = _attributes_read(nodes, is_added)
    result: dict[str, set[str]] = defaultdict(set)
    for node, is_new in _import_statements(nodes, is_added):
        for local, dotted, name in _meanings(node):
            if not is_new and local not in read:
                continue
            module = _module_of(path, dotted, getattr(node, "level", 0), project)
            if module is None:
                continue
            if name:
                result[module].add(name)
            elif not _may_be_a_name(node, module, project):
                result[module].update(read[local])
    return result


def _import_statements(
    nodes: Iterable[ast.AST], is_added: Callable[[int], bool]
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield the imports, each with True if one of its lines is added."""
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            yield node, any(map(is_added, lines))


def _attributes_read(nodes: Iterable[ast.AST], is_added: Callable[[int], bool]) -> dict[str, set[str]]:
    """Return the attributes that added lines read, by the dotted name before them."""
    read: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name() | ast.Attribute() as owner) if is_added(node.lineno):
                read[unparse(owner)].add(node.attr)
    return read


def _meanings(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str, str]]:
    """Return the local names of an import, each with a module, and the name in it; empty for a module."""
    for alias in node.names:
        local = alias.asname or alias.name
        if isinstance(node, ast.Import):
            yield local, alias.name, ""
        elif alias.name != "*":
            yield local, node.module or "", alias.name
            yield local, f"{node.module}.{alias.name}" if node.module else alias.name, ""


def _may_be_a_name(node: ast.Import | ast.ImportFrom, module: str, project: RepositoryView) -> bool:
    """Return True if a name imported from a package is not an existing module of it."""
    return isinstance(node, ast.ImportFrom) and project.read(module) is None


def _module_of(importer: str, dotted: str, level: int, project: RepositoryView) -> str | None:
    """Return the path of an imported module, existing or not; None if it may be outside the repository."""
    named = dotted.split(".") if dotted else []
    root = _root_of(importer, named, level, project)
    if root is None:
        return None
    complete = "/".join([*root, *named])
    return (module_at(complete, project) if complete else None) or _missing_module(root, named, project)


def _missing_module(root: Sequence[str], named: Sequence[str], project: RepositoryView) -> str | None:
    """Return the first missing module on the dotted path; None if another distribution may provide it."""
    for count in range(len(named) + 1):
        stem = "/".join([*root, *named[:count]])
        module = module_at(stem, project) if stem else None
        if module is None and count and stem:
            is_elsewhere = has_other_source(stem, project) or is_generated(f"{stem}.py", project)
            return None if is_elsewhere else f"{stem}.py"
        if module is not None and not _is_plain_package(module, project):
            return None
    return None


def _is_plain_package(module: str, project: RepositoryView) -> bool:
    return is_package(module) and not is_dynamic(project.read(module) or "")


def _root_of(importer: str, named: list[str], level: int, project: RepositoryView) -> list[str] | None:
    """Return the folder where an import starts; None if that is not certain."""
    folders = importer.split("/")[:-1]
    if level:
        return folders[: len(folders) - level + 1] if len(folders) >= level - 1 else None
    if named[0] in sys.stdlib_module_names:
        return None
    match _roots_with(named[0], folders, project):
        case [root] if _is_usual_root(root, project) or not is_packaged_elsewhere(named[0], project):
            return list(root)
        case _:
            return None


def _roots_with(name: str, folders: Sequence[str], project: RepositoryView) -> list[tuple[str, ...]]:
    """Return the folders around a file, and the usual ones, that contain a module or package."""
    around = [tuple(folders[:depth]) for depth in range(len(folders) + 1)]
    candidates = {*around, *((root,) for root in _ROOTS_BESIDE)}
    return [root for root in candidates if module_at("/".join([*root, name]), project) is not None]


def _is_usual_root(root: Sequence[str], project: RepositoryView) -> bool:
    return not root or root[-1] in _ROOTS_BESIDE or _is_project(root, project)


def _is_project(root: Sequence[str], project: RepositoryView) -> bool:
    return any(project.read("/".join([*root, marker])) is not None for marker in _MARKERS)
