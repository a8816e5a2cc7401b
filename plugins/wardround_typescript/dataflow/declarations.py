"""The declarations of one module: imports, functions, classes, variables, exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule, inside
from wardround_typescript.dataflow.nodes import (
    FUNCTIONS,
    bare,
    field_text,
    required_name,
    type_name,
    wrapped_function,
)


@dataclass(frozen=True, slots=True)
class Imported:
    """The module a name is imported from, as written, and its name there (``default``, ``*``)."""

    module: str
    name: str


@dataclass(slots=True)
class ClassScope:
    """A class: its methods, the types of its fields, and the values of static and readonly ones."""

    name: str
    node: Node
    methods: dict[str, Node] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    constants: dict[str, Node] = field(default_factory=dict)


class Declarations:
    """Collects the declarations of a module; of a name that is declared twice the value is unknown."""

    def __init__(self, module: ScriptModule) -> None:
        self.imports: dict[str, Imported] = {}
        self.functions: dict[str, Node] = {}
        self.classes: dict[str, ClassScope] = {}
        self.variables: dict[str, Node | None] = {}
        self.exports: dict[str, Node] = {}
        self.re_exports: dict[str, Imported] = {}
        self.exported_names: dict[str, str] = {}
        self._module = module
        self._redeclared: set[str] = set()
        for node in inside(module.root):
            read = _READERS.get(node.type)
            if read is not None:
                read(self, node)
        for name in self._redeclared:
            self.functions.pop(name, None)
            self.variables[name] = None

    def _function(self, node: Node) -> None:
        name = field_text(self._module, node, "name")
        if name:
            self._add(name, node)

    def _add(self, name: str, node: Node) -> None:
        if name in self.functions or name in self.variables:
            self._redeclared.add(name)
        self.functions[name] = node

    def _declarator(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return
        if name.type == "identifier":
            self._variable(self._module.of(name), value)
        source = required_name(self._module, bare(value))
        if source is not None:
            self._required(name, *source)

    def _variable(self, name: str, value: Node) -> None:
        if name in self.variables or name in self.functions:
            self._redeclared.add(name)
        self.variables[name] = value
        function = wrapped_function(bare(value))
        if function is not None:
            self.functions[name] = function

    def _required(self, pattern: Node, module: str, exported: str) -> None:
        """Record the names that ``const x = require("m").y`` binds."""
        if pattern.type == "identifier":
            self.imports[self._module.of(pattern)] = Imported(module, exported)
        elif pattern.type == "object_pattern":
            prefix = "" if exported == "*" else f"{exported}."
            for own, theirs in self._pattern(pattern):
                self.imports[own] = Imported(module, prefix + theirs)

    def _pattern(self, node: Node) -> Iterator[tuple[str, str]]:
        for one in node.named_children:
            if one.type == "shorthand_property_identifier_pattern":
                text = self._module.of(one)
                yield text, text
            elif one.type == "pair_pattern":
                own = one.child_by_field_name("value")
                if own is not None and own.type == "identifier":
                    yield self._module.of(own), field_text(self._module, one, "key")

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        if source is None:
            return
        spec = self._module.of(source)[1:-1]
        for child in node.named_children:
            if child.type == "import_clause":
                for binding in child.named_children:
                    self._import_binding(binding, spec)
            elif child.type == "import_require_clause" and child.named_children:
                self.imports[self._module.of(child.named_children[0])] = Imported(spec, "*")

    def _import_binding(self, binding: Node, spec: str) -> None:
        if binding.type == "identifier":
            self.imports[self._module.of(binding)] = Imported(spec, "default")
        elif binding.type == "namespace_import":
            self.imports[self._module.of(binding.named_children[0])] = Imported(spec, "*")
        elif binding.type == "named_imports":
            for specifier in binding.named_children:
                name = field_text(self._module, specifier, "name")
                local = field_text(self._module, specifier, "alias") or name
                self.imports[local] = Imported(spec, name)

    def _class(self, node: Node) -> None:
        name = field_text(self._module, node, "name") or f"class at {node.start_byte}"
        scope = self.classes.setdefault(name, ClassScope(name, node))
        body = node.child_by_field_name("body")
        for member in body.named_children if body is not None else ():
            own = field_text(self._module, member, "name").lstrip("#")
            if member.type == "method_definition":
                scope.methods[own] = member
                if own == "constructor":
                    self._constructor(scope, member)
            elif member.type in {"public_field_definition", "field_definition"}:
                self._field(scope, own, member)

    def _field(self, scope: ClassScope, name: str, member: Node) -> None:
        scope.types[name] = type_name(self._module, member)
        value = member.child_by_field_name("value")
        if value is None:
            return
        if value.type in FUNCTIONS:
            scope.methods[name] = value
        elif any(child.type in {"static", "readonly"} for child in member.children):
            scope.constants[name] = value

    def _constructor(self, found: ClassScope, node: Node) -> None:
        listed = node.child_by_field_name("parameters")
        types = {}
        for one in listed.named_children if listed is not None else ():
            name = field_text(self._module, one, "pattern")
            types[name] = type_name(self._module, one)
            if any(child.type in {"accessibility_modifier", "readonly"} for child in one.children):
                found.types[name] = types[name]
        body = node.child_by_field_name("body")
        for one in body.named_children if body is not None else ():
            text = self._module.of(one).rstrip(";")
            left, sign, right = text.partition(" = ")
            if sign and left.startswith("this.") and types.get(right):
                found.types[left[5:]] = types[right]

    def _export(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        spec = self._module.of(source)[1:-1] if source is not None else ""
        declaration = node.child_by_field_name("declaration") or node.child_by_field_name("value")
        if declaration is not None:
            is_default = any(child.type == "default" for child in node.children)
            self._exported_declaration(declaration, is_default=is_default)
        clauses = [child for child in node.named_children if child.type == "export_clause"]
        for clause in clauses:
            for specifier in clause.named_children:
                self._export_specifier(specifier, spec)
        if spec and not clauses:
            self.re_exports[f"* {spec}"] = Imported(spec, "*")

    def _exported_declaration(self, declaration: Node, *, is_default: bool) -> None:
        names = [field_text(self._module, declaration, "name")]
        if declaration.type in {"lexical_declaration", "variable_declaration"}:
            variables = (one for one in declaration.named_children if one.type == "variable_declarator")
            names = [field_text(self._module, one, "name") for one in variables]
        if is_default:
            core = bare(declaration)
            self.exports["default"] = wrapped_function(core) or core
        for name in filter(None, names):
            self.exported_names[name] = name

    def _export_specifier(self, specifier: Node, spec: str) -> None:
        name = field_text(self._module, specifier, "name")
        exported = field_text(self._module, specifier, "alias") or name
        if spec:
            self.re_exports[exported] = Imported(spec, name)
        else:
            self.exported_names[exported] = name

    def _assignment(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or left.type != "member_expression":
            return
        text = self._module.of(left)
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
            self.exported_names[self._module.of(one)] = self._module.of(one)
        elif one.type == "method_definition":
            self.exports[field_text(self._module, one, "name")] = one
        elif one.type == "pair":
            value = one.child_by_field_name("value")
            if value is not None:
                self.exports[field_text(self._module, one, "key")] = wrapped_function(bare(value)) or bare(
                    value
                )


_READERS: Mapping[str, Callable[[Declarations, Node], None]] = {
    "function_declaration": Declarations._function,
    "generator_function_declaration": Declarations._function,
    "variable_declarator": Declarations._declarator,
    "import_statement": Declarations._import,
    "class_declaration": Declarations._class,
    "abstract_class_declaration": Declarations._class,
    "class": Declarations._class,
    "export_statement": Declarations._export,
    "assignment_expression": Declarations._assignment,
}
