"""Queries in a loop over the rows of another query (N+1 queries) in JavaScript and TypeScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from wardround.lazy import LazyPattern
from wardround_sql.frontends.script_brackets import closing
from wardround_sql.frontends.script_text import is_in_comment

_TYPE = r"(?:<[^()`;]{0,200}>)?"
_SENDS = r"(?:query|execute|one|oneOrNone|none|many|manyOrNone|raw|get|all|any|unsafe)"
_ROWS = r"(?P<rows>[\w$.]+?)(?:\.(?:entries|values|slice|filter|sort)\([^()]*\))?"
_LOOP = LazyPattern(
    rf"\bfor\s*(?:await\s*)?\(\s*(?:const|let|var)\s+(?P<name>[\w$]+|\{{[^{{}}]*\}}|\[[^\[\]]*\])\s+of\s+"
    rf"(?:{_ROWS}|\(?\s*await\s+(?P<asked>[^;{{}}]{{1,400}}?))\s*\)\s*\{{|"
    r"\bfor\s*\(\s*let\s+(?P<index>\w+)\s*=\s*0\s*;\s*\w+\s*<\s*(?P<counted>[\w$.]+)\.length\s*;[^(){}]*\)\s*\{|"
    r"\b(?P<each>[\w$.]+)\.(?:map|forEach|flatMap)\(\s*async\s*\(?\s*(?P<one>[\w$]+|\{[^{}]*\})[^()=]*\)?\s*=>\s*"
    r"(?P<body>[{(]?)"
)
_ASKED = LazyPattern(
    rf"(?:\.\s*{_SENDS}\s*{_TYPE}\(\s*(?:\{{\s*(?:text|sql)\s*:\s*)?"
    r"(?:[`'\"]\s*(?:--[^\n]*\n\s*)*(?:SELECT|WITH)\b|(?P<text>[\w$.]+)\s*[,)}])|"
    r"\.(?:findUnique|findUniqueOrThrow|findFirst|findFirstOrThrow|findByPk|findOne|findOneBy|findOneOrFail|"
    r"findBy)\s*\(|"
    r"\.(?:findMany|findAll|find|count|aggregate)\s*\(\s*\{\s*(?:where|include)\b|"
    rf"\bsql{_TYPE}`\s*(?:SELECT|WITH)\b|\b(?:knex|trx|db)\(\s*['\"`]\w|\.select\([^()]*\)\s*\.from\(|"
    r"\.from\(\s*['\"`]\w+['\"`]\s*\)\s*\.select\()",
    re.IGNORECASE,
)
_FINDS = LazyPattern(r"\.find(?:Unique|First|ByPk|One|By)\w*\s*\(", re.IGNORECASE)
_PROMISED = LazyPattern(r"\b(?:await|yield|return)\b|=>\s*$|=>\s*[\w$.]+$|\.push\(")
_MANY = LazyPattern(r"(?is)\b(?:any\s*\(|in\s*\()")
_FETCHES = (
    r"(?:\.(?:query|execute|findMany|findAll|find|manyOrNone|many|any|select|from|all|getMany)\b|"
    rf"\bsql{_TYPE}`)"
)
_FETCHED = (
    r"\b(?:const|let|var)\s+(?:\{{\s*rows\s*(?::\s*{name}\b)?[^}}]*\}}|\[\s*{name}\b[^\]]*\]|{name})\s*(?::[^=\n]+)?=\s*"
    r"(?:\(\s*)?await\s+"
    r"[^;]{{0,300}}?"
)
_FETCHING = LazyPattern(_FETCHES)
_TEXT = LazyPattern(
    r"\b(?:const|let|readonly|static)\s+(?P<name>[\w$]+)\s*(?::\s*string\s*)?=\s*(?:/\*.{0,20}?\*/\s*)?(?:sql\s*)?"
    r"(?P<quote>[`'\"])\s*(?:--[^\n]*\n\s*)*(?:SELECT|WITH)\b",
    re.IGNORECASE,
)
_FUNCTION = LazyPattern(
    r"(?:\bfunction\s+|^[ \t]+(?:(?:private|public|protected|static|override)\s+)*async\s+|"
    r"\bconst\s+)(?P<name>[\w$]+)\s*"
    r"(?:=\s*async\s*)?(?:<[^<>()]*>)?\((?P<given>[^(){}]*(?:\{[^{}]*\}[^(){}]*)?)\)\s*"
    r"(?::\s*[^{}=;]+?)?(?:=>\s*)?\{",
    re.MULTILINE,
)
_HELPER = LazyPattern(r"\bawait\s+(?:this\.)?(?P<name>[\w$]+)\s*\(")
_KEPT = LazyPattern(r"(?i)cache|memo|\.has\(|\bloader\b")
_WRITES = LazyPattern(
    r"(?i)[`'\"]\s*(?:insert|update|delete)\b|\.(?:create|update|upsert|delete|insert|save|remove)\w*\("
)
_VERB = LazyPattern(r"(?i)[`'\"]\s*(?:--[^\n]*\n\s*)*select\b")
_FROM = LazyPattern(r"(?i)\bfrom\b")
_CONTINUED = LazyPattern(r"\s*\.")


def script_row_queries(text: str) -> Iterator[tuple[int, int]]:
    """Yield the locations of the queries that are sent for each row of another."""
    yield from _Script(text).find_queries()


class _Script:
    def __init__(self, text: str) -> None:
        self.text = text

    def find_queries(self) -> Iterator[tuple[int, int]]:
        text = self.text
        for loop in _LOOP.finditer(text):
            if is_in_comment(text, loop.start()) or not self._is_over_rows(loop):
                continue
            opened = loop.end() - 1
            end = closing(text, opened) if text[opened] in "{(" else _end_of_arrow(text, loop.end())
            names = re.findall(r"[\w$]+", loop["name"] or loop["one"] or loop["index"])
            if not _KEPT.search(text, loop.end(), end):
                requested = self._first_query(names, loop.end(), end) or self._first_helper(
                    names, loop.end(), end
                )
                yield from [requested] if requested is not None else []

    def _is_over_rows(self, loop: re.Match[str]) -> bool:
        if loop["asked"] is not None:
            return _FETCHING.search(loop["asked"]) is not None or self._is_query_helper(loop["asked"])
        rows = (loop["rows"] or loop["counted"] or loop["each"]).split(".")[0]
        around = self.text[max(loop.start() - 2500, 0) : loop.start()]
        values = _FETCHED.format(name=re.escape(rows))
        if re.search(values + _FETCHES, around):
            return True
        match = re.search(values + r"(?=[;\n])", around)
        return match is not None and self._is_query_helper(match.group())

    def _is_query_helper(self, code: str) -> bool:
        return any(match["name"] in self.helpers for match in _HELPER.finditer(code))

    def _first_query(self, names: list[str], start: int, end: int) -> tuple[int, int] | None:
        """Return the first query in a section that depends on the row."""
        for match in _ASKED.finditer(self.text, start, end):
            constant = (match["text"] or "").split(".")[-1]
            if match["text"] is not None and constant not in self.texts:
                continue
            arguments = self.text[match.start() : self._chain_end(match, end)]
            if not self._is_query(match, arguments) or not _mentions_any(arguments, names):
                continue
            if not _MANY.search(arguments + self.texts.get(constant, "")):
                return self._awaited_start(match), match.end()
        return None

    def _is_query(self, match: re.Match[str], arguments: str) -> bool:
        if _VERB.search(match.group()) and not _FROM.search(arguments):
            return False  # it calls a function with unknown effects
        return not _FINDS.match(match.group()) or self._is_awaited(match.start(), arguments)

    def _awaited_start(self, match: re.Match[str]) -> int:
        """Return the offset of ``await`` before a match on its line, or that of the match."""
        line = self.text.rfind("\n", 0, match.start()) + 1
        offset = self.text.rfind("await ", line, match.start())
        return offset if offset >= 0 else match.start()

    def _is_awaited(self, offset: int, call: str) -> bool:
        """Return True if a statement awaits or returns the result; one of a lookup in memory does not."""
        start = max(self.text.rfind(sign, 0, offset) for sign in (";", "{", "}"))
        return _PROMISED.search(self.text[start + 1 : offset]) is not None or ".then(" in call

    def _first_helper(self, names: list[str], start: int, end: int) -> tuple[int, int] | None:
        """Return the first call in a section to a function of this file that sends a query."""
        for called in _HELPER.finditer(self.text, start, end):
            arguments = self.text[called.end() - 1 : closing(self.text, called.end() - 1)]
            if called["name"] in self.helpers and _mentions_any(arguments, names):
                return called.span()
        return None

    def _chain_end(self, requested: re.Match[str], end: int) -> int:
        """Return the end of a call and of the calls on its result."""
        opened = self.text.find("(", requested.start(), requested.end())
        if opened < 0:
            stop = self.text.find("`", requested.end(), end)
            return stop if stop >= 0 else end
        offset = closing(self.text, opened)
        while (more := _CONTINUED.match(self.text, offset + 1)) is not None:
            opened = self.text.find("(", more.end(), end)
            if opened < 0:
                break
            offset = closing(self.text, opened)
        return min(offset + 1, end)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Variables bound to a reading query, with its SQL."""
        result = {}
        for match in _TEXT.finditer(self.text):
            stop = self.text.find(match["quote"], match.end())
            result[match["name"]] = self.text[match.end() : stop]
        return result

    @cached_property
    def helpers(self) -> set[str]:
        """Functions of the file that send one query with their argument, and change nothing."""
        result = set()
        for match in _FUNCTION.finditer(self.text):
            names = re.findall(r"(?:^|[,{])\s*([\w$]+)", match["given"])
            opened = match.end() - 1
            end = closing(self.text, opened)
            body = self.text[opened:end]
            if (
                names
                and not _KEPT.search(body)
                and not _WRITES.search(body)
                and self._first_query(names, opened, end)
            ):
                result.add(match["name"])
        return result


def _mentions_any(code: str, names: list[str]) -> bool:
    return any(re.search(rf"(?<![\w$.]){re.escape(name)}\b", code) for name in names)


def _end_of_arrow(text: str, offset: int) -> int:
    stop = text.find("\n", offset)
    return len(text) if stop < 0 else min(stop + 400, len(text))
