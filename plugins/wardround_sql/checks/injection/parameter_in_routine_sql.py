from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.masking import span_in
from wardround_sql.parsing.statements import SqlFragment

_ROUTINE = LazyPattern(
    r"(?i)\bcreate\s+(?:or\s+(?:replace|alter)\s+)?(?:function|procedure|proc)\b|\bdo\s+\$"
)
_RUNS = LazyPattern(
    r"(?i)\bexecute\s+(?!on\b|function\b|procedure\b)(?:immediate\s+)?[\w'(]|\bexec(?:ute)?\s*\(|\bsp_executesql\b|"
    r"\bprepare\s+\w+\s+from\b|\bopen\s+\w+\s+for\s+(?!select\b)[\w']|\bfor\s+\w+\s+in\s+execute\b"
)
_QUOTED = LazyPattern(r"''%?'\s*(?:\|\||\+)\s*(?P<name>@?[a-z_][\w.]*)\b(?!\s*\()", re.IGNORECASE)
"""Value between quotes that the routine adds itself: ``... = ''' || name || ''''``."""
_FORMATTED = LazyPattern(r"(?i)\bformat\s*\(\s*(?P<text>(?:[eE]?'(?:[^']|'')*'(?!')\s*(?:\|\|\s*)?)+),")
_PERCENT = LazyPattern(r"''%?%s%?%?''|(?:=|<>|\blike|\bilike)\s*%s")
_BARE = LazyPattern(
    r"(?i)(?:[=<>]|\b(?:from|into|update|table|by|like|in\s*\())\s*'\s*(?:\|\||\+)\s*"
    r"(?P<name>@?[a-z_]\w*)\b(?!\s*\()"
)
_SIGNATURE = LazyPattern(
    r"(?i)\b(?:function|procedure|proc)\s+[\w.\"\[\]]+\s*(?P<given>[^;]*?)\b(?:as|is|returns?|language)\b"
)
"""Parameters; all other concatenated values are the routine's own."""
_TEXTUAL = (
    r"(?i)(?<![\w@]){name}\s+(?:in\s+|out\s+|inout\s+|as\s+)?(?:text|varchar2?|nvarchar2?|"
    r"character\s+varying|char|sysname)\b"
)
_COMMENTS = LazyPattern(r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")


class ParameterInRoutineSql(SqlCheck):
    """Text parameter of a stored routine concatenated into dynamic SQL.

    A quote in the parameter ends the SQL string, and the rest is executed as SQL with the privileges of the
    routine's owner. Pass values through ``EXECUTE ... USING`` or the parameters of ``sp_executesql``; quote
    names with ``format('%I')``, ``quote_ident`` or ``QUOTENAME``.
    """

    ID = "SQ084"
    NAME = "parameter-in-routine-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    WORDS = ("execute", "exec", "prepare")

    VALID = [
        code("""
            create function f(p text, n int) returns void language plpgsql as $$
            begin
            execute format('select 1 from %I where a = %L', p, n);
            end $$;
        """),
        code("""
            create function f(p text, n int) returns void language plpgsql as $$
            begin
            execute 'select 1 from a where b = $1' using p;
            end $$;
        """),
    ]
    INVALID = [
        code("""
            create function f(p text, n int) returns void language plpgsql as $$
            begin
            execute 'select 1 from a where b = ''' || «p» || '''';
            end $$;
        """),
        code("""
            create function f(p text, n int) returns void language plpgsql as $$
            begin
            execute «format»('select 1 from a where b = ''%s''', p);
            end $$;
        """),
    ]

    def run(self) -> None:
        if not self.script.is_sql or self.script.is_non_production:
            return
        for fragment in self.script.fragments:
            code = _COMMENTS.sub(lambda result: " " * len(result.group()), fragment.text)
            starts = [match.start() for match in _ROUTINE.finditer(code)]
            for begin, end in zip(starts, [*starts[1:], len(code)], strict=False):
                self._routine(fragment, code, begin, end)

    def _routine(self, fragment: SqlFragment, code: str, begin: int, end: int) -> None:
        if not _RUNS.search(code, begin, end):
            return
        reported: set[int] = set()
        for start, stop, name in _concatenated_values(code, begin, end):
            line = code.count("\n", 0, start)
            if line not in reported and _is_statement(code, begin, start):
                reported.add(line)
                message = (
                    f"{name} is concatenated into the statement; "
                    "pass it with USING, or quote it with %L or %I"
                )
                self.report(span_in(self.script, fragment, start, stop), message)


def _concatenated_values(code: str, begin: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of the values that a routine concatenates into a text."""
    for match in _QUOTED.finditer(code, begin, end):
        yield *match.span("name"), match["name"]
    for match in _FORMATTED.finditer(code, begin, end):
        if _PERCENT.search(match["text"]):
            yield match.start(), match.start() + len("format"), "%s"
    signature = _SIGNATURE.search(code, begin, end)
    arguments = signature["given"] if signature is not None else ""
    for match in _BARE.finditer(code, begin, end):
        if re.search(_TEXTUAL.format(name=re.escape(match["name"])), arguments):
            yield *match.span("name"), match["name"]


_OTHER = LazyPattern(r"(?i)^\s*(?:raise|return\b(?!\s+query)|perform|print|insert|dbms_output|comment)\b")


def _is_statement(code: str, begun: int, offset: int) -> bool:
    """Return True if the text is executed, not a message or a row."""
    start = max(
        code.rfind(";", begun, offset),
        code.rfind("begin", begun, offset) + 4,
        code.rfind("$$", begun, offset) + 1,
    )
    words = code[start + 1 : offset]
    return _OTHER.match(words) is None
