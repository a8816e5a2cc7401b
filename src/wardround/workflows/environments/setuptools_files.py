"""The packages of tests that ``setup.cfg`` and ``setup.py`` name, read without running them."""

from __future__ import annotations

import ast
import configparser
import posixpath
from collections.abc import Iterator, Mapping

import msgspec

from wardround.workflows.environments.tree_files import TreeFiles


class SetuptoolsFile(msgspec.Struct, frozen=True):
    """The packages that a file of setuptools names beyond those of the project itself.

    Attributes:
        path: relative to the repository.
        extras: their names.
        tests: requirements of ``tests_require``.
    """

    path: str
    extras: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


def setuptools_files(folder: str, files: TreeFiles) -> Iterator[SetuptoolsFile]:
    """Yield ``setup.cfg`` and ``setup.py`` of a folder if they name extras or packages of tests."""
    for name, read in (("setup.cfg", _configuration), ("setup.py", _program)):
        path = posixpath.join(folder, name)
        found = read(path, files.text(path) or "")
        if found.extras or found.tests:
            yield found


def _configuration(path: str, text: str) -> SetuptoolsFile:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return SetuptoolsFile(path)
    section = "options.extras_require"
    extras = parser.options(section) if parser.has_section(section) else []
    lines = (parser.get("options", "tests_require", fallback="") or "").splitlines()
    return SetuptoolsFile(path, tuple(extras), tuple(filter(None, map(str.strip, lines))))


def _program(path: str, text: str) -> SetuptoolsFile:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return SetuptoolsFile(path)
    assigned = _assigned_values(tree)
    arguments: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            value = keyword.value
            if keyword.arg:
                named = assigned.get(value.id) if isinstance(value, ast.Name) else None
                arguments[keyword.arg] = named or value
    return SetuptoolsFile(path, _keys(arguments), _strings_of(arguments.get("tests_require")))


def _assigned_values(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the values of the names that the statements of a module assign."""
    assigned: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            assigned |= dict.fromkeys(names, node.value)
    return assigned


def _keys(arguments: Mapping[str, ast.expr]) -> tuple[str, ...]:
    found = arguments.get("extras_require")
    return _strings_of(found.keys) if isinstance(found, ast.Dict) else ()


def _strings_of(found: object) -> tuple[str, ...]:
    elements = found.elts if isinstance(found, ast.List | ast.Tuple) else found
    items = elements if isinstance(elements, list) else []
    return tuple(
        item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)
    )
