"""The values of a function of a script that may be missing: their tests, sources and uses as arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.languages.script.code import Code
from wardround.languages.script.syntax import inside
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.guards import TestedValues
from wardround_typescript.syntax.nodes import child, parts

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
"""Calls that accept a missing value, or check for one."""
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
    nodes = list(inside(node))
    required: set[str] = set()
    for part in nodes:
        if part.type == "if_statement":
            required.update(_required_names(code, part))
    sources = dict(_sources(code, node, nodes))
    passed = dict(_passed_names(code, nodes)) if sources else {}
    return TestedValues(frozenset(required), frozenset(_tests(code, node, nodes)), sources, passed)


def _required_names(code: Code, conditional: Node) -> Iterator[str]:
    """Yield the names without whose values the branch of a condition leaves the function."""
    if not _leaves_function(code.field(conditional, "consequence").strip("{ \n;}")):
        return
    for operand in code.field(conditional, "condition").split("||"):
        found = _ABSENT.match(operand.strip())
        if found is not None:
            yield found["name"] or found["compared"]


def _leaves_function(branch: str) -> bool:
    last = branch.rpartition("\n")[2].strip()
    return last.startswith(_LEAVES) or branch.startswith(_LEAVES)


def _tests(code: Code, node: Node, nodes: list[Node]) -> Iterator[str]:
    """Yield the names that an operator or a condition tests."""
    for found in _DECIDED.finditer(code.text(node)):
        yield found["name"] or found["negated"]
    for part in nodes:
        if part.type in _CONDITIONAL:
            yield from _names_in(code, child(part, "condition"))


def _names_in(code: Code, node: Node | None) -> Iterator[str]:
    if node is not None:
        yield from (code.text(part) for part in inside(node) if part.type == "identifier")


def _sources(code: Code, node: Node, nodes: list[Node]) -> Iterator[tuple[str, str]]:
    """Yield the names that may be missing, with the source of their declaration or assignment."""
    assigned = {code.field(part, "left") for part in nodes if part.type == "assignment_expression"}
    for name, source in (*_initial_values(code, nodes), *_optional_parameters(code, node)):
        if name not in assigned:
            yield name, source


def _initial_values(code: Code, nodes: list[Node]) -> Iterator[tuple[str, str]]:
    for declarator in nodes:
        if declarator.type != "variable_declarator":
            continue
        value = declarator.child_by_field_name("value")
        if value is not None and value.type not in _SURE:
            yield code.field(declarator, "name"), code.text(value)


def _optional_parameters(code: Code, function: Node) -> Iterator[tuple[str, str]]:
    for parameter in parts(child(function, "parameters")):
        declared = code.field(parameter, "type")
        if parameter.type == "optional_parameter" or _MISSING.search(declared):
            yield code.field(parameter, "pattern"), declared


def _passed_names(code: Code, nodes: list[Node]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the names that are arguments of calls, the first place of each last."""
    for call in reversed(nodes):
        if call.type != "call_expression" or _TAKES_ANYTHING.search(code.callee(call)):
            continue
        for value in parts(call.child_by_field_name("arguments")):
            if value.type == "identifier":
                yield code.text(value), code.module.place(value)
