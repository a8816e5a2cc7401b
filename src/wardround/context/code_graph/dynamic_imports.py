"""The modules that calls of a Python module load by a name or a path that is written in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from wardround.context.code_graph.model import Import
from wardround.context.code_graph.scopes import FileScan

_BY_NAME = frozenset({"__import__", "import_module", "importorskip", "run_module", "find_spec"})
_BY_DEFINITION = frozenset({"import_string", "import_object", "resolve_name", "locate", "load_object"})
"""Loaders that take the name of a module, or of a definition in one."""
_BY_PATH = frozenset({"run_path", "spec_from_file_location", "SourceFileLoader", "load_source", "execfile"})
_OF_TEXT = frozenset({"exec", "compile", "eval"})
"""Functions that run source text, which ``open`` may have read."""
LOADERS = _BY_NAME | _BY_DEFINITION | _BY_PATH | _OF_TEXT
_QUOTED = re.compile(r"[bBrRuU]{0,2}(\"{3}|'{3}|\"|')([^\\]*)\1", re.DOTALL)
_MODULE = re.compile(r"\.*[\w-]+(?:\.[\w-]+)*")
_MOST_TEXTS = 12
_LONGEST = 600
"""The number of bytes of arguments that name a module; longer ones are not written by people."""


def dynamic_imports(scan: FileScan, names: Sequence[str], arguments: Node | None) -> Iterator[Import]:
    """Yield what a call of a loader imports.

    Args:
        names: the parts of the called function's dotted name.
    """
    if arguments is None or arguments.end_byte - arguments.start_byte > _LONGEST:
        return
    if names[-1] in _OF_TEXT and len(names) > 1:
        return
    line = arguments.start_point[0] + 1
    if names[-1] in _BY_NAME:
        modules = _named_modules(scan, arguments)
    elif names[-1] in _BY_DEFINITION:
        modules = _defined_modules(scan, arguments)
    else:
        modules = ((module, "") for module in _joined_path_modules([*_string_literals(scan, arguments)]))
    for module, name in modules:
        if _MODULE.fullmatch(module):
            yield Import(module, name, "", line)


def _named_modules(scan: FileScan, arguments: Node) -> Iterator[tuple[str, str]]:
    """Yield the module that the first argument names, and those of a list of names in it."""
    values = [*_values(arguments)]
    others = values[1:]
    module = _string_value(scan, values[0]) if values else ""
    package = next((text for other in others if (text := _string_value(scan, other))), "")
    if module.startswith(".") and package:
        module = _absolute(module, package)
    yield module, ""
    for other in others:
        if other.type in ("list", "tuple"):
            yield from ((module, name) for name in _string_literals(scan, other))


def _absolute(module: str, package: str) -> str:
    """Return the name of a module that is relative to a package."""
    name = module.lstrip(".")
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - (len(module) - len(name) - 1)], name])


def _defined_modules(scan: FileScan, arguments: Node) -> Iterator[tuple[str, str]]:
    name = next((_string_value(scan, value) for value in _values(arguments)), "").replace(":", ".")
    yield name, ""
    module, _, definition = name.rpartition(".")
    yield module, definition


def _joined_path_modules(texts: Sequence[str]) -> Iterator[str]:
    """Yield the modules that joined parts of a path can refer to, the one with most folders first."""
    for end, text in enumerate(texts[:_MOST_TEXTS], 1):
        if text.endswith((".py", ".pyw")):
            for start in range(end):
                names = [name for path in texts[start:end] for name in path.split("/")]
                yield ".".join(name for name in names if name not in ("", ".", "..")).rpartition(".")[0]


def _values(arguments: Node) -> Iterator[Node]:
    """Yield the values of arguments, also of those with a keyword."""
    for argument in arguments.named_children:
        value = argument.child_by_field_name("value") if argument.type == "keyword_argument" else argument
        if value is not None and value.type != "comment":
            yield value


def _string_literals(scan: FileScan, node: Node) -> Iterator[str]:
    """Yield the strings below a node, in order."""
    open_ = [node]
    while open_:
        inner = open_.pop()
        if inner.type == "string":
            yield _unquote(scan, inner)
        else:
            open_ += reversed(inner.named_children)


def _string_value(scan: FileScan, node: Node) -> str:
    """Return the string value of an expression; for a name, that of its assignment in the file."""
    if node.type == "string":
        return _unquote(scan, node)
    if node.type in ("concatenated_string", "binary_operator", "parenthesized_expression"):
        parts = [_string_value(scan, child) for child in node.named_children]
        return "".join(parts) if all(parts) else ""
    return scan.constants.get(scan.text(node), "") if node.type == "identifier" else ""


def _unquote(scan: FileScan, node: Node) -> str:
    """Return the value of a plain string literal; empty for one with substitutions or escapes."""
    found = _QUOTED.fullmatch(scan.text(node))
    return found[2] if found and not any(child.type == "interpolation" for child in node.children) else ""
