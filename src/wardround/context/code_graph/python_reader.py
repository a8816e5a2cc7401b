"""The symbols, imports and uses of a Python module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tree_sitter import Node

from wardround.context.code_graph.dynamic_imports import LOADERS, dynamic_imports
from wardround.context.code_graph.model import FileFacts, Import, SymbolKind, UseKind
from wardround.context.code_graph.scopes import MOST_PARTS, UNKNOWN, FileScan
from wardround.retrieval.test_discovery import contains_tests

_INSTANCE = ("self", "cls")


def read_python(path: str, source: bytes, root: Node) -> FileFacts:
    """Return the facts of a parsed module."""
    return _PythonReader(path, source).read(root)


def python_bodies(path: str, source: bytes, root: Node) -> tuple[FileFacts, tuple[tuple[str, ...], ...]]:
    """Return the facts of a parsed module, and the tokens of each symbol."""
    reader = _PythonReader(path, source)
    return reader.read(root), reader.scan.bodies()


class _PythonReader:
    def __init__(self, path: str, source: bytes) -> None:
        self.scan = FileScan(path, source, source.count(b"\n") + 1)
        self._has_tests = contains_tests(path)
        self._known: set[str] = set()
        self._listed: set[str] = set()
        self._decoration: Node | None = None
        self._handlers = {
            "function_definition": self._function,
            "class_definition": self._class,
            "decorated_definition": self._visit_decorated,
            "decorator": self._decorator,
            "lambda": self._lambda,
            "assignment": self._visit_assignment,
            "augmented_assignment": self._visit_binding("left"),
            "named_expression": self._visit_binding("name"),
            "for_statement": self._visit_binding("left"),
            "for_in_clause": self._visit_binding("left"),
            "as_pattern": self._visit_binding("alias"),
            "global_statement": self._outer,
            "nonlocal_statement": self._outer,
            "import_statement": self._import,
            "import_from_statement": self._import_from,
            "future_import_statement": lambda node: (),
            "call": self._call,
            "attribute": self._attribute,
            "keyword_argument": self._keyword,
            "identifier": self._identifier,
            "string": self._string,
            "integer": self._number,
            "float": self._number,
            "comment": lambda node: (),
            "expression_statement": self._statement,
        }

    def read(self, root: Node) -> FileFacts:
        self.scan.walk(root, self._handlers)
        if self._listed:
            for draft in self.scan.drafts[1:]:
                if "." not in draft.name:
                    draft.exported = draft.name in self._listed
        return self.scan.facts()

    # Definitions

    def _visit_decorated(self, node: Node) -> Iterable[Any]:
        """The definition is visited next, and then takes its decorators: finding a parent takes long."""
        self._decoration = node
        return [node.child_by_field_name("definition")]

    def _take_decorators(self) -> Node | None:
        found, self._decoration = self._decoration, None
        return found

    def _function(self, node: Node) -> Iterable[Any]:
        name, decoration = self._name_of(node), self._take_decorators()
        kind, is_method = self._kind_of(name), self.scan.scope.is_class
        number = self._declare(name, kind, decoration or node)
        decorators = self._decorators(decoration)
        parameters = node.child_by_field_name("parameters")
        takes_fixtures = kind is SymbolKind.TEST or self._is_fixture(decorators)
        self.scan.open(number, is_function=True)
        for bound, type_name in self._parameters(parameters):
            if not (is_method and bound in _INSTANCE):
                self.scan.bind(bound, type_name)
                if parameters is not None and takes_fixtures:
                    self.scan.use(bound, UNKNOWN, UseKind.FIXTURE, parameters)
        body = [node.child_by_field_name(field) for field in ("parameters", "return_type", "body")]
        return [*decorators, *filter(None, body), self.scan.close]

    def _kind_of(self, name: str) -> SymbolKind:
        """Return the kind of a function that is defined in the present scope."""
        scope = self.scan.scope
        if self._has_tests and name.startswith("test") and not scope.is_function:
            return SymbolKind.TEST
        return SymbolKind.METHOD if scope.is_class else SymbolKind.FUNCTION

    def _class(self, node: Node) -> Iterable[Any]:
        decoration = self._take_decorators()
        number = self._declare(self._name_of(node), SymbolKind.CLASS, decoration or node)
        self.scan.open(number, is_class=True)
        bases = node.child_by_field_name("superclasses")
        others = self._bases(bases) if bases is not None else []
        return [*self._decorators(decoration), *others, node.child_by_field_name("body"), self.scan.close]

    def _bases(self, bases: Node) -> list[Node]:
        """Record the base classes and return the other arguments."""
        others = []
        for base in bases.named_children:
            generic = base.child_by_field_name("value") if base.type == "subscript" else None
            root, names = self._chain(generic or base)
            if names and root is None:
                self.scan.chain(names, "", UseKind.INHERITS)
            others += [base] if not names or generic is not None or root is not None else []
        return others

    def _declare(self, name: str, kind: SymbolKind, node: Node) -> int:
        scan = self.scan
        if scan.scope.is_function:
            scan.bind(name)
        self._known.add(name) if scan.is_top else None
        exported = not scan.scope.is_function and not name.startswith("_")
        return scan.declare(name, kind, node, exported=exported)

    def _decorators(self, decoration: Node | None) -> list[Node]:
        children = decoration.children if decoration is not None else []
        return [child for child in children if child.type == "decorator"]

    def _is_fixture(self, decorators: Iterable[Node]) -> bool:
        return any("fixture" in self.scan.text(decorator) for decorator in decorators)

    def _decorator(self, node: Node) -> Iterable[Any]:
        inner = node.named_children[0] if node.named_children else None
        is_call = inner is not None and inner.type == "call"
        head = inner.child_by_field_name("function") if inner is not None and is_call else inner
        root, names = self._chain(head)
        if root is not None or not names:
            return node.named_children
        self.scan.chain(names, "", UseKind.DECORATES)
        return [inner.child_by_field_name("arguments")] if inner is not None and is_call else []

    def _lambda(self, node: Node) -> Iterable[Any]:
        for name, _ in self._parameters(node.child_by_field_name("parameters")):
            self.scan.bind(name)
        return node.children

    def _parameters(self, node: Node | None) -> Iterator[tuple[str, str]]:
        for child in node.named_children if node is not None else ():
            type_node = child.child_by_field_name("type")
            named = child.child_by_field_name("name")
            if child.type == "identifier" or named is not None:
                yield self.scan.text(named or child), self._type_name(type_node)
            else:
                yield from ((name, self._type_name(type_node)) for name in self._targets(child))

    # Bindings

    def _visit_binding(self, field: str) -> Any:
        def handler(node: Node) -> Iterable[Any]:
            for name in self._targets(node.child_by_field_name(field)):
                self.scan.bind(name)
            return node.children

        return handler

    def _visit_assignment(self, node: Node) -> Iterable[Any]:
        scan, left = self.scan, node.child_by_field_name("left")
        value, type_node = node.child_by_field_name("right"), node.child_by_field_name("type")
        names = list(self._targets(left))
        if scan.is_top and names == ["__all__"]:
            self._listed |= set(self._strings(value))
        if not self._is_declaring:
            for name in names:
                scan.bind(name, self._type_name(type_node) or self._constructed_class(value))
            return node.children
        if len(names) != 1 or left is None or left.type != "identifier" or self._is_known(names[0]):
            return node.children
        kind = SymbolKind.CONSTANT if scan.is_top else SymbolKind.FIELD
        scan.open(scan.declare(names[0], kind, node, exported=not names[0].startswith("_")))
        return [*filter(None, (type_node, value)), scan.close]

    @property
    def _is_declaring(self) -> bool:
        """True if an assignment here makes a constant or a field, not a local name."""
        return not self.scan.scope.is_function and (self.scan.is_top or self.scan.scope.is_class)

    def _is_known(self, name: str) -> bool:
        """Return True if the module or class has the name already; record it if not."""
        complete = f"{self.scan.drafts[self.scan.scope.owner].name}.{name}".lstrip(".")
        if complete in self._known:
            return True
        self._known.add(complete)
        return False

    def _targets(self, node: Node | None) -> Iterator[str]:
        """Yield the plain names that a pattern binds."""
        open_ = [node] if node is not None else []
        while open_:
            item = open_.pop()
            if item.type == "identifier":
                yield self.scan.text(item)
            elif item.type not in ("attribute", "subscript", "type", "call"):
                open_ += reversed(item.named_children)

    def _outer(self, node: Node) -> Iterable[Any]:
        self.scan.scope.outer |= {self.scan.text(child) for child in node.named_children}
        return ()

    def _type_name(self, node: Node | None) -> str:
        """Return the class that an annotation names, without ``None``; empty for anything else."""
        while node is not None and node.type in ("type", "binary_operator"):
            plain = [child for child in node.named_children if child.type != "none"]
            node = plain[0] if len(plain) == 1 else None
        root, names = self._chain(node)
        return ".".join(name for name, _ in names) if root is None else ""

    def _constructed_class(self, value: Node | None) -> str:
        """Return the class that a call constructs, by its capital letter."""
        if value is None or value.type != "call":
            return ""
        root, names = self._chain(value.child_by_field_name("function"))
        is_class = root is None and names and names[-1][0][:1].isupper()
        return ".".join(name for name, _ in names) if is_class else ""

    def _strings(self, value: Node | None) -> Iterator[str]:
        for child in value.named_children if value is not None else ():
            if child.type == "string":
                yield self.scan.text(child).strip("'\"")

    # Imports

    def _import(self, node: Node) -> Iterable[Any]:
        for child in node.named_children:
            name, alias = self._name_and_alias(child)
            self.scan.imports.append(Import(name, "", alias or name, node.start_point[0] + 1))
        return ()

    def _import_from(self, node: Node) -> Iterable[Any]:
        module = node.child_by_field_name("module_name")
        written = self.scan.text(module).replace(" ", "") if module is not None else ""
        line = node.start_point[0] + 1
        for child in node.named_children:
            if child.type == "wildcard_import":
                self.scan.imports.append(Import(written, "*", "", line))
            elif child != module:
                name, alias = self._name_and_alias(child)
                self.scan.imports.append(Import(written, name, alias or name, line))
        return ()

    def _name_and_alias(self, node: Node) -> tuple[str, str]:
        if node.type != "aliased_import":
            return self.scan.text(node), ""
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        return (self.scan.text(name) if name else ""), (self.scan.text(alias) if alias else "")

    # Uses

    def _call(self, node: Node) -> Iterable[Any]:
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if name := self._loader(called):
            self.scan.imports += dynamic_imports(self.scan, name, arguments)
        return self._visit_chain(called, UseKind.CALL, [arguments])

    def _loader(self, called: Node | None) -> tuple[str, ...]:
        """Return the names of a called function if it may load a module, by its name in its own module."""
        _, names = self._chain(called)
        texts = [name for name, _ in names]
        if texts and texts[-1] in LOADERS:
            return tuple(texts)
        given = (
            import_.name
            for import_ in self.scan.imports
            if texts == [import_.alias] and import_.name in LOADERS
        )
        return tuple(given)[:1]

    def _attribute(self, node: Node) -> Iterable[Any]:
        return self._visit_chain(node, UseKind.ATTRIBUTE, [])

    def _visit_chain(self, node: Node | None, kind: UseKind, after: list[Node | None]) -> Iterable[Any]:
        root, names = self._chain(node)
        following = [following_node for following_node in after if following_node is not None]
        if root is None:
            self.scan.chain(names, "", kind)
            return following
        if not names:
            return [root, *following]
        constructed = self._constructed_class(root)
        receiver = "super" if self._is_super(root) else f"{constructed}()" if constructed else UNKNOWN
        return [root, lambda: self.scan.chain(names, receiver, kind), *following]

    def _chain(self, node: Node | None) -> tuple[Node | None, list[tuple[str, Node]]]:
        """Return the names of a dotted chain, and its root where that is another expression."""
        names: list[tuple[str, Node]] = []
        while node is not None and node.type == "attribute" and len(names) < MOST_PARTS:
            name = node.child_by_field_name("attribute")
            if name is not None:
                names.append((self.scan.text(name), name))
            node = node.child_by_field_name("object")
        if node is not None and node.type == "identifier":
            names.append((self.scan.text(node), node))
            node = None
        return node, names[::-1]

    def _is_super(self, node: Node) -> bool:
        called = node.child_by_field_name("function") if node.type == "call" else None
        return called is not None and self.scan.text(called) == "super"

    def _keyword(self, node: Node) -> Iterable[Any]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None:
            self.scan.use(self.scan.text(name), UNKNOWN, UseKind.KEY, name)
            self.scan.token(f"{self.scan.text(name)}=")
        return [value] if value is not None else []

    def _identifier(self, node: Node) -> Iterable[Any]:
        self.scan.plain(self.scan.text(node), UseKind.REFERENCE, node)
        return ()

    def _string(self, node: Node) -> Iterable[Any]:
        inner = [child for child in node.children if child.type == "interpolation"]
        if inner:
            return [child for child in node.children if child.type in ("interpolation", "string_content")]
        self.scan.literal(self.scan.text(node), node)
        return ()

    def _number(self, node: Node) -> Iterable[Any]:
        self.scan.literal(self.scan.text(node), node)
        return ()

    def _statement(self, node: Node) -> Iterable[Any]:
        """A string alone is documentation."""
        children = node.named_children
        return () if len(children) == 1 and children[0].type == "string" else node.children

    def _name_of(self, node: Node) -> str:
        name = node.child_by_field_name("name")
        return self.scan.text(name) if name is not None else "?"
