"""TS400: removed owner filter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.tools.parsing import collapse_whitespace
from wardround_typescript.before_after import base_code, is_new, name_around
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_WHOSE = (
    r"(?:user|owner|org|organi[sz]ation|tenant|team|workspace|account|company|member|author|creator|customer|project"
    r"|environment|household|group)"
)
_SCOPE = LazyPattern(
    rf"(?i)^[\"'`]?(?:\w+[._])?(?:\w*{_WHOSE}s?(?:_?ids?)?|created_?by(?:_?id)?|owned_?by|belongs_?to)[\"'`]?\s*(?:[:,=]|$)"
    rf"|^\.\.\.\(?\s*[\w.]*{_WHOSE}\w*|\w*(?:where|scope|filter|query|owned|visible)\w*\(\s*\{{?[^)]*{_WHOSE}"
)
_SCOPED_LINE = LazyPattern(rf"(?i){_WHOSE}|created_?by|owned|belongs")
_OWN_KEY = LazyPattern(r"^[\"'`]?(?:\w+\.)?(?:_?id|uuid|slug|key|email|token)[\"'`]?\s*[:,=]")
_QUERIES = LazyPattern(
    r"\.(find\w*|get\w*|count\w*|aggregate|update\w*|delete\w*|remove\w*|exists|destroy|select|where|andWhere|query|execute|raw|one|oneOrNone|manyOrNone"
    r"|any|all|run|first)$"
)
_BY_ID = LazyPattern(r"\.findById\w*$|\.findByPk$")
_BY_OBJECT = LazyPattern(r"(?:One|OneAndUpdate|OneAndDelete|Many|exists|\.find|countDocuments)$")
_CHAINED = LazyPattern(r"\.(eq|where|andWhere|match|filter)$")
_JOINED = LazyPattern(r"(?:^|\.)(and|or|eq|inArray|sql)$")
_ASKS = LazyPattern(
    rf"(?i)(\bif\b|\bthrow\b|assert|ensure|check|verify|require|can[A-Z]|&&|\?).*(?:{_WHOSE}|created_?by|allowed|access"
    r"|permission|forbidden)"
)
_TABLE = LazyPattern(r"(?:from|into|update|table|model|delete)\(\s*([^()]{1,60})\s*\)")
_WHERE = LazyPattern(
    r"(?is)\bwhere\b(?P<told>.*?)(?:$|\border\s+by\b|\bgroup\s+by\b|\blimit\b|\breturning\b|\bfor\s+update\b)"
)
_AND = LazyPattern(r"(?i)\s+and\s+")
_NAMES = LazyPattern(r"[A-Za-z_$][\w$]*")
_PLAIN = LazyPattern(r"""^[^:]*:\s*(?:["'`\d]|true\b|false\b|null\b)""")
_FILTERS = ("One", "OneAndUpdate", "OneAndDelete", "Many", "exists", ".find", "countDocuments")


class _Query(NamedTuple):
    """A query: its function, its model, its owner conditions, and its other conditions."""

    function: str
    subject: str
    scope: frozenset[str]
    rest: frozenset[str]
    node: Node
    given: frozenset[str]


class RemovedOwnerFilter(TreeCheck):
    """A query no longer restricts the record to its owner since this change.

    The id comes from the request, so anyone who guesses or knows one reads or changes the record of another
    user or team. Restore the condition, or check the owner afterwards.
    """

    ID = "TS400"
    NAME = "removed-owner-filter"
    DEFECT_CLASS = "removed-safety"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    WORDS = (
        "where",
        "WHERE",
        "findById",
        ".eq(",
        "findOne",
        "updateOne",
        "deleteOne",
        "findOneAnd",
        "deleteMany",
        "updateMany",
    )
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            export const find = async (user: User, key: string) => {
              const shelf = await store.shelf.findFirst({
                where: { id: key, ownerId: user.id },
                select: { label: true },
              });
              return [shelf, user, key];
            };
        """),
        code(
            """
            export const find = async (user: User, key: string) => {
              const shelf = await store.shelf.findFirst({
                where: { id: key, ownerId: user.id },
                select: { label: false },
              });
              return [shelf, user, key];
            };
            """,
            base="""
            export const find = async (user: User, key: string) => {
              const shelf = await store.shelf.findFirst({
                where: { id: key, ownerId: user.id },
                select: { label: true },
              });
              return [shelf, user, key];
            };
            """,
        ),
    ]
    INVALID = [
        code(
            """
            export async function drop(user, id) {
              await «client.from('notes').delete().eq('id', id)»;
              return log(user);
            }
            """,
            base="""
            export async function drop(user, id) {
              await client.from('notes').delete().eq('id', id).eq('user_id', user.id);
              return log(user);
            }
            """,
        ),
        code(
            """
            export async function drop(session, id) {
              await «db.delete(notes).where(eq(notes.id, id))»;
              return session;
            }
            """,
            base="""
            export async function drop(session, id) {
              await db.delete(notes).where(and(eq(notes.id, id), eq(notes.userId, session.userId)));
              return session;
            }
            """,
        ),
    ]

    def check(self) -> None:
        base = base_code(self.source, _SCOPED_LINE)
        if base is not None:
            self._compare(base)

    def _compare(self, base: Code) -> None:
        before, now = list(_queries(base)), list(_queries(self.code))
        for query in now:
            is_told = any(_SCOPED_LINE.search(one) and not _OWN_KEY.search(one) for one in query.rest)
            if (
                query.scope
                or is_told
                or not query.rest
                or not is_new(self.source, self.code, query.node, base)
            ):
                continue
            lost = next((one for one in before if self._is_same(one, query)), None)
            if lost is None or any(_is_preserved(lost, one) for one in now) or self._is_checked(query):
                continue
            whose = min(lost.scope, key=len).partition("\n")[0]
            self.report_node(
                query.node,
                f'"{whose}" is removed from this query, so any user can access the record; restore it',
            )

    def _is_same(self, old: _Query, new: _Query) -> bool:
        """Return True if a query replaces another one and the user is still known there."""
        if not old.scope or (old.function, old.subject) != (new.function, new.subject):
            return False
        if not old.rest & new.rest:
            return False
        from wardround_typescript.before_after import named_around

        around = named_around(self.code, new.node) or self.code.module.root
        names = {name for one in old.scope for name in _NAMES.findall(one.partition(":")[2] or one)}
        if names & (old.given - new.given):
            return False  # no longer known: for administrators, or behind another check
        known = {self.code.text(one) for one in _identifiers(around)}
        is_written = self.code.text(new.node).count("where") + self.code.text(new.node).count("WHERE") > 0
        named = is_written and any(_SCOPED_LINE.search(name) for name in known)
        return named or not names.isdisjoint(known)

    def _is_checked(self, query: _Query) -> bool:
        """Return True if the change added another ownership check to the function."""
        from wardround_typescript.before_after import named_around

        around = named_around(self.code, query.node) or self.code.module.root
        rows = range(around.start_point[0] + 1, around.end_point[0] + 2)
        lines = self.source.lines
        return any(self.source.is_added(row) and _ASKS.search(lines[row - 1]) for row in rows)


def _is_preserved(lost: _Query, now: _Query) -> bool:
    same = (lost.function, lost.subject) == (now.function, now.subject)
    return same and bool(now.scope) and bool(lost.rest & now.rest)


def _identifiers(node: Node) -> Iterator[Node]:
    from wardround.languages.script.syntax import inside

    return (one for one in inside(node) if one.type in ("identifier", "shorthand_property_identifier"))


def _queries(code: Code) -> Iterator[_Query]:
    for called, call in code.calls:
        conditions = list(_conditions(code, called, call))
        if conditions:
            scope = frozenset(one for one in conditions if _is_scope(one))
            rest = frozenset(conditions) - scope
            name, subject = name_around(code, call), _subject(code, called, call)
            yield _Query(name, subject, scope, rest, call, _given(code, call))


def _given(code: Code, call: Node) -> frozenset[str]:
    """Return the parameters of the function that contains a query."""
    from wardround_typescript.before_after import named_around

    function = named_around(code, call)
    held = function.child_by_field_name("parameters") if function is not None else None
    patterns = (one.child_by_field_name("pattern") for one in held.named_children) if held is not None else ()
    return frozenset(name for one in patterns for name in code.names_in(one))


def _is_scope(condition: str) -> bool:
    if _OWN_KEY.search(condition) or _PLAIN.search(condition):
        return False
    return _SCOPE.search(condition) is not None


def _subject(code: Code, called: str, call: Node) -> str:
    """Return the queried model, or the table after ``from``."""
    if "(" not in called:
        return called.rpartition(".")[0]
    found = _TABLE.search(called)
    return found[1] if found is not None else called.partition("(")[0]


def _conditions(code: Code, called: str, call: Node) -> Iterator[str]:
    """Yield the conditions of a query, each as one text without whitespace."""
    from wardround.languages.script.code import argument, bare

    if _CHAINED.search(called):
        above = call.parent
        if above is None or not _CHAINED.search(f".{code.field(above, 'property')}"):
            yield from _chained(code, call)  # the longest chain contains all conditions
        return
    first = bare(argument(call, 0)) if _QUERIES.search(f".{called}") else None
    if first is None:
        return
    if first.type in ("string", "template_string"):
        yield from _written(code.text(first))
        return
    if _BY_ID.search(called):
        yield f"_id: {collapse_whitespace(code.text(first))}"
    if first.type == "object":
        yield from _conditions_of_object(code, called, first)


def _conditions_of_object(code: Code, called: str, options: Node) -> Iterator[str]:
    from wardround.languages.script.code import bare

    where = next((one for one in options.named_children if code.field(one, "key") == "where"), None)
    if where is not None:
        yield from _listed(code, bare(where.child_by_field_name("value")))
    elif called.endswith(_FILTERS):
        yield from _listed(code, options)


def _chained(code: Code, call: Node) -> Iterator[str]:
    """Yield the conditions of ``.eq(a, b).where(c)``, from the last to the first."""
    from wardround.languages.script.code import argument, bare

    node: Node | None = call
    while node is not None and node.type == "call_expression":
        function = node.child_by_field_name("function")
        if _CHAINED.search(code.called(node)):
            first = bare(argument(node, 0))
            if first is not None and first.type == "object":
                yield from _listed(code, first)
            elif first is not None and first.type == "call_expression":
                yield from _terms(code, first)
            elif first is not None and first.type == "string":
                yield collapse_whitespace(code.text(first)[1:-1] + ":" + code.text(argument(node, 1)))
        node = function.child_by_field_name("object") if function is not None else None


def _terms(code: Code, call: Node) -> Iterator[str]:
    """Yield the conditions of ``and(eq(rows.id, id), eq(rows.userId, user.id))``."""
    arguments = call.child_by_field_name("arguments")
    if not _JOINED.search(code.called(call)) or arguments is None:
        return
    if code.called(call).endswith("eq"):
        yield collapse_whitespace(":".join(code.text(one) for one in arguments.named_children))
        return
    for one in arguments.named_children:
        if one.type == "call_expression":
            yield from _terms(code, one)


def _written(text: str) -> Iterator[str]:
    """Return the conditions of a literal query, up to the following clauses."""
    found = _WHERE.search(text)
    for one in _AND.split(found["told"]) if found is not None else ():
        yield collapse_whitespace(one.strip("`'\" ;"))


def _listed(code: Code, node: Node | None) -> Iterator[str]:
    """Yield the conditions of an object, those under AND included."""
    if node is None or node.type != "object":
        return
    for one in node.named_children:
        value = one.child_by_field_name("value") if one.type == "pair" else None
        if value is not None and code.field(one, "key") in ("AND", "$and"):
            for part in value.named_children if value.type == "array" else [value]:
                yield from _listed(code, part)
        elif one.type in ("pair", "shorthand_property_identifier", "spread_element"):
            yield collapse_whitespace(code.text(one))
