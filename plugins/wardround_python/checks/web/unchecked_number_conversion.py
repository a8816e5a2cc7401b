from __future__ import annotations

import ast

from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.null_guards import is_caught, tested_expressions
from wardround_python.check import PythonCheck

_NUMBERS = frozenset({"int", "float", "decimal.Decimal", "uuid.UUID", "datetime.date.fromisoformat",
    "datetime.datetime.fromisoformat", "datetime.datetime.strptime"})  # fmt: skip
_SENT = LazyPattern(
    r"(?:self\.|cls\.)?(?:flask\.|info\.context\.)?(?:request|req)\.(?:args|form|values|json|GET|POST"
    r"|query_params|query_string"
    r"|data|headers|cookies|match_info|query|params|get_json\(.*?\)|rel_url\.query|forms|cleaned|META"
    r"|post\(\))"
    r"(?:\.get\(|\[|\.getlist\(|\.pop\().*"
    r"|self\.get_(?:query_|body_)?argument\(.*"
    r"|event(?:\.get\(|\[)[\"'](?:queryStringParameters|pathParameters|headers)[\"'].*"
)
_CATCHES = ("ValueError", "TypeError", "InvalidOperation", "ArithmeticError")
_CHECKS = (".isdigit()", ".isdecimal()", ".isnumeric()", "fullmatch(", ".match(")


class UncheckedNumberConversion(PythonCheck):
    """A value from the client is converted to a number without handling invalid values.

    ``?page=two`` then raises ValueError in the view: the client gets a 500 and the log a traceback for a
    mistake of the client. Convert it where an invalid value becomes a 400, and bound it.
    """

    ID = "PY035"
    NAME = "unchecked-number-conversion"
    WORDS = (
        "request.",
        "json.loads(event",
        "req.",
        "get_argument(",
        "queryStringParameters",
        "pathParameters",
    )
    DEFECT_CLASS = "unvalidated-number"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def f(request):
                try:
                    n = int(request.GET.get('n', 1))
                except ValueError:
                    return bad()
                return rows(n)
        """),
        code("""
            def f(request):
                raw = request.args.get('n', '')
                if not raw.isdigit():
                    return bad()
                return rows(int(raw))
        """),
    ]
    INVALID = [
        code("""
            def f(request):
                return rows[: «int(request.query_params.get('n', 50))»]
        """),
        code("""
            from flask import request
            def f():
                raw = request.form['amount']
                return pay(«float(raw)»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.qualified_name(node.func)
        scope = self.module.function_of(node)
        if name not in _NUMBERS or not node.args or scope is None:
            return
        sent = self._origin(node.args[0])
        if sent is None or is_caught(self.module, node, _CATCHES) or _is_tested(node.args[0], scope):
            return
        self.report(
            self.module.span(node),
            f"{unparse(node.func)}() of {sent} raises for an invalid value, and nothing handles it; "
            "respond with a 400",
        )

    def _origin(self, value: ast.expr) -> str | None:
        """Return the request part from which a value is read, verbatim."""
        for _ in range(3):
            if isinstance(value, ast.BoolOp):
                value = value.values[0]
            elif (
                isinstance(value, ast.Call)
                and isinstance(value.func, ast.Attribute)
                and value.func.attr == "strip"
            ):
                value = value.func.value
            elif isinstance(value, (ast.Name, ast.Subscript)) or self._is_entry(value):
                root = value
                while not isinstance(root, ast.Name):
                    root = root.func.value if isinstance(root, ast.Call) else root.value  # type: ignore[attr-defined]
                    if not isinstance(root, (ast.Name, ast.Subscript, ast.Attribute, ast.Call)):
                        return None
                    if isinstance(root, ast.Call) and not isinstance(root.func, ast.Attribute):
                        return None
                creation = self._assigned_value(root)
                if creation is None:
                    break
                if isinstance(value, ast.Name):
                    value = creation
                else:
                    return unparse(value) if self._is_body(creation) else None
            else:
                break
        written = unparse(value)
        return written if _SENT.fullmatch(written) else None

    def _is_entry(self, value: ast.expr) -> bool:
        return (
            isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "get"
        )

    def _assigned_value(self, name: ast.Name) -> ast.expr | None:
        """Return the only value that the function assigns to a name."""
        scope = self.module.function_of(name)
        if scope is None:
            return None
        values = []
        for node in walk(scope):
            if isinstance(node, ast.arg) and node.arg == name.id:
                return None
            if isinstance(node, ast.Assign) and _assigns_name(node, name.id):
                values.append(node.value)
        return values[0] if len(values) == 1 else None

    def _is_body(self, value: ast.expr) -> bool:
        """Return True if a value is the entire body of a request."""
        value = value.value if isinstance(value, ast.Await) else value
        return (
            _SENT.fullmatch(f"{unparse(value)}[0]") is not None
            or unparse(value)
            in (
                "request.json()",
                "json.loads(request.body)",
                "await request.json()",
            )
            or unparse(value).startswith(
                ("json.loads(event[", "json.loads(request.", "json.loads(event.get(")
            )
        )


def _is_tested(value: ast.expr, scope: ast.AST) -> bool:
    """Return True if a condition of the function checks that a text is a number."""
    text, tested = unparse(value), " ".join(tested_expressions(scope))
    if any(f"{text}{check}" in tested for check in _CHECKS[:3]):
        return True
    return text in tested and any(check in tested for check in _CHECKS[3:])


def _assigns_name(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
