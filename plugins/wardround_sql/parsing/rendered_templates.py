"""SQL templates as they may be once they are rendered, to find out whether their SQL can be parsed.

No template is run. Expressions become names and tags blanks; since the output of a template is unknown, the
text is also parsed without branches, and without expressions that are a clause by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from wardround.lazy import LazyPattern
from wardround_sql.parsing.jinja import replace_jinja
from wardround_sql.parsing.splitter import cut
from wardround_sql.parsing.statements import is_read

_TAG = LazyPattern(r"\{#.*?#\}|\{%[-+]?\s*(\w+)\b((?:[^%]|%(?!\}))*)%\}", re.DOTALL)
_EXPRESSION = LazyPattern(r"\{\{(?:'(?:\\.|[^'\\])*+'|\"(?:\\.|[^\"\\])*+\"|(?!\}\}).)*+\}\}", re.DOTALL)
_BRACES = LazyPattern(r"[{}]")
"""Braces in the strings of an expression: ``{{ config(after='grant {{ this }}') }}``."""
_ALONE = LazyPattern(r"^[ \t]*,?[ \t]*(?:\{\{(?:(?!\}\}).)*\}\}[ \t]*)+,?[ \t]*$", re.MULTILINE | re.DOTALL)
_OF_LOOP = LazyPattern(r"\bloop\s*\.\s*(?:last|first|index0?|revindex0?|nextitem|previtem)\b")
_ASIDE = ("macro", "call", "set", "test", "materialization", "docs", "snapshot_config")
_TYPE = LazyPattern(r"(?i)(?:(?<=\bas\s)|(?<=::))\{\{[^{}]*\}\}(?=\s*(?:\)|,|$|\bas\b))", re.MULTILINE)
_FIRST = LazyPattern(
    r"(?s)(?:\s|\{\{\s*config\((?:(?!\}\}).)*+\}\}|--[^\n]*+)*+(\{\{(?!\s*config\()(?:(?!\}\}).)*\}\})"
)
_QUERY = "select * from x"
_LONGEST = 60_000
"""Characters of a file, above which it is not read in every dialect."""
_DIALECTS = (
    "snowflake",
    "bigquery",
    "redshift",
    "databricks",
    "duckdb",
    "trino",
    "clickhouse",
    "tsql",
    "mysql",
)


def has_parsable_rendering(text: str) -> bool:
    """Return True if a rendering of a template can be parsed in PostgreSQL or another dialect."""
    renderings = list(dict.fromkeys(_renderings(text)))
    if any(_reads_postgres(rendering) for rendering in renderings):
        return True
    return len(text) <= _LONGEST and any(
        _is_readable(rendering, dialect) for dialect in _DIALECTS for rendering in renderings
    )


def _renderings(text: str) -> Iterator[str]:
    text = _EXPRESSION.sub(lambda match: "{{" + _BRACES.sub(" ", match[0][2:-2]) + "}}", text)
    for has_branches, has_lone_expressions in product((True, False), repeat=2):
        rendered = _blank_bodies(text, has_branches=has_branches)
        if not has_lone_expressions:
            rendered = _ALONE.sub(lambda match: _blank(match[0]), rendered)
        yield replace_jinja(_fill_types_and_query(rendered))


def _fill_types_and_query(text: str) -> str:
    """Fill in expressions that are the type of a cast, or the query at the start of the file."""
    text = _TYPE.sub(lambda match: "int".ljust(len(match[0])), text)
    first = _FIRST.match(text)
    if first is None or len(first[1]) < len(_QUERY):
        return text
    return text[: first.start(1)] + _QUERY + _blank(first[1][len(_QUERY) :]) + text[first.end(1) :]


def _blank_bodies(text: str, *, has_branches: bool) -> str:
    """Blank the bodies of tags that write no SQL here, or not always; of branches the first remains."""
    out, at = list[str](), 0
    blanked = list[bool]()
    for tag in _TAG.finditer(text):
        piece = text[at : tag.start()]
        out += [_blank(piece) if any(blanked) else piece, tag[0]]
        at = tag.end()
        _enter_or_leave(blanked, tag, has_branches=has_branches)
    return "".join([*out, text[at:]])


def _enter_or_leave(blanked: list[bool], tag: re.Match[str], *, has_branches: bool) -> None:
    """Update the open tags: for each, whether its body is blanked."""
    name, rest = tag[1] or "", tag[2] or ""
    if name.startswith("end"):
        if blanked:
            blanked.pop()
        return
    match name:
        case "if":
            blanked.append(not has_branches or _OF_LOOP.search(rest) is not None)
        case "for":
            blanked.append(False)
        case "else" | "elif" if blanked:
            blanked[-1] = True
        case _ if _blanks_body(name, rest):
            blanked.append(True)


def _blanks_body(name: str, rest: str) -> bool:
    """Return True for a tag whose body writes no SQL at its place; ``set`` with a value has no body."""
    if name == "set" and "=" in rest:
        return False
    return name in _ASIDE


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _reads_postgres(text: str) -> bool:
    return all(is_read(piece.text) for piece in cut(text)[0])


def _is_readable(text: str, dialect: str) -> bool:
    import logging

    import sqlglot
    from sqlglot import exp

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    try:
        trees = sqlglot.parse(text, dialect=dialect)
    except (sqlglot.errors.SqlglotError, ValueError, RecursionError, AttributeError, TypeError):
        return False
    kinds = (exp.Query, exp.DML, exp.DDL, exp.Alter, exp.Drop)
    return all(tree is None or isinstance(tree, kinds) for tree in trees)
