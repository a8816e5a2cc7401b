"""Python source for the search of SQL: its calls, and the values of their strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct, field

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.source_positions import SourcePositions
from wardround.languages.python.tree import cached_parse, children, unparse, walk
from wardround_sql.frontends.python_strings import read_literals
from wardround_sql.frontends.string_assembly import AssembledText, SqlAssembler

_WRAPPERS = frozenset({"text", "SQL", "dedent", "cleandoc", "literal_column", "str", "RawSQL"})
_TIDIES = frozenset({"strip", "lstrip", "rstrip", "format", "bindparams", "columns", "execution_options"})
_CONVERSIONS = frozenset(
    {
        "int", "float", "len", "bool", "Identifier", "quote_ident", "quote_name", "escape_string", "Literal",
        "isoformat", "bindparam", "round", "sum", "uuid4", "hex", "timestamp", "quote", "sanitize",
        "abs", "join",
    }
)  # fmt: skip
_NUMBERS = LazyPattern(
    r"\b(?:int|float|bool|UUID|uuid|Decimal|date|datetime|Literal|\w*(?:Enum|Table|Column|Field|Identifier))\b"
)
_TEXTUAL = LazyPattern(r"\b(?:str|Any|bytes)\b")
_STRUCTURE = LazyPattern(
    r"(?i)(?-i:^[A-Z][A-Z0-9_]*$)|(?-i:\.[A-Z][A-Z0-9_]+$)|table|schema|column|cols?\b|placeholder|field|where|"
    r"clause|order|join|select|condition|limit|offset|filter|query|sql|cte|index|suffix|prefix|db_?name|database|"
    r"interval|keys|values|marks|_id_list|\bquoted|param|^_?quote|\bident|expr|dialect|relation|"
    r"partition|statement|stmt|predicate|projection|format|^self\._?(?:name|prefix)\b"
)
_REQUEST = LazyPattern(
    r"(?:self\.)?(?:request|req|flask\.request)\.(?:args|form|values|json|GET|POST|query_params|data|params|cookies|headers)\b"
)
_FIELD = LazyPattern(r"\{\{|\}\}|\{(?P<name>[^{}]*)\}")
_DEPTH = 12


@lru_cache(maxsize=8)
def parsed_module(text: str) -> SqlModule | None:
    """Return the parsed file, cached for all readers; None if it cannot be parsed."""
    try:
        return SqlModule(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # the Python specialist reports it


class PythonScope(Struct):
    """Module or function with the values bound to its names."""

    names: dict[str, list[ast.expr]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    outer: PythonScope | None = None
    node: ast.AST | None = None
    down: bool = False


class CallSite(Struct):
    """Call and its scope."""

    node: ast.Call
    scope: PythonScope
    name: str


class SqlModule:
    """One file, parsed once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = SourcePositions(text)
        self.scope = PythonScope()
        self.calls: list[CallSite] = []
        self.classes: list[ast.ClassDef] = []
        self.members: dict[str, list[ast.expr]] = {}
        self.adds: list[tuple[ast.AugAssign, PythonScope]] = []
        self.imports: set[str] = set()
        self.parents: dict[int, ast.Call] = {}
        self.bare: list[ast.Call] = []
        self.inverted: set[int] = set()
        self.tree = cached_parse(text)
        self._read(self.tree, self.scope, in_class=False)
        self.calls.sort(key=lambda call: (call.node.lineno, call.node.col_offset))

    def _read(self, top: ast.AST, scope: PythonScope, *, in_class: bool) -> None:
        stack: list[tuple[ast.AST, PythonScope, bool]] = [(top, scope, in_class)]
        while stack:
            node, here, member = stack.pop()
            self._note(node, here, member=member)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                here = PythonScope(outer=here, node=node, down=here.down or node.name == "downgrade")
                arguments = node.args
                every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                here.unknown |= {item.arg for item in every}
                member = False
            elif isinstance(node, ast.ClassDef):
                self.classes.append(node)
                member = True
            below = list(children(node))
            if isinstance(node, ast.Call):
                self.parents.update((id(child), node) for child in below)
            stack.extend((child, here, member) for child in reversed(below))

    def _note(self, node: ast.AST, scope: PythonScope, *, member: bool) -> None:
        if isinstance(node, ast.Call):
            self.calls.append(CallSite(node, scope, called(node)))
        elif isinstance(node, ast.Expr):
            self.bare += [node.value] if isinstance(node.value, ast.Call) else []
        elif isinstance(node, ast.UnaryOp):
            self.inverted |= {id(node.operand)} if isinstance(node.op, ast.Invert) else set()
        elif isinstance(node, ast.Import):
            self.imports |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            self.imports.add(node.module)
            self.imports |= {f"{node.module}.{alias.name}" for alias in node.names}
        else:
            self._note_binding(node, scope, self.members if member else scope.names)

    def _note_binding(self, node: ast.AST, scope: PythonScope, names: dict[str, list[ast.expr]]) -> None:
        """Record the values that assignments and loops bind to names."""
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and node.value is not None:
                    names.setdefault(target.id, []).append(node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor)) and isinstance(node.target, ast.Name):
            self._note_loop(node.target.id, node.iter, scope)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.adds.append((node, scope))
            scope.unknown.add(node.target.id)

    def _note_loop(self, name: str, items: ast.expr, scope: PythonScope) -> None:
        if isinstance(items, ast.Call) and called(items) in ("reversed", "list", "tuple") and items.args:
            items = items.args[0]
        scope.names.setdefault(name, []).append(ast.Starred(items))

    # Values of expressions

    def values(self, node: ast.expr, scope: PythonScope) -> Iterator[AssembledText]:
        """Return the possible texts of an expression: several if it iterates over a literal list."""
        each = self._listed(node, scope)
        if each is not None:
            for item in each:
                yield from self.values(item, scope)
            return
        result = self.value(node, scope)
        if result is not None:
            yield result

    def _listed(self, node: ast.expr, scope: PythonScope) -> list[ast.expr] | None:
        """Return the items of an expression that is a literal list, or the variable of a loop over one."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return node.elts
        values = self._held(node.id, scope) if isinstance(node, ast.Name) else []
        if len(values) == 1 and isinstance(values[0], ast.Starred):
            inside = values[0].value
            listed = self._held(inside.id, scope) if isinstance(inside, ast.Name) else [inside]
            if len(listed) == 1 and isinstance(listed[0], (ast.List, ast.Tuple)):
                return listed[0].elts
        return None

    def value(self, node: ast.expr, scope: PythonScope, depth: int = 0) -> AssembledText | None:
        """Return the text of an expression with holes for unknown parts; None if it is not a text."""
        if depth > _DEPTH:
            return None
        if isinstance(node, ast.Constant):
            return self._literal(node, scope, depth) if isinstance(node.value, str) else None
        if isinstance(node, ast.JoinedStr):
            return self._literal(node, scope, depth)
        if isinstance(node, ast.BinOp):
            return self._joined(node, scope, depth)
        if isinstance(node, ast.Call):
            return self._called(node, scope, depth)
        if isinstance(node, ast.Name):
            values = self._held(node.id, scope)
            if len(values) == 1 and isinstance(values[0], ast.Starred):
                return self._first(node, scope, depth)
            return self.value(values[0], scope, depth + 1) if len(values) == 1 else None
        if isinstance(node, ast.Attribute):
            values = self.members.get(node.attr, [])
            own = isinstance(node.value, ast.Name)
            return self.value(values[0], scope, depth + 1) if own and len(values) == 1 else None
        return None

    def _first(self, node: ast.Name, scope: PythonScope, depth: int) -> AssembledText | None:
        """Return the first text of the variable of a loop over a literal list."""
        each = self._listed(node, scope)
        return self.value(each[0], scope, depth + 1) if each else None

    def _held(self, name: str, scope: PythonScope | None) -> list[ast.expr]:
        while scope is not None:
            if name in scope.unknown:
                return []
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return []

    def _literal(self, node: ast.expr, scope: PythonScope, depth: int) -> AssembledText | None:
        start, end = self.place(node)

        def fill(code: str, offset: int, writer: SqlAssembler) -> None:
            self._fill(code, offset, writer, scope, depth)

        return read_literals(self.text[start:end], start, fill)

    def _fill(self, code: str, offset: int, writer: SqlAssembler, scope: PythonScope, depth: int) -> None:
        """Add the text of an interpolated expression, or a hole."""
        bare = re.sub(r"=?(?:![rsa])?(?::[^:]*)?$", "", code).strip()
        try:
            node = ast.parse(bare or "_", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            writer.hole(code.strip(), offset)
            return
        values = self.value(node, scope, depth + 1) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if values is not None and not values.holes:
            writer.add(values.text, offset, max(len(code.split("\n", 1)[0]), 1))
        else:
            numeric = re.search(r":[^:'\"]*[dfxeg]$", code) is not None or "!r" in code
            safe = numeric or self.is_safe(node, scope)
            writer.hole(code.strip(), offset, safe=safe, outside=not numeric and self.is_outside(node, scope))

    def _joined(self, node: ast.BinOp, scope: PythonScope, depth: int) -> AssembledText | None:
        left = self.value(node.left, scope, depth + 1)
        if isinstance(node.op, ast.Mod):
            return self._interpolated(left, node.right, scope) if left is not None else None
        if not isinstance(node.op, ast.Add):
            return None
        right = self.value(node.right, scope, depth + 1)
        if left is None and right is None:
            return None
        writer = SqlAssembler()
        for text, part in ((left, node.left), (right, node.right)):
            if text is not None:
                writer.take(text)
            else:
                start, end = self.place(part)
                safe, outside = self.is_safe(part, scope), self.is_outside(part, scope)
                writer.hole(self.text[start:end], start, safe=safe, outside=outside)
        return writer.text()

    def _interpolated(self, left: AssembledText, right: ast.expr, scope: PythonScope) -> AssembledText:
        """Return ``text % values``, with a hole for each ``%s``."""
        values = right.elts if isinstance(right, ast.Tuple) else [right]
        writer, offset = SqlAssembler(), 0
        for number, result in enumerate(re.finditer(r"%(?:\((\w+)\))?([sdrifx])|%%", left.text)):
            _copy(left, offset, result.start(), writer)
            offset = result.end()
            if result[2] is None:
                writer.add("%", _where(left, result.start()), 1)
                continue
            value = (
                _keyed(right, result[1]) if result[1] else values[number] if number < len(values) else right
            )
            entries = (
                self.value(value, scope, 1)
                if isinstance(value, (ast.Name, ast.Attribute, ast.Constant))
                else None
            )
            start, end = self.place(value)
            if entries is not None and not entries.holes:
                writer.add(entries.text, _where(left, result.start()), 1)
                continue
            safe = result[2] in "difx" or self.is_safe(value, scope)
            writer.hole(self.text[start:end], start, safe=safe)
        _copy(left, offset, len(left.text), writer)
        return writer.text()

    def _called(self, node: ast.Call, scope: PythonScope, depth: int) -> AssembledText | None:
        name = called(node)
        if name == "format" and isinstance(node.func, ast.Attribute):
            left = self.value(node.func.value, scope, depth + 1)
            return self._formatted(left, node, scope) if left is not None else None
        if name in _TIDIES and isinstance(node.func, ast.Attribute):
            return self.value(node.func.value, scope, depth + 1)
        if name in _WRAPPERS and node.args:
            return self.value(node.args[0], scope, depth + 1)
        return None

    def _formatted(self, left: AssembledText, call: ast.Call, scope: PythonScope) -> AssembledText:
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        composed = (
            isinstance(call.func, ast.Attribute) and "SQL(" in self.text[slice(*self.place(call.func.value))]
        )
        writer, offset, number = SqlAssembler(), 0, 0
        for match in _FIELD.finditer(left.text):
            _copy(left, offset, match.start(), writer)
            offset = match.end()
            if match["name"] is None:
                writer.add(match.group()[0], _where(left, match.start()), 1)
                continue
            key = re.split(r"[.\[!:]", match["name"])[0]
            value = keywords.get(key)
            if value is None and (not key or key.isdigit()):
                position = int(key) if key else number
                value = call.args[position] if position < len(call.args) else None
                number += 1
            values = self.value(value, scope, 1) if isinstance(value, (ast.Name, ast.Attribute)) else None
            if values is not None and not values.holes:
                writer.add(values.text, _where(left, match.start()), 1)
                continue
            start, end = self.place(value) if value is not None else self.place(call)
            safe = composed or value is None or self.is_safe(value, scope)
            writer.hole(self.text[start:end], start, safe=safe)
        _copy(left, offset, len(left.text), writer)
        return writer.text()

    def is_safe(self, node: ast.expr, scope: PythonScope) -> bool:
        """Return True if a value is certainly not an external text."""
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return True
        if isinstance(node, ast.Call):
            return called(node) in _CONVERSIONS or _STRUCTURE.search(called(node)) is not None
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.Mult) or (
                self.is_safe(node.left, scope) and self.is_safe(node.right, scope)
            )
        if isinstance(node, ast.IfExp):
            return self.is_safe(node.body, scope) and self.is_safe(node.orelse, scope)
        code = self.text[slice(*self.place(node))] if hasattr(node, "lineno") else ""
        code = code if code and unparse(node).replace('"', "'") == code.replace('"', "'") else unparse(node)
        if _STRUCTURE.search(code):
            return True
        return isinstance(node, ast.Name) and self._is_number(node.id, scope)

    def is_outside(self, node: ast.expr, scope: PythonScope) -> bool:
        """Return True if a value is certainly an external text that nothing validates."""
        code = unparse(node)
        if _REQUEST.match(code):
            return True
        function = scope.node
        if not isinstance(node, ast.Name) or not isinstance(
            function, (ast.FunctionDef, ast.AsyncFunctionDef)
        ):
            return False
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        words = next(
            (unparse(a.annotation) for a in every if a.arg == node.id and a.annotation is not None), ""
        )
        values = [unparse(value) for value in scope.names.get(node.id, [])]
        sent = words in ("str", "str | None", "Optional[str]") or any(
            _REQUEST.match(value) for value in values
        )
        return sent and not _is_validated(function, node.id)

    def _is_number(self, name: str, scope: PythonScope | None) -> bool:
        """Return True if a name is bound to a number, an enum or one of some constants."""
        while scope is not None:
            if name in scope.names:
                return all(self._is_fixed(value, scope) for value in scope.names[name])
            if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)) and name in scope.unknown:
                arguments = scope.node.args
                for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                    if item.arg == name and item.annotation is not None:
                        text = unparse(item.annotation)
                        return _NUMBERS.search(text) is not None and _TEXTUAL.search(text) is None
                return False
            scope = scope.outer
        return False

    def _is_fixed(self, value: ast.expr, scope: PythonScope) -> bool:
        if isinstance(value, ast.Starred):
            inside = value.value
            return (
                isinstance(inside, (ast.List, ast.Tuple, ast.Set))
                or (isinstance(inside, ast.Call) and called(inside) in ("range", "enumerate"))
                or (isinstance(inside, ast.Name) and inside.id.isupper())
            )
        return self.is_safe(value, scope)

    def table_name(self, name: str, scope: PythonScope) -> str:
        """Return the table of a name: ``orders`` for a name bound to ``table("orders", ...)``."""
        values = self._held(name, scope) if name.isidentifier() else []
        created = values[0] if len(values) == 1 else None
        if isinstance(created, ast.Call) and called(created) in ("table", "Table") and created.args:
            first = created.args[0]
            return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else name
        return name

    def place_of(self, line: int, column: int) -> int:
        """Return the offset in code points of a position from ``ast``."""
        return self.lines.offset(line, column)

    def place(self, node: ast.expr) -> tuple[int, int]:
        """Return start and end of an expression in the file, in code points."""
        start = self.lines.offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        return start, self.lines.offset(
            getattr(node, "end_lineno", 1) or 1, getattr(node, "end_col_offset", 0) or 0
        )


_LOOK_UPS = ("get", "index", "fullmatch", "match", "isidentifier")


def _is_validated(function: ast.AST, name: str) -> bool:
    """Return True if a function uses a name as a key or compares it before its use."""
    for node in walk(function):
        if isinstance(node, ast.Compare) and any(n.id == name for n in walk(node) if isinstance(n, ast.Name)):
            return True
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.id == name:
            return True
        looked_up = isinstance(node, ast.Call) and called(node) in _LOOK_UPS
        arguments = (*node.args, getattr(node.func, "value", None)) if isinstance(node, ast.Call) else ()
        if looked_up and any(isinstance(item, ast.Name) and item.id == name for item in arguments):
            return True
    return False


def _keyed(values: ast.expr, key: str) -> ast.expr:
    if isinstance(values, ast.Dict):
        for name, value in zip(values.keys, values.values, strict=True):
            if isinstance(name, ast.Constant) and name.value == key:
                return value
    return values


def _where(text: AssembledText, offset: int) -> int:
    return text.fragment(migrates=False).place(offset, offset + 1)[0]


def _copy(text: AssembledText, start: int, end: int, writer: SqlAssembler) -> None:
    """Return a section of a text with the locations of its parts."""
    bounds = [part.start for part in text.parts if start < part.start < end]
    for first, last in zip([start, *bounds], [*bounds, end], strict=True):
        part = next((item for item in reversed(text.parts) if item.start <= first), None)
        if part is not None and last > first:
            offset = part.offset if part.width is not None else part.offset + first - part.start
            writer.add(text.text[first:last], offset, part.width)


def called(call: ast.Call) -> str:
    """Return the last part of the name of the called object."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
