"""SQL in JavaScript and TypeScript: tagged templates, and strings passed to a database."""

from __future__ import annotations

import re
from functools import cached_property

from msgspec.structs import replace

from wardround.lazy import LazyPattern
from wardround_sql.frontends.js_query_builders import script_queries
from wardround_sql.frontends.js_schema_builders import built_schema
from wardround_sql.frontends.nullable_arguments import may_be_null
from wardround_sql.frontends.script_text import after_blank, fill_placeholders, is_in_comment, operand_end
from wardround_sql.frontends.sql_text import STARTS, fill_table_names, is_plainly_sql, is_sql
from wardround_sql.frontends.string_assembly import AssembledText, CallNames, SqlAssembler
from wardround_sql.parsing.statements import SqlFragment
from wardround_sql.project.migration_files import is_migration

_GENERIC = r"(?:<[^()`;=]{0,300}>)?"
_TAG = LazyPattern(
    rf"\b(?:sql|SQL|pgsql|\$?queryRaw|\$?executeRaw){_GENERIC}\s*\(?\s*`(?P<body>(?:[^`\\]|\\.)*+)`",
    re.DOTALL,
)
_CALL = LazyPattern(
    r"(?:\.|\b)(?P<name>query|execute|unsafe|raw|whereRaw|orWhereRaw|andWhereRaw|havingRaw|joinRaw|selectRaw|"
    r"\$?queryRawUnsafe|\$?executeRawUnsafe|exec|prepare|one|none|many|manyOrNone|oneOrNone|any|runSql|run|all|get|each|"
    rf"runQuery|executeSql|executeQuery|querySql|selectObjects|literal|createQuery){_GENERIC}\(\s*"
    r"(?:\{\s*(?:text|sql|query)\s*:\s*|await\s+)?(?=[`'\"\w$(])"
)
_CONST = LazyPattern(
    r"\b(?P<kind>const|let|var|readonly|static)\s+(?P<name>[\w$]+)\s*(?::\s*[^=\n]+)?=\s*(?=[`'\"])"
)
_GROWS = LazyPattern(r"^\s*(?P<name>[\w$]+)\s*\+=\s*(?=[`'\"])", re.MULTILINE)
_NAMED = LazyPattern(r"(?i)(?:^|_|[a-z])(?:sql|query|stmt|statement|ddl)$|^(?:sql|query)")
_NAME = LazyPattern(r"[\w$]+(?:\.[\w$]+)*")
_TAGGED = LazyPattern(r"[\w$.]+\s*`")
_CAPITAL = LazyPattern(r"\s*(?:--|SELECT|INSERT|UPDATE|DELETE|WITH)\b|\s*--")
_RAW = LazyPattern(
    r"\b(?:raw|whereRaw|andWhere|createQueryBuilder|literal|\$?queryRaw\w*|\$?executeRaw\w*|unsafe)\s*(?:<[^()`]*>)?[(`]|\.(?:query|execute)\s*(?:<[^()`]*>)?\("
)
_PIECE = LazyPattern(
    r"(?:=>\s*|\breturn\s+|\.push\(\s*|\.(?:where|andWhere|orWhere|having|andHaving)\(\s*|[=?:]\s+)(?=`[^`]{0,200}'%?\$\{|"
    r"(?<=push\()`\w)"
)
_ANY_CALL = frozenset({"run", "all", "get", "each", "one", "none", "many", "any", "exec", "literal"})
_WAY = LazyPattern(
    r"(?P<down>\b(?:exports\.down|(?:async\s+)?down\s*[(=:]|(?:async\s+)?function\s+down\b))|"
    r"(?P<up>\b(?:exports\.up|(?:async\s+)?up\s*[(=:]|(?:async\s+)?function\s+up\b))"
)
_SAFE = LazyPattern(
    r"(?i)^[\d\s'\"]|(?-i:^[A-Z][A-Z0-9_]*$)|(?-i:\.[A-Z][A-Z0-9_]+$)|table|schema|column|cols?\b|placeholder|field|where|"
    r"clause|order|join|select|condition|limit|offset|filter|query|sql|cte|index|suffix|prefix|dbName|database|interval|"
    r"keys|values|escape|quote|literal|ident|number\(|parseInt|parseFloat|\.getTime\(\)|\.length\b|\.map\(|marks|param|toISOString|"
    r"page|count\b|expr|stmt|statement|partition|\?|^this\.name\b|Math\.|BigInt\("
)
_OUTSIDE = LazyPattern(
    r"^(?:req|request|ctx|c|event)\.(?:query|params|body|request|queryStringParameters)\b|^searchParams\."
)
_MADE_OF = LazyPattern(
    r"\b(?:const|let)\s+([\w$]+)\s*(?::\s*string\s*)?=\s*(\w+(?:\.\w+)+)\s*(?:\?\?|\|\||;)"
)
_IS_NO_TEXT = r"\s*\??:\s*(?:number|boolean|bigint|Date)\b"
_HOLDS_NO_TEXT = (
    r"\s*=\s*(?:\d|Number|parse|Math|\[|await\s+count|new Date|"
    r"[\w$.!]{1,80}\s*\?\s*(?:\"[^\"\n]*\"|'[^'\n]*')\s*:\s*(?:\"[^\"\n]*\"|'[^'\n]*'))"
)
_TYPED = LazyPattern(rf"\b(\w++)(?={_IS_NO_TEXT})")
_COUNTED = LazyPattern(rf"\b(?:const|let)\s+(\w++)(?={_HOLDS_NO_TEXT})")
_PLAIN_WORD = LazyPattern(r"\w+")


def script_calls(path: str, text: str) -> CallNames:
    """Return the SQL of a JavaScript or TypeScript file, and the strings that it assembles for a database."""
    result = _Found(path, text, is_migration(path))
    result.read()
    retained = sorted(result.fragments.values(), key=lambda item: item.offset)
    return CallNames(tuple(retained), tuple(result.built.values()))


class _Found:
    def __init__(self, path: str, text: str, migrates: bool) -> None:
        self.path = path
        self.text = text
        self.migrates = migrates
        self.ways = [(m.start(), m["down"] is not None) for m in _WAY.finditer(text)] if migrates else []
        self.fragments: dict[int, SqlFragment] = {}
        self.built: dict[int, AssembledText] = {}
        self.constants: dict[str, list[tuple[int, str]]] = {}
        self._grown_read: set[str] = set()

    def read(self) -> None:
        for constant in _CONST.finditer(self.text):
            self.constants.setdefault(constant["name"], []).append((constant.end(), constant["kind"]))
        self._tags()
        for call in _CALL.finditer(self.text):
            if not is_in_comment(self.text, call.start()) and not self._is_down(call.start()):
                self._read_call(call)
        self._pieces()
        self._read_constants()
        for text in script_queries(self.path, self.text):
            self._add_model(text, modelled="LEFT JOIN" not in text.text)
        if self.migrates:
            for text in built_schema(self.text):
                self._add_model(text, modelled=True)

    @cached_property
    def _appended_names(self) -> set[str]:
        """Names to which strings are appended."""
        return {match["name"] for match in _GROWS.finditer(self.text)}

    def _read_constants(self) -> None:
        for name, locations in self.constants.items():
            if len(locations) != 1 or name in self._appended_names:
                continue
            offset = locations[0][0]
            text = self.expression(offset) if self._may_be_sql(name, offset) else None
            if text is not None and (_NAMED.search(name) or is_plainly_sql(text)):
                self._add_text(text, offset)

    def _add_model(self, text: AssembledText, *, modelled: bool) -> None:
        """Add an SQL statement equivalent to the effect of other code."""
        fragment = text.fragment(migrates=self.migrates, modelled=modelled)
        if not self._is_down(fragment.offset):
            self.fragments.setdefault(fragment.offset, fragment)

    def _may_be_sql(self, name: str, offset: int) -> bool:
        return _NAMED.search(name) is not None or _CAPITAL.match(self.text, offset + 1) is not None

    def _tags(self) -> None:
        for result in _TAG.finditer(self.text):
            sql = fill_placeholders(result["body"])
            fits = sql is not None and "\\" not in sql and STARTS.match(sql)
            if fits and not is_in_comment(self.text, result.start()) and not self._is_down(result.start()):
                offset = result.start("body")
                self.fragments[offset] = SqlFragment(sql or "", offset, None, self.migrates)

    def _read_call(self, call: re.Match[str]) -> None:
        """Add the string that a call passes to a database, and strings appended to its variable."""
        offset = call.end()
        name = _NAME.match(self.text, offset)
        if name is not None:
            self._read_name(call["name"], offset, name)
        elif self.text[offset] in "`'\"(":
            self._add_argument(call["name"], offset, offset)

    def _read_name(self, call: str, offset: int, argument: re.Match[str]) -> None:
        """Add the string of a variable that a call receives, or of the expression that begins with it."""
        name = argument.group()
        locations = [location for location, _kind in self.constants.get(name, [])]
        if locations:
            earlier = [location for location in locations if location < offset] or locations
            self._add_argument(call, offset, earlier[-1], name)
        elif self.text[argument.end() : argument.end() + 1] in ("+", " "):
            self._add_argument(call, offset, offset, name)
        else:
            return
        if name in self._appended_names and name not in self._grown_read:
            self._grown_read.add(name)
            self._add_appended_texts(name)

    def _add_argument(self, call: str, offset: int, location: int, name: str = "") -> None:
        """Add the text at a location that a call passes at an offset, by a name or itself."""
        text = self.expression(location)
        if text is None:
            return
        is_certain = call not in _ANY_CALL or STARTS.match(text.text) is not None
        if not text.holes and not is_certain:
            return
        if name not in self._appended_names:
            self._add_text(text, location, self._nullable(text, offset) if not text.holes else ())
        if text.holes and is_certain:
            self.built.setdefault(location, text)

    def _pieces(self) -> None:
        """Add conditions in separate templates, in a file that passes raw texts to a database."""
        if not _RAW.search(self.text):
            return
        for result in _PIECE.finditer(self.text):
            offset = result.end()
            text = self.expression(offset) if not is_in_comment(self.text, offset) else None
            if text is not None and text.holes and not STARTS.match(text.text):
                self.built.setdefault(offset, text)

    def _add_appended_texts(self, name: str) -> None:
        """Add the strings with holes that are appended to a variable."""
        for match in _GROWS.finditer(self.text):
            added = self.expression(match.end()) if match["name"] == name else None
            if added is not None and added.holes:
                self.built.setdefault(match.end(), added)

    def _nullable(self, text: AssembledText, position: int) -> tuple[int, ...]:
        """Return the placeholders that may be null; ``at`` is the offset of the query in the call."""
        quote = self.text[position]
        end = (
            self._string(position, quote, SqlAssembler())
            if quote in "`'\""
            else operand_end(self.text, position)
        )
        return may_be_null(self.text, position, text.text, self.text[end : end + 400]) if end >= 0 else ()

    def _add_text(self, text: AssembledText | None, position: int, nullable: tuple[int, ...] = ()) -> None:
        text = fill_table_names(text) if text is not None else None
        if (
            text is not None
            and is_sql(text)
            and not self._is_down(position)
            and not is_in_comment(self.text, position)
        ):
            fragment = replace(text.fragment(migrates=self.migrates), maybe_null=nullable)
            self.fragments.setdefault(fragment.offset, fragment)

    def _is_down(self, offset: int) -> bool:
        return next((down for location, down in reversed(self.ways) if location < offset), False)

    # Expressions

    def expression(self, at: int) -> AssembledText | None:
        """Return the value of strings and templates joined by ``+`` at an offset; None if there are none."""
        writer, text, has_string = SqlAssembler(), self.text, False
        while at < len(text):
            at = after_blank(text, at)
            char = text[at : at + 1]
            if char == "(" and not has_string:
                at += 1
                continue
            if char in ("'", '"', "`") and char:
                end = self._string(at, char, writer)
                has_string = True
            else:
                end = operand_end(text, at)
                code = text[at:end].strip()
                if not code or _TAGGED.match(code):
                    return None
                writer.hole(code, at, safe=self.is_safe(code))
            at = after_blank(text, end) if end >= 0 else -1
            if at < 0:
                return None
            if text[at : at + 1] == ")" and has_string and text[at + 1 : at + 2] in ("", "\n", " ", ".", "+"):
                after = after_blank(text, at + 1)
                at = after if text[after : after + 1] == "+" else at
            if text[at : at + 1] != "+":
                break
            at += 1
        return writer.text() if has_string else None

    def _string(self, at: int, quote: str, writer: SqlAssembler) -> int:
        """Write one string or template; return the offset after it, -1 if it is unterminated."""
        text = self.text
        start = at = at + 1
        while at < len(text):
            char = text[at]
            if char == quote:
                writer.add(text[start:at], start)
                return at + 1
            if char == "\\":
                writer.add(text[start:at], start)
                writer.add(
                    {"n": "\n", "t": "\t", "\n": ""}.get(text[at + 1 : at + 2], text[at + 1 : at + 2]), at, 2
                )
                at = start = at + 2
            elif quote == "`" and text.startswith("${", at):
                writer.add(text[start:at], start)
                end = operand_end(text, at + 2)
                code = text[at + 2 : end].strip()
                self._fill(code, at + 2, writer)
                at = start = end + 1
            elif char == "\n" and quote != "`":
                return -1
            else:
                at += 1
        return -1

    def _fill(self, code: str, offset: int, writer: SqlAssembler) -> None:
        values = self.constants.get(code, [])
        text = (
            self.expression(values[0][0])
            if len(values) == 1 and values[0][1] in ("const", "readonly")
            else None
        )
        if text is not None and not text.holes:
            writer.add(text.text, offset, max(len(code), 1))
        else:
            writer.hole(code, offset, safe=self.is_safe(code), outside=self.is_outside(code))

    def is_outside(self, code: str) -> bool:
        """Return True if a value is certainly an external text that nothing validates."""
        if _OUTSIDE.search(code):
            return True
        if not re.fullmatch(r"[\w$]+", code):
            return False
        created = self._parts.get(code)
        if (
            created is None
            or created.startswith(("this.", "config.", "env.", "process."))
            or created.split(".")[0].isupper()
        ):
            return False
        if code not in self._tests:
            self._tests[code] = re.search(
                rf"(?:includes|has|test|indexOf)\(\s*(?:{re.escape(code)}|{re.escape(created)})\b|\[\s*{re.escape(code)}\s*\]|"
                rf"\b(?:{re.escape(code)}|{re.escape(created)})\s*[!=]==",
                self.text,
            )
        return self._tests[code] is None

    @cached_property
    def _parts(self) -> dict[str, str]:
        """Return the names that are bound to a property, with the property; the first of duplicates."""
        return {item[1]: item[2] for item in reversed([*_MADE_OF.finditer(self.text)])}

    @cached_property
    def _tests(self) -> dict[str, re.Match[str] | None]:
        """Return the offsets at which a file tests such a name."""
        return {}

    def is_safe(self, code: str) -> bool:
        """Return True if a value is certainly not an external text."""
        if _OUTSIDE.search(code):
            return False
        if _SAFE.search(code) or not re.fullmatch(r"[\w$.?!\[\]'\"() ]+", code):
            return True
        name = code.removesuffix(".valueOf()").split(".")[-1].rstrip("!")
        if name not in self._names_without_text and not _PLAIN_WORD.fullmatch(name):
            typed = re.search(rf"\b{re.escape(name)}{_IS_NO_TEXT}", self.text)
            counted = re.search(rf"\b(?:const|let)\s+{re.escape(name)}{_HOLDS_NO_TEXT}", self.text)
            self._names_without_text[name] = typed is not None or counted is not None
        return self._names_without_text.get(name, False)

    @cached_property
    def _names_without_text(self) -> dict[str, bool]:
        """Names whose type or first value is a number, a date, one of two constants or similar."""
        return {match[1]: True for pattern in (_TYPED, _COUNTED) for match in pattern.finditer(self.text)}
