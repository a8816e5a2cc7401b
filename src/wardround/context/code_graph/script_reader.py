"""The symbols and uses of a TypeScript or JavaScript module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tree_sitter import Node

from wardround.context.code_graph import normal_form
from wardround.context.code_graph.model import FileFacts, SymbolKind, UseKind
from wardround.context.code_graph.scopes import MOST_PARTS, UNKNOWN, FileScan
from wardround.context.code_graph.script_exports import ScriptExports, string_text
from wardround.retrieval.test_discovery import contains_tests

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_CLASSES = ("class", "class_declaration", "abstract_class_declaration")
_DECLARED = ("function_signature", "internal_module", "module")
_WRAPPERS = frozenset({"memo", "forwardRef", "observer", "styled", "withRouter", "lazy"})
_TESTS = frozenset({"it", "test", "describe", "suite", "context"})
_CASES = frozenset({"it", "test"})
_JSX = ("jsx_element", "jsx_self_closing_element", "jsx_fragment")
_TITLE_LENGTH = 80


def read_script(path: str, source: bytes, root: Node) -> FileFacts:
    """Return the facts of a parsed module."""
    return _ScriptReader(path, source).read(root)


def script_bodies(path: str, source: bytes, root: Node) -> tuple[FileFacts, tuple[tuple[str, ...], ...]]:
    """Return the facts of a parsed module, and the tokens of each symbol."""
    reader = _ScriptReader(path, source)
    return reader.read(root), reader.scan.bodies()


class _ScriptReader:
    def __init__(self, path: str, source: bytes) -> None:
        self.scan = FileScan(path, source, source.count(b"\n") + 1)
        self._exports = ScriptExports(self.scan)
        self._has_tests = contains_tests(path)
        self._is_exported = False
        self._statement: Node | None = None
        self._handlers = {
            "import_statement": self._exports.read_import,
            "export_statement": self._export,
            "function_declaration": self._function_declaration,
            "generator_function_declaration": self._function_declaration,
            "function_signature": self._function_declaration,
            "class_declaration": self._class,
            "abstract_class_declaration": self._class,
            "class": self._class,
            "interface_declaration": self._type,
            "type_alias_declaration": self._type,
            "enum_declaration": self._type,
            "property_signature": self._member,
            "method_signature": self._member,
            "enum_assignment": self._member,
            "internal_module": self._type,
            "method_definition": self._method,
            "public_field_definition": self._field,
            "field_definition": self._field,
            "lexical_declaration": self._declaration,
            "variable_declaration": self._declaration,
            "variable_declarator": self._declarator,
            "catch_clause": self._visit_binding("parameter"),
            "for_in_statement": self._visit_binding("left"),
            "call_expression": self._call,
            "new_expression": self._new,
            "member_expression": self._member_expression,
            "nested_type_identifier": self._member_expression,
            "nested_identifier": self._member_expression,
            "jsx_opening_element": self._visit_element,
            "jsx_self_closing_element": self._visit_element,
            "jsx_closing_element": lambda node: (),
            "jsx_text": self._jsx_text,
            "extends_clause": self._bases,
            "implements_clause": self._bases,
            "extends_type_clause": self._bases,
            "pair": self._pair,
            "identifier": self._identifier,
            "shorthand_property_identifier": self._identifier,
            "shorthand_property_identifier_pattern": self._identifier,
            "type_identifier": self._type_identifier,
            "string": self._literal,
            "number": self._literal,
            "comment": lambda node: (),
            "html_comment": lambda node: (),
            **dict.fromkeys(_FUNCTIONS, self._function),
        }

    def read(self, root: Node) -> FileFacts:
        self.scan.walk(root, self._handlers)
        self._exports.finish()
        return self.scan.facts()

    # Definitions

    def _export(self, node: Node) -> Iterable[Any]:
        declared = self._exports.read_export(node)
        if declared is None:
            return ()
        if "declaration" not in declared.type and declared.type not in _DECLARED:
            return self._default(node, declared)

        def finish() -> None:
            self._is_exported = False

        self._is_exported = True
        return [*(child for child in node.children if child.type == "decorator"), declared, finish]

    def _default(self, node: Node, value: Node) -> Iterable[Any]:
        """``export default`` of an expression: a symbol of that name, unless the expression is a name."""
        if value.type == "identifier":
            self._exports.rename(self.scan.text(value), "default", node)
            return [value]
        return self._visit_value("default", node, value, is_exported=True)

    def _function_declaration(self, node: Node) -> Iterable[Any]:
        name = self._name_of(node)
        self._bind(name)
        number = self.scan.declare(name, self._function_kind(name, node), node, exported=self._take_export())
        return self._body_of_function(number, node)

    def _body_of_function(self, number: int, node: Node) -> Iterable[Any]:
        self.scan.open(number, is_function=True)
        self._bind_parameters(node)
        generic = node.child_by_field_name("type_parameters")
        for child in generic.named_children if generic is not None else ():
            self.scan.bind(self._name_of(child))
        fields = ("parameters", "parameter", "return_type", "body")
        return [
            *(child for child in map(node.child_by_field_name, fields) if child is not None),
            self.scan.close,
        ]

    def _function(self, node: Node) -> Iterable[Any]:
        """An anonymous function: its locals belong to the enclosing symbol."""
        return self._body_of_function(self.scan.scope.owner, node)

    def _bind_parameters(self, node: Node) -> None:
        parameters = node.child_by_field_name("parameters")
        for child in parameters.named_children if parameters is not None else ():
            type_name = self._type_name(child.child_by_field_name("type"))
            pattern = child.child_by_field_name("pattern") or child
            for name in self._targets(pattern):
                self.scan.bind(name, type_name if pattern.type == "identifier" else "")
        single = node.child_by_field_name("parameter")
        for name in self._targets(single):
            self.scan.bind(name)

    def _class(self, node: Node) -> Iterable[Any]:
        name = self._name_of(node, "class")
        self._bind(name)
        number = self.scan.declare(name, SymbolKind.CLASS, node, exported=self._take_export())
        self.scan.open(number, is_class=True)
        kinds = ("class_heritage", "class_body", "decorator")
        return [*(child for child in node.children if child.type in kinds), self.scan.close]

    def _type(self, node: Node) -> Iterable[Any]:
        name = self._name_of(node)
        number = self.scan.declare(name, SymbolKind.TYPE, node, exported=self._take_export())
        self.scan.open(number, is_class=True)
        return [*(child for child in node.named_children if child != node.child_by_field_name("name")),
                self.scan.close]  # fmt: skip

    def _member(self, node: Node) -> Iterable[Any]:
        """A property of a type; those of anonymous types inside functions are not symbols."""
        if self.scan.scope.is_class:
            self.scan.declare(self._name_of(node), SymbolKind.FIELD, node, exported=True)
        return [child for child in node.named_children if child != node.child_by_field_name("name")]

    def _method(self, node: Node) -> Iterable[Any]:
        name = self._name_of(node)
        if not self.scan.scope.is_class:
            return self._function(node)
        number = self.scan.declare(name, SymbolKind.METHOD, node, exported=not name.startswith("#"))
        return self._body_of_function(number, node)

    def _field(self, node: Node) -> Iterable[Any]:
        value = node.child_by_field_name("value")
        kind = SymbolKind.METHOD if value is not None and value.type in _FUNCTIONS else SymbolKind.FIELD
        self.scan.open(self.scan.declare(self._name_of(node), kind, node, exported=True))
        return [*filter(None, (node.child_by_field_name("type"), value)), self.scan.close]

    def _declaration(self, node: Node) -> Iterable[Any]:
        self._statement = node
        return [child for child in node.named_children if child.type == "variable_declarator"]

    def _declarator(self, node: Node) -> Iterable[Any]:
        pattern, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        names = list(self._targets(pattern))
        if self._exports.read_require(names, pattern, value):
            return ()
        if not self.scan.is_top:
            return self._local(node, pattern, value, names)
        if pattern is not None and pattern.type == "identifier":
            type_node = node.child_by_field_name("type")
            statement = self._statement or node
            return self._visit_value(
                names[0], statement, value, is_exported=self._is_exported, type_node=type_node
            )
        for name in names:
            self.scan.declare(name, SymbolKind.CONSTANT, node, exported=self._is_exported)
        return [value] if value is not None else []

    def _local(
        self, node: Node, pattern: Node | None, value: Node | None, names: Sequence[str]
    ) -> Iterable[Any]:
        """A variable of a function; a function assigned to it is a symbol, so that hunks in it have a
        name.
        """
        if value is not None and value.type in _FUNCTIONS and len(names) == 1:
            self._bind(names[0])
            kind = self._function_kind(names[0], value)
            return self._body_of_function(self.scan.declare(names[0], kind, node), value)
        constructed = self._type_name(node.child_by_field_name("type")) or self._constructed_class(value)
        for name in names:
            self.scan.bind(name, constructed if len(names) == 1 else "")
        return node.children

    def _visit_value(
        self, name: str, node: Node, value: Node | None, *, is_exported: bool, type_node: Node | None = None
    ) -> Iterable[Any]:
        """A constant, or the function, component or class in it, also below wrappers such as ``memo``."""
        inner = self._unwrap(value)
        if inner is not None and inner.type in _FUNCTIONS:
            kind = self._function_kind(name, inner)
        else:
            kind = SymbolKind.CLASS if inner is not None and inner.type in _CLASSES else SymbolKind.CONSTANT
        number = self.scan.declare(name, kind, node, exported=is_exported)
        if inner is value and inner is not None and inner.type in _FUNCTIONS:
            return [*filter(None, (type_node,)), *self._body_of_function(number, inner)]
        self.scan.open(number, is_class=kind is SymbolKind.CLASS)
        visited = inner.named_children if inner is value and inner and kind is SymbolKind.CLASS else [value]
        return [*filter(None, (type_node, *visited)), self.scan.close]

    def _unwrap(self, value: Node | None) -> Node | None:
        for _ in range(MOST_PARTS):
            if value is None or value.type not in ("call_expression", "as_expression", "satisfies_expression",
                                                   "parenthesized_expression"):  # fmt: skip
                break
            if value.type == "call_expression":
                called, arguments = (
                    value.child_by_field_name("function"),
                    value.child_by_field_name("arguments"),
                )
                name = self.scan.text(called).rpartition(".")[2] if called is not None else ""
                inner = arguments.named_children if arguments is not None else []
                if name not in _WRAPPERS or not inner:
                    break
                value = inner[0]
            else:
                value = value.named_children[0] if value.named_children else None
        return value

    def _function_kind(self, name: str, node: Node) -> SymbolKind:
        """A function with a capital letter that contains JSX is a component."""
        body = node.child_by_field_name("body")
        is_component = name[:1].isupper() and not self.scan.is_full and _has_jsx(body)
        return SymbolKind.COMPONENT if is_component else SymbolKind.FUNCTION

    def _take_export(self) -> bool:
        """Return True for the declaration directly below an export; inner ones are not exported."""
        exported, self._is_exported = self._is_exported, False
        return exported

    def _bind(self, name: str) -> None:
        if not self.scan.is_top:
            self.scan.bind(name)

    def _visit_binding(self, field: str) -> Any:
        def handler(node: Node) -> Iterable[Any]:
            for name in self._targets(node.child_by_field_name(field)):
                self.scan.bind(name)
            return node.children

        return handler

    def _targets(self, node: Node | None) -> Iterator[str]:
        """Yield the names that a pattern binds."""
        open_ = [node] if node is not None else []
        while open_:
            item = open_.pop()
            if item.type in ("identifier", "shorthand_property_identifier_pattern"):
                yield self.scan.text(item)
            elif item.type == "pair_pattern":
                open_ += filter(None, [item.child_by_field_name("value")])
            elif item.type in ("assignment_pattern", "object_assignment_pattern"):
                open_ += filter(None, [item.child_by_field_name("left")])
            elif item.type in ("required_parameter", "optional_parameter"):
                open_ += filter(None, [item.child_by_field_name("pattern")])
            elif item.type in ("object_pattern", "array_pattern", "rest_pattern"):
                open_ += reversed(item.named_children)

    # Uses

    def _call(self, node: Node) -> Iterable[Any]:
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        types = node.child_by_field_name("type_arguments")
        if called is not None and self._exports.read_dynamic(called, arguments):
            return [arguments] if called.type != "import" and arguments is not None else []
        if self._has_tests and called is not None and arguments is not None:
            test = self._test(node, called, arguments)
            if test is not None:
                return test
        return self._visit_chain(called, UseKind.CALL, [types, arguments])

    def _test(self, node: Node, called: Node, arguments: Node) -> Iterable[Any] | None:
        """A test, or a group of tests, named by its title; None for any other call."""
        root, names = self._chain(
            called if called.type != "call_expression" else called.child_by_field_name("function")
        )
        if root is not None or not names or names[0][0] not in _TESTS or not arguments.named_children:
            return None
        title = string_text(self.scan, arguments.named_children[0])
        if not title:
            return None
        kind = SymbolKind.TEST if names[0][0] in _CASES else SymbolKind.CLASS
        number = self.scan.declare(title.replace(".", " ")[:_TITLE_LENGTH], kind, node)
        self.scan.open(number, is_function=True)
        return [*([called] if called.type == "call_expression" else []), *arguments.named_children[1:],
                self.scan.close]  # fmt: skip

    def _new(self, node: Node) -> Iterable[Any]:
        constructor, arguments = (
            node.child_by_field_name("constructor"),
            node.child_by_field_name("arguments"),
        )
        self._exports.read_new(constructor, arguments)
        after = [node.child_by_field_name("type_arguments"), arguments]
        return self._visit_chain(constructor, UseKind.CALL, after)

    def _member_expression(self, node: Node) -> Iterable[Any]:
        kind = UseKind.TYPE if node.type == "nested_type_identifier" else UseKind.ATTRIBUTE
        return self._visit_chain(node, kind, [])

    def _visit_chain(self, node: Node | None, kind: UseKind, after: Sequence[Node | None]) -> Iterable[Any]:
        root, names = self._chain(node)
        following = [following_node for following_node in after if following_node is not None]
        if root is None:
            self.scan.chain(names, "", kind)
            return following
        if root.type in ("this", "super"):
            self.scan.chain(names, root.type, kind)
            return following
        if not names:
            return [root, *following]
        return [root, lambda: self.scan.chain(names, UNKNOWN, kind), *following]

    def _chain(self, node: Node | None) -> tuple[Node | None, list[tuple[str, Node]]]:
        """Return the names of a dotted chain, and its root where that is another expression."""
        names: list[tuple[str, Node]] = []
        while node is not None and len(names) < MOST_PARTS:
            if node.type == "member_expression":
                name, inner = node.child_by_field_name("property"), node.child_by_field_name("object")
            elif node.type in ("nested_type_identifier", "nested_identifier"):
                name, inner = node.named_children[-1], node.named_children[0]
            elif node.type == "non_null_expression":
                name, inner = None, node.named_children[0]
            else:
                break
            if name is not None:
                names.append((self.scan.text(name), name))
            node = inner
        if node is not None and node.type in ("identifier", "type_identifier"):
            names.append((self.scan.text(node), node))
            node = None
        return node, names[::-1]

    def _visit_element(self, node: Node) -> Iterable[Any]:
        name = node.child_by_field_name("name")
        root, names = self._chain(name)
        label = ".".join(local for local, _ in names)
        if root is None and names and label[:1].isupper():
            self.scan.chain(names, "", UseKind.RENDERS)
        elif name is not None:
            self.scan.token(self.scan.text(name))
        visited: list[Node] = []
        for child in node.named_children:
            if child.type == "jsx_attribute":
                visited += self._prop(child, label)
            elif child != name:
                visited.append(child)
        return visited

    def _prop(self, node: Node, element: str) -> list[Node]:
        key, *value = node.named_children or [node]
        if element[:1].isupper():
            self.scan.use(self.scan.text(key), element, UseKind.PROP, key)
        self.scan.token(f"{self.scan.text(key)}=")
        return value

    def _bases(self, node: Node) -> Iterable[Any]:
        others: list[Node] = []
        for child in node.named_children:
            inner = child.child_by_field_name("name") if child.type == "generic_type" else None
            root, names = self._chain(inner or child)
            if root is None and names:
                self.scan.chain(names, "", UseKind.INHERITS)
            else:
                others.append(child)
        return others

    def _pair(self, node: Node) -> Iterable[Any]:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is not None and key.type in ("property_identifier", "string"):
            name = self.scan.text(key).strip("'\"")
            self.scan.use(name, UNKNOWN, UseKind.KEY, key)
            self.scan.token(f"{name}:")
            key = None
        return [*filter(None, (key, value))]

    def _identifier(self, node: Node) -> Iterable[Any]:
        self.scan.plain(self.scan.text(node), UseKind.REFERENCE, node)
        return ()

    def _type_identifier(self, node: Node) -> Iterable[Any]:
        self.scan.plain(self.scan.text(node), UseKind.TYPE, node)
        return ()

    def _jsx_text(self, node: Node) -> Iterable[Any]:
        text = " ".join(self.scan.text(node).split())
        if text:
            self.scan.token(normal_form.LITERAL + text)
        return ()

    def _literal(self, node: Node) -> Iterable[Any]:
        self.scan.literal(self.scan.text(node), node)
        return ()

    def _type_name(self, node: Node | None) -> str:
        """Return the type that an annotation names; empty for anything but a name."""
        inner = node.named_children[0] if node is not None and node.named_children else None
        if inner is not None and inner.type == "generic_type":
            inner = inner.child_by_field_name("name")
        root, names = self._chain(inner)
        return ".".join(name for name, _ in names) if root is None else ""

    def _constructed_class(self, value: Node | None) -> str:
        if value is None or value.type != "new_expression":
            return ""
        root, names = self._chain(value.child_by_field_name("constructor"))
        return ".".join(name for name, _ in names) if root is None else ""

    def _name_of(self, node: Node, default: str = "?") -> str:
        name = node.child_by_field_name("name")
        return self.scan.text(name).strip("'\"") if name is not None else default


def _has_jsx(body: Node | None) -> bool:
    open_ = [body] if body is not None else []
    while open_:
        item = open_.pop()
        if item.type in _JSX:
            return True
        open_ += item.named_children
    return False
