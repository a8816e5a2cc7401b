"""What the names of one module stand for: imports, functions, classes, constants, exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule, inside, parsed

FUNCTIONS = frozenset(
    {
        "function_declaration", "function_expression", "arrow_function", "method_definition",
        "generator_function_declaration", "generator_function",
    }
)  # fmt: skip
_WRAPPED = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression",
    "await_expression",
     "type_assertion", "instantiation_expression"}
)  # fmt: skip
_CHANGES = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "update_expression", "for_in_statement"}
)
_LONGEST_NAME = 120
_TESTS = frozenset({"call_expression", "binary_expression", "unary_expression"})


def bare(node: Node) -> Node:
    """An expression without the brackets, casts and ``await`` around it."""
    while node.type in _WRAPPED:
        inner = (
            node.named_children[-1 if node.type == "type_assertion" else 0] if node.named_children else None
        )
        if inner is None:
            break
        node = inner
    return node


@dataclass(frozen=True, slots=True)
class Imported:
    """Where a name comes from: a module as written, and the name there (``default``, ``*``)."""

    module: str
    name: str


@dataclass(slots=True)
class ClassScope:
    """A class: its methods, the types of its fields, and the values of those that keep theirs."""

    name: str
    node: Node
    methods: dict[str, Node] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    kept: dict[str, Node] = field(default_factory=dict)


class ModuleScope:
    """The names of one module; each answer is made once."""

    def __init__(self, module: ScriptModule) -> None:
        self.module = module
        self.imports: dict[str, Imported] = {}
        self.functions: dict[str, Node] = {}
        self.classes: dict[str, ClassScope] = {}
        self.declared: dict[str, Node | None] = {}
        self.exports: dict[str, Node] = {}
        self.re_exports: dict[str, Imported] = {}
        self.exported_names: dict[str, str] = {}
        self._calls: list[Node] = []
        twice: set[str] = set()
        for node in inside(module.root):
            reader = _READERS.get(node.type)
            if reader is not None:
                reader(self, node, twice)
        for name in twice:
            self.functions.pop(name, None)
            self.declared[name] = None

    # Reading.

    def _function(self, node: Node, twice: set[str]) -> None:
        name = self._field(node, "name")
        if name:
            self._add(name, node, twice)

    def _add(self, name: str, node: Node, twice: set[str]) -> None:
        if name in self.functions or name in self.declared:
            twice.add(name)
        self.functions[name] = node

    def _declarator(self, node: Node, twice: set[str]) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return
        core = bare(value)
        if name.type == "identifier":
            text = self.module.of(name)
            if text in self.declared or text in self.functions:
                twice.add(text)
            self.declared[text] = value
            function = wrapped_function(core)
            if function is not None:
                self.functions[text] = function
        source = self._required(core)
        if source is None:
            return
        if name.type == "identifier":
            self.imports[self.module.of(name)] = Imported(*source)
        elif name.type == "object_pattern" and source[1] == "*":
            for own, theirs in self._pattern(name):
                self.imports[own] = Imported(source[0], theirs)
        elif name.type == "object_pattern":
            for own, theirs in self._pattern(name):
                self.imports[own] = Imported(source[0], f"{source[1]}.{theirs}")

    def _required(self, node: Node) -> tuple[str, str] | None:
        """The (module, name) of ``require("x")``, ``require("x").y`` or ``await import("x")``."""
        name = "*"
        while node.type == "member_expression":
            last = self._field(node, "property")
            name = last if name == "*" else f"{last}.{name}"
            owner = node.child_by_field_name("object")
            if owner is None:
                return None
            node = bare(owner)
        if node.type != "call_expression" or self._field(node, "function") not in {"require", "import"}:
            return None
        given = node.child_by_field_name("arguments")
        first = given.named_children[0] if given is not None and given.named_children else None
        if first is None or first.type != "string":
            return None
        return self.module.of(first)[1:-1], name

    def _pattern(self, node: Node) -> Iterator[tuple[str, str]]:
        for one in node.named_children:
            if one.type == "shorthand_property_identifier_pattern":
                text = self.module.of(one)
                yield text, text
            elif one.type == "pair_pattern":
                own = one.child_by_field_name("value")
                if own is not None and own.type == "identifier":
                    yield self.module.of(own), self._field(one, "key")

    def _import(self, node: Node, twice: set[str]) -> None:
        source = node.child_by_field_name("source")
        if source is None:
            return
        spec = self.module.of(source)[1:-1]
        for clause in (one for one in node.named_children if one.type == "import_clause"):
            for one in clause.named_children:
                if one.type == "identifier":
                    self.imports[self.module.of(one)] = Imported(spec, "default")
                elif one.type == "namespace_import":
                    self.imports[self.module.of(one.named_children[0])] = Imported(spec, "*")
                elif one.type == "named_imports":
                    for each in one.named_children:
                        name = self._field(each, "name")
                        self.imports[self._field(each, "alias") or name] = Imported(spec, name)
        for one in node.named_children:
            if one.type == "import_require_clause" and one.named_children:
                self.imports[self.module.of(one.named_children[0])] = Imported(spec, "*")

    def _class(self, node: Node, twice: set[str]) -> None:
        name = self._field(node, "name") or f"class at {node.start_byte}"
        found = self.classes.setdefault(name, ClassScope(name, node))
        body = node.child_by_field_name("body")
        for one in body.named_children if body is not None else ():
            own = self._field(one, "name").lstrip("#")
            if one.type == "method_definition":
                found.methods[own] = one
                if own == "constructor":
                    self._constructor(found, one)
            elif one.type in {"public_field_definition", "field_definition"}:
                found.types[own] = type_name(self.module, one)
                value = one.child_by_field_name("value")
                if value is not None and value.type in FUNCTIONS:
                    found.methods[own] = value
                elif value is not None and any(
                    child.type in {"static", "readonly"} for child in one.children
                ):
                    found.kept[own] = value

    def _constructor(self, found: ClassScope, node: Node) -> None:
        listed = node.child_by_field_name("parameters")
        types = {}
        for one in listed.named_children if listed is not None else ():
            name = self._field(one, "pattern")
            types[name] = type_name(self.module, one)
            if any(child.type in {"accessibility_modifier", "readonly"} for child in one.children):
                found.types[name] = types[name]
        body = node.child_by_field_name("body")
        for one in body.named_children if body is not None else ():
            text = self.module.of(one).rstrip(";")
            left, sign, right = text.partition(" = ")
            if sign and left.startswith("this.") and types.get(right):
                found.types[left[5:]] = types[right]

    def _export(self, node: Node, twice: set[str]) -> None:
        source = node.child_by_field_name("source")
        spec = self.module.of(source)[1:-1] if source is not None else ""
        is_default = any(one.type == "default" for one in node.children)
        declaration = node.child_by_field_name("declaration") or node.child_by_field_name("value")
        if declaration is not None:
            names = [self._field(declaration, "name")]
            if declaration.type in {"lexical_declaration", "variable_declaration"}:
                names = [
                    self._field(one, "name")
                    for one in declaration.named_children
                    if one.type == "variable_declarator"
                ]
            if is_default:
                core = bare(declaration)
                self.exports["default"] = wrapped_function(core) or core
                names.append("")
            for name in filter(None, names):
                self.exported_names[name] = name
        for clause in (one for one in node.named_children if one.type == "export_clause"):
            for each in clause.named_children:
                name = self._field(each, "name")
                outside = self._field(each, "alias") or name
                if spec:
                    self.re_exports[outside] = Imported(spec, name)
                else:
                    self.exported_names[outside] = name
        if spec and not any(one.type == "export_clause" for one in node.named_children):
            self.re_exports[f"* {spec}"] = Imported(spec, "*")

    def _assignment(self, node: Node, twice: set[str]) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or left.type != "member_expression":
            return
        text = self.module.of(left)
        if text == "module.exports" or text == "exports.default":
            core = bare(right)
            if core.type == "object":
                for one in core.named_children:
                    self._exported_property(one)
            else:
                self.exports["default"] = wrapped_function(core) or core
        elif text.startswith(("exports.", "module.exports.")):
            name = text.rpartition(".")[2]
            core = bare(right)
            self.exports[name] = wrapped_function(core) or core

    def _exported_property(self, one: Node) -> None:
        if one.type == "shorthand_property_identifier":
            self.exported_names[self.module.of(one)] = self.module.of(one)
        elif one.type == "method_definition":
            self.exports[self._field(one, "name")] = one
        elif one.type == "pair":
            value = one.child_by_field_name("value")
            if value is not None:
                self.exports[self._field(one, "key")] = wrapped_function(bare(value)) or bare(value)

    def _field(self, node: Node, name: str) -> str:
        child = node.child_by_field_name(name)
        return self.module.of(child) if child is not None else ""

    # Answers.

    def constant(self, name: str) -> Node | None:
        """What a name that is declared once is declared to be."""
        return self.declared.get(name)

    def exported(self, name: str) -> Node | None:
        """The function, or the node of another value, that is exported under a name."""
        found = self.exports.get(name)
        if found is not None and found.type == "identifier":
            own = self.module.of(found)
        elif found is not None:
            return found
        else:
            own = self.exported_names.get(name, "")
        return self.functions.get(own) or (self.classes[own].node if own in self.classes else None)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names that are given another value after they were declared."""
        return frozenset(
            self._field(node, "left") or self._field(node, "argument")
            for node in inside(self.module.root)
            if node.type in _CHANGES
        )

    @cached_property
    def conditions(self) -> Mapping[str, Node]:
        """The names that hold the result of a test: ``const isKnown = LIST.includes(x)``."""
        found = {}
        for name, value in self.declared.items():
            core = bare(value) if value is not None else None
            if core is not None and core.type in _TESTS:
                found[name] = core
        return found

    @cached_property
    def getters(self) -> frozenset[str]:
        """The names of the properties that methods of the module's classes compute."""
        return frozenset(
            name
            for one in self.classes.values()
            for name, node in one.methods.items()
            if any(child.type == "get" for child in node.children)
        )

    def class_of(self, node: Node) -> ClassScope | None:
        """The class a node stands in."""
        around: Node | None = node
        while around is not None:
            if around.type in {"class_declaration", "class", "abstract_class_declaration"}:
                return self._class_at.get(around.id)
            around = around.parent
        return None

    @cached_property
    def _class_at(self) -> Mapping[int, ClassScope]:
        return {one.node.id: one for one in self.classes.values()}

    def dotted(self, node: Node, depth: int = 0) -> str:
        """A name as its module calls it: ``fs.readFile`` for what was imported; else as written, shortly."""
        node = bare(node)
        if node.type == "identifier" and depth < 6:
            return self._named(node, depth)
        if node.type == "member_expression":
            owner, name = node.child_by_field_name("object"), self._field(node, "property")
            stem = self.dotted(owner, depth + 1) if owner is not None else ""
            return f"{stem or '?'}.{name}"
        if node.type == "call_expression":
            source = self._required(node)
            if source is not None:
                return plain(source[0])
            return ""
        return node.type if node.type in {"this", "super", "import"} else ""

    def _named(self, node: Node, depth: int) -> str:
        name = self.module.of(node)
        imported = self.imports.get(name)
        if imported is not None:
            stem = plain(imported.module)
            return stem if imported.name in {"*", "default"} else f"{stem}.{imported.name}"
        value = self.declared.get(name)
        if value is None:
            return name
        core = bare(value)
        if (
            core.type in {"identifier", "member_expression"}
            and core.end_byte - core.start_byte < _LONGEST_NAME
        ):
            return self.dotted(core, depth + 1) or name
        if core.type == "call_expression" and self._field(core, "function").rpartition(".")[2] in {
            "promisify",
            "pify",
            "bind",
        }:
            given = core.child_by_field_name("arguments")
            if given is not None and given.named_children:
                return self.dotted(given.named_children[0], depth + 1) or name
        return name

    def resolved(self, node: Node, depth: int = 0) -> Node:
        """What an expression stands for: through names declared once and fields of literals."""
        node = bare(node)
        if depth > 6:
            return node
        if node.type == "identifier":
            value = self.declared.get(self.module.of(node))
            return self.resolved(value, depth + 1) if value is not None else node
        if node.type == "member_expression":
            owner = node.child_by_field_name("object")
            stem = self.resolved(owner, depth + 1) if owner is not None else None
            if (
                stem is not None
                and stem.type == "call_expression"
                and self._field(stem, "function") == "Object.freeze"
            ):
                given = stem.child_by_field_name("arguments")
                stem = given.named_children[0] if given is not None and given.named_children else stem
            field = self._field_value(node, owner) if owner is not None else None
            if field is not None:
                return self.resolved(field, depth + 1)
            if stem is not None and stem.type == "object":
                value = self.property(stem, self._field(node, "property"))
                return self.resolved(value, depth + 1) if value is not None else node
        return node

    def _field_value(self, node: Node, owner: Node) -> Node | None:
        """What a field was given in its class, where it keeps that: one that is static or readonly."""
        held = self.class_of(node) if owner.type == "this" else self.classes.get(self.module.of(owner))
        return held.kept.get(self._field(node, "property").lstrip("#")) if held is not None else None

    def property(self, node: Node, name: str, depth: int = 0) -> Node | None:
        """The value of a key of an object literal, also of one spread into it."""
        found = None
        for one in node.named_children:
            if one.type == "pair" and self._field(one, "key").strip("'\"`") == name:
                found = one.child_by_field_name("value")
            elif (one.type == "shorthand_property_identifier" and self.module.of(one) == name) or (
                one.type == "method_definition" and self._field(one, "name") == name
            ):
                found = one
            elif one.type == "spread_element" and depth < 4:
                inner = self.resolved(one.named_children[0])
                if inner.type == "object":
                    found = self.property(inner, name, depth + 1) or found
        return found


def wrapped_function(node: Node) -> Node | None:
    """A function, or the one given to a call around it: ``useCallback(() => ...)``, ``asyncHandler(...)``."""
    if node.type in FUNCTIONS:
        return node
    if node.type == "call_expression":
        given = node.child_by_field_name("arguments")
        inner = [one for one in (given.named_children if given is not None else ()) if one.type in FUNCTIONS]
        return inner[0] if len(inner) == 1 else None
    return None


def type_name(module: ScriptModule, node: Node) -> str:
    """The name of the type a field or parameter is declared with, without its arguments."""
    kind = node.child_by_field_name("type")
    return module.of(kind)[1:].strip().partition("<")[0] if kind is not None else ""


def plain(spec: str) -> str:
    """A module's name as the tables have it: without ``node:``, ``fs/promises`` as ``fs.promises``."""
    spec = spec.removeprefix("node:")
    return (
        "fs.promises"
        if spec == "fs/promises"
        else "lodash." + spec[7:]
        if spec.startswith("lodash/")
        else spec
    )


_READERS = {
    "function_declaration": ModuleScope._function,
    "generator_function_declaration": ModuleScope._function,
    "variable_declarator": ModuleScope._declarator,
    "import_statement": ModuleScope._import,
    "class_declaration": ModuleScope._class,
    "abstract_class_declaration": ModuleScope._class,
    "class": ModuleScope._class,
    "export_statement": ModuleScope._export,
    "assignment_expression": ModuleScope._assignment,
}


@lru_cache(maxsize=4)
def scope_of(path: str, text: str) -> ModuleScope:
    """The names of a file; the latest are kept for all checks of it."""
    return ModuleScope(parsed(path, text))
