"""A script's tree, asked by kind of node, and what the names in it stand for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from operator import attrgetter

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.syntax import Node, ScriptModule, inside, parsed

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
        module: its tree; ``module.text`` is what was parsed.
        notes: what was worked out once for all who ask, by who did.
    """

    def __init__(self, module: ScriptModule) -> None:
        self.module = module
        self.notes: dict[object, object] = {}
        self._texts: dict[int, str] = {}
        self._by_text: dict[str, dict[str, list[Node]]] = {}
        self._said: dict[LazyPattern, bool] = {}
        self._calls_of: dict[tuple[str, ...], Sequence[Node]] = {}

    @cached_property
    def _by_kind(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for node in inside(self.module.root):
            found.setdefault(node.type, []).append(node)
        return found

    def kinds(self, *names: str) -> list[Node]:
        """The nodes of some kinds, those of the first kind first, each in source order."""
        return [node for name in names for node in self._by_kind.get(name, ())]

    def reads(self, kind: str, text: str) -> Sequence[Node]:
        """The nodes of a kind that read as a text, in source order."""
        if kind not in self._by_text:
            found = self._by_text[kind] = {}
            for node in self._by_kind.get(kind, ()):
                found.setdefault(self.text(node), []).append(node)
        return self._by_text[kind].get(text, ())

    def named(self, name: str) -> list[Node]:
        """Where a name stands as a variable, shorthand fields behind the others."""
        return [*self.reads("identifier", name), *self.reads("shorthand_property_identifier", name)]

    def named_in(self, scope: Node, name: str) -> list[Node]:
        """Where a name stands as a variable within a node, in the order of ``named``."""
        kinds = ("identifier", "shorthand_property_identifier")
        return [node for kind in kinds for node in within(self.reads(kind, name), scope)]

    def says(self, pattern: LazyPattern) -> bool:
        """Whether a pattern is found anywhere in the script."""
        if pattern not in self._said:
            self._said[pattern] = pattern.search(self.module.text) is not None
        return self._said[pattern]

    def text(self, node: Node | None) -> str:
        """The text of a node; empty where there is none."""
        if node is None:
            return ""
        known = self._texts.get(node.id)
        if known is None:
            known = self._texts[node.id] = self.module.of(node)
        return known

    def field(self, node: Node | None, name: str) -> str:
        """The text of a field of a node; empty where there is none."""
        return self.text(node.child_by_field_name(name)) if node is not None else ""

    @cached_property
    def calls(self) -> list[tuple[str, Node]]:
        """Every call with what it calls as it stands, without the types given to it."""
        return [(self.called(call), call) for call in self._by_kind.get("call_expression", ())]

    def called(self, call: Node) -> str:
        """What a call calls, as written: ``rows.map``, ``useEffect``, ``this.load``."""
        written = self.field(call, "function").replace("?.", ".")
        # The grammar reads `await get<T>()` as a call of `await get`.
        return written.removeprefix("await ").lstrip() if written.startswith("await ") else written

    @cached_property
    def _places_of(self) -> dict[str, list[int]]:
        """What is called, without ``React.`` -> where in ``calls``."""
        found: dict[str, list[int]] = {}
        for place, (called, _) in enumerate(self.calls):
            found.setdefault(called.removeprefix("React."), []).append(place)
        return found

    def calls_named(self, name: str) -> Sequence[Node]:
        """The calls of what is written just so, in source order."""
        places = self._places_of.get(name.removeprefix("React."), ())
        return [self.calls[place][1] for place in places if self.calls[place][0] == name]

    def calls_of(self, *names: str) -> Sequence[Node]:
        """The calls of some functions, with ``React.`` before the name or without, in source order."""
        found = self._calls_of.get(names)
        if found is None:
            places = sorted(place for name in set(names) for place in self._places_of.get(name, ()))
            found = self._calls_of[names] = [self.calls[place][1] for place in places]
        return found

    @cached_property
    def calls_by_last(self) -> dict[str, list[Node]]:
        """The last name of what is called -> the calls, in source order."""
        found: dict[str, list[Node]] = {}
        for called, call in self.calls:
            found.setdefault(called.rpartition(".")[2], []).append(call)
        return found

    @cached_property
    def declared(self) -> dict[str, list[Node]]:
        """What each name is declared by: a variable's declarator, a function, a class, a parameter
        or a loop.
        """
        found: dict[str, list[Node]] = {}
        for node in self.kinds(*_DECLARED):
            found.setdefault(self.field(node, "name"), []).append(node)
        for node in self.kinds("variable_declarator"):
            for name in self.names_in(node.child_by_field_name("name")):
                found.setdefault(name, []).append(node)
        for node in self.kinds("required_parameter", "optional_parameter"):
            for name in self.names_in(node.child_by_field_name("pattern")):
                found.setdefault(name, []).append(node)
        for node in self.kinds("for_in_statement"):
            if node.child_by_field_name("kind") is not None:
                for name in self.names_in(node.child_by_field_name("left")):
                    found.setdefault(name, []).append(node)
        for node in self.kinds("arrow_function"):
            lone = node.child_by_field_name("parameter")
            if lone is not None:
                found.setdefault(self.text(lone), []).append(lone)
        return found

    def names_in(self, pattern: Node | None) -> list[str]:
        """The names a pattern binds."""
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
        """The innermost declaration of a name that is seen from a place."""
        reaches = self._reaches.get(name)
        if reaches is None:
            reaches = self._reaches[name] = _Reaches(self.declared.get(name, ()))
        return reaches.innermost(at.start_byte)

    @cached_property
    def _reaches(self) -> dict[str, _Reaches]:
        return {}

    def uses(self, declaration: Node, name: str) -> Iterator[Node]:
        """Where a name stands for what one declaration gives it, in the order of ``named``."""
        reach = _reach(declaration)
        for node in self.named_in(reach, name) if reach is not None else ():
            if self.declaration(name, node) == declaration:
                yield node

    def value_of(self, name: str, at: Node) -> Node | None:
        """What a plain variable seen from a place was given where it was declared."""
        node = self.declaration(name, at)
        if node is None or node.type != "variable_declarator":
            return None
        if self.field(node, "name") != name:
            return None
        return bare(node.child_by_field_name("value"))

    def function_of(self, name: str, at: Node) -> Node | None:
        """The function a name seen from a place stands for, one that ``useCallback`` keeps as well."""
        node = self.declaration(name, at)
        if node is None:
            return None
        if node.type in FUNCTIONS:
            return node
        value = bare(node.child_by_field_name("value")) if node.type == "variable_declarator" else None
        if value is None or self.field(node, "name") != name:
            return None
        if value.type == "call_expression" and self.called(value).removeprefix("React.") == "useCallback":
            value = argument(value, 0)
        return value if value is not None and value.type in FUNCTIONS else None

    def function_meant(self, node: Node | None) -> Node | None:
        """The function an expression is, or names."""
        node = bare(node)
        if node is None:
            return None
        if node.type in FUNCTIONS:
            return node
        return self.function_of(self.text(node), node) if node.type == "identifier" else None

    def name_of(self, function: Node) -> str:
        """The name of a function: its own, or that of what it is given to."""
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
        """Local name -> the module it comes from."""
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
    """Where the declarations of one name are seen: in blocks, any two of them apart or one in the other."""

    def __init__(self, declarations: Sequence[Node]) -> None:
        blocks: dict[tuple[int, int], Node] = {}
        for node in declarations:
            block = _reach(node)
            if block is not None:
                blocks.setdefault((block.start_byte, -block.end_byte), node)
        self._starts: list[tuple[int, int]] = sorted(blocks)
        self._declared = [blocks[one] for one in self._starts]
        self._around: list[int] = []
        open_: list[int] = []
        for place, (start, _) in enumerate(self._starts):
            while open_ and -self._starts[open_[-1]][1] <= start:
                open_.pop()
            self._around.append(open_[-1] if open_ else -1)
            open_.append(place)

    def innermost(self, offset: int) -> Node | None:
        """The declaration whose block ends closest around a place; of two in one block the first."""
        place = bisect_right(self._starts, (offset, 0)) - 1
        while place >= 0 and -self._starts[place][1] <= offset:
            place = self._around[place]
        return self._declared[place] if place >= 0 else None


def within(nodes: Sequence[Node], scope: Node) -> Sequence[Node]:
    """Those of some nodes, which are in source order, that begin inside another one."""
    first = bisect_left(nodes, scope.start_byte, key=_start)
    return nodes[first : bisect_left(nodes, scope.end_byte, first, key=_start)]


@lru_cache(maxsize=12)
def code_of(path: str, text: str) -> Code:
    """The code of a file; the latest are kept, so every check that asks shares one."""
    return Code(parsed(path, text))


def bare(node: Node | None) -> Node | None:
    """An expression without brackets and casts around it."""
    while node is not None and node.type in _CASES and node.named_children:
        node = node.named_children[0]
    return node


def is_awaited(call: Node) -> bool:
    """Return True for ``await get<T>()``, which the grammar reads as a call of ``await get``."""
    function = call.child_by_field_name("function")
    return function is not None and function.type == "await_expression"


def awaited_call(node: Node) -> Node | None:
    """The call that a node awaits, with type arguments or without; None if it awaits none."""
    if node.type == "call_expression":
        return node if is_awaited(node) else None
    value = bare(node.named_children[0]) if node.type == "await_expression" and node.named_children else None
    return value if value is not None and value.type == "call_expression" else None


def argument(call: Node, place: int) -> Node | None:
    """The argument of a call at a place, counted from 0."""
    given = call.child_by_field_name("arguments")
    if given is None or given.type != "arguments":
        return None
    found = [one for one in given.named_children if one.type != "comment"]
    return found[place] if place < len(found) else None


def own_nodes(function: Node) -> Iterator[Node]:
    """The nodes of a function's body that run when it does: those of functions in it are left out."""
    body = function.child_by_field_name("body")
    open_ = [body] if body is not None else []
    while open_:
        one = open_.pop()
        yield one
        open_.extend(child for child in reversed(one.named_children) if child.type not in FUNCTIONS)


def function_around(node: Node) -> Node | None:
    """The innermost function a node stands in."""
    above = node.parent
    while above is not None and above.type not in FUNCTIONS:
        above = above.parent
    return above


def is_async(function: Node) -> bool:
    """Whether a function is written with ``async``."""
    return any(child.type == "async" for child in function.children)


def returned(function: Node) -> Iterator[Node]:
    """The expressions a function returns."""
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
    """Whether a condition asks something of a value: by itself, negated, compared, or before ``&&``."""
    inner, above = node, node.parent
    while above is not None:
        if above.type in _CONDITIONS:
            return (
                above.child_by_field_name("condition") == inner or above.child_by_field_name("value") == inner
            )
        if above.type == "ternary_expression":
            return above.child_by_field_name("condition") == inner
        if above.type == "unary_expression":
            return code.field(above, "operator") in ("!", "typeof")
        if above.type == "binary_expression":
            operator = code.field(above, "operator")
            if operator in _COMPARING or (operator == "&&" and above.child_by_field_name("left") == inner):
                return True
            if operator not in ("&&", "||", "??"):
                return False
        elif above.type not in _CASES and above.type != "member_expression":
            return False
        inner, above = above, above.parent
    return False


def _reach(node: Node) -> Node | None:
    """The block in which a declaration is seen."""
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
