"""Queries built with knex, Kysely, Drizzle, TypeORM, Sequelize, Prisma and supabase-js.

The result is not a translation: it is the shortest statement that triggers the same rules as the built query.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from functools import lru_cache

from wardround.lazy import LazyPattern
from wardround_sql.frontends.js_chains import QUERY, Chain, chain_at, chain_end, helper_of
from wardround_sql.frontends.script_brackets import closing
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    every_row,
    limited_query,
    not_in_query,
    undone_join_query,
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


def script_queries(path: str, text: str) -> Iterator[AssembledText]:
    """Yield the statements that represent the queries a file builds."""
    if not _LIBRARY.search(text) or _NO_SQL.search(text):
        return
    for step in _STEP.finditer(text):
        name, opened = step["name"], step.end() - 1
        arguments = text[opened + 1 : closing(text, opened)]
        chain = chain_at(text, step.start(), opened)
        batch = name in _LIMITS and works_in_batches(path)
        if chain is not None and not batch and not _is_comment(text, step.start()):
            yield from _assemble_step(text, name, arguments, chain, step)
    yield from _pages(text)


def _assemble_step(
    text: str, name: str, arguments: str, chain: Chain, step: re.Match[str]
) -> Iterator[AssembledText]:
    position, wide = step.start("name"), len(name)
    match name:
        case "limit" | "first" | "take" if _is_query(text, chain):
            yield from _limit(text, name, arguments, chain, position)
        case "offset" | "skip" if _takes_pages(name, arguments, chain):
            yield _say(position, wide, "SELECT 1 FROM t ORDER BY 1 OFFSET $1")
        case "findFirst":
            yield from _prisma_first(text, name, arguments, position)
        case "findMany":
            yield from _prisma_pages(text, name, arguments, position)
        case "del" | "delete" | "update" | "deleteFrom" | "updateTable" | "deleteMany" | "updateMany":
            yield from _write(text, name, arguments, chain, position)
        case "leftJoin" | "leftOuterJoin":
            yield from _filtered_joins(arguments, chain)
        case "whereNotIn":
            yield from _exclusion_conditions(_resolved_arguments(text, arguments), position, wide)


def _is_query(text: str, chain: Chain) -> bool:
    return QUERY.search(chain.text) is not None or helper_of(text, chain) is not None


def _takes_pages(name: str, arguments: str, chain: Chain) -> bool:
    """Return True if a query skips a number of rows that is not a constant."""
    if name == "skip" and "take(" not in chain.text:
        return False
    return QUERY.search(chain.text) is not None and not _CONSTANT.fullmatch(arguments)


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
    query = chain.text + (helper_of(text, chain) or "")
    if any(pattern.search(query) for pattern in (_ORDERED, _KEY, _COUNTS)):
        return
    if name == "take" and "createQueryBuilder" not in query:
        return
    single = _limits_to_one_row(name, arguments, chain)
    shows_rows = not single and is_shown(arguments, query)
    if shows_rows or requests_specific_row(text, offset):
        yield _say(offset, len(name), limited_query(single=single))


def _limits_to_one_row(name: str, arguments: str, chain: Chain) -> bool:
    if name == "first" or arguments.strip() == "1":
        return True
    return re.search(r"\.(?:maybeSingle|single)\(", chain.text) is not None


_COUNTS = LazyPattern(r"(?i)\.(?:count|max|min|sum|avg)\s*\(|forUpdate|skipLocked|\.(?:del|delete|update)\(")


def _prisma_first(text: str, name: str, arguments: str, offset: int) -> Iterator[AssembledText]:
    """Yield Prisma's ``findFirst`` for a row that the code takes for a specific one."""
    if _is_settled(arguments) or not requests_specific_row(text, offset):
        return
    if not re.search(r"\bwhere\s*:\s*\{\s*(?:id|uuid|slug|email)\b", arguments):
        yield _say(offset, len(name), limited_query(single=True))


def _prisma_pages(text: str, name: str, arguments: str, offset: int) -> Iterator[AssembledText]:
    """Yield the ``take`` of Prisma's ``findMany``."""
    take = re.search(r"\btake\s*:\s*([^,}\n]*)", arguments)
    if take is None or _is_settled(arguments) or "cursor" in arguments:
        return
    if is_shown(take[1], arguments) or requests_specific_row(text, offset):
        yield _say(offset + len(name) + 1 + take.start(), 4, limited_query(single=False))


def _is_settled(arguments: str) -> bool:
    """Return True if a query has an order, or options that are not all visible."""
    if _ORDERED.search(arguments):
        return True
    return "..." in arguments or not arguments.strip().startswith("{")


def _write(text: str, name: str, arguments: str, chain: Chain, offset: int) -> Iterator[AssembledText]:
    """Yield a write that affects every row."""
    verb = "update" if "pdate" in name else "delete"
    if name in ("deleteMany", "updateMany"):
        table = _PRISMA.search(text[max(offset - 80, 0) : offset])
        is_filtered = re.search(r"\bwhere\b|\.\.\.|^\s*[^\s{]", arguments) is not None
    elif name in ("deleteFrom", "updateTable"):
        table = re.match(r"\s*['\"`](\w+)", arguments)
        is_filtered = _NARROWED.search(text[offset : chain_end(text, offset)]) is not None
    else:
        table = _chain_table(text, arguments, chain)
        is_filtered = _is_filtered_chain(verb, arguments, chain.text + text[offset : chain_end(text, offset)])
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
        yield _say(chain.start + used.start() + 1, 5, undone_join_query(name))


def _exclusion_conditions(arguments: str, offset: int, wide: int) -> Iterator[AssembledText]:
    """Yield ``whereNotIn`` over a query of a foreign key column that may be NULL."""
    inner = re.search(
        r"\.(?:select|pluck|distinct)\(\s*['\"`](?:\w+\.)?(\w+)['\"`]\s*\)|"
        r"\bselect\(\s*['\"`](?:\w+\.)?(\w+)['\"`]\s*\)",
        arguments,
    )
    table = re.search(r"(?:\bfrom\(|\b(?:knex|db|trx)\()\s*['\"`](\w+)['\"`]", arguments)
    column = (inner[1] or inner[2]) if inner else ""
    if table and column and column != "id" and "NotNull" not in arguments:
        yield _say(offset, wide, not_in_query(column, table[1]))


def _pages(text: str) -> Iterator[AssembledText]:
    """Yield ``skip`` and ``offset`` in the options of a query."""
    if not _FINDS.search(text):
        return
    has_options = _OPTIONS.search(text) is not None
    for match in _PAGE.finditer(text):
        if match["name"] == "offset" and not has_options:
            continue
        if _skips_rows(text, match) and not _is_comment(text, match.start()):
            yield _say(match.start(), len(match["name"]), "SELECT 1 FROM t ORDER BY 1 OFFSET $1")


def _skips_rows(text: str, page: re.Match[str]) -> bool:
    """Return True if an option skips rows of a page, and is neither a constant nor the type of an option."""
    value = page["value"].strip().rstrip(");")
    if _CONSTANT.fullmatch(value):
        return False
    if value in ("number", "string", "undefined", "z.number()"):
        return False
    if re.search(r"\b(?:z|t|Joi)\.\w+\(", value):
        return False
    around = text[max(page.start() - 200, 0) : page.end() + 200]
    size = "take" if page["name"] == "skip" else "limit"
    return re.search(rf"\b{size}\b\s*[:,}}]", around) is not None and "cursor" not in around


_FINDS = LazyPattern(r"find(?:Many|All|AndCount\w*|AndCountAll|\()")
_OPTIONS = LazyPattern(r"(?i)\b(?:sequelize|mikro-orm|drizzle)\b")


def _is_comment(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset].lstrip()
    return line.startswith(("//", "*", "/*"))


def _say(offset: int, wide: int, sql: str) -> AssembledText:
    writer = SqlAssembler()
    writer.add(sql, offset, wide)
    return writer.text()
