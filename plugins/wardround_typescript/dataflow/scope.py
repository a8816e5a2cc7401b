"""The names of one module and what they resolve to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule, inside, parse_script
from wardround_typescript.dataflow.declarations import ClassScope, Declarations
from wardround_typescript.dataflow.nodes import bare, field_text, required_name
from wardround_typescript.syntax.nodes import child, first_part

_CHANGES = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "update_expression", "for_in_statement"}
)
_LONGEST_NAME = 120
_MOST_ALIASES = 6
_MOST_SPREADS = 4
_TESTS = frozenset({"call_expression", "binary_expression", "unary_expression"})
_WRAPPERS = frozenset({"promisify", "pify", "bind"})
"""Functions whose result is called like their first argument."""


class ModuleScope:
    """Resolves the names of one module."""

    def __init__(self, module: ScriptModule) -> None:
        declarations = Declarations(module)
        self.module = module
        self.imports = declarations.imports
        self.functions = declarations.functions
        self.classes = declarations.classes
        self.declared = declarations.variables
        self.exports = declarations.exports
        self.re_exports = declarations.re_exports
        self.exported_names = declarations.exported_names

    def constant(self, name: str) -> Node | None:
        """Return the initial value of a name that is declared once."""
        return self.declared.get(name)

    def find_export(self, name: str) -> Node | None:
        """Return the function, or the node of another value, that is exported under a name."""
        found = self.exports.get(name)
        if found is None:
            return self._declared_value(self.exported_names.get(name, ""))
        return self._declared_value(self.module.of(found)) if found.type == "identifier" else found

    def _declared_value(self, name: str) -> Node | None:
        """Return the function or the class of a name."""
        function = self.functions.get(name)
        if function is not None:
            return function
        return self.classes[name].node if name in self.classes else None

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names that are assigned to after their declaration."""
        changes = (node for node in inside(self.module.root) if node.type in _CHANGES)
        return frozenset(map(self._changed_name, changes))

    def _changed_name(self, change: Node) -> str:
        return field_text(self.module, change, "left") or field_text(self.module, change, "argument")

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
        names: set[str] = set()
        for owner in self.classes.values():
            names.update(name for name, method in owner.methods.items() if _is_getter(method))
        return frozenset(names)

    def class_of(self, node: Node) -> ClassScope | None:
        """Return the class that contains a node."""
        around: Node | None = node
        while around is not None:
            if around.type in {"class_declaration", "class", "abstract_class_declaration"}:
                return self._class_at.get(around.id)
            around = around.parent
        return None

    @cached_property
    def _class_at(self) -> Mapping[int, ClassScope]:
        return {owner.node.id: owner for owner in self.classes.values()}

    def qualified_name(self, node: Node, depth: int = 0) -> str:
        """Return the qualified name of an expression: ``fs.readFile`` if it is imported, else verbatim."""
        node = bare(node)
        match node.type:
            case "identifier" if depth < _MOST_ALIASES:
                return self._resolve_name(node, depth)
            case "member_expression":
                owner, name = child(node, "object"), field_text(self.module, node, "property")
                stem = self.qualified_name(owner, depth + 1) if owner is not None else ""
                return f"{stem or '?'}.{name}"
            case "call_expression":
                source = required_name(self.module, node)
                return plain(source[0]) if source is not None else ""
            case "this" | "super" | "import":
                return node.type
        return ""

    def _resolve_name(self, node: Node, depth: int) -> str:
        name = self.module.of(node)
        imported = self.imports.get(name)
        if imported is not None:
            stem = plain(imported.module)
            return stem if imported.name in {"*", "default"} else f"{stem}.{imported.name}"
        value = self.declared.get(name)
        target = self._alias_of(bare(value)) if value is not None else None
        return (self.qualified_name(target, depth + 1) if target is not None else "") or name

    def _alias_of(self, value: Node) -> Node | None:
        """Return the expression that a variable is another name of: ``const run = promisify(exec)``."""
        if value.type in {"identifier", "member_expression"}:
            return value if value.end_byte - value.start_byte < _LONGEST_NAME else None
        if value.type != "call_expression":
            return None
        wrapper = field_text(self.module, value, "function").rpartition(".")[2]
        return first_part(child(value, "arguments")) if wrapper in _WRAPPERS else None

    def resolve(self, node: Node, depth: int = 0) -> Node:
        """The expression that a name, or a field of a literal, resolves to; else the expression itself."""
        node = bare(node)
        if depth > 6:
            return node
        value = None
        if node.type == "identifier":
            value = self.declared.get(self.module.of(node))
        elif node.type == "member_expression":
            value = self._member_value(node, depth)
        return self.resolve(value, depth + 1) if value is not None else node

    def _member_value(self, node: Node, depth: int) -> Node | None:
        owner = node.child_by_field_name("object")
        if owner is None:
            return None
        stem = self._unwrap_freeze(self.resolve(owner, depth + 1))
        field = self._field_value(node, owner)
        if field is None and stem.type == "object":
            return self.property(stem, field_text(self.module, node, "property"))
        return field

    def _unwrap_freeze(self, node: Node) -> Node:
        """Return the ``x`` of ``Object.freeze(x)``."""
        if node.type != "call_expression" or field_text(self.module, node, "function") != "Object.freeze":
            return node
        return first_part(child(node, "arguments")) or node

    def _field_value(self, node: Node, owner: Node) -> Node | None:
        """Return the value of a static or readonly field of a class."""
        held = self.class_of(node) if owner.type == "this" else self.classes.get(self.module.of(owner))
        if held is None:
            return None
        return held.constants.get(field_text(self.module, node, "property").lstrip("#"))

    def property(self, node: Node, name: str, depth: int = 0) -> Node | None:
        """Return the value of a key of an object literal, also of an object spread into it."""
        found = None
        for entry in node.named_children:
            if entry.type == "spread_element":
                found = self._spread_property(entry, name, depth) or found
            elif self._key_of(entry) == name:
                found = child(entry, "value") if entry.type == "pair" else entry
        return found

    def _key_of(self, entry: Node) -> str | None:
        match entry.type:
            case "pair":
                return field_text(self.module, entry, "key").strip("'\"`")
            case "shorthand_property_identifier":
                return self.module.of(entry)
            case "method_definition":
                return field_text(self.module, entry, "name")
        return None

    def _spread_property(self, spread: Node, name: str, depth: int) -> Node | None:
        if depth >= _MOST_SPREADS:
            return None
        inner = self.resolve(spread.named_children[0])
        return self.property(inner, name, depth + 1) if inner.type == "object" else None


def _is_getter(method: Node) -> bool:
    return any(part.type == "get" for part in method.children)


def plain(spec: str) -> str:
    """The name of a module in the catalogues: without ``node:``, ``fs/promises`` as ``fs.promises``."""
    name = spec.removeprefix("node:")
    if name == "fs/promises":
        return "fs.promises"
    return f"lodash.{name[7:]}" if name.startswith("lodash/") else name


@lru_cache(maxsize=4)
def scope_of(path: str, text: str) -> ModuleScope:
    """Return the scope of a file; the latest are cached for all its checks."""
    return ModuleScope(parse_script(path, text))
