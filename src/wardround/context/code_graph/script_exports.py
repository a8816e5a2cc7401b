"""The imports and exports of a TypeScript or JavaScript module, of both module systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tree_sitter import Node

from wardround.context.code_graph.model import Import
from wardround.context.code_graph.scopes import FileScan

_LOADERS = frozenset({"require", "require.resolve", "jest.mock", "vi.mock", "jest.doMock", "vi.doMock",
                      "jest.requireActual", "vi.importActual", "fork", "child_process.fork",
                      "cp.fork"})  # fmt: skip
_CONSTRUCTORS = frozenset({"Worker", "SharedWorker", "URL"})
"""Classes whose first argument may be the path of a module that is run, relative to the file."""
_OWN_FOLDER = ("__dirname", "import.meta")
_MOST_TEXTS = 12
_LONGEST = 600
"""The number of bytes of an expression that names a module."""


def string_text(scan: FileScan, node: Node | None) -> str:
    """Return the value of a string without substitutions; empty for anything else."""
    if node is None or node.type not in ("string", "template_string"):
        return ""
    return (
        "" if any(child.type == "template_substitution" for child in node.children) else scan.text(node)[1:-1]
    )


class ScriptExports:
    """Collects imports and exports for a scan."""

    def __init__(self, scan: FileScan) -> None:
        self._scan = scan
        self._exported: set[str] = set()
        self._has_module_exports = b"module.exports" in scan.source or b"exports." in scan.source

    def finish(self) -> None:
        """Mark the symbols that an export elsewhere in the file names."""
        for draft in self._scan.drafts[1:]:
            if draft.name in self._exported or (self._has_module_exports and "." not in draft.name):
                draft.exported = True

    def rename(self, name: str, exported: str, node: Node) -> None:
        """Record that the file exports one of its own names under another name."""
        self._exported.add(name)
        self._add("", name, exported, node, is_export=True)

    def read_import(self, node: Node) -> Iterable[Any]:
        module = string_text(self._scan, node.child_by_field_name("source"))
        clauses = [
            child for child in node.named_children if child.type in ("import_clause", "import_require_clause")
        ]
        if not clauses:
            self._add(module, "", "", node)
        for clause in clauses:
            if clause.type == "import_require_clause":
                module = string_text(self._scan, clause.child_by_field_name("source"))
            for name, alias in self._imported_names(clause):
                self._add(module, name, alias, node)
        return ()

    def _imported_names(self, clause: Node) -> Iterator[tuple[str, str]]:
        """Yield the names that a clause imports, each with its local name."""
        text = self._scan.text
        for child in clause.named_children:
            if child.type == "identifier":
                is_whole = clause.type == "import_require_clause"
                yield ("" if is_whole else "default"), text(child)
            elif child.type == "namespace_import":
                yield "", text(child.named_children[0])
            elif child.type == "named_imports":
                yield from self._specifiers(child)

    def _specifiers(self, node: Node) -> Iterator[tuple[str, str]]:
        for child in node.named_children:
            name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is not None:
                own = self._scan.text(name).strip("'\"")
                yield own, self._scan.text(alias).strip("'\"") if alias is not None else own

    def read_export(self, node: Node) -> Node | None:
        """Record an export statement; return its declaration or expression, if it has one."""
        module = string_text(self._scan, node.child_by_field_name("source"))
        kinds = {child.type for child in node.children}
        for child in node.named_children:
            if child.type == "export_clause":
                self._read_clause(child, module, node)
            elif child.type == "namespace_export":
                self._add(module, "", self._scan.text(child.named_children[0]), node, is_export=True)
        if module:
            if "*" in kinds and "namespace_export" not in kinds:
                self._add(module, "*", "", node, is_export=True)
            return None
        return self._declared_node(node, kinds)

    def _read_clause(self, clause: Node, module: str, node: Node) -> None:
        for name, alias in self._specifiers(clause):
            if not module:
                self._exported.add(name)
            self._add(module, name, alias, node, is_export=True)

    def _declared_node(self, node: Node, kinds: set[str]) -> Node | None:
        declared = node.child_by_field_name("declaration")
        if declared is None:
            value = node.child_by_field_name("value")
            return value if value is not None or "=" not in kinds else node.named_children[-1]
        name = declared.child_by_field_name("name")
        if "default" in kinds and name is not None:
            self.rename(self._scan.text(name), "default", node)
        return declared

    def read_require(self, names: Sequence[str], pattern: Node | None, value: Node | None) -> bool:
        """Record ``const x = require("y")``; return False for any other declaration."""
        called = value.child_by_field_name("function") if value is not None else None
        if value is None or called is None or pattern is None or self._scan.text(called) != "require":
            return False
        module = string_text(self._scan, self._first_argument(value))
        for name in names:
            self._add(module, "" if pattern.type == "identifier" else name, name, value)
        return bool(module)

    def read_dynamic(self, called: Node, arguments: Node | None) -> bool:
        """Record a module that a call loads, such as ``import("x")``; return False for any other call."""
        if called.type != "import" and self._scan.text(called) not in _LOADERS:
            return False
        first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        module = self._module_text(first)
        if module:
            self._add(module, "", "", called)
        return bool(module)

    def read_new(self, constructor: Node | None, arguments: Node | None) -> None:
        """Record a module that a new worker runs: ``new Worker(new URL("./x.js", import.meta.url))``."""
        if constructor is None or arguments is None or self._scan.text(constructor) not in _CONSTRUCTORS:
            return
        module = self._module_text(arguments.named_children[0] if arguments.named_children else None)
        if module.startswith("."):
            self._add(module, "", "", constructor)

    def _module_text(self, node: Node | None) -> str:
        """Return the module that an expression names: a string, a constant with one, or a joined path."""
        if node is None or node.end_byte - node.start_byte > _LONGEST:
            return ""
        text = self._scan.text(node)
        if node.type == "identifier":
            return self._scan.constants.get(text, "")
        if any(part in text for part in _OWN_FOLDER):
            parts = [*self._string_parts(node)][:_MOST_TEXTS]
            return "/".join([".", *(part.strip("/") for part in parts)]) if parts else ""
        return string_text(self._scan, node)

    def _string_parts(self, node: Node) -> Iterator[str]:
        """Yield the constant parts of strings below a node, in order."""
        open_ = [node]
        while open_:
            item = open_.pop()
            if item.type == "string_fragment":
                yield self._scan.text(item)
            else:
                open_ += reversed(item.named_children)

    def _first_argument(self, call: Node) -> Node | None:
        arguments = call.child_by_field_name("arguments")
        return arguments.named_children[0] if arguments is not None and arguments.named_children else None

    def _add(self, module: str, name: str, alias: str, node: Node, *, is_export: bool = False) -> None:
        if module or is_export:
            line = node.start_point[0] + 1
            self._scan.imports.append(Import(module, name, alias, line, is_export))
