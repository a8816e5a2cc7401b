"""Python source for the search of SQL: its calls, and the values of their strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from wardround.languages.python.source_positions import SourcePositions
from wardround.languages.python.tree import cached_parse, children
from wardround.lazy import LazyPattern
from wardround_sql.frontends.external_values import ExternalValues
from wardround_sql.frontends.python_scopes import CallSite, PythonScope, callee_name
from wardround_sql.frontends.python_strings import read_literals
from wardround_sql.frontends.string_assembly import AssembledText, SqlAssembler

_WRAPPERS = frozenset({"text", "SQL", "dedent", "cleandoc", "literal_column", "str", "RawSQL"})
_TIDIES = frozenset({"strip", "lstrip", "rstrip", "format", "bindparams", "columns", "execution_options"})
_FIELD = LazyPattern(r"\{\{|\}\}|\{(?P<name>[^{}]*)\}")
_DEPTH = 12


@lru_cache(maxsize=8)
def parsed_module(text: str) -> SqlModule | None:
    """Return the parsed file, cached for all readers; None if it cannot be parsed."""
    try:
        return SqlModule(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # the Python specialist reports it


class SqlModule:
    """One file, parsed once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = SourcePositions(text)
        self.scope = PythonScope()
        self.external = ExternalValues(text, self.place)
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
        match node:
            case ast.Call():
                self.calls.append(CallSite(node, scope, callee_name(node)))
            case ast.Expr(value=ast.Call() as call):
                self.bare.append(call)
            case ast.UnaryOp(op=ast.Invert()):
                self.inverted.add(id(node.operand))
            case ast.Import():
                self.imports |= {alias.name for alias in node.names}
            case ast.ImportFrom(module=str(module)):
                self.imports.add(module)
                self.imports |= {f"{module}.{alias.name}" for alias in node.names}
            case _:
                self._note_binding(node, scope, self.members if member else scope.names)

    def _note_binding(self, node: ast.AST, scope: PythonScope, names: dict[str, list[ast.expr]]) -> None:
        """Record the values that assignments and loops bind to names."""
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        names.setdefault(target.id, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                names.setdefault(name, []).append(value)
            case ast.For(target=ast.Name(id=name)) | ast.AsyncFor(target=ast.Name(id=name)):
                self._note_loop(name, node.iter, scope)
            case ast.AugAssign(target=ast.Name(id=name)):
                self.adds.append((node, scope))
                scope.unknown.add(name)

    def _note_loop(self, name: str, items: ast.expr, scope: PythonScope) -> None:
        if isinstance(items, ast.Call) and callee_name(items) in ("reversed", "list", "tuple") and items.args:
            items = items.args[0]
        scope.names.setdefault(name, []).append(ast.Starred(items))

    # Values of expressions

    def values(self, node: ast.expr, scope: PythonScope) -> Iterator[AssembledText]:
        """Return the possible texts of an expression: several if it iterates over a literal list."""
        each = self._list_items(node, scope)
        if each is not None:
            for item in each:
                yield from self.values(item, scope)
            return
        result = self.value(node, scope)
        if result is not None:
            yield result

    def _list_items(self, node: ast.expr, scope: PythonScope) -> list[ast.expr] | None:
        """Return the items of an expression that is a literal list, or the variable of a loop over one."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return node.elts
        values = self._values_of_name(node.id, scope) if isinstance(node, ast.Name) else []
        if len(values) == 1 and isinstance(values[0], ast.Starred):
            inside = values[0].value
            listed = self._values_of_name(inside.id, scope) if isinstance(inside, ast.Name) else [inside]
            if len(listed) == 1 and isinstance(listed[0], (ast.List, ast.Tuple)):
                return listed[0].elts
        return None

    def value(self, node: ast.expr, scope: PythonScope, depth: int = 0) -> AssembledText | None:
        """Return the string value of an expression with holes for unknown parts; None if it is not a
        string.
        """
        if depth > _DEPTH:
            return None
        match node:
            case ast.Constant(value=str()) | ast.JoinedStr():
                return self._literal(node, scope, depth)
            case ast.BinOp():
                return self._join_operands(node, scope, depth)
            case ast.Call():
                return self._call_string(node, scope, depth)
            case ast.Name():
                return self._value_of_name(node, scope, depth)
            case ast.Attribute(value=ast.Name(), attr=member):
                values = self.members.get(member, [])
                return self.value(values[0], scope, depth + 1) if len(values) == 1 else None
        return None

    def _value_of_name(self, node: ast.Name, scope: PythonScope, depth: int) -> AssembledText | None:
        values = self._values_of_name(node.id, scope)
        if len(values) != 1:
            return None
        if isinstance(values[0], ast.Starred):
            return self._first(node, scope, depth)
        return self.value(values[0], scope, depth + 1)

    def _first(self, node: ast.Name, scope: PythonScope, depth: int) -> AssembledText | None:
        """Return the first text of the variable of a loop over a literal list."""
        each = self._list_items(node, scope)
        return self.value(each[0], scope, depth + 1) if each else None

    def _values_of_name(self, name: str, scope: PythonScope | None) -> list[ast.expr]:
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
            safe = numeric or self.external.is_safe(node, scope)
            writer.hole(
                code.strip(), offset, safe=safe, outside=not numeric and self.external.is_outside(node, scope)
            )

    def _join_operands(self, node: ast.BinOp, scope: PythonScope, depth: int) -> AssembledText | None:
        left = self.value(node.left, scope, depth + 1)
        if isinstance(node.op, ast.Mod):
            return self._interpolate(left, node.right, scope) if left is not None else None
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
                safe, outside = self.external.is_safe(part, scope), self.external.is_outside(part, scope)
                writer.hole(self.text[start:end], start, safe=safe, outside=outside)
        return writer.text()

    def _interpolate(self, left: AssembledText, right: ast.expr, scope: PythonScope) -> AssembledText:
        """Return ``text % values``, with a hole for each ``%s``."""
        values = right.elts if isinstance(right, ast.Tuple) else [right]
        writer, offset = SqlAssembler(), 0
        for number, result in enumerate(re.finditer(r"%(?:\((\w+)\))?([sdrifx])|%%", left.text)):
            _copy(left, offset, result.start(), writer)
            offset = result.end()
            if result[2] is None:
                writer.add("%", _offset_of(left, result.start()), 1)
                continue
            value = (
                _value_at_key(right, result[1])
                if result[1]
                else values[number]
                if number < len(values)
                else right
            )
            entries = (
                self.value(value, scope, 1)
                if isinstance(value, (ast.Name, ast.Attribute, ast.Constant))
                else None
            )
            start, end = self.place(value)
            if entries is not None and not entries.holes:
                writer.add(entries.text, _offset_of(left, result.start()), 1)
                continue
            safe = result[2] in "difx" or self.external.is_safe(value, scope)
            writer.hole(self.text[start:end], start, safe=safe)
        _copy(left, offset, len(left.text), writer)
        return writer.text()

    def _call_string(self, node: ast.Call, scope: PythonScope, depth: int) -> AssembledText | None:
        name = callee_name(node)
        if name == "format" and isinstance(node.func, ast.Attribute):
            left = self.value(node.func.value, scope, depth + 1)
            return self._format_text(left, node, scope) if left is not None else None
        if name in _TIDIES and isinstance(node.func, ast.Attribute):
            return self.value(node.func.value, scope, depth + 1)
        if name in _WRAPPERS and node.args:
            return self.value(node.args[0], scope, depth + 1)
        return None

    def _format_text(self, left: AssembledText, call: ast.Call, scope: PythonScope) -> AssembledText:
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        composed = (
            isinstance(call.func, ast.Attribute) and "SQL(" in self.text[slice(*self.place(call.func.value))]
        )
        writer, offset, number = SqlAssembler(), 0, 0
        for match in _FIELD.finditer(left.text):
            _copy(left, offset, match.start(), writer)
            offset = match.end()
            if match["name"] is None:
                writer.add(match.group()[0], _offset_of(left, match.start()), 1)
                continue
            key = re.split(r"[.\[!:]", match["name"])[0]
            value = keywords.get(key)
            if value is None and (not key or key.isdigit()):
                position = int(key) if key else number
                value = call.args[position] if position < len(call.args) else None
                number += 1
            values = self.value(value, scope, 1) if isinstance(value, (ast.Name, ast.Attribute)) else None
            if values is not None and not values.holes:
                writer.add(values.text, _offset_of(left, match.start()), 1)
                continue
            start, end = self.place(value) if value is not None else self.place(call)
            safe = composed or value is None or self.external.is_safe(value, scope)
            writer.hole(self.text[start:end], start, safe=safe)
        _copy(left, offset, len(left.text), writer)
        return writer.text()

    def table_name(self, name: str, scope: PythonScope) -> str:
        """Return the table of a name: ``orders`` for a name bound to ``table("orders", ...)``."""
        values = self._values_of_name(name, scope) if name.isidentifier() else []
        created = values[0] if len(values) == 1 else None
        if isinstance(created, ast.Call) and callee_name(created) in ("table", "Table") and created.args:
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


def _value_at_key(values: ast.expr, key: str) -> ast.expr:
    if isinstance(values, ast.Dict):
        for name, value in zip(values.keys, values.values, strict=True):
            if isinstance(name, ast.Constant) and name.value == key:
                return value
    return values


def _offset_of(text: AssembledText, offset: int) -> int:
    return text.fragment(migrates=False).place(offset, offset + 1)[0]


def _copy(text: AssembledText, start: int, end: int, writer: SqlAssembler) -> None:
    """Write a section of a string with the locations of its parts."""
    bounds = [part.start for part in text.parts if start < part.start < end]
    for first, last in pairwise([start, *bounds, end]):
        part = next((part for part in reversed(text.parts) if part.start <= first), None)
        if part is None or last <= first:
            continue
        offset = part.offset
        if part.width is None:
            offset += first - part.start
        writer.add(text.text[first:last], offset, part.width)
