"""External values in SQL of Python: which of them are certainly harmless, and which certainly are not."""

from __future__ import annotations

import ast
from collections.abc import Callable

from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround_sql.frontends.python_scopes import PythonScope, callee_name

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
_LOOK_UPS = ("get", "index", "fullmatch", "match", "isidentifier")


class ExternalValues:
    """Classifies the values that a module inserts into strings.

    Args:
        text: the file.
        place: returns start and end of an expression in the file, in code points.
    """

    def __init__(self, text: str, place: Callable[[ast.expr], tuple[int, int]]) -> None:
        self.text = text
        self._place = place

    def is_safe(self, node: ast.expr, scope: PythonScope) -> bool:
        """Return True if a value is certainly not an external text."""
        match node:
            case ast.Constant() | ast.JoinedStr() | ast.BinOp(op=ast.Mult()):
                return True
            case ast.Call():
                return callee_name(node) in _CONVERSIONS or _STRUCTURE.search(callee_name(node)) is not None
            case ast.BinOp():
                return self.is_safe(node.left, scope) and self.is_safe(node.right, scope)
            case ast.IfExp():
                return self.is_safe(node.body, scope) and self.is_safe(node.orelse, scope)
        if _STRUCTURE.search(self._source_of(node)):
            return True
        return isinstance(node, ast.Name) and self._is_number(node.id, scope)

    def _source_of(self, node: ast.expr) -> str:
        """Return the code of an expression as the file has it, or as ``unparse`` writes it if they differ."""
        unparsed = unparse(node)
        if not hasattr(node, "lineno"):
            return unparsed
        code = self.text[slice(*self._place(node))]
        is_same = unparsed.replace('"', "'") == code.replace('"', "'")
        return code if is_same else unparsed

    def is_outside(self, node: ast.expr, scope: PythonScope) -> bool:
        """Return True if a value is certainly an external text that nothing validates."""
        if _REQUEST.match(unparse(node)):
            return True
        function = scope.node
        if not isinstance(node, ast.Name):
            return False
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        is_text = _annotation(function, node.id) in ("str", "str | None", "Optional[str]")
        values = scope.names.get(node.id, [])
        if not is_text and not any(_REQUEST.match(unparse(value)) for value in values):
            return False
        return not _is_validated(function, node.id)

    def _is_number(self, name: str, scope: PythonScope | None) -> bool:
        """Return True if a name is bound to a number, an enum or one of some constants."""
        while scope is not None:
            if name in scope.names:
                return all(self._is_fixed(value, scope) for value in scope.names[name])
            if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)) and name in scope.unknown:
                annotation = _annotation(scope.node, name)
                return _NUMBERS.search(annotation) is not None and _TEXTUAL.search(annotation) is None
            scope = scope.outer
        return False

    def _is_fixed(self, value: ast.expr, scope: PythonScope) -> bool:
        if not isinstance(value, ast.Starred):
            return self.is_safe(value, scope)
        match value.value:
            case ast.List() | ast.Tuple() | ast.Set():
                return True
            case ast.Call() as call:
                return callee_name(call) in ("range", "enumerate")
            case ast.Name(id=name):
                return name.isupper()
        return False


def _annotation(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> str:
    """Return the annotation of a parameter as source code; empty if it has none."""
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.arg == name and argument.annotation is not None:
            return unparse(argument.annotation)
    return ""


def _is_validated(function: ast.AST, name: str) -> bool:
    """Return True if a function uses a name as a key or compares it before its use."""
    for node in walk(function):
        match node:
            case ast.Compare() if any(isinstance(part, ast.Name) and part.id == name for part in walk(node)):
                return True
            case ast.Subscript(slice=ast.Name(id=key)) if key == name:
                return True
            case ast.Call() if _is_membership_test(name, node):
                return True
    return False


def _is_membership_test(name: str, call: ast.Call) -> bool:
    """Return True if a call searches a name in a collection, or tests its text."""
    if callee_name(call) not in _LOOK_UPS:
        return False
    receiver = getattr(call.func, "value", None)
    return any(isinstance(value, ast.Name) and value.id == name for value in (*call.args, receiver))
