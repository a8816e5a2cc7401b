"""The names that a script binds at module level, and the modules from which they come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from wardround.languages.script.syntax import Node, ScriptModule, inside

_PATTERNS = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_TYPE_NODES = frozenset(
    {"type_annotation", "type_arguments", "type_parameters", "interface_declaration",
     "type_alias_declaration", "implements_clause", "ambient_declaration", "function_signature"}
)  # fmt: skip
_DECLARATIONS = frozenset(
    {"function_declaration", "generator_function_declaration", "class_declaration",
     "abstract_class_declaration", "enum_declaration"}
)  # fmt: skip
_MARK = "\x1e"


class Bindings:
    """The bindings of a module.

    Attributes:
        texts: name -> its meaning: the module and the name there for an import, a mark for another binding.
    """

    def __init__(self, module: ScriptModule) -> None:
        self._module = module
        self.texts: dict[str, str] = {}
        self._modules: Mapping[str, str] = {}
        self._read()

    def _read(self) -> None:
        modules: dict[str, str] = {}
        for node in self._module.root.named_children:
            for name in self.names_of(node):
                self.texts[name] = f"{_MARK}own{_MARK}{name}"
            for name, source, origin in self._imported_names(node):
                self.texts[name] = f"{_MARK}{source}{_MARK}{origin}"
                modules[self.texts[name]] = source.removeprefix("node:")
        self._modules = modules

    def names_of(self, node: Node) -> tuple[str, ...]:
        """Return the names that a module-level statement binds or exports."""
        return tuple(dict.fromkeys(self._names(node)))

    def modules_of(self, node: Node) -> tuple[str, ...]:
        """Return the modules that a module-level statement imports, verbatim."""
        source = node.child_by_field_name("source")
        if source is not None:
            return (self._unquote(source),)
        return tuple(dict.fromkeys(module for _, module, _ in self._imported_names(node)))

    def module_of(self, text: str) -> str:
        """Return the module of a binding, by its meaning; empty for others."""
        return self._modules.get(text, "")

    def is_type_import(self, node: Node) -> bool:
        """Return True for an import or export of types only."""
        if node.type not in ("import_statement", "export_statement"):
            return False
        return any(child.type == "type" for child in node.children)

    @cached_property
    def used(self) -> frozenset[str]:
        """The names that occur as values outside of imports."""
        return frozenset(self._module.of(node) for node in self._uses)

    @cached_property
    def enumerated(self) -> frozenset[str]:
        """The imported namespaces whose members are not named one by one."""
        spaces = {self._module.of(name) for name in self._namespaces()}
        return frozenset(
            text for node in self._uses if (text := self._module.of(node)) in spaces and not _is_member(node)
        )

    @cached_property
    def _uses(self) -> list[Node]:
        return list(self._values(self._module.root))

    def _values(self, root: Node) -> Iterator[Node]:
        open_ = [root]
        while open_:
            item = open_.pop()
            if item.type in _TYPE_NODES or item.type == "import_statement":
                continue
            if item.type in ("identifier", "shorthand_property_identifier"):
                yield item
            open_.extend(item.named_children)

    def _namespaces(self) -> Iterator[Node]:
        for node in self._module.root.named_children:
            for part in inside(node) if node.type == "import_statement" else ():
                if part.type == "namespace_import":
                    yield from part.named_children

    def _names(self, node: Node) -> Iterator[str]:
        if node.type == "export_statement":
            yield from self._names_of_export(node)
        elif node.type in _DECLARATIONS:
            name = node.child_by_field_name("name")
            yield self._module.of(name) if name is not None else "default"
        elif node.type in ("lexical_declaration", "variable_declaration"):
            for declarator in node.named_children:
                yield from self._bound_by(declarator.child_by_field_name("name"))
        elif node.type == "import_statement":
            yield from (name for name, _, _ in self._imported_names(node))

    def _names_of_export(self, node: Node) -> Iterator[str]:
        declared = node.child_by_field_name("declaration")
        if declared is not None:
            yield from self._names(declared)
        elif any(child.type == "default" for child in node.children):
            yield "default"
        yield from self._exported_names(node)

    def _exported_names(self, node: Node) -> Iterator[str]:
        for child in node.named_children:
            if child.type == "export_clause":
                for part in child.named_children:
                    name = part.child_by_field_name("alias") or part.child_by_field_name("name")
                    if name is not None:
                        yield f"export {self._module.of(name)}"

    def _bound_by(self, pattern: Node | None) -> Iterator[str]:
        if pattern is None:
            return
        if pattern.type in _PATTERNS:
            yield self._module.of(pattern)
        elif pattern.type == "pair_pattern":
            yield from self._bound_by(pattern.child_by_field_name("value"))
        elif pattern.type in ("object_assignment_pattern", "assignment_pattern"):
            yield from self._bound_by(pattern.child_by_field_name("left"))
        else:
            for child in pattern.named_children:
                yield from self._bound_by(child)

    def _imported_names(self, node: Node) -> Iterator[tuple[str, str, str]]:
        """Yield name, module and the name in the module."""
        if node.type == "import_statement" and not self.is_type_import(node):
            source = node.child_by_field_name("source")
            module = self._unquote(source) if source is not None else ""
            for part in inside(node):
                yield from ((name, module, origin) for name, origin in self._specified_names(part))
        elif node.type in ("lexical_declaration", "variable_declaration"):
            for child in node.named_children:
                module = self._required_module(child.child_by_field_name("value"))
                if module:
                    for name in self._bound_by(child.child_by_field_name("name")):
                        yield name, module, name

    def _specified_names(self, node: Node) -> Iterator[tuple[str, str]]:
        match node.type:
            case "import_specifier":
                yield from self._names_of_specifier(node)
            case "import_clause":
                for child in node.named_children:
                    if child.type == "identifier":
                        yield self._module.of(child), "default"
            case "namespace_import":
                for child in node.named_children:
                    yield self._module.of(child), "*"

    def _names_of_specifier(self, node: Node) -> Iterator[tuple[str, str]]:
        """Yield the local name and the imported one, unless a specifier imports a type."""
        if any(child.type == "type" for child in node.children):
            return
        name = node.child_by_field_name("name")
        alias = node.child_by_field_name("alias") or name
        if name is not None and alias is not None:
            yield self._module.of(alias), self._module.of(name)

    def _required_module(self, value: Node | None) -> str:
        """Return the module of ``require("module")``; empty for anything else."""
        if value is None or value.type != "call_expression":
            return ""
        function, arguments = (value.child_by_field_name(literal) for literal in ("function", "arguments"))
        if function is None or arguments is None or self._module.of(function) != "require":
            return ""
        first = arguments.named_children[0] if arguments.named_children else None
        return self._unquote(first) if first is not None and first.type == "string" else ""

    def _unquote(self, node: Node) -> str:
        return self._module.of(node)[1:-1]


def bindings(module: ScriptModule) -> Bindings:
    """Return the bindings of a module."""
    return Bindings(module)


def _is_member(node: Node) -> bool:
    """Return True for ``name`` in ``name.member`` and in ``<name.Member>``."""
    above = node.parent
    if above is None or above.type not in ("member_expression", "nested_identifier"):
        return False
    return above.named_children[0] == node
