"""A script's tree, indexed by kind of node, and the resolution of its names."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from operator import attrgetter

from wardround.languages.script.syntax import Node, ScriptModule, inside, parse_script
from wardround.lazy import LazyPattern

FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
_CASES = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
_DECLARED = ("function_declaration", "generator_function_declaration", "class_declaration")
_start = attrgetter("start_byte")


class Code:
    """One script.

    Attributes:
        module: its tree; ``module.text`` is the parsed text.
        notes: values shared by all callers, by the function that computed them.
    """

    def __init__(self, module: ScriptModule) -> None:
        self.module = module
        self.notes: dict[object, object] = {}
        self._texts: dict[int, str] = {}
        self._by_text: dict[str, dict[str, list[Node]]] = {}
        self._said: dict[LazyPattern, bool] = {}
        self._calls_of: dict[tuple[str, ...], Sequence[Node]] = {}

    @cached_property
    def _nodes_by_kind(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for node in inside(self.module.root):
            found.setdefault(node.type, []).append(node)
        return found

    def kinds(self, *names: str) -> list[Node]:
        """Return the nodes of some kinds, those of the first kind first, each in source order."""
        return [node for name in names for node in self._nodes_by_kind.get(name, ())]

    def reads(self, kind: str, text: str) -> Sequence[Node]:
        """Return the nodes of a kind with a string, in source order."""
        if kind not in self._by_text:
            found = self._by_text[kind] = {}
            for node in self._nodes_by_kind.get(kind, ()):
                found.setdefault(self.text(node), []).append(node)
        return self._by_text[kind].get(text, ())

    def occurrences(self, name: str) -> list[Node]:
        """Return the occurrences of a name as a variable, shorthand fields after the others."""
        return [*self.reads("identifier", name), *self.reads("shorthand_property_identifier", name)]

    def named_in(self, scope: Node, name: str) -> list[Node]:
        """Return the occurrences of a name as a variable within a node, in the order of ``named``."""
        kinds = ("identifier", "shorthand_property_identifier")
        return [node for kind in kinds for node in within(self.reads(kind, name), scope)]

    def says(self, pattern: LazyPattern) -> bool:
        """Return True if a pattern matches anywhere in the script."""
        if pattern not in self._said:
            self._said[pattern] = pattern.search(self.module.text) is not None
        return self._said[pattern]

    def text(self, node: Node | None) -> str:
        """Return the source of a node; empty if there is none."""
        if node is None:
            return ""
        known = self._texts.get(node.id)
        if known is None:
            known = self._texts[node.id] = self.module.of(node)
        return known

    def field(self, node: Node | None, name: str) -> str:
        """Return the source of a field of a node; empty if there is none."""
        return self.text(node.child_by_field_name(name)) if node is not None else ""

    @cached_property
    def calls(self) -> list[tuple[str, Node]]:
        """Every call with its callee's source, without type arguments."""
        return [(self.callee(call), call) for call in self._nodes_by_kind.get("call_expression", ())]

    def callee(self, call: Node) -> str:
        """Return the callee of a call, as written: ``rows.map``, ``useEffect``, ``this.load``."""
        written = self.field(call, "function").replace("?.", ".")
        # The grammar reads `await get<T>()` as a call of `await get`.
        return written.removeprefix("await ").lstrip() if written.startswith("await ") else written

    @cached_property
    def _indices_by_callee(self) -> dict[str, list[int]]:
        """The callee without ``React.`` -> its indices in ``calls``."""
        found: dict[str, list[int]] = {}
        for location, (called, _) in enumerate(self.calls):
            found.setdefault(called.removeprefix("React."), []).append(location)
        return found

    def calls_named(self, name: str) -> Sequence[Node]:
        """Return the calls of exactly this callee, in source order."""
        locations = self._indices_by_callee.get(name.removeprefix("React."), ())
        return [self.calls[location][1] for location in locations if self.calls[location][0] == name]

    def calls_of(self, *names: str) -> Sequence[Node]:
        """Return the calls of some functions, with ``React.`` before the name or without, in source order."""
        found = self._calls_of.get(names)
        if found is None:
            locations = sorted(
                location for name in set(names) for location in self._indices_by_callee.get(name, ())
            )
            found = self._calls_of[names] = [self.calls[location][1] for location in locations]
        return found

    @cached_property
    def calls_by_last(self) -> dict[str, list[Node]]:
        """The last name of the callee -> the calls, in source order."""
        found: dict[str, list[Node]] = {}
        for called, call in self.calls:
            found.setdefault(called.rpartition(".")[2], []).append(call)
        return found

    @cached_property
    def declared(self) -> dict[str, list[Node]]:
        """The declarations of each name: a variable's declarator, a function, class, parameter or loop."""
        found: dict[str, list[Node]] = {}
        for name, node in self._declarations():
            found.setdefault(name, []).append(node)
        return found

    def _declarations(self) -> Iterator[tuple[str, Node]]:
        for node in self.kinds(*_DECLARED):
            yield self.field(node, "name"), node
        yield from self._bound_by("name", self.kinds("variable_declarator"))
        yield from self._bound_by("pattern", self.kinds("required_parameter", "optional_parameter"))
        loops = self.kinds("for_in_statement")
        declaring = [loop for loop in loops if loop.child_by_field_name("kind") is not None]
        yield from self._bound_by("left", declaring)
        for node in self.kinds("arrow_function"):
            lone = node.child_by_field_name("parameter")
            if lone is not None:
                yield self.text(lone), lone

    def _bound_by(self, field: str, nodes: Iterable[Node]) -> Iterator[tuple[str, Node]]:
        """Yield the names that a field of nodes binds, each with its node."""
        for node in nodes:
            for name in self.names_in(node.child_by_field_name(field)):
                yield name, node

    def names_in(self, pattern: Node | None) -> list[str]:
        """Return the names that a pattern binds."""
        if pattern is None:
            return []
        if pattern.type in ("identifier", "shorthand_property_identifier_pattern"):
            return [self.text(pattern)]
        if pattern.type == "pair_pattern":
            return self.names_in(pattern.child_by_field_name("value"))
        if pattern.type in ("object_assignment_pattern", "assignment_pattern"):
            return self.names_in(pattern.child_by_field_name("left"))
        return [name for part in pattern.named_children for name in self.names_in(part)]

    def declaration(self, name: str, at: Node) -> Node | None:
        """Return the innermost declaration of a name that is visible at a node."""
        reaches = self._reaches.get(name)
        if reaches is None:
            reaches = self._reaches[name] = _Reaches(self.declared.get(name, ()))
        return reaches.innermost(at.start_byte)

    @cached_property
    def _reaches(self) -> dict[str, _Reaches]:
        return {}

    def uses(self, declaration: Node, name: str) -> Iterator[Node]:
        """Return the occurrences of a name that refer to one declaration, in the order of ``named``."""
        reach = _reach(declaration)
        for node in self.named_in(reach, name) if reach is not None else ():
            if self.declaration(name, node) == declaration:
                yield node

    def value_of(self, name: str, at: Node) -> Node | None:
        """Return the initial value of a plain variable that is visible at a node."""
        node = self.declaration(name, at)
        if node is None or node.type != "variable_declarator":
            return None
        if self.field(node, "name") != name:
            return None
        return bare(node.child_by_field_name("value"))

    def function_of(self, name: str, at: Node) -> Node | None:
        """Return the function that a name denotes at a node, including one wrapped in ``useCallback``."""
        node = self.declaration(name, at)
        if node is None:
            return None
        if node.type in FUNCTIONS:
            return node
        value = bare(node.child_by_field_name("value")) if node.type == "variable_declarator" else None
        if value is None or self.field(node, "name") != name:
            return None
        if value.type == "call_expression" and self.callee(value).removeprefix("React.") == "useCallback":
            value = argument(value, 0)
        return value if value is not None and value.type in FUNCTIONS else None

    def referenced_function(self, node: Node | None) -> Node | None:
        """Return the function that an expression is or names."""
        node = bare(node)
        if node is None:
            return None
        if node.type in FUNCTIONS:
            return node
        return self.function_of(self.text(node), node) if node.type == "identifier" else None

    def name_of(self, function: Node) -> str:
        """Return the name of a function: its own, or that of its assignment target."""
        own = self.field(function, "name")
        if own or function.parent is None:
            return own
        parent = function.parent
        if parent.type in ("variable_declarator", "public_field_definition"):
            return self.field(parent, "name")
        if parent.type == "pair":
            return self.field(parent, "key")
        return ""

    @cached_property
    def imports(self) -> dict[str, str]:
        """Local name -> the module from which it is imported."""
        found: dict[str, str] = {}
        for node in self.kinds("import_statement"):
            module = self.field(node, "source")[1:-1]
            for part in inside(node):
                if part.type == "import_specifier":
                    local = part.child_by_field_name("alias") or part.child_by_field_name("name")
                    found[self.text(local)] = module
                elif (
                    part.type == "identifier"
                    and part.parent is not None
                    and part.parent.type in ("import_clause", "namespace_import")
                ):
                    found[self.text(part)] = module
        return found


class _Reaches:
    """The scopes of the declarations of one name: blocks, any two of them disjoint or nested."""

    def __init__(self, declarations: Sequence[Node]) -> None:
        blocks: dict[tuple[int, int], Node] = {}
        for node in declarations:
            block = _reach(node)
            if block is not None:
                blocks.setdefault((block.start_byte, -block.end_byte), node)
        self._starts: list[tuple[int, int]] = sorted(blocks)
        self._declared = [blocks[start] for start in self._starts]
        self._around: list[int] = []
        open_: list[int] = []
        for location, (start, _) in enumerate(self._starts):
            while open_ and -self._starts[open_[-1]][1] <= start:
                open_.pop()
            self._around.append(open_[-1] if open_ else -1)
            open_.append(location)

    def innermost(self, offset: int) -> Node | None:
        """Return the declaration with the innermost scope around a node; of two in one block the first."""
        location = bisect_right(self._starts, (offset, 0)) - 1
        while location >= 0 and -self._starts[location][1] <= offset:
            location = self._around[location]
        return self._declared[location] if location >= 0 else None


def within(nodes: Sequence[Node], scope: Node) -> Sequence[Node]:
    """Return the nodes, given in source order, that begin inside another one of them."""
    first = bisect_left(nodes, scope.start_byte, key=_start)
    return nodes[first : bisect_left(nodes, scope.end_byte, first, key=_start)]


@lru_cache(maxsize=12)
def code_of(path: str, text: str) -> Code:
    """Return the code of a file; the latest are cached, so that all checks share one."""
    return Code(parse_script(path, text))


def bare(node: Node | None) -> Node | None:
    """Return an expression without surrounding parentheses and casts."""
    while node is not None and node.type in _CASES and node.named_children:
        node = node.named_children[0]
    return node


def is_awaited(call: Node) -> bool:
    """Return True for ``await get<T>()``, which the grammar reads as a call of ``await get``."""
    function = call.child_by_field_name("function")
    return function is not None and function.type == "await_expression"


def awaited_call(node: Node) -> Node | None:
    """Return the call that a node awaits, with type arguments or without; None if it awaits none."""
    if node.type == "call_expression":
        return node if is_awaited(node) else None
    value = bare(node.named_children[0]) if node.type == "await_expression" and node.named_children else None
    return value if value is not None and value.type == "call_expression" else None


def argument(call: Node, place: int) -> Node | None:
    """Return the argument of a call at a 0-based position."""
    given = call.child_by_field_name("arguments")
    if given is None or given.type != "arguments":
        return None
    found = [child for child in given.named_children if child.type != "comment"]
    return found[place] if place < len(found) else None


def own_nodes(function: Node) -> Iterator[Node]:
    """Yield the nodes of a function's body that run when it does, except those of nested functions."""
    body = function.child_by_field_name("body")
    open_ = [body] if body is not None else []
    while open_:
        item = open_.pop()
        yield item
        open_.extend(child for child in reversed(item.named_children) if child.type not in FUNCTIONS)


def function_around(node: Node) -> Node | None:
    """Return the innermost function around a node."""
    above = node.parent
    while above is not None and above.type not in FUNCTIONS:
        above = above.parent
    return above


def encloses(outer: Node, inner: Node) -> bool:
    """Return True if a node equals another one, or is a part of it."""
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def is_async(function: Node) -> bool:
    """Return True if a function is declared with ``async``."""
    return any(child.type == "async" for child in function.children)


def returned_expressions(function: Node) -> Iterator[Node]:
    """Return the returned expressions of a function."""
    body = function.child_by_field_name("body")
    if body is not None and body.type != "statement_block":
        yield body
        return
    for node in own_nodes(function):
        if node.type == "return_statement" and node.named_children:
            yield node.named_children[0]


_CONDITIONS = frozenset(
    {"if_statement", "while_statement", "do_statement", "for_statement", "switch_statement"}
)
_COMPARING = frozenset({"==", "===", "!=", "!==", "<", ">", "<=", ">=", "instanceof", "in"})


def is_tested(code: Code, node: Node) -> bool:
    """Return True if a condition tests a value: by itself, negated, compared, or before ``&&``."""
    inner, above = node, node.parent
    while above is not None:
        decided = _contains_test_of(code, above, inner)
        if decided is not None:
            return decided
        inner, above = above, above.parent
    return False


def _contains_test_of(code: Code, above: Node, inner: Node) -> bool | None:
    """Return True if a node tests a part of the node, and None if the parent node has to be examined."""
    kind = above.type
    if kind in _CONDITIONS:
        return inner in (above.child_by_field_name("condition"), above.child_by_field_name("value"))
    match kind:
        case "ternary_expression":
            return above.child_by_field_name("condition") == inner
        case "unary_expression":
            return code.field(above, "operator") in ("!", "typeof")
        case "binary_expression":
            return _tests_operand(code, above, inner)
    return None if kind in _CASES or kind == "member_expression" else False


def _tests_operand(code: Code, above: Node, inner: Node) -> bool | None:
    operator = code.field(above, "operator")
    if operator in _COMPARING:
        return True
    if operator == "&&" and above.child_by_field_name("left") == inner:
        return True
    return None if operator in ("&&", "||", "??") else False


def _reach(node: Node) -> Node | None:
    """Return the scope of a declaration, a block."""
    if node.type == "for_in_statement":
        return node
    above = node.parent
    if node.type in ("required_parameter", "optional_parameter", "identifier"):
        return above if above is not None and above.type in FUNCTIONS else above and above.parent
    while above is not None and above.type not in ("statement_block", "program", "class_body"):
        if above.type in ("for_statement", "for_in_statement", "arrow_function"):
            return above
        above = above.parent
    return above
