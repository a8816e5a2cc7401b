"""The values of a function of a script that may be missing: their tests, sources and uses as arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.code import Code
from wardround.languages.script.syntax import inside
from wardround.semantics.semdiff.guards import TestedValues

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_ABSENT = LazyPattern(r"^\(*!(?P<name>[\w$]+)\)*$|^\(*(?P<compared>[\w$]+)\s*===?\s*(?:null|undefined)\)*$")
_DECIDED = LazyPattern(r"(?P<name>[\w$]+)\s*(?:\?\.|\?\?|&&|\|\||===?|!==?)|!(?P<negated>[\w$]+)")
_MISSING = LazyPattern(r"\b(?:null|undefined)\b")
_TAKES_ANYTHING = LazyPattern(
    r"^(?:console|log|logger)\.|^(?:String|Boolean|Number|parseInt|parseFloat|isNaN|clearTimeout|clearInterval)$"
    r"|^(?:JSON\.stringify|Array\.isArray|expect)|(?:^|\.)(?:set[A-Z]\w*|push|includes|concat|has|resolve|reject)$"
    r"|(?:^|\.)(?:assert|is|invariant|ensure|require)[A-Z]?\w*$"
)
"""Calls that take a missing value, or test for one."""
_SURE = frozenset(
    {
        "object",
        "array",
        "new_expression",
        "string",
        "template_string",
        "number",
        "true",
        "false",
        "arrow_function",
    }
)
_LEAVES = ("return", "throw", "continue", "break")
_CONDITIONAL = frozenset({"if_statement", "ternary_expression", "while_statement"})


def tested_values(code: Code, node: Node) -> TestedValues:
    """Return the names of a function whose values may be missing."""
    every = list(inside(node))
    required = frozenset(name for one in every if one.type == "if_statement" for name in _required(code, one))
    tests = frozenset(_tests(code, node, every))
    sources = dict(_sources(code, node, every))
    return TestedValues(required, tests, sources, dict(_passed(code, every)) if sources else {})


def _required(code: Code, node: Node) -> Iterator[str]:
    """Yield the names without whose values the branch of a condition leaves the function."""
    branch = code.field(node, "consequence").strip("{ \n;}")
    last = branch.rpartition("\n")[2].strip()
    if last.startswith(_LEAVES) or branch.startswith(_LEAVES):
        for part in code.field(node, "condition").split("||"):
            found = _ABSENT.match(part.strip())
            if found is not None:
                yield found["name"] or found["compared"]


def _tests(code: Code, node: Node, every: list[Node]) -> Iterator[str]:
    for found in _DECIDED.finditer(code.text(node)):
        yield found["name"] or found["negated"]
    for one in every:
        condition = one.child_by_field_name("condition") if one.type in _CONDITIONAL else None
        if condition is not None:
            yield from (code.text(name) for name in inside(condition) if name.type == "identifier")


def _sources(code: Code, node: Node, every: list[Node]) -> Iterator[tuple[str, str]]:
    """Yield the names that may be missing, with the text of what declares or assigns them."""
    assigned = {code.field(one, "left") for one in every if one.type == "assignment_expression"}
    for one in every:
        if one.type == "variable_declarator" and code.field(one, "name") not in assigned:
            value = one.child_by_field_name("value")
            if value is not None and value.type not in _SURE:
                yield code.field(one, "name"), code.text(value)
    given = node.child_by_field_name("parameters")
    for parameter in given.named_children if given is not None else ():
        name, declared = code.field(parameter, "pattern"), code.field(parameter, "type")
        is_missing = parameter.type == "optional_parameter" or _MISSING.search(declared) is not None
        if is_missing and name not in assigned:
            yield name, declared


def _passed(code: Code, every: list[Node]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the names that are arguments of calls, the first place of each last."""
    for one in reversed(every):
        arguments = one.child_by_field_name("arguments") if one.type == "call_expression" else None
        if arguments is not None and not _TAKES_ANYTHING.search(code.called(one)):
            for value in arguments.named_children:
                if value.type == "identifier":
                    yield code.text(value), code.module.place(value)
