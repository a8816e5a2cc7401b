"""The names of one module and what they resolve to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule, inside, parsed
from wardround_typescript.dataflow.declarations import ClassScope, Declarations
from wardround_typescript.dataflow.nodes import bare, field_text, required_name

_CHANGES = frozenset(
    {"assignment_expression", "augmented_assignment_expression", "update_expression", "for_in_statement"}
)
_LONGEST_NAME = 120
_TESTS = frozenset({"call_expression", "binary_expression", "unary_expression"})
_WRAPPERS = frozenset({"promisify", "pify", "bind"})
"""Functions whose result is called like their first argument."""
_WRAPPERS = frozenset({"promisify", "pify", "bind"})


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
        """The initial value of a name that is declared once."""
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
        """The names that are assigned to after their declaration."""
        return frozenset(
            field_text(self.module, node, "left") or field_text(self.module, node, "argument")
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
        """The class that contains a node."""
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
        """The qualified name of an expression: ``fs.readFile`` if it is imported, else as written."""
        node = bare(node)
        if node.type == "identifier" and depth < 6:
            return self._named(node, depth)
        if node.type == "member_expression":
            owner, name = node.child_by_field_name("object"), field_text(self.module, node, "property")
            stem = self.dotted(owner, depth + 1) if owner is not None else ""
            return f"{stem or '?'}.{name}"
        if node.type == "call_expression":
            source = required_name(self.module, node)
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
        target = self._alias_of(bare(value)) if value is not None else None
        return (self.dotted(target, depth + 1) if target is not None else "") or name

    def _alias_of(self, value: Node) -> Node | None:
        """The expression that a variable is another name of: ``const run = promisify(exec)``."""
        if value.type in {"identifier", "member_expression"}:
            return value if value.end_byte - value.start_byte < _LONGEST_NAME else None
        if value.type != "call_expression":
            return None
        if field_text(self.module, value, "function").rpartition(".")[2] not in _WRAPPERS:
            return None
        arguments = value.child_by_field_name("arguments")
        return arguments.named_children[0] if arguments is not None and arguments.named_children else None

    def resolved(self, node: Node, depth: int = 0) -> Node:
        """The expression that a name, or a field of a literal, resolves to; else the expression itself."""
        node = bare(node)
        if depth > 6:
            return node
        value = None
        if node.type == "identifier":
            value = self.declared.get(self.module.of(node))
        elif node.type == "member_expression":
            value = self._member_value(node, depth)
        return self.resolved(value, depth + 1) if value is not None else node

    def _member_value(self, node: Node, depth: int) -> Node | None:
        owner = node.child_by_field_name("object")
        if owner is None:
            return None
        stem = self._unfrozen(self.resolved(owner, depth + 1))
        field = self._field_value(node, owner)
        if field is None and stem.type == "object":
            return self.property(stem, field_text(self.module, node, "property"))
        return field

    def _unfrozen(self, node: Node) -> Node:
        """The ``x`` of ``Object.freeze(x)``."""
        if node.type != "call_expression" or field_text(self.module, node, "function") != "Object.freeze":
            return node
        arguments = node.child_by_field_name("arguments")
        return arguments.named_children[0] if arguments is not None and arguments.named_children else node

    def _field_value(self, node: Node, owner: Node) -> Node | None:
        """The value of a static or readonly field of a class."""
        held = self.class_of(node) if owner.type == "this" else self.classes.get(self.module.of(owner))
        return (
            held.constants.get(field_text(self.module, node, "property").lstrip("#"))
            if held is not None
            else None
        )

    def property(self, node: Node, name: str, depth: int = 0) -> Node | None:
        """The value of a key of an object literal, also of one spread into it."""
        found = None
        for one in node.named_children:
            if one.type == "pair" and field_text(self.module, one, "key").strip("'\"`") == name:
                found = one.child_by_field_name("value")
            elif (one.type == "shorthand_property_identifier" and self.module.of(one) == name) or (
                one.type == "method_definition" and field_text(self.module, one, "name") == name
            ):
                found = one
            elif one.type == "spread_element" and depth < 4:
                inner = self.resolved(one.named_children[0])
                if inner.type == "object":
                    found = self.property(inner, name, depth + 1) or found
        return found


def plain(spec: str) -> str:
    """The name of a module in the catalogues: without ``node:``, ``fs/promises`` as ``fs.promises``."""
    spec = spec.removeprefix("node:")
    return (
        "fs.promises"
        if spec == "fs/promises"
        else "lodash." + spec[7:]
        if spec.startswith("lodash/")
        else spec
    )


@lru_cache(maxsize=4)
def scope_of(path: str, text: str) -> ModuleScope:
    """The scope of a file; the latest are cached for all its checks."""
    return ModuleScope(parsed(path, text))
