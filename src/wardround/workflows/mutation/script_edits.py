"""The small edits of the functions of a script: their positions, and their replacements."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from wardround.languages.script.code import FUNCTIONS
from wardround.languages.script.syntax import Node, ScriptModule
from wardround.lazy import LazyPattern
from wardround.workflows.mutation.choice import Mutant
from wardround.workflows.mutation.edits import Edit, EditKind
from wardround.workflows.test.scripts.roles import is_measured_script
from wardround.workflows.test.scripts.syntax import TYPES

_BINARY: dict[str, tuple[str, EditKind]] = {
    "&&": ("||", EditKind.BOOLEAN_OPERATOR), "||": ("&&", EditKind.BOOLEAN_OPERATOR),
    "===": ("!==", EditKind.EQUALITY), "!==": ("===", EditKind.EQUALITY),
    "==": ("!=", EditKind.EQUALITY), "!=": ("==", EditKind.EQUALITY),
    "<": ("<=", EditKind.BOUNDARY), "<=": ("<", EditKind.BOUNDARY),
    ">": (">=", EditKind.BOUNDARY), ">=": (">", EditKind.BOUNDARY),
    "+": ("-", EditKind.ARITHMETIC), "-": ("+", EditKind.ARITHMETIC),
    "*": ("/", EditKind.ARITHMETIC), "/": ("*", EditKind.ARITHMETIC), "%": ("*", EditKind.ARITHMETIC),
    "+=": ("-=", EditKind.ARITHMETIC), "-=": ("+=", EditKind.ARITHMETIC),
}  # fmt: skip
_FLAGS = {"true": "false", "false": "true"}
_TEXTS = ("string", "template_string")
_STATEMENTS = frozenset(
    {"expression_statement", "lexical_declaration", "variable_declaration", "return_statement",
     "if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement",
     "switch_statement"}
)  # fmt: skip
_LEFT_OUT = TYPES | {
    "type_annotation", "type_arguments", "type_parameters", "throw_statement", "template_string",
    "import_statement", "jsx_attribute", "decorator", "formal_parameters", "enum_declaration", "comment",
}  # fmt: skip
_EMPTY = {"string": "''", "array": "[]"}
"""The values instead of returned ones that are not empty."""
_CONSTANTS = frozenset({"undefined", "null", "true", "false", "number", "string", "identifier"})
_UNLIKELY_CALL = LazyPattern(
    r"(?i)^(?:await\s+)?(?:[\w.]*\b(?:console|logger|log|debug|trace|warn|warning|invariant|assert\w*)\b[\w.]*|"
    r"[\w.?]*\.(?:log|debug|warn|info|error|trace|close|destroy|unref|flush|end|dispose|captureStackTrace|"
    r"preventDefault|stopPropagation)|warn\w*|clear(?:Timeout|Interval|Immediate)|deprecat\w*)\s*$"
)
_UNLIKELY_CONDITION = LazyPattern(
    r"process\.(?:env|platform|versions?)|\bNODE_ENV\b|__\w+__|\btypeof (?:window|document|globalThis|"
    r"process|navigator|self|console)\b|import\.meta|(?i:debug|verbose|trace|cache|memo|"
    r"isBrowser|isServer|platform|isDev\b|deprecat)"
)
_ERROR = LazyPattern(r"(?:Error|Exception)$")
_TUNING = LazyPattern(
    r"(?i)timeout|interval|delay|limit|retr(?:y|ies)|indent|width|depth|buffer|chunk|enumerable|"
    r"configurable|writable|passive|size"
)
_EXCLUDED = LazyPattern(r"(?:v8|c8|istanbul|node:coverage)\s+(?:ignore|disable)|Stryker disable")
_WRAPPERS = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)
_MOST_SHOWN = 80


def script_mutants(path: str, text: str, changed: Collection[int]) -> tuple[Mutant, ...]:
    """Return the mutants of the changed lines in functions of a script; none for tests and unreadable text.

    The only line of an edit is the first line of its statement.

    Args:
        changed: the numbers of the lines.
    """
    if not is_measured_script(path):
        return ()
    module = ScriptModule(path, text)
    if module.root.has_error:
        return ()
    found = [edit for edit in _Places(module).edits() if edit.line in changed]
    return tuple(Mutant(path, edit) for edit in found)


class _Places:
    def __init__(self, module: ScriptModule) -> None:
        self._module = module

    def edits(self) -> Iterator[Edit]:
        open_: list[tuple[Node, int]] = [(self._module.root, 0)]
        while open_:
            node, line = open_.pop()
            if self._is_excluded(node):
                continue
            if node.type in _STATEMENTS:
                line = node.start_point[0] + 1 if _is_in_function(node) else 0
            elif node.type == "class_body":
                line = 0
            elif _is_expression_body(node):
                line = node.start_point[0] + 1
            if line:
                yield from self._edits_of(node, line)
            open_.extend((child, line) for child in reversed(node.named_children))

    def _is_excluded(self, node: Node) -> bool:
        if node.type in _LEFT_OUT:
            return True
        before = node.prev_named_sibling
        if before is not None and before.type == "comment" and _EXCLUDED.search(self._module.of(before)):
            return True
        if node.type in ("if_statement", "ternary_expression"):
            return bool(_UNLIKELY_CONDITION.search(self._field_source(node, "condition")))
        if node.type == "new_expression":
            return bool(_ERROR.search(self._field_source(node, "constructor")))
        if node.type == "call_expression":
            return bool(_UNLIKELY_CALL.search(self._field_source(node, "function")))
        return node.type == "pair" and bool(_TUNING.search(self._field_source(node, "key")))

    def _field_source(self, node: Node, field: str) -> str:
        found = node.child_by_field_name(field)
        return self._module.of(found) if found is not None else ""

    def _edits_of(self, node: Node, line: int) -> Iterator[Edit]:
        kind = node.type
        if kind in ("if_statement", "ternary_expression"):
            yield from self._condition(node, line)
        elif kind == "return_statement":
            yield from self._return_edits(node, line)
        elif kind == "expression_statement":
            yield from self._removal_edits(node, line)
        elif kind in ("binary_expression", "augmented_assignment_expression"):
            yield from self._operator(node, line)
        elif kind in _FLAGS:
            yield self._edit(EditKind.FLAG, node, line, _FLAGS[kind], node.parent)
        elif kind == "optional_chain":
            yield from self._chain(node, line)

    def _condition(self, node: Node, line: int) -> Iterator[Edit]:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            inner = self._module.of(condition)
            after = f"(!{inner})" if node.type == "if_statement" else f"!({inner})"
            yield self._edit(EditKind.CONDITION, condition, line, after)

    def _return_edits(self, node: Node, line: int) -> Iterator[Edit]:
        value = _unwrap(node)
        if value is None or value.type == "comment":
            return
        empty = _EMPTY.get(value.type) if value.named_child_count else None
        if empty is None and value.type not in _CONSTANTS:
            empty = "undefined"
        if empty is not None:
            yield self._edit(EditKind.RETURN_VALUE, value, line, empty, node)

    def _removal_edits(self, node: Node, line: int) -> Iterator[Edit]:
        call = node.named_children[0]
        if call.type == "await_expression" and call.named_children:
            call = call.named_children[0]
        is_super = self._field_source(call, "function") == "super"
        if call.type == "call_expression" and not is_super and not self._is_excluded(call):
            yield self._edit(EditKind.REMOVED_CALL, node, line, ";")

    def _operator(self, node: Node, line: int) -> Iterator[Edit]:
        operator = node.child_by_field_name("operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator is None or left is None or right is None:
            return
        text = self._module.of(operator)
        if text == "??":
            yield self._edit(EditKind.DEFAULT, node, line, f"({self._module.of(left)})")
            return
        new, kind = _BINARY.get(text, ("", EditKind.BOUNDARY))
        if text in ("+", "+=") and (self._is_string_node(left) or self._is_string_node(right)):
            return
        if new and not _is_mixed(node, new):
            yield self._edit(kind, operator, line, new, node)

    def _is_string_node(self, node: Node) -> bool:
        """Return True for a string, and for an expression that contains quotes."""
        code = self._module.of(node)
        return node.type in _TEXTS or "'" in code or '"' in code

    def _chain(self, node: Node, line: int) -> Iterator[Edit]:
        member = node.parent
        if member is not None:
            after = "." if member.type == "member_expression" else ""
            yield self._edit(EditKind.BOUNDARY, node, line, after, member)

    def _edit(self, kind: EditKind, node: Node, line: int, after: str, shown: Node | None = None) -> Edit:
        """Return an edit of a node.

        Args:
            shown: the enclosing node that is shown to a reader.
        """
        around = shown if shown is not None else node
        text = self._module.of(around)
        at = len(self._module.between(around.start_byte, node.start_byte))
        edited = text[:at] + after + text[at + len(self._module.of(node)) :]
        at_line = node.start_point[0] + 1
        start = len(self._module.between(0, node.start_byte))
        end = start + len(self._module.of(node))
        return Edit(kind, at_line, (line,), start, end, after, (_shorten(text), _shorten(edited)))


def _is_in_function(node: Node) -> bool:
    above = node.parent
    while above is not None:
        if above.type in FUNCTIONS:
            return True
        above = above.parent
    return False


def _is_expression_body(node: Node) -> bool:
    """Return True for the only expression of a function that is the value of a name."""
    above = node.parent
    if above is None or above.type != "arrow_function" or node.type == "statement_block":
        return False
    body = above.child_by_field_name("body")
    named = above.parent
    return (
        body is not None and body.id == node.id and named is not None
        and named.type in ("variable_declarator", "pair", "public_field_definition")
    )  # fmt: skip


def _is_mixed(node: Node, new: str) -> bool:
    """Return True if an operand would bind in another way after the edit, or not parse."""
    near = [node.parent, *node.named_children]
    if new not in ("&&", "||"):
        return False
    operators = [neighbour.child_by_field_name("operator") for neighbour in near if neighbour is not None]
    return any(operator is not None and operator.type in ("&&", "||", "??") for operator in operators)


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else f"{line[: _MOST_SHOWN - 3]}..."


def _unwrap(node: Node) -> Node | None:
    """Return the value of a statement without its wrapper; None if it has none."""
    value = node.named_children[0] if node.named_children else None
    while value is not None and value.type in _WRAPPERS and value.named_children:
        value = value.named_children[0]
    return value
