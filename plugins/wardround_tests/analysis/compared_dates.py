"""Comparisons of dates and strings inside ``expect``: the matchers for comparisons only accept numbers."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.findings import Span
from wardround.languages.script.code import Code, argument, bare, code_of
from wardround.languages.script.syntax import Node
from wardround.lazy import LazyPattern

_COMPARING = frozenset({"<", ">", "<=", ">="})
_NUMBER = LazyPattern(
    r"(?:\.(?:getTime|valueOf|length|size|getFullYear)(?:\(\))?|^Date\.now\(\)|^[\d_.]+n?)$"
)
_NO_NUMBER = LazyPattern(
    r"^new Date\b|^(?:dayjs|moment|DateTime\.\w+|Temporal\.[\w.]+)\(|^['\"`]"
    r"|\.(?:toISOString|toString|toDate)\(\)$"
)
_DATE_TYPE = LazyPattern(r"^:\s*(?:Date|string|Dayjs|Moment|DateTime)\b")
_DATE_NAME = LazyPattern(r"(?:^date|Date|[a-z]At)$")


def compares_no_numbers(path: str, text: str, span: Span) -> bool:
    """Return True if the comparison inside the ``expect`` before a position is one of dates or strings.

    ``toBeGreaterThan`` and the like throw for both. A name such as ``createdAt`` counts as a date.
    """
    code = code_of(path, text)
    before = [call for call in code.calls_named("expect") if code.module.span(call).start <= span.start]
    compared = bare(argument(before[-1], 0)) if before else None
    if compared is None or compared.type != "binary_expression":
        return False
    if code.field(compared, "operator") not in _COMPARING:
        return False
    operands = [compared.child_by_field_name(side) for side in ("left", "right")]
    return _have_no_number(code, [operand for operand in operands if operand is not None])


def _have_no_number(code: Code, operands: Sequence[Node]) -> bool:
    """Return True if none of two operands is a number, and one of them is certainly something else."""
    if len(operands) < 2 or any(_NUMBER.search(code.text(operand)) for operand in operands):
        return False
    return any(_is_no_number(code, operand) for operand in operands)


def _is_no_number(code: Code, node: Node) -> bool:
    """Return True for a date or a string: by its expression, its declaration or else its name."""
    text = code.text(node)
    if _NO_NUMBER.search(text):
        return True
    if node.type == "identifier" and (declaration := code.declaration(text, node)) is not None:
        value, type_ = code.field(declaration, "value"), code.field(declaration, "type")
        if value or type_:
            return (_NO_NUMBER.search(value) or _DATE_TYPE.search(type_)) is not None
    return node.type in ("identifier", "member_expression") and _DATE_NAME.search(text) is not None
