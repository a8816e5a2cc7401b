"""What a test tells about the values it looks at."""

from __future__ import annotations

from tree_sitter import Node

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.syntax import inside
from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.domain import EVERYTHING, NOTHING, OBJECT, SinkKind
from wardround_typescript.dataflow.scope import bare
from wardround_typescript.dataflow.state import NONE, Clears, State, common, either

_EQUAL = frozenset({"==", "===", "!=", "!=="})
_TELLS_NOTHING = frozenset({"''", '""', "null", "undefined", "0", "true", "false", "``", "-1", "1"})
_LEADING = frozenset({"/", "http", "https", "https://", "http://", "https:", "http:", "//", "./"})
_TYPES = {"string": OBJECT, "number": EVERYTHING, "boolean": EVERYTHING, "bigint": EVERYTHING}
_REFUSED = LazyPattern(
    r"(?i)block|deny|denied|bad|forbid|reserved|black|unsafe|danger|banned|disallow|exclude|illegal|invalid"
)
_FINDS = LazyPattern(r"^(find|get|load|fetch|look_?up|read|query|select|search|by[A-Z])")
"""Functions that give nothing where they know nothing by that name: then it can still be any."""
_MEMBERS = frozenset({"includes", "has", "hasOwn", "hasOwnProperty"})
_MATCHES = frozenset({"indexOf", "test", "match", "exec"})
_LOOKED_FOR = frozenset({"includes", "indexOf"})
_OVER_ALL = frozenset({"some", "every"})
_HOSTS = frozenset({"hostname", "host"})
_UNPARSED = frozenset({"pathname", "search", "searchParams", "hash"})


class Conditions(State):
    """The part of a walk that reads conditions."""

    def clears(self, test: Node) -> tuple[Clears, Clears]:
        test = bare(test)
        if test.type == "unary_expression" and self.module.of(test).startswith("!"):
            argument = test.child_by_field_name("argument")
            when_true, when_false = self.clears(argument) if argument is not None else NONE
            return when_false, when_true
        if test.type == "binary_expression":
            return self._binary_clears(test)
        if test.type == "call_expression":
            return self._call_clears(test)
        if test.type == "assignment_expression":
            right = test.child_by_field_name("right")
            return self.clears(right) if right is not None else NONE
        if test.type in {"identifier", "member_expression"}:
            return self._named_clears(test)
        return NONE

    def _named_clears(self, test: Node) -> tuple[Clears, Clears]:
        """A flag tells what the test it stands for told; ``parsed.success`` tells nothing."""
        if test.type != "identifier":
            return NONE
        stood_for = self.owner.tests.get(self.module.of(test))
        return self.clears(stood_for) if stood_for is not None and stood_for.type != "identifier" else NONE

    def _binary_clears(self, test: Node) -> tuple[Clears, Clears]:
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        sign = test.child_by_field_name("operator")
        if left is None or right is None or sign is None:
            return NONE
        operator = self.module.of(sign)
        if operator in {"&&", "||"}:
            both = [self.clears(left), self.clears(right)]
            if operator == "&&":
                return self._slashes(test, either([one[0] for one in both])), common([one[1] for one in both])
            return common([one[0] for one in both]), self._slashes(test, either([one[1] for one in both]))
        if operator in _EQUAL:
            refused = self._refused(left, right)
            if refused:
                return ({}, refused) if operator in {"==", "==="} else (refused, {})
            when = self._equal(left, right)
            return (when, {}) if operator in {"==", "==="} else ({}, when)
        if operator == "in":
            return dict.fromkeys(self.keys(left), EVERYTHING), {}
        if operator in {"<", ">", "<=", ">="}:
            found = self._looked_at(left) | self._looked_at(right)
            return (found, found) if "indexOf" in self.module.of(test) else NONE
        return NONE

    def _slashes(self, test: Node, found: Clears) -> Clears:
        """A path that begins with one slash and not with two stays on this site."""
        text = self.module.of(test)
        if "startsWith(" in text and any(
            mark in text for mark in ("'//'", '"//"', "[1]", "charAt(1)", "'/\\\\", '"/\\\\')
        ):
            return {
                key: gone | SinkKind.REDIRECT if gone & SinkKind.URL else gone for key, gone in found.items()
            }
        return found

    def _equal(self, left: Node, right: Node) -> Clears:
        left, right = bare(left), bare(right)
        for one, other in ((left, right), (right, left)):
            text = self.module.of(other)
            if one.type == "unary_expression" and self.module.of(one).startswith("typeof"):
                argument = one.child_by_field_name("argument")
                gone = _TYPES.get(text.strip("'\""), NOTHING)
                return dict.fromkeys(self.keys(argument), gone) if argument is not None and gone else {}
            if text in _TELLS_NOTHING:
                return self._index_of(one)
        return {**self._looked_at(left), **self._looked_at(right)}

    def _refused(self, left: Node, right: Node) -> Clears:
        """What is no longer in a name that is not one of the keys of every object."""
        for one, other in ((left, right), (right, left)):
            gone = _excluded(self.module.of(other)[1:-1]) if other.type == "string" else NOTHING
            if gone & SinkKind.KEY:
                return dict.fromkeys(self.keys(one), gone)
        return {}

    def _index_of(self, node: Node) -> Clears:
        """``LIST.indexOf(x) === -1`` looks at x; other tests for nothing tell nothing."""
        if node.type != "call_expression":
            return {}
        return either(list(self._call_clears(node))) if "indexOf" in self.module.of(node) else {}

    def _looked_at(self, node: Node) -> dict[str, SinkKind]:
        """What a comparison looks at: the value, what it was made of, the address a host was read from."""
        node = bare(node)
        found = dict.fromkeys(self.keys(node), EVERYTHING)
        if node.type == "member_expression" and self.property_of(node) not in _UNPARSED | {"length", "size"}:
            owner = node.child_by_field_name("object")
            if owner is not None and not self.kind_of(owner):
                found.update(dict.fromkeys(self.keys(owner), EVERYTHING))
        if node.type in {"call_expression", "new_expression", "subscript_expression"}:
            function = node.child_by_field_name("function")
            name = self.module.of(function).rpartition(".")[2] if function is not None else ""
            if name not in sanitizers.UNTELLING:
                for one in inside(node):
                    if one.type in {"identifier", "member_expression"}:
                        found.update(dict.fromkeys(self.keys(one), EVERYTHING))
        if (
            node.type == "member_expression"
            and node.named_children
            and bare(node.named_children[0]).type in {"call_expression", "new_expression"}
        ):
            found.update(self._looked_at(node.named_children[0]))
        return found

    def _call_clears(self, test: Node) -> tuple[Clears, Clears]:
        function, given = test.child_by_field_name("function"), test.child_by_field_name("arguments")
        if function is None or given is None:
            return NONE
        arguments = given.named_children
        name = self.module.of(function).rpartition(".")[2]
        owner = function.child_by_field_name("object") if function.type == "member_expression" else None
        if owner is not None:
            told = self._method_clears(name, owner, arguments)
            if told is not None:
                return told
        full = self.scope.dotted(function)
        if name in sanitizers.UNTELLING or full in sanitizers.UNTELLING:
            return NONE
        if full == "Boolean" and arguments:
            return self.clears(arguments[0])
        looked: dict[str, SinkKind] = {}
        for one in arguments:
            looked.update(self._looked_at(one))
        if _FINDS.search(name):
            return looked, {}
        if owner is not None and not arguments and sanitizers.CHECKING.search(name):
            looked.update(dict.fromkeys(self.keys(owner), EVERYTHING))
        # What did not pass is written to logs as it came.
        return looked, {key: gone & ~SinkKind.LINE for key, gone in looked.items()}

    def _method_clears(self, name: str, owner: Node, arguments: list[Node]) -> tuple[Clears, Clears] | None:
        """What methods of text and of lists tell; None where the method is another."""
        first = bare(arguments[0]) if arguments else None
        if first is None:
            return None
        if name == "startsWith":
            return self._start_clears(owner, first)
        if name == "endsWith":
            return self._end_clears(owner, first), {}
        if name in _LOOKED_FOR and first.type == "string":
            return {}, dict.fromkeys(self.keys(owner), _excluded(self.module.of(first)[1:-1]))
        if name in _LOOKED_FOR and self.value(owner):
            return NONE
        if name in _OVER_ALL:
            return self._each_clears(name, owner, arguments)
        return self._member_clears(name, owner, arguments) if name in _MEMBERS | _MATCHES else None

    def _start_clears(self, owner: Node, first: Node) -> tuple[Clears, Clears]:
        """What is left in a text that begins with another one, and in one that does not."""
        literal = self.module.of(first)[1:-1] if first.type == "string" else None
        if literal == "//":
            return {}, dict.fromkeys(self.keys(owner), SinkKind.REDIRECT)
        if literal in {"/", "./"}:
            return dict.fromkeys(self.keys(owner), SinkKind.URL), {}
        if literal is not None and (literal in _LEADING or ("://" in literal and literal.count("/") < 3)):
            return NONE
        if literal is not None and literal.startswith(".."):
            return {}, dict.fromkeys(self.keys(owner), SinkKind.PATH)
        return dict.fromkeys(self.keys(owner), EVERYTHING), {}

    def _end_clears(self, owner: Node, first: Node) -> Clears:
        """A host that ends with a dot and a domain belongs to it; other ends tell nothing."""
        literal = self.module.of(first)[1:-1] if first.type == "string" else ""
        held = bare(owner)
        is_host = held.type == "member_expression" and self.property_of(held) in _HOSTS
        return self._looked_at(owner) if is_host and literal.startswith(".") else {}

    def _each_clears(self, name: str, owner: Node, arguments: list[Node]) -> tuple[Clears, Clears]:
        """What a test of each entry of a list tells: of what it names, and of the list if it is of all."""
        found = {key: EVERYTHING for one in arguments for key in self.names_in(one)}
        if name == "every":
            found.update(dict.fromkeys(self.keys(owner), EVERYTHING))
        return found, found

    def _member_clears(self, name: str, owner: Node, arguments: list[Node]) -> tuple[Clears, Clears]:
        """What it tells of a value to be among those of a list, or to fit a pattern."""
        told: dict[str, SinkKind] = {}
        for one in arguments:
            told.update(self._looked_at(one))
            if name in {"includes", "has"}:
                told.update(dict.fromkeys(self.names_in(one), EVERYTHING))
        if name == "match":
            told.update(dict.fromkeys(self.keys(owner), EVERYTHING))
        if name not in _MEMBERS:
            return told, told
        return ({}, told) if _REFUSED.search(self.module.of(owner)) else (told, {})


def _excluded(text: str) -> SinkKind:
    """What a value can't be when it doesn't hold a text."""
    if ".." in text or text in {"/", "\\\\"}:
        return SinkKind.PATH
    if text in {"://", "//", ":", "@"}:
        return SinkKind.REDIRECT | SinkKind.URL
    if text in {"__proto__", "prototype", "constructor"}:
        return SinkKind.KEY | SinkKind.REACHED
    if text in {"\\n", "\\r", "\\r\\n"}:
        return SinkKind.HEADER | SinkKind.LINE
    return NOTHING
