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
from wardround_typescript.syntax.nodes import child, is_kind, parts


@dataclass(frozen=True, slots=True)
class ImportedName:
    """The module a name is imported from, verbatim, and its name there (``default``, ``*``)."""

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
        self.imports: dict[str, ImportedName] = {}
        self.functions: dict[str, Node] = {}
        self.classes: dict[str, ClassScope] = {}
        self.variables: dict[str, Node | None] = {}
        self.exports: dict[str, Node] = {}
        self.re_exports: dict[str, ImportedName] = {}
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
            self._bind_required(name, *source)

    def _variable(self, name: str, value: Node) -> None:
        if name in self.variables or name in self.functions:
            self._redeclared.add(name)
        self.variables[name] = value
        function = wrapped_function(bare(value))
        if function is not None:
            self.functions[name] = function

    def _bind_required(self, pattern: Node, module: str, exported: str) -> None:
        """Record the names that ``const x = require("m").y`` binds."""
        match pattern.type:
            case "identifier":
                self.imports[self._module.of(pattern)] = ImportedName(module, exported)
            case "object_pattern":
                prefix = "" if exported == "*" else f"{exported}."
                for own, theirs in self._pattern(pattern):
                    self.imports[own] = ImportedName(module, prefix + theirs)

    def _pattern(self, node: Node) -> Iterator[tuple[str, str]]:
        """Yield the (variable, property) pairs of a pattern."""
        for part in node.named_children:
            match part.type:
                case "shorthand_property_identifier_pattern":
                    text = self._module.of(part)
                    yield text, text
                case "pair_pattern":
                    own = child(part, "value")
                    if is_kind(own, "identifier"):
                        yield self._module.of(own), field_text(self._module, part, "key")

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        if source is None:
            return
        spec = self._module.of(source)[1:-1]
        for clause in node.named_children:
            match clause.type:
                case "import_clause":
                    for binding in clause.named_children:
                        self._import_binding(binding, spec)
                case "import_require_clause" if clause.named_children:
                    self.imports[self._module.of(clause.named_children[0])] = ImportedName(spec, "*")

    def _import_binding(self, binding: Node, spec: str) -> None:
        match binding.type:
            case "identifier":
                self.imports[self._module.of(binding)] = ImportedName(spec, "default")
            case "namespace_import":
                self.imports[self._module.of(binding.named_children[0])] = ImportedName(spec, "*")
            case "named_imports":
                for specifier in binding.named_children:
                    name = field_text(self._module, specifier, "name")
                    local = field_text(self._module, specifier, "alias") or name
                    self.imports[local] = ImportedName(spec, name)

    def _class(self, node: Node) -> None:
        name = field_text(self._module, node, "name") or f"class at {node.start_byte}"
        scope = self.classes.setdefault(name, ClassScope(name, node))
        for member in parts(child(node, "body")):
            own = field_text(self._module, member, "name").lstrip("#")
            match member.type:
                case "method_definition":
                    scope.methods[own] = member
                    if own == "constructor":
                        self._constructor(scope, member)
                case "public_field_definition" | "field_definition":
                    self._field(scope, own, member)

    def _field(self, scope: ClassScope, name: str, member: Node) -> None:
        scope.types[name] = type_name(self._module, member)
        value = child(member, "value")
        if value is None:
            return
        if value.type in FUNCTIONS:
            scope.methods[name] = value
        elif _has_modifier(member, "static", "readonly"):
            scope.constants[name] = value

    def _constructor(self, found: ClassScope, node: Node) -> None:
        types = {}
        for parameter in parts(child(node, "parameters")):
            name = field_text(self._module, parameter, "pattern")
            types[name] = type_name(self._module, parameter)
            if _has_modifier(parameter, "accessibility_modifier", "readonly"):
                found.types[name] = types[name]
        for statement in parts(child(node, "body")):
            left, _, right = self._module.of(statement).rstrip(";").partition(" = ")
            if left.startswith("this.") and types.get(right):
                found.types[left[5:]] = types[right]

    def _export(self, node: Node) -> None:
        source = child(node, "source")
        spec = self._module.of(source)[1:-1] if source is not None else ""
        declaration = child(node, "declaration") or child(node, "value")
        if declaration is not None:
            self._exported_declaration(declaration, is_default=_has_modifier(node, "default"))
        clauses = [part for part in node.named_children if part.type == "export_clause"]
        for clause in clauses:
            for specifier in clause.named_children:
                self._export_specifier(specifier, spec)
        if spec and not clauses:
            self.re_exports[f"* {spec}"] = ImportedName(spec, "*")

    def _exported_declaration(self, declaration: Node, *, is_default: bool) -> None:
        declared = [declaration]
        if declaration.type in {"lexical_declaration", "variable_declaration"}:
            declared = [part for part in declaration.named_children if part.type == "variable_declarator"]
        if is_default:
            self.exports["default"] = _exported_value(declaration)
        names = (field_text(self._module, node, "name") for node in declared)
        for name in filter(None, names):
            self.exported_names[name] = name

    def _export_specifier(self, specifier: Node, spec: str) -> None:
        name = field_text(self._module, specifier, "name")
        exported = field_text(self._module, specifier, "alias") or name
        if spec:
            self.re_exports[exported] = ImportedName(spec, name)
        else:
            self.exported_names[exported] = name

    def _visit_assignment(self, node: Node) -> None:
        left, right = child(node, "left"), child(node, "right")
        if right is None or not is_kind(left, "member_expression"):
            return
        text = self._module.of(left)
        if text in {"module.exports", "exports.default"}:
            self._exported_module(right)
        elif text.startswith(("exports.", "module.exports.")):
            self.exports[text.rpartition(".")[2]] = _exported_value(right)

    def _exported_module(self, value: Node) -> None:
        """Record ``module.exports = value``."""
        core = bare(value)
        if core.type != "object":
            self.exports["default"] = _exported_value(core)
            return
        for entry in core.named_children:
            self._exported_property(entry)

    def _exported_property(self, entry: Node) -> None:
        match entry.type:
            case "shorthand_property_identifier":
                self.exported_names[self._module.of(entry)] = self._module.of(entry)
            case "method_definition":
                self.exports[field_text(self._module, entry, "name")] = entry
            case "pair":
                value = child(entry, "value")
                if value is not None:
                    self.exports[field_text(self._module, entry, "key")] = _exported_value(value)


def _has_modifier(node: Node, *modifiers: str) -> bool:
    return any(part.type in modifiers for part in node.children)


def _exported_value(node: Node) -> Node:
    """Return the function that an expression is or wraps; else the expression."""
    core = bare(node)
    return wrapped_function(core) or core


_READERS: Mapping[str, Callable[[Declarations, Node], None]] = {
    "function_declaration": Declarations._function,
    "generator_function_declaration": Declarations._function,
    "variable_declarator": Declarations._declarator,
    "import_statement": Declarations._import,
    "class_declaration": Declarations._class,
    "abstract_class_declaration": Declarations._class,
    "class": Declarations._class,
    "export_statement": Declarations._export,
    "assignment_expression": Declarations._visit_assignment,
}
