"""Types of facts about queries, each with a location."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct

from wardround.findings import Span
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name

_NOWHERE = Name("public", "")


class QueryFact(Struct, frozen=True):
    """Fact about one location.

    Attributes:
        note: suffix of the message that names the dialect if it is not PostgreSQL: `` (read as mysql)``.
        statement: the statement if it was parsed as PostgreSQL.
    """

    span: Span
    note: str = ""
    statement: Statement | None = None


class UnfilteredWrite(QueryFact, frozen=True):
    """UPDATE or DELETE of every row. ``columns`` are the columns that an UPDATE sets."""

    verb: str = ""
    table: Name = _NOWHERE
    columns: tuple[str, ...] = ()


class Exclusion(QueryFact, frozen=True):
    """``x NOT IN (SELECT column FROM table)`` that does not exclude NULL."""

    column: str = ""
    table: Name | None = None


class CrossJoin(QueryFact, frozen=True):
    """Tables in FROM without a join condition."""

    tables: tuple[str, ...] = ()


class UnorderedLimit(QueryFact, frozen=True):
    """LIMIT without ORDER BY, or OFFSET; ``count`` is the number if it is literal."""

    count: int | None = None
    parameter: bool = False


class ViewStar(QueryFact, frozen=True):
    """View with SELECT *."""

    view: str = ""


class NullCompared(QueryFact, frozen=True):
    """``= NULL``, or NULL in the list of IN; ``column`` is the compared column."""

    column: str = ""
    listed: bool = False


class TypeChange(QueryFact, frozen=True):
    """Changed type of a column in use, in a dialect other than PostgreSQL."""

    table: str = ""
    column: str = ""
    type: str = ""
    recoded: bool = False


class TypedColumn(QueryFact, frozen=True):
    """Declared column of a new table, or added to an existing one."""

    table: str = ""
    column: str = ""
    type: str = ""


AnyFact = TypeVar("AnyFact", bound=QueryFact)


class AddedColumn(QueryFact, frozen=True):
    """NOT NULL column without a default added to a table, in a dialect that rejects it."""

    table: str = ""
    column: str = ""


class RemovedObject(QueryFact, frozen=True):
    """Column or table renamed or dropped, in a dialect other than PostgreSQL."""

    name: str = ""
    renamed: bool = False


class PublicGrant(QueryFact, frozen=True):
    """Privileges granted to everyone, in a dialect other than PostgreSQL."""

    rights: str = ""
    who: str = ""


class MoneyCast(QueryFact, frozen=True):
    """Column of a model or view that is cast to a floating-point type."""

    column: str = ""
    type: str = ""
