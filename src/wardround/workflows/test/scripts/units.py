"""The statements of a script that can run, and its choices between two ways, by position.

A line is that of the beginning of a statement. Declarations of functions, classes, imports and types are no
statements here, nor are the statements that projects usually exclude from coverage.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.languages.script.code import FUNCTIONS
from wardround.languages.script.syntax import Node, ScriptModule
from wardround.lazy import LazyPattern
from wardround.workflows.test.scripts.syntax import TYPES

Position = tuple[int, int]
"""Line and column, both from 0, the column in units of UTF-16 as in source maps."""
NONE = -1
"""The number of no statement."""
_STATEMENTS = frozenset(
    {"expression_statement", "lexical_declaration", "variable_declaration", "return_statement",
     "throw_statement", "if_statement", "for_statement", "for_in_statement", "while_statement",
     "do_statement", "switch_statement", "break_statement", "continue_statement"}
)  # fmt: skip
_WITHOUT_CODE = TYPES | {"import_statement", "class_static_block", "enum_declaration"}
_OWNERLESS = FUNCTIONS | {"class_body", "switch_case", "decorator"}
_NAMED_BY = frozenset({"variable_declarator", "pair", "public_field_definition", "assignment_expression"})
_EXCLUDED = LazyPattern(
    r"(?i)not[ _-]?implemented|unreachable|exhausti|assert_?never|:\s*never\b|should (?:never|not) happen|"
    r"^import\.meta\.(?:vitest|hot)"
)
_IGNORED = LazyPattern(r"\b(?:v8|c8|istanbul|node:coverage)\s+(?:ignore|disable)\b")
_IGNORED_FILE = LazyPattern(r"\b(?:v8|c8|istanbul)\s+ignore\s+(?:file|start)\b|\bnode:coverage\s+disable\b")
_LONGEST_EXCLUDED = 200
_IN_SOURCE_TESTS = "import.meta.vitest"


class Choice(msgspec.Struct, frozen=True):
    """An ``if`` without ``else``, or a conditional expression.

    Attributes:
        unit: the number of the statement that contains it.
        condition: beginning and end.
        ways: beginning and end of each written way.
    """

    line: int
    unit: int
    condition: tuple[Position, Position]
    ways: tuple[tuple[Position, Position], ...]


class Units(msgspec.Struct, frozen=True):
    """The statements of a script.

    Attributes:
        lines: number of a statement -> its line, 1-based; 0 for a callback that is only an expression.
        functions: the numbers of those that are the only expression of a function with a name.
        boundaries: positions in source order, each with the number of the statement that begins or continues.
    """

    lines: tuple[int, ...]
    functions: frozenset[int]
    boundaries: tuple[tuple[Position, int], ...]
    choices: tuple[Choice, ...]


def script_units(path: str, text: str) -> Units | None:
    """Return the statements of a script; None if it does not parse, or is excluded from coverage."""
    module = ScriptModule(path, text)
    if module.root.has_error or _IGNORED_FILE.search(text):
        return None
    return _Reader(module).read()


def excludes_coverage(line: str) -> bool:
    """Return True for a line with a comment that excludes code from coverage."""
    return _IGNORED.search(line) is not None


class _Reader:
    def __init__(self, module: ScriptModule) -> None:
        self._module = module
        self._lines: list[int] = []
        self._functions: set[int] = set()
        self._boundaries: list[tuple[Position, int]] = []
        self._choices: list[Choice] = []

    def read(self) -> Units:
        open_: list[tuple[Node, int] | tuple[Position, int]] = [(self._module.root, NONE)]
        while open_:
            item, owner = open_.pop()
            if isinstance(item, tuple):
                self._boundaries.append((item, owner))
                continue
            if item.type in _WITHOUT_CODE or self._is_excluded(item):
                self._boundaries.append((self._start(item), NONE))
                continue
            own = self._owner(item, owner)
            if own != owner:
                self._boundaries.append((self._start(item), own))
                open_.append((self._end(item), owner))
            self._add_choice(item, own)
            for child in reversed(item.named_children):
                open_ += [(self._end(child), own), (child, own)]
        return Units(
            tuple(self._lines), frozenset(self._functions), tuple(self._boundaries), tuple(self._choices)
        )

    def _owner(self, node: Node, owner: int) -> int:
        """Return the number of the statement that contains a node; a new one if it begins one."""
        if node.type in _OWNERLESS:
            return NONE
        if node.type in _STATEMENTS and self._has_code(node):
            return self._new(node.start_point[0] + 1)
        above = node.parent
        is_arrow_body = above is not None and above.type == "arrow_function" and _is_body(node, above)
        if above is None or not is_arrow_body or node.type == "statement_block":
            return owner
        return self._arrow_expression(node, above)

    def _arrow_expression(self, node: Node, arrow: Node) -> int:
        """Return the number of the expression that is the body of an arrow function."""
        is_named = arrow.parent is not None and arrow.parent.type in _NAMED_BY
        number = self._new(node.start_point[0] + 1 if is_named else 0)
        if is_named:
            self._functions.add(number)
        return number

    def _new(self, line: int) -> int:
        self._lines.append(line)
        return len(self._lines) - 1

    def _has_code(self, node: Node) -> bool:
        if node.type == "expression_statement":
            return bool(node.named_children) and node.named_children[0].type not in (
                "string",
                "function_signature",
            )
        if node.type in ("lexical_declaration", "variable_declaration"):
            return any(
                child.type == "variable_declarator" and child.child_by_field_name("value") is not None
                for child in node.named_children
            )
        return True

    def _is_excluded(self, node: Node) -> bool:
        """Return True for a comment, and for a node that is excluded from coverage."""
        if node.type == "comment":
            return True
        before = node.prev_named_sibling
        if before is not None and before.type == "comment" and _IGNORED.search(self._module.of(before)):
            return True
        if node.type == "if_statement":
            condition = node.child_by_field_name("condition")
            return condition is not None and _IN_SOURCE_TESTS in self._module.of(condition)
        return node.type in _STATEMENTS and bool(
            _EXCLUDED.search(self._module.of(node)[:_LONGEST_EXCLUDED]) and not _contains_block(node)
        )

    def _add_choice(self, node: Node, unit: int) -> None:
        if unit == NONE or not _has_unseen_branch(node):
            return
        condition = node.child_by_field_name("condition")
        branches = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        spans = tuple((self._start(branch), self._end(branch)) for branch in branches if branch is not None)
        if condition is not None and spans:
            around = self._start(condition), self._end(condition)
            self._boundaries += [(start, unit) for start, _ in (around, *spans)]
            self._choices.append(Choice(node.start_point[0] + 1, unit, around, spans))

    def _start(self, node: Node) -> Position:
        return self._position(node.start_byte, *node.start_point)

    def _end(self, node: Node) -> Position:
        return self._position(node.end_byte, *node.end_point)

    def _position(self, at: int, row: int, column: int) -> Position:
        before = self._module.between(at - column, at)
        return row, column if before.isascii() else len(before.encode("utf-16-le")) // 2


def _has_unseen_branch(node: Node) -> bool:
    """Return True for a choice whose branches are not all statements of their own."""
    if node.type == "if_statement":
        return node.child_by_field_name("alternative") is None
    return node.type == "ternary_expression"


def _is_body(node: Node, function: Node) -> bool:
    body = function.child_by_field_name("body")
    return body is not None and body.id == node.id


def _contains_block(node: Node) -> bool:
    return any(part.type in ("statement_block", "switch_body") for part in _adjacent_choices(node))


def _adjacent_choices(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        yield child
        yield from child.named_children
