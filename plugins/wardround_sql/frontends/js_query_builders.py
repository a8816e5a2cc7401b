"""Queries built with knex, Kysely, Drizzle, TypeORM, Sequelize, Prisma and supabase-js.

The result is not a translation: it is the shortest statement that triggers the same rules as the built query.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from wardround.checks.lazy import LazyPattern
from wardround.storage.regex_cache import bounded
from wardround_sql.frontends.js_schema_builders import closing
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    every_row,
    excluded,
    limited,
    undone,
)
from wardround_sql.queries.row_intent import is_shown, requests_specific_row, works_in_batches

_STEP = LazyPattern(
    r"\.\s*(?P<name>limit|offset|skip|first|take|del|delete|update|truncate|leftJoin|leftOuterJoin|"
    r"deleteFrom|updateTable|"
    r"deleteMany|updateMany|findFirst|findMany|whereNotIn)\s*(?:<[^()\n]*>)?\("
)
_LIBRARY = LazyPattern(
    r"(?i)\bknex\b|\bkysely\b|drizzle|typeorm|sequelize|prisma|\bsupabase\b|objection|\bselectFrom\(|"
    r"mikro-orm"
)
_QUERY = LazyPattern(
    r"(?i)\.(?:select|from|where\w*|selectFrom|join|leftJoin|innerJoin|createQueryBuilder|andWhere|eq|"
    r"table|orderBy)\s*(?:<[^()]*>)?\(|"
    r"\b(?:knex|db|trx|tx|qb|this\.(?:knex|db))\s*(?:<[^()]*>)?\(\s*['\"`]"
)
_NO_SQL = LazyPattern(r"(?i)mongoose|mongodb|\bModel\.find\(|firestore|\.collection\(")
_ORDERED = LazyPattern(r"\.(?:orderBy\w*|order|addOrderBy|sortBy)\s*\(|\borderBy\s*:|\border\s*:")
_NARROWED = LazyPattern(
    r"\.(?:where\w*|andWhere\w*|eq|neq|in|is|match|filter|gt|gte|lt|lte|like|ilike|or|not|limit|"
    r"whereRef|modify)\s*(?:<[^()]*>)?\("
)
_KEY = LazyPattern(
    r"(?i)\b(?:where|eq|findBy\w*)\s*\(\s*(?:\{\s*)?['\"`]?(?:\w+\.)?(?:id|uuid|slug|email|token|key|"
    r"code)['\"`]?\s*[,:}]|"
    r"eq\(\s*\w+\.(?:id|uuid|slug|email|token|key)\b"
)
_LIMITS = ("limit", "first", "take", "findFirst", "findMany")
_CONSTANT = LazyPattern(r"\s*\d*\s*")
_PAGE = LazyPattern(r"(?<![\w.])(?P<name>skip|offset)\s*:\s*(?P<value>[^,\n}]+)")


class Chain(Struct, frozen=True):
    """Text of a chain of calls, its start, and the location of one step in it."""

    text: str
    start: int
    at: int


def script_queries(path: str, text: str) -> Iterator[AssembledText]:
    """Yield the statements that represent the queries a file builds."""
    if not _LIBRARY.search(text) or _NO_SQL.search(text):
        return
    for step in _STEP.finditer(text):
        name, opened = step["name"], step.end() - 1
        arguments = text[opened + 1 : closing(text, opened)]
        chain = _chain(text, step.start(), opened)
        batch = name in _LIMITS and works_in_batches(path)
        if chain is not None and not batch and not _is_comment(text, step.start()):
            yield from _of_step(text, name, arguments, chain, step)
    yield from _pages(text)


def _of_step(
    text: str, name: str, arguments: str, chain: Chain, step: re.Match[str]
) -> Iterator[AssembledText]:
    queries = _QUERY.search(chain.text) is not None
    position, wide = step.start("name"), len(name)
    pages = name == "offset" or (name == "skip" and "take(" in chain.text)
    if pages and queries and not _CONSTANT.fullmatch(arguments):
        yield _say(position, wide, "SELECT 1 FROM t ORDER BY 1 OFFSET $1")
    elif name in ("limit", "first", "take") and (queries or _helper(text, chain) is not None):
        yield from _limit(text, name, arguments, chain, position)
    elif name in ("findFirst", "findMany"):
        yield from _prisma_finds(text, name, arguments, chain, position)
    elif name in ("del", "delete", "update", "deleteFrom", "updateTable", "deleteMany", "updateMany"):
        yield from _write(text, name, arguments, chain, position)
    elif name in ("leftJoin", "leftOuterJoin"):
        yield from _filtered_joins(arguments, chain)
    elif name == "whereNotIn":
        yield from _excluded(_resolved_arguments(text, arguments), position, wide)


def _resolved_arguments(text: str, values: str) -> str:
    """Return arguments with the last one replaced by the value of its constant."""
    last = values.rpartition(",")[2].strip()
    return values + (_constant_value(text, last) if last.isidentifier() else "")


@lru_cache(maxsize=256)
def _constant_value(text: str, name: str) -> str:
    """Return the value of a constant of the file; empty if it is unknown."""
    match = re.search(rf"\bconst\s+{re.escape(name)}\s*=\s*([^;\s][^;]{{0,600}});", text)
    return "" if match is None else match[1]


def _limit(text: str, name: str, arguments: str, chain: Chain, offset: int) -> Iterator[AssembledText]:
    whole = chain.text + (_helper(text, chain) or "")
    if _ORDERED.search(whole) or _KEY.search(whole) or _COUNTS.search(whole):
        return
    if name == "take" and "createQueryBuilder" not in whole:
        return
    single = (
        name == "first" or arguments.strip() == "1" or re.search(r"\.(?:maybeSingle|single)\(", chain.text)
    )
    if requests_specific_row(text, offset) or (not single and is_shown(arguments, whole)):
        yield _say(offset, len(name), limited(single=bool(single)))


_COUNTS = LazyPattern(r"(?i)\.(?:count|max|min|sum|avg)\s*\(|forUpdate|skipLocked|\.(?:del|delete|update)\(")


def _prisma_finds(text: str, name: str, arguments: str, chain: Chain, offset: int) -> Iterator[AssembledText]:
    """Prisma's findFirst, and findMany with ``take``."""
    if _ORDERED.search(arguments) or "..." in arguments or not arguments.strip().startswith("{"):
        return
    if name == "findMany":
        take = re.search(r"\btake\s*:\s*([^,}\n]*)", arguments)
        shown = take is not None and (is_shown(take[1], arguments) or requests_specific_row(text, offset))
        if take is not None and shown and "cursor" not in arguments:
            yield _say(offset + len(name) + 1 + take.start(), 4, limited(single=False))
    elif requests_specific_row(text, offset) and not re.search(
        r"\bwhere\s*:\s*\{\s*(?:id|uuid|slug|email)\b", arguments
    ):
        yield _say(offset, len(name), limited(single=True))


def _write(text: str, name: str, arguments: str, chain: Chain, offset: int) -> Iterator[AssembledText]:
    """Yield a write that affects every row."""
    verb = "update" if "pdate" in name else "delete"
    if name in ("deleteMany", "updateMany"):
        table = _PRISMA.search(text[max(offset - 80, 0) : offset])
        is_filtered = re.search(r"\bwhere\b|\.\.\.|^\s*[^\s{]", arguments) is not None
    elif name in ("deleteFrom", "updateTable"):
        table = re.match(r"\s*['\"`](\w+)", arguments)
        is_filtered = _NARROWED.search(text[offset : _chain_end(text, offset)]) is not None
    else:
        table = _chain_table(text, arguments, chain)
        is_filtered = _is_filtered_chain(
            verb, arguments, chain.text + text[offset : _chain_end(text, offset)]
        )
    if table is not None and not is_filtered:
        named = next((group for group in table.groups() if group), "?")
        yield _say(offset, len(name), every_row(verb, named, ["?"]))


def _chain_table(text: str, arguments: str, chain: Chain) -> re.Match[str] | None:
    """Return the table of a chain in knex, Drizzle or TypeORM."""
    before = text[chain.start : chain.at]
    table = _TABLE.search(before) or _TABLE.search(_handle(text, before, chain.at))
    return table or (_DRIZZLE.match(arguments) if _DB.search(before) else None)


def _is_filtered_chain(verb: str, arguments: str, chain: str) -> bool:
    if _NARROWED.search(chain) or (verb == "update" and "..." in chain.split("(")[0]):
        return True
    return verb == "delete" and bool(arguments.strip()) and not _DRIZZLE.match(arguments)


def _handle(text: str, before: str, offset: int) -> str:
    """Return the value of the constant that a chain begins with, if it has no other use in between."""
    name = before.strip().removeprefix("await").removeprefix("return").strip().rstrip(".")
    if not name.isidentifier():
        return ""
    created = _constants(text).get(name, [])
    last = bisect.bisect_right(created, offset, key=lambda item: item.end("ends")) - 1
    if last < 0:
        return ""
    named = re.compile(rf"\b{re.escape(name)}\b")
    used = named.search(text, created[last].end("ends"), offset - len(before.rstrip()))
    return "" if used is not None else created[last]["value"]


_CONST = LazyPattern(r"\bconst\s+(?=(?P<name>\w+)\s*=\s*(?P<value>[^;\n]{1,200})(?P<ends>;))")


@lru_cache(maxsize=8)
def _constants(text: str) -> dict[str, list[re.Match[str]]]:
    """Return the constants of a file whose value is on one line, by name, in order."""
    result: dict[str, list[re.Match[str]]] = {}
    for match in _CONST.finditer(text):
        result.setdefault(match["name"], []).append(match)
    return result


_TABLE = LazyPattern(
    r"(?:\b(?:knex|db|trx|tx|this\.(?:knex|db))\s*(?:<[^()]*>)?\(|\.(?:from|"
    r"table)\()\s*['\"`](\w+)['\"`]\s*\)\s*\.?$"
)
_PRISMA = LazyPattern(r"\b(?:\w*[pP]risma\w*|tx|trx|db|client)\s*\.\s*(\w+)\s*\.\s*$")
_DRIZZLE = LazyPattern(r"\s*([a-z]\w*(?:Table)?)\s*$")
_DB = LazyPattern(r"(?:^|[.\s])(?:db|tx|trx)\s*\.?$")


def _filtered_joins(arguments: str, chain: Chain) -> Iterator[AssembledText]:
    """Yield ``where`` conditions on the right table of ``leftJoin``."""
    table = re.match(r"\s*['\"`](?:\w+\.)?(\w+)(?:\s+(?:as\s+)?(\w+))?['\"`]", arguments)
    name = (table[2] or table[1]) if table else ""
    behind = chain.text
    used = re.search(
        rf"\.(?:where|andWhere|whereIn|"
        rf"whereBetween)\(\s*['\"`]{re.escape(name)}\.\w+['\"`]\s*,\s*(?!['\"`](?:is|<>|!=)|null)",
        behind,
    )
    if name and used is not None:
        yield _say(chain.start + used.start() + 1, 5, undone(name))


def _excluded(arguments: str, offset: int, wide: int) -> Iterator[AssembledText]:
    """Yield ``whereNotIn`` over a query of a foreign key column that may be NULL."""
    inner = re.search(
        r"\.(?:select|pluck|distinct)\(\s*['\"`](?:\w+\.)?(\w+)['\"`]\s*\)|"
        r"\bselect\(\s*['\"`](?:\w+\.)?(\w+)['\"`]\s*\)",
        arguments,
    )
    table = re.search(r"(?:\bfrom\(|\b(?:knex|db|trx)\()\s*['\"`](\w+)['\"`]", arguments)
    column = (inner[1] or inner[2]) if inner else ""
    if table and column and column != "id" and "NotNull" not in arguments:
        yield _say(offset, wide, excluded(column, table[1]))


def _pages(text: str) -> Iterator[AssembledText]:
    """Yield ``skip`` and ``offset`` in the options of a query."""
    if not _FINDS.search(text):
        return
    has_options = _OPTIONS.search(text) is not None
    for match in _PAGE.finditer(text):
        value = match["value"].strip().rstrip(");")
        if match["name"] == "offset" and not has_options:
            continue
        around = text[max(match.start() - 200, 0) : match.end() + 200]
        pair = "take" if match["name"] == "skip" else "limit"
        if _CONSTANT.fullmatch(value) or not re.search(rf"\b{pair}\b\s*[:,}}]", around) or "cursor" in around:
            continue
        if value in ("number", "string", "undefined", "z.number()") or re.search(
            r"\b(?:z|t|Joi)\.\w+\(", value
        ):
            continue
        if not _is_comment(text, match.start()):
            yield _say(match.start(), len(match["name"]), "SELECT 1 FROM t ORDER BY 1 OFFSET $1")


_FINDS = LazyPattern(r"find(?:Many|All|AndCount\w*|AndCountAll|\()")
_OPTIONS = LazyPattern(r"(?i)\b(?:sequelize|mikro-orm|drizzle)\b")


def _helper(text: str, chain: Chain) -> str | None:
    """Return the body of the file's function that a chain begins with; None if there is none."""
    start = re.match(r"\s*(?:await\s+|return\s+)?(?:this\.)?(\w+)\(", chain.text)
    if start is None:
        return None
    return _bodies(text).get(start[1])


_FUNCTION = LazyPattern(
    r"^[ \t]*(?:(?:private|public|protected|async|function|const)\s+)*(?P<name>\w++)"
    r"(?=\s*(?:=\s*)?\([^)]*\)[^{\n]*(?P<opened>\{))",
    re.MULTILINE,
)


@lru_cache(maxsize=8)
def _bodies(text: str) -> dict[str, str]:
    """Return the bodies of the file's functions that build queries, by name; the first of duplicates."""
    result: dict[str, int] = {}
    for match in _FUNCTION.finditer(text):
        result.setdefault(match["name"], match.start("opened"))
    bodies = {name: text[opened + 1 : closing(text, opened)] for name, opened in result.items()}
    return {name: body for name, body in bodies.items() if _QUERY.search(body)}


def _chain(text: str, offset: int, opened: int) -> Chain | None:
    """Return the chain of calls around a step, from its first word to its last parenthesis."""
    start = _chain_start(text, offset)
    end = _chain_end(text, opened)
    return Chain(text[start:end], start, offset) if start < offset else None


_OPENS = {")": "(", "]": "[", "}": "{"}


def _chain_start(text: str, position: int) -> int:
    """Return the start of the chain whose next step is at an offset."""
    limit = max(position - 3000, 0)
    while position > limit:
        place = position
        while place and text[place - 1].isspace():
            place -= 1
        char = text[place - 1] if place else ""
        if char in _OPENS:
            position = _opening(text, place - 1, limit)
            if position < 0:
                return limit
        elif char.isalnum() or char in "_$.?!":
            if (
                place < position
                and char not in ".?!"
                and not text[position : position + 3].lstrip().startswith(".")
            ):
                return position
            position = place - 1
        elif char == ">":
            opened = bounded(r"\w(<[^()<>]*(?:<[^<>]*>)?[^()<>]*>)$").search(
                text[max(place - 200, 0) : place]
            )
            if opened is None:
                return position
            position = place - len(opened[1])
        else:
            return position
    return position


def _opening(text: str, at: int, limit: int) -> int:
    """Return the opening bracket of the one that closes at an offset; -1 if it is too far away."""
    depth = 0
    while at >= limit:
        char = text[at]
        if char in "'\"`":
            at = text.rfind(char, limit, at)
            if at < 0:
                return -1
        elif char in ")]}":
            depth += 1
        elif char in "([{":
            depth -= 1
            if depth == 0:
                return at
        at -= 1
    return -1


_NEXT = LazyPattern(r"(?:\s|//[^\n]*\n|/\*[^*]*\*/)*[?!]?\.\s*\w+\s*(?:<[^()]*>)?\(")


def _chain_end(text: str, position: int) -> int:
    """Return the end of the chain that contains an offset."""
    opened = text.find("(", position)
    end = closing(text, opened) + 1 if opened >= 0 else position
    while (more := _NEXT.match(text, end)) is not None:
        end = closing(text, more.end() - 1) + 1
    return end


def _is_comment(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset].lstrip()
    return line.startswith(("//", "*", "/*"))


def _say(offset: int, wide: int, sql: str) -> AssembledText:
    writer = SqlAssembler()
    writer.add(sql, offset, wide)
    return writer.text()
