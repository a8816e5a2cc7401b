"""Arbitrary choice among several rows: ``LIMIT 1`` and ``DISTINCT ON`` without an order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern
from wardround.storage.regex_cache import bounded
from wardround_sql.document import SqlDocument
from wardround_sql.parsing import pg_nodes
from wardround_sql.parsing.pg_nodes import Node, column_name, content, walk
from wardround_sql.queries.facts import Limit, conjuncts, is_one_row, parameters_of, roots

_KEYS = ("id", "uuid", "pk", "slug", "key", "email", "token", "code")
_WHICH = LazyPattern(
    r"(?i)(?:\b|_)(?:latest|newest|most[_ "
    r"]recent|oldest|earliest|last|top|current|longest|shortest|cheapest)(?=\b|_)|"
    r"(?-i:(?:latest|newest|mostRecent|oldest|earliest|last|current)(?=[A-Z]))|"
    r"(?-i:(?:\b|(?<=[a-z]))(?:Latest|Newest|Oldest|Earliest|Last|MostRecent)(?=[A-Z(]|\b))"
)
_AROUND = LazyPattern(
    r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:(?:async|static|public|private|protected|readonly|const|"
    r"let)\s+)*"
    r"(?:def|function)?\s*(?!(?:if|for|while|with|return|switch|catch|await|try|else|"
    r"elif)\b)(?P<name>[A-Za-z_]\w*)\s*"
    r"(?:<[^>\n]*>)?(?:\(|=)",
    re.MULTILINE,
)
_QUERY_NAME = LazyPattern(r"(?:--|/\*)\s*:?@?name\s*:?\s*(?P<name>[\w-]+)")
"""Name of the following query for sqlc, aiosql, HugSQL and PgTyped."""
_NEAR = 900
"""Characters before a query in which to search for the name of the enclosing function."""
_DATED = ("_at", "_on", "date", "time", "from", "until", "version", "_day", "_ts", "timestamp")


def chosen_rows(script: SqlDocument) -> Iterator[Limit]:
    """Yield ``LIMIT 1`` without ORDER BY; ``parameter`` is True if the condition matches several rows."""
    for statement in roots(script):
        for select in statement.selects:
            constant = content(select.get("limitCount"), "A_Const")
            if constant is None or constant.get("ival", {}).get("ival") != 1 or "sortClause" in select:
                continue
            where = select.get("whereClause")
            if is_one_row(select) or _gives_constants(select) or _has_key(where, parameters_of(statement)):
                continue
            several = any(_is_range(part) for part in conjuncts(where))
            yield Limit(script.span(statement, constant.get("location")), "", statement, 1, several)


def _gives_constants(select: Node) -> bool:
    targets = [(content(node, "ResTarget") or {}).get("val") for node in select.get("targetList", [])]
    return all(content(target, "A_Const") is not None for target in targets)


def _has_key(where: object, arguments: frozenset[str]) -> bool:
    """Return True if a condition selects one row by a probable key; ``given`` are parameters."""
    for part in conjuncts(where):
        expression = content(part, "A_Expr") or {}
        if expression.get("kind") == "AEXPR_OP" and pg_nodes.texts(expression.get("name")) == ["="]:
            names = [column_name(expression.get(side))[-1:] for side in ("lexpr", "rexpr")]
            operands = [[] if name and name[0] in arguments else name for name in names]
            if any(side and side[0].lower() in _KEYS for side in operands) and not all(operands):
                return True
    return False


def _is_range(part: object) -> bool:
    """Return True if a condition compares a date or version with a bound."""
    expression = content(part, "A_Expr") or {}
    if expression.get("kind") != "AEXPR_OP" or pg_nodes.texts(expression.get("name"))[0] not in (
        "<",
        "<=",
        ">",
        ">=",
    ):
        return False
    return any(
        name[-1].lower().endswith(_DATED)
        for side in ("lexpr", "rexpr")
        if (name := column_name(expression.get(side)))
    )


def arbitrary_group_rows(script: SqlDocument) -> Iterator[Limit]:
    """Yield ``DISTINCT ON`` without ORDER BY, which keeps an arbitrary row of each group."""
    for statement in roots(script):
        for select in statement.selects:
            distinct = select.get("distinctClause", [])
            if any(item for item in distinct) and "sortClause" not in select:
                node = next((n["location"] for n in walk(distinct) if "location" in n), None)
                yield Limit(script.span(statement, node), "", statement)


_BATCH = LazyPattern(
    r"(?i)batch|chunk|sweep|worker|cleanup|clean_up|purge|prune|queue|jobs?[/_.]|migrat|cron|scan|"
    r"analy[sz]e|debug|inspect|explore|(?:^|/)(?:check|test|scripts?)[-_/]"
)
_FEW = range(3, 101)
"""Limits of rows that are displayed: two test for uniqueness, many are a batch."""


def works_in_batches(path: str) -> bool:
    """Return True if a file processes all rows in the end, in any order."""
    return _BATCH.search(path) is not None


def is_shown(count: str, query: str) -> bool:
    """Return True if a limit that code builds is on displayed rows: a page of several, or the first few.

    Args:
        count: the limit in the code.
        query: the code of the query.
    """
    if _PAGED.search(query):
        return True
    return count.strip().isdigit() and int(count) in _FEW and not _BATCH.search(query)


_PAGED = LazyPattern(r"(?i)\boffset\b|\bskip\b(?!_?locked)|\bpage\b")


def requests_specific_row(code: str, offset: int) -> bool:
    """Return True if the enclosing function or constant requests a specific row by its name or docstring."""
    before = code[max(offset - _NEAR, 0) : offset]
    named = list(_QUERY_NAME.finditer(before))
    if named and _WHICH.search(named[-1]["name"]):
        return True
    heads = [match for match in _AROUND.finditer(before) if _is_head(before, match)]
    return bool(heads) and _WHICH.search(_name_and_docstring(before, heads[-1])) is not None


def _is_head(before: str, result: re.Match[str]) -> bool:
    """Return True if a line begins a function or a constant, and is not a call or an inner assignment."""
    line = before[result.start() : (before.find("\n", result.start()) + 1 or len(before) + 1) - 1]
    begins = re.match(r"\s*(?:export\s+|async\s+|static\s+|public\s+|private\s+)*(?:def|function)\b", line)
    opens = bounded(r"\)\s*(?::[^{]*)?\{\s*$|=>\s*[{(]?\s*$").search(line)
    constant = re.match(r"(?:export\s+)?(?:const\s+)?[A-Za-z_]\w*\s*=\s*(?:f?[\"'`]|\()", line)
    return bool(begins or opens or constant)


def _name_and_docstring(before: str, head: re.Match[str]) -> str:
    """Return the name of a function and its first docstring."""
    doc = bounded(r"^\s*\"\"\"(.*?)\"\"\"", re.DOTALL | re.MULTILINE).search(before[head.end() :])
    return head["name"] + " " + (doc[1].split("\n\n")[0] if doc and doc.start() < 200 else "")
