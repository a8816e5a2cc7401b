from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.analysis.owner_names import NAMES_OWNER, OWNERS
from wardround_typescript.before_after import base_code, is_new, named_around
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.query_conditions import Query

_ASKS = LazyPattern(
    rf"(?i)(\bif\b|\bthrow\b|assert|ensure|check|verify|require|can[A-Z]|&&|\?).*(?:{OWNERS}|created_?by|allowed|access"
    r"|permission|forbidden)"
)
_NAMES = LazyPattern(r"[A-Za-z_$][\w$]*")
_VARIABLES = ("identifier", "shorthand_property_identifier")


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
        base = base_code(self.source, NAMES_OWNER)
        if base is not None:
            self._compare(base)

    def _compare(self, base: Code) -> None:
        from wardround_typescript.analysis.query_conditions import queries

        before, current = queries(base), queries(self.code)
        for query in current:
            if self._lost_owner_condition(query, base):
                self._check_query(query, before, current)

    def _lost_owner_condition(self, query: Query, base: Code) -> bool:
        """Return True for a new query with conditions, none of them on an owner."""
        if query.scope or not query.rest or query.mentions_owner:
            return False
        return is_new(self.source, self.code, query.node, base)

    def _check_query(self, query: Query, before: list[Query], current: list[Query]) -> None:
        lost = next((old for old in before if self._is_same(old, query)), None)
        if lost is None or any(other.scope and lost.is_similar_query(other) for other in current):
            return
        if self._is_checked(query):
            return
        owner = min(lost.scope, key=len).partition("\n")[0]
        self.report_node(
            query.node,
            f'"{owner}" is removed from this query, so any user can access the record; restore it',
        )

    def _is_same(self, old: Query, new: Query) -> bool:
        """Return True if a query replaces another one and still uses the user."""
        if not old.scope or not old.is_similar_query(new):
            return False
        names = {name for condition in old.scope for name in _owner_names(condition)}
        if names & (old.parameters - new.parameters):
            return False  # no longer known: for administrators, or behind another check
        known = self._names_in(self._enclosing_handler(new))
        return not names.isdisjoint(known) or self._may_filter(new, known)

    def _may_filter(self, query: Query, known: set[str]) -> bool:
        """Return True for a query with a written condition where a variable may name an owner."""
        text = self.code.text(query.node)
        if "where" not in text and "WHERE" not in text:
            return False
        return any(NAMES_OWNER.search(name) for name in known)

    def _enclosing_handler(self, query: Query) -> Node:
        return named_around(self.code, query.node) or self.code.module.root

    def _names_in(self, node: Node) -> set[str]:
        from wardround.languages.script.syntax import inside

        return {self.code.text(part) for part in inside(node) if part.type in _VARIABLES}

    def _is_checked(self, query: Query) -> bool:
        """Return True if the change added another ownership check to the function."""
        around = self._enclosing_handler(query)
        rows = range(around.start_point[0] + 1, around.end_point[0] + 2)
        lines = self.source.lines
        return any(self.source.is_added(row) and _ASKS.search(lines[row - 1]) for row in rows)


def _owner_names(condition: str) -> list[str]:
    """Return the names in the value of a condition."""
    return _NAMES.findall(condition.partition(":")[2] or condition)
