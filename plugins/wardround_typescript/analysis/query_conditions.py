"""Queries of a script with their conditions: those that name an owner, and the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wardround.languages.script.code import Code, argument, bare
from wardround.languages.script.syntax import Node
from wardround.lazy import LazyPattern
from wardround.tools.parsing import collapse_whitespace
from wardround_typescript.analysis.owner_names import NAMES_OWNER, OWNERS
from wardround_typescript.before_after import name_around, named_around
from wardround_typescript.syntax.nodes import child, is_kind, parts

_SCOPE = LazyPattern(
    rf"(?i)^[\"'`]?(?:\w+[._])?(?:\w*{OWNERS}s?(?:_?ids?)?|created_?by(?:_?id)?|owned_?by|belongs_?to)[\"'`]?\s*(?:[:,=]|$)"
    rf"|^\.\.\.\(?\s*[\w.]*{OWNERS}\w*|\w*(?:where|scope|filter|query|owned|visible)\w*\(\s*\{{?[^)]*{OWNERS}"
)
_OWN_KEY = LazyPattern(r"^[\"'`]?(?:\w+\.)?(?:_?id|uuid|slug|key|email|token)[\"'`]?\s*[:,=]")
_QUERIES = LazyPattern(
    r"\.(find\w*|get\w*|count\w*|aggregate|update\w*|delete\w*|remove\w*|exists|destroy|select|where|andWhere|query|execute|raw|one|oneOrNone|manyOrNone"
    r"|any|all|run|first)$"
)
_BY_ID = LazyPattern(r"\.findById\w*$|\.findByPk$")
_CHAINED = LazyPattern(r"\.(eq|where|andWhere|match|filter)$")
_JOINED = LazyPattern(r"(?:^|\.)(and|or|eq|inArray|sql)$")
_TABLE = LazyPattern(r"(?:from|into|update|table|model|delete)\(\s*([^()]{1,60})\s*\)")
_WHERE = LazyPattern(
    r"(?is)\bwhere\b(?P<told>.*?)(?:$|\border\s+by\b|\bgroup\s+by\b|\blimit\b|\breturning\b|\bfor\s+update\b)"
)
_AND = LazyPattern(r"(?i)\s+and\s+")
_PLAIN = LazyPattern(r"""^[^:]*:\s*(?:["'`\d]|true\b|false\b|null\b)""")
_FILTERS = ("One", "OneAndUpdate", "OneAndDelete", "Many", "exists", ".find", "countDocuments")


class Query(NamedTuple):
    """A query of a database.

    Attributes:
        function: the name of the function around it.
        subject: the queried model or table.
        scope: the conditions that name an owner.
        rest: the other conditions.
        parameters: those of the function around it.
    """

    function: str
    subject: str
    scope: frozenset[str]
    rest: frozenset[str]
    node: Node
    parameters: frozenset[str]

    @property
    def mentions_owner(self) -> bool:
        """True if a condition contains the word for an owner without being on one."""
        others = (condition for condition in self.rest if not _OWN_KEY.search(condition))
        return any(NAMES_OWNER.search(condition) for condition in others)

    def is_similar_query(self, other: Query) -> bool:
        """Return True for a query of the same subject in the same function with a common condition."""
        if (self.function, self.subject) != (other.function, other.subject):
            return False
        return not self.rest.isdisjoint(other.rest)


def queries(code: Code) -> list[Query]:
    """Return the queries of a script that have conditions."""
    found = []
    for called, call in code.calls:
        conditions = list(_conditions(code, called, call))
        if conditions:
            scope = frozenset(condition for condition in conditions if _is_scope(condition))
            rest = frozenset(conditions) - scope
            name, subject = name_around(code, call), _subject(called)
            found.append(Query(name, subject, scope, rest, call, _parameters(code, call)))
    return found


def _parameters(code: Code, call: Node) -> frozenset[str]:
    """Return the parameters of the function that contains a query."""
    declared = parts(child(named_around(code, call), "parameters"))
    patterns = [parameter.child_by_field_name("pattern") for parameter in declared]
    return frozenset(name for pattern in patterns for name in code.names_in(pattern))


def _is_scope(condition: str) -> bool:
    if _OWN_KEY.search(condition) or _PLAIN.search(condition):
        return False
    return _SCOPE.search(condition) is not None


def _subject(called: str) -> str:
    """Return the queried model, or the table after ``from``."""
    if "(" not in called:
        return called.rpartition(".")[0]
    found = _TABLE.search(called)
    return found[1] if found is not None else called.partition("(")[0]


def _conditions(code: Code, called: str, call: Node) -> Iterator[str]:
    """Yield the conditions of a query, each as one string without whitespace."""
    if _CHAINED.search(called):
        if not _CHAINED.search(f".{code.field(call.parent, 'property')}"):
            yield from _chain_conditions(code, call)  # the longest chain contains all conditions
        return
    first = bare(argument(call, 0)) if _QUERIES.search(f".{called}") else None
    if first is None:
        return
    if first.type in ("string", "template_string"):
        yield from _text_conditions(code.text(first))
        return
    if _BY_ID.search(called):
        yield f"_id: {collapse_whitespace(code.text(first))}"
    if first.type == "object":
        yield from _option_conditions(code, called, first)


def _option_conditions(code: Code, called: str, options: Node) -> Iterator[str]:
    entries = options.named_children
    where = next((entry for entry in entries if code.field(entry, "key") == "where"), None)
    if where is not None:
        yield from _object_conditions(code, bare(where.child_by_field_name("value")))
    elif called.endswith(_FILTERS):
        yield from _object_conditions(code, options)


def _chain_conditions(code: Code, call: Node) -> Iterator[str]:
    """Yield the conditions of ``.eq(a, b).where(c)``, from the last to the first."""
    node: Node | None = call
    while is_kind(node, "call_expression"):
        if _CHAINED.search(code.callee(node)):
            yield from _link_conditions(code, node)
        node = child(node.child_by_field_name("function"), "object")


def _link_conditions(code: Code, call: Node) -> Iterator[str]:
    first = bare(argument(call, 0))
    if first is None:
        return
    match first.type:
        case "object":
            yield from _object_conditions(code, first)
        case "call_expression":
            yield from _term_conditions(code, first)
        case "string":
            yield collapse_whitespace(code.text(first)[1:-1] + ":" + code.text(argument(call, 1)))


def _term_conditions(code: Code, call: Node) -> Iterator[str]:
    """Yield the conditions of ``and(eq(rows.id, id), eq(rows.userId, user.id))``."""
    called = code.callee(call)
    if not _JOINED.search(called):
        return
    terms = parts(call.child_by_field_name("arguments"))
    if called.endswith("eq"):
        yield collapse_whitespace(":".join(code.text(term) for term in terms))
        return
    for term in terms:
        if term.type == "call_expression":
            yield from _term_conditions(code, term)


def _text_conditions(text: str) -> Iterator[str]:
    """Yield the conditions of a literal query, up to the following clauses."""
    found = _WHERE.search(text)
    if found is not None:
        for condition in _AND.split(found["told"]):
            yield collapse_whitespace(condition.strip("`'\" ;"))


def _object_conditions(code: Code, node: Node | None) -> Iterator[str]:
    """Yield the conditions of an object, those under AND included."""
    if not is_kind(node, "object"):
        return
    for entry in node.named_children:
        joined = _conjuncts(code, entry)
        if joined is not None:
            for part in joined:
                yield from _object_conditions(code, part)
        elif entry.type in ("pair", "shorthand_property_identifier", "spread_element"):
            yield collapse_whitespace(code.text(entry))


def _conjuncts(code: Code, entry: Node) -> list[Node] | None:
    """Return the objects under AND; None for another entry."""
    value = child(entry, "value")
    if value is None or entry.type != "pair" or code.field(entry, "key") not in ("AND", "$and"):
        return None
    return value.named_children if value.type == "array" else [value]
