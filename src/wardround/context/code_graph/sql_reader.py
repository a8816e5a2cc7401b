"""The tables, columns, views and functions of an SQL file, and their uses.

Names are lower-cased and have no schema. dbt templates are read as the relations that they refer to; the body
of a function in another language, and syntax unknown to the grammar, are searched for names after the
keywords that precede a relation. The same applies to a complete file if the grammar is not installed: it
defines nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tree_sitter import Node

from wardround.context.code_graph.model import FileFacts, SymbolKind, UseKind
from wardround.context.code_graph.scopes import UNKNOWN, Draft, FileScan

_CREATES = {
    "create_table": SymbolKind.TABLE,
    "create_view": SymbolKind.VIEW,
    "create_materialized_view": SymbolKind.VIEW,
    "create_function": SymbolKind.FUNCTION,
    "create_procedure": SymbolKind.FUNCTION,
    "create_trigger": SymbolKind.FUNCTION,
    "create_type": SymbolKind.TYPE,
    "create_sequence": SymbolKind.CONSTANT,
    "create_index": SymbolKind.INDEX,
    "create_policy": SymbolKind.CONSTANT,
}
_RELATIONS = re.compile(
    r"(?i)\b(?:from|join|into|update|table|references|truncate)[ \t\n]+(?:only[ \t\n]+)?"
    r"((?:\"?\w+\"?\.)?\"?\w+\"?)"
)
_CALLS = re.compile(r"(?i)(?<![\w\"])((?:\w+\.)?[a-z_]\w{2,})[ \t]*\(")
_NOT_RELATIONS = frozenset({"select", "lateral", "unnest", "set", "only", "if", "values", "the", "where"})
_TEMPLATE = re.compile(rb"\{\{[^{}]{0,4000}\}\}|\{%[^%]{0,4000}%\}|\{#[^#]{0,4000}#\}")
_REFERENCE = re.compile(
    rb"\b(?:ref|source)[ \t]*\([ \t]*(?:['\"][\w.-]+['\"][ \t]*,[ \t]*)?['\"]([\w.-]+)['\"]"
)
_VALUE = b"null"
"""The value of a template that refers to no relation."""
_LONGEST_TEXT = 100_000


def replace_templates(source: bytes) -> bytes:
    """Return SQL of the same length in which each template is the relation it refers to, or blank."""
    return _TEMPLATE.sub(_plain, source)


def _plain(match: re.Match[bytes]) -> bytes:
    found = _REFERENCE.search(match[0])
    name = b""
    if found is not None:
        name = found[1].replace(b".", b"_").replace(b"-", b"_")
    elif match[0].startswith(b"{{") and b"config" not in match[0] and len(match[0]) > len(_VALUE):
        name = _VALUE
    rest = match[0][len(name) :]
    return name + bytes(byte if byte == 10 else 32 for byte in rest)


def read_sql(path: str, source: bytes, root: Node) -> FileFacts:
    """Return the facts of a parsed file; ``source`` is the parsed text, without templates."""
    return _SqlReader(path, source).read(root)


def search_sql(path: str, source: bytes) -> FileFacts:
    """Return the uses of a file that are found without a grammar."""
    return _SqlReader(path, source).search()


class _SqlReader:
    def __init__(self, path: str, source: bytes) -> None:
        self.scan = FileScan(path, source, source.count(b"\n") + 1)
        self._relations: dict[str, str] = {}
        self._altered = ""
        self._is_inside = False
        self._handlers = {
            "statement": self._statement,
            "alter_table": self._alter,
            "column_definition": self._column,
            "field": self._field,
            "column": self._listed_column,
            "invocation": self._invocation,
            "object_reference": self._relation,
            "relation": self._aliased_relation,
            "cte": self._common_table,
            "add_column": lambda node: node.named_children,
            "drop_column": self._named_column("name"),
            "alter_column": self._named_column("name"),
            "rename_column": self._renamed_column,
            "function_body": self._body,
            "procedure_body": self._body,
            "ERROR": self._visit_unknown,
            "literal": self._literal,
            "comment": lambda node: (),
            "marginalia": lambda node: (),
            **dict.fromkeys(_CREATES, self._create),
        }

    def read(self, root: Node) -> FileFacts:
        stem = self.scan.path.rpartition("/")[2].rpartition(".")[0].lower()
        if "/models/" in f"/{self.scan.path}":
            self.scan.open(self.scan.declare(stem, SymbolKind.VIEW, root, exported=True))
        self.scan.walk(root, self._handlers)
        return self.scan.facts()

    def search(self) -> FileFacts:
        self._search(self.scan.source.decode("utf-8", "replace"), 1)
        return self.scan.facts()

    # Definitions

    def _statement(self, node: Node) -> Iterable[Any]:
        if self._is_inside:  # the relations of an inner statement are those of the outer one
            return node.children
        self._is_inside = True
        self._relations = dict(self._named_relations(node))

        def finish() -> None:
            self._is_inside = False

        return [*node.children, finish]

    def _alter(self, node: Node) -> Iterable[Any]:
        table = next((child for child in node.named_children if child.type == "object_reference"), None)
        self._altered = self._name(table) if table is not None else ""

        def finish() -> None:
            self._altered = ""

        return [*node.children, finish]

    def _named_relations(self, node: Node) -> Iterator[tuple[str, str]]:
        """Yield the alias of each relation of a statement, or its name, with the name of its table."""
        open_ = [node]
        while open_:
            item = open_.pop()
            if item.type == "relation" or item.type in ("insert", "delete", "create_index", "create_policy",
                                                      "alter_table", "create_table"):  # fmt: skip
                reference = next((x for x in item.named_children if x.type == "object_reference"), None)
                alias = item.child_by_field_name("alias")
                if reference is not None:
                    table = self._name(reference)
                    yield (self._plain(alias) if alias is not None else table), table
            open_ += item.named_children

    def _create(self, node: Node) -> Iterable[Any]:
        kind = _CREATES[node.type]
        named = node.child_by_field_name("column") if node.type == "create_index" else None
        target = named or next(
            (child for child in node.named_children if child.type == "object_reference"), None
        )
        if target is None:
            return node.children
        number = self.scan.declare(self._name(target), kind, node, exported=True)
        self.scan.open(number)
        return [*(child for child in node.children if child != target), self.scan.close]

    def _column(self, node: Node) -> Iterable[Any]:
        name = node.child_by_field_name("name")
        others = [child for child in node.named_children if child != name]
        if name is None:
            return others
        if self._altered:
            self._add_column_definition(f"{self._altered}.{self._plain(name)}", node)
        else:
            self.scan.declare(self._plain(name), SymbolKind.COLUMN, node, exported=True)
        self.scan.token(self._plain(name))
        return others

    def _add_column_definition(self, name: str, node: Node) -> None:
        """Add a column to a table that is created elsewhere."""
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        self.scan.drafts.append(Draft(name, SymbolKind.COLUMN, first, last, True))

    def _named_column(self, field: str) -> Any:
        def handler(node: Node) -> Iterable[Any]:
            name = node.child_by_field_name(field)
            if name is not None:
                self._use_column(name, self._altered or UNKNOWN)
            return [child for child in node.named_children if child != name]

        return handler

    def _renamed_column(self, node: Node) -> Iterable[Any]:
        old, new = node.child_by_field_name("old_name"), node.child_by_field_name("new_name")
        if old is not None and new is not None:
            self._use_column(old, self._altered or UNKNOWN)
            self._add_column_definition(f"{self._altered}.{self._plain(new)}", node)
        return ()

    # Uses

    def _relation(self, node: Node) -> Iterable[Any]:
        self.scan.use(self._name(node), "", UseKind.TABLE, node)
        self.scan.token(self._name(node))
        return ()

    def _aliased_relation(self, node: Node) -> Iterable[Any]:
        alias = node.child_by_field_name("alias")
        return [child for child in node.named_children if child != alias]

    def _common_table(self, node: Node) -> Iterable[Any]:
        name, *rest = node.named_children
        self._relations[self._plain(name)] = ""
        return rest

    def _field(self, node: Node) -> Iterable[Any]:
        name = node.child_by_field_name("name") or node.child_by_field_name("column")
        if name is None:
            return node.named_children
        reference = next((child for child in node.named_children if child.type == "object_reference"), None)
        if reference is not None:
            alias = self._name(reference)
            self._use_column(name, self._relations.get(alias, alias) or UNKNOWN)
        else:
            self._use_column(name, self._only_relation())
        return ()

    def _listed_column(self, node: Node) -> Iterable[Any]:
        self._use_column(node, self._only_relation())
        return ()

    def _only_relation(self) -> str:
        """Return the table of a column without one, where the statement has one table."""
        tables = set(self._relations.values())
        return tables.pop() or UNKNOWN if len(tables) == 1 else UNKNOWN

    def _use_column(self, node: Node, table: str) -> None:
        self.scan.use(self._plain(node), table, UseKind.COLUMN, node)
        self.scan.token(self._plain(node))

    def _invocation(self, node: Node) -> Iterable[Any]:
        called, *others = node.named_children
        self.scan.use(self._name(called), "", UseKind.CALL, called)
        self.scan.token(self._name(called))
        return others

    def _body(self, node: Node) -> Iterable[Any]:
        """Return the body of a function: parsed where the grammar could, searched for names elsewhere."""
        if not node.has_error:
            return node.children
        return self._visit_unknown(node)

    def _visit_unknown(self, node: Node) -> Iterable[Any]:
        self._search(self.scan.text(node), node.start_point[0] + 1)
        return ()

    def _search(self, text: str, first: int) -> None:
        """Add the uses in a text that starts at a line."""
        text = text[:_LONGEST_TEXT]
        for pattern, kind in ((_RELATIONS, UseKind.TABLE), (_CALLS, UseKind.CALL)):
            for match in pattern.finditer(text):
                name = match[1].rpartition(".")[2].strip('"').lower()
                if name not in _NOT_RELATIONS:
                    self.scan.use_at(name, "", kind, first + text.count("\n", 0, match.start()))
        for token in text.split():
            self.scan.token(token.lower())

    def _literal(self, node: Node) -> Iterable[Any]:
        self.scan.literal(self.scan.text(node), node)
        return ()

    def _name(self, node: Node) -> str:
        """Return the name of an object without its schema."""
        return self._plain(node.child_by_field_name("name") or node)

    def _plain(self, node: Node) -> str:
        return self.scan.text(node).strip('"`[]').lower()
