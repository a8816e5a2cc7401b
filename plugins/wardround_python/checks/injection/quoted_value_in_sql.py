from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from wardround.findings import Plane
from wardround.languages.python.literals import assigned_value
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.constant_texts import is_constant_text
from wardround_python.check import PythonCheck

_QUERY_METHODS = frozenset(
    {
        "execute", "executemany", "executescript", "exec_driver_sql", "fetch", "fetchrow", "fetchval",
        "read_database", "read_database_uri", "read_sql", "read_sql_query", "raw",
    }
)  # fmt: skip
_QUERY_ARGUMENTS = frozenset({"operation", "query", "sql", "statement"})
"""The names of the argument with the statement."""
_FORMAT = LazyPattern(r"\{\{|\}\}|\{(?P<field>\w*)[^{}]*\}")
_PERCENT = LazyPattern(r"%%|%(?:\((?P<field>\w+)\))?[-#0 +]*\d*(?:\.\d+)?[a-z]")
_SQL = LazyPattern(
    r"(?i)\b(?:case\s+when|i?like|select|where|update|delete|insert|order by|having|between|set|and|or|on)\b"
    r"|=\s*'|\bin\s*\("
)
_STATEMENT = LazyPattern(
    r"(?i)\s*+(?:--[^\n]*+\s*+)*+\(?\s*+(?:select|insert\s+into|update|delete\s+from|with|replace\s+into|merge\s+into"
    r"|call|exec|explain|alter|create|drop|truncate|grant|revoke|copy|attach|set)\b"
)
_SAFE = LazyPattern(
    r"(?i)escape|quote|sanit|isoformat|strftime|\bint\b|replace\(|\bu?u?id4?\(|today\(|now\(|\bliteral\(|adapt\("
)
_NUMBER_OR_TIME = LazyPattern(r"\b(?:int|float|bool|UUID|date|datetime|timedelta|Decimal|Literal)\b")
"""Types whose values have no quote."""


class QuotedValueInSql(PythonCheck):
    """A value is interpolated between the quotes of an SQL text.

    A value with a quote ends the string and can add SQL; one with an apostrophe breaks the statement. Bind it
    as a parameter: ``text("name = :name").bindparams(name=name)``.
    """

    ID = "PY447"
    WORDS = (
        "text(",
        "literal_column(",
        "RawSQL(",
        ".extra(",
        ".execute(",
        ".executemany(",
        ".executescript(",
        ".exec_driver_sql(",
        "read_sql",
        ".raw(",
        ".fetch(",
        ".fetchrow(",
        ".fetchval(",
        "read_database",
    )
    NAME = "quoted-value-in-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    VALID = [
        code("""
            from sqlalchemy import text
            def first(name):
                return text("CASE WHEN name = :name THEN 0 END").bindparams(name=name)
        """),
        code("""
            from sqlalchemy import text
            KIND = 'a'
            first = text(f"kind = '{KIND}'")
        """),
    ]
    INVALID = [
        code("""
            from sqlalchemy import text
            def first(name):
                return text(«"CASE WHEN name = '{}' THEN 0 END".format(name)»)
        """),
        code("""
            def near(cursor, name):
                cursor.execute(«"select id from t where name = '" + name + "'"»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        for given in self._pieces(node):
            text = self._interpolated_string(given)
            if text is None:
                continue
            span = self.module.span(text if hasattr(text, "lineno") else given)
            pieces = list(text_pieces(text))
            if not self._is_sql(node, pieces):
                continue
            value = next(
                (quoted for quoted in _quoted_values(pieces) if not self._is_fixed(quoted, node)), None
            )
            if value is not None and not self._is_known(text):
                self.report(
                    span,
                    f"{unparse(value)} is interpolated between the quotes of SQL; bind it as a parameter",
                )

    def _is_known(self, text: ast.expr) -> bool:
        """Return True if the program alone determines the values of a string."""
        from wardround_python.dataflow.known_values import follows_from_program  # only before a report

        return follows_from_program(self.module, text, self.source.project.read)

    def _is_sql(self, node: ast.Call, pieces: Sequence[str | ast.expr]) -> bool:
        """Return True if a string is SQL; the argument of a method that may run anything has to be a
        statement.
        """
        written = "".join(piece if isinstance(piece, str) else " " for piece in pieces)
        if last_name(node.func) in _QUERY_METHODS:
            return _STATEMENT.match(written) is not None
        return _SQL.search(written) is not None

    def _pieces(self, node: ast.Call) -> Iterator[ast.expr]:
        name = last_name(node.func)
        if name == "extra" and isinstance(node.func, ast.Attribute):
            for keyword in node.keywords:
                if keyword.arg in ("where", "select", "order_by"):
                    yield from _listed_values(keyword.value)
        elif self._runs_its_argument(name, node.func):
            named = (keyword.value for keyword in node.keywords if keyword.arg in _QUERY_ARGUMENTS)
            yield from node.args[:1] or named

    def _runs_its_argument(self, name: str, func: ast.expr) -> bool:
        if name in _QUERY_METHODS:
            return True
        return name in ("text", "literal_column", "RawSQL") and self._is_of_database(func)

    def _is_of_database(self, func: ast.expr) -> bool:
        dotted = self.module.qualified_name(func) or ""
        if dotted.startswith(("sqlalchemy", "sqlmodel", "django")):
            return True
        return isinstance(func, ast.Attribute) and last_name(func.value) in ("db", "sa", "sqlalchemy")

    def _interpolated_string(self, given: ast.expr) -> ast.expr | None:
        """Return an interpolated text, also through a name that is bound to it."""
        if isinstance(given, ast.Name):
            given = self._add_augmentations(given, assigned_value(self.module, given) or given)
        return given if isinstance(given, (ast.JoinedStr, ast.Call, ast.BinOp)) else None

    def _add_augmentations(self, name: ast.Name, value: ast.expr) -> ast.expr:
        """Return a value with everything that ``+=`` adds to its name before the name is used."""
        function = self.module.function_of(name)
        for node in walk(function) if function is not None else ():
            if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add):
                continue
            if unparse(node.target) == name.id and node.lineno < name.lineno:
                value = ast.BinOp(value, ast.Add(), node.value)
        return value

    def _is_fixed(self, value: ast.expr, call: ast.Call) -> bool:
        """Return True if a value is determined by the program itself, has no quote, or is sanitized."""
        if _SAFE.search(unparse(value)) or is_constant_text(self.module, value, call):
            return True
        last = last_name(value)
        if last.isupper() or (isinstance(value, ast.Attribute) and last == "value"):
            return True
        return isinstance(value, ast.Name) and self._is_typed(value.id, call)

    def _is_typed(self, name: str, call: ast.Call) -> bool:
        """Return True for a parameter that is declared as a number, a time or one of few values."""
        function = self.module.function_of(call)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        declared = next((argument.annotation for argument in arguments if argument.arg == name), None)
        return declared is not None and _NUMBER_OR_TIME.search(unparse(declared)) is not None


def _listed_values(node: ast.expr) -> Sequence[ast.expr]:
    match node:
        case ast.List(elts=values) | ast.Tuple(elts=values) | ast.Dict(values=values):
            return values
        case _:
            return ()


def _quoted_values(pieces: Sequence[str | ast.expr]) -> Iterator[ast.expr]:
    """Yield the values that a string encloses in quotes, with nothing but ``%`` around them."""
    for before, value, after in zip(pieces, pieces[1:], pieces[2:], strict=False):
        if isinstance(value, str) or not isinstance(before, str) or not isinstance(after, str):
            continue
        if before.rstrip("%").endswith("'") and after.lstrip("%").startswith("'"):
            yield value


def text_pieces(node: ast.expr) -> Iterator[str | ast.expr]:
    """Yield the pieces of an interpolated string in order: a string before and after each value, possibly
    empty.
    """
    text = ""
    for part in _parts(node):
        if isinstance(part, str):
            text += part
        else:
            yield text
            yield part
            text = ""
    yield text


def _parts(node: ast.expr) -> Iterator[str | ast.expr]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            for value in values:
                yield from _parts(value)
        case ast.FormattedValue(value=value):
            yield value
        case ast.BinOp(op=ast.Add()):
            for operand in _operands(node):
                yield from _parts(operand)
        case ast.BinOp(left=ast.Constant(value=str(template)), op=ast.Mod(), right=right):
            values = right.elts if isinstance(right, ast.Tuple) else [right]
            yield from _fill_template(template, _PERCENT, values, _entries(right))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(template)), attr="format")):
            named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
            yield from _fill_template(template, _FORMAT, node.args, named)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(template)), attr="format_map"), args=[mapping]
        ):
            yield from _fill_template(template, _FORMAT, (), _entries(mapping))
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(between)), attr="join"),
            args=[ast.List(elts=elements) | ast.Tuple(elts=elements)],
        ):
            for number, element in enumerate(elements):
                yield between if number else ""
                yield from _parts(element)
        case _:
            yield node


def _operands(node: ast.expr) -> list[ast.expr]:
    """Return the operands of a sum from left to right, of any length."""
    operands: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        operands.append(node.right)
        node = node.left
    return [node, *reversed(operands)]


def _entries(node: ast.expr) -> Mapping[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    pairs = zip(node.keys, node.values, strict=True)
    return {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}


def _fill_template(
    template: str, pattern: LazyPattern, values: Sequence[ast.expr], named: Mapping[str, ast.expr]
) -> Iterator[str | ast.expr]:
    """Yield the parts of a template, with the values at its placeholders."""
    start = location = 0
    for match in pattern.finditer(template):
        field = match["field"]
        if field is None and match[0] in ("{{", "}}", "%%"):
            continue
        yield template[start : match.start()]
        start = match.end()
        position = int(field) if field and len(field) < 4 and field.isdecimal() else location
        location += not field
        value = named.get(field or "") or (values[position] if position < len(values) else None)
        yield value if value is not None else ast.Constant(None)
    yield template[start:]
