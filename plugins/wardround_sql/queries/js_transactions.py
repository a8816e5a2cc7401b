"""Transactions in JavaScript and TypeScript: statements inside a callback that do not use its handle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from wardround.lazy import LazyPattern
from wardround_sql.frontends.script_brackets import closing
from wardround_sql.frontends.script_text import is_in_comment

_BEGIN = LazyPattern(
    r"\b(?P<name>[\w.]+)\s*\.\s*(?:query|execute|exec|fetch)\s*\(\s*(?:text\()?['\"`]\s*(?:BEGIN|START\s+TRANSACTION)\b[^;'\"`]*;?\s*['\"`]",
    re.IGNORECASE,
)
_POOL = LazyPattern(r"(?i)(?:^|[._]|[a-z])pool$")
_OPENED = LazyPattern(
    r"(?P<owner>[\w$]+(?:\.[\w$]+)*)\s*\.\s*\$?transaction\s*(?:<[^()]{0,80}>)?\s*\(\s*"
    r"(?:\{[^{}]*\}\s*,\s*|"
    r"['\"][^'\"\n]*['\"]\s*,\s*)?async\s*(?:function\s*)?\(?\s*(?P<held>[\w$]+)\s*(?::\s*[\w$.<>\[\], "
    r"]+)?\)?\s*"
    r"(?::\s*[\w$.<>\[\], |]+)?(?:=>\s*)?\{"
)
_SEQUELIZE = LazyPattern(r"(?i)(?:^|\.)(?:sequelize)$")
_METHODS = LazyPattern(
    r"\bawait\s+(?P<call>[\w$]+(?:\.[\w$]+)*\.(?:create|bulkCreate|update|destroy|save|upsert|increment|decrement|"
    r"query|addColumn|removeColumn|changeColumn|renameColumn|createTable|dropTable|addIndex|removeIndex|addConstraint|"
    r"removeConstraint|bulkInsert|bulkDelete|bulkUpdate|findOrCreate|restore))\s*\("
)
_OPTIONS = LazyPattern(
    r"(?:^|,)\s*(?:\.\.\.)?\w*(?:[oO]ptions?|[oO]pts)\w*\s*,?\s*$|\.\.\.\w*(?:[oO]ptions?|[oO]pts)\b"
)
_NO_QUERY = ("fn", "raw", "ref", "client", "schema", "$on", "$use", "logger", "options", "name", "config")


def begun_on_pools(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield each BEGIN on a pool: the location of the call and the pool's name."""
    for match in _BEGIN.finditer(text) if "ool" in text else ():
        name = match["name"].removeprefix("this.").removeprefix("self.")
        if is_in_comment(text, match.start()) or text[: match.start()].rstrip().endswith("#"):
            continue
        if _POOL.search(name) or _is_pool(text, name):
            yield match.start(), match.end("name"), name


@lru_cache(maxsize=64)
def _is_pool(text: str, name: str) -> bool:
    """Return True if a file creates a pool of that name."""
    last = re.escape(name.split(".")[-1])
    created = rf"\b{last}\s*(?::\s*\w+\s*)?=\s*(?:await\s+)?(?:new\s+)?[\w.]*(?:Pool|create_pool)\s*\("
    return re.search(created, text) is not None


def outside(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield statements in a transaction's callback that bypass its handle: location and handle."""
    for match in _OPENED.finditer(text) if "ransaction" in text else ():
        if is_in_comment(text, match.start()):
            continue
        end = closing(text, match.end() - 1)
        owner, values = match["owner"], match["held"]
        if _SEQUELIZE.search(owner):
            yield from _calls_without_transaction(text, match.end(), end, values)
        else:
            yield from _owner_queries(text, match.end(), end, owner, values)


_HELD = LazyPattern(
    r"\b(?:const|let)\s+(?P<held>[\w$]+)\s*(?::\s*[\w$.]+\s*)?=\s*await\s+(?P<owner>[\w$]+(?:\.[\w$]+)*)\.transaction\(\s*"
    r"(?:\{[^{}]*\}\s*)?\)"
)
_CLIENT_BEGINS = LazyPattern(
    r"\b(?P<held>[\w$]+(?:\.[\w$]+)*)\.query\(\s*['\"`]\s*(?:BEGIN|START\s+TRANSACTION)\b", re.IGNORECASE
)


def outside_begun(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield such statements between calls that begin and end a transaction."""
    for match in _HELD.finditer(text) if "transaction" in text else ():
        end = text.find(f"{match['held']}.commit", match.end())
        if end >= 0 and _SEQUELIZE.search(match["owner"]):
            yield from _calls_without_transaction(text, match.end(), end, match["held"])
        elif end >= 0:
            yield from _owner_queries(text, match.end(), end, match["owner"], match["held"])
    for match in _CLIENT_BEGINS.finditer(text) if "ool" in text else ():
        yield from _pool_queries(text, match)


def _pool_queries(text: str, begin: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """Yield queries on a pool between BEGIN and COMMIT on one of its clients."""
    client = begin["held"]
    commit = re.compile(rf"\b{re.escape(client)}\.query\(\s*['\"`]\s*COMMIT\b", re.IGNORECASE)
    end = commit.search(text, begin.end())
    if end is None or _POOL.search(client) or _is_pool(text, client):
        return
    for query in _ON_POOL.finditer(text, begin.end(), end.start()):
        if _POOL.search(query["name"]) and not is_in_comment(text, query.start()):
            yield query.start("name"), query.end("name"), client


_ON_POOL = LazyPattern(r"\bawait\s+(?P<name>[\w$]+(?:\.[\w$]+)*)\.query\s*\(")


def _owner_queries(
    text: str, start: int, end: int, owner: str, values: str
) -> Iterator[tuple[int, int, str]]:
    """Yield queries on the object that opened the transaction, and on TypeORM's repositories of it."""
    other = r"|this\.\w*[rR]epo(?:sitory)?" if "typeorm" in text else ""
    again = re.compile(
        rf"\b(?:await|return)\s+(?P<call>(?:{re.escape(owner)}{other})(?P<next>\s*\(|\s*\.\s*[\w$]+))"
    )
    for match in again.finditer(text, start, end):
        step = match["next"].strip().lstrip(".").strip()
        if step in _NO_QUERY or step.endswith("ransaction") or is_in_comment(text, match.start()):
            continue
        rest = text[match.start() : _statement_end(text, match.end(), end)]
        if not re.search(rf"\b{re.escape(values)}\b", rest):
            yield match.start("call"), match.end("call"), values


def _statement_end(text: str, offset: int, end: int) -> int:
    stop = text.find(";", offset, end)
    return end if stop < 0 else stop


def _calls_without_transaction(
    text: str, start: int, end: int, values: str
) -> Iterator[tuple[int, int, str]]:
    """Yield Sequelize's calls without the transaction among their options."""
    if "useCLS" in text:
        return
    for match in _METHODS.finditer(text, start, end):
        arguments = text[match.end() : closing(text, match.end() - 1)]
        reported = re.search(rf"\b(?:transaction|{re.escape(values)})\b", arguments)
        if reported is None and not _OPTIONS.search(arguments) and not is_in_comment(text, match.start()):
            yield match.start("call"), match.end("call"), f"{{ transaction: {values} }}"
