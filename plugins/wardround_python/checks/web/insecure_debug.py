from __future__ import annotations

import ast

from wardround.findings import Plane, Severity
from wardround.languages.python.literals import is_true, single_assignment
from wardround.languages.python.module import last_name
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_PRODUCTION = LazyPattern(r"(?i)(^|[/_.-])(prod(uction)?|live|staging|deploy(ment)?|release)([/_.-]|$)")
_MAKER = LazyPattern(r"^_?(create|make|build|get)_(\w+_)?app(lication)?$|^(app|application)_factory$|^Dash$")
_OWN = LazyPattern(r"(?i)(^|[/_.-])(dev(el(op(ment)?)?)?|local|debug|examples?|demo)([/_.-]|$)")
_CLASS = LazyPattern(r"(?i)^(prod|live|staging)|(prod(uction)?|live)(config|settings)?$")


class InsecureDebug(PythonCheck):
    """Debugging is enabled in production.

    Error pages then show source, settings and variables, and Werkzeug's debugger lets everyone who opens it
    run code. Disable it in the production settings and read the option from the environment elsewhere.
    """

    ID = "PY327"
    NAME = "insecure-debug"
    WORDS = ("DEBUG", "debug=True")
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "debug-in-production"
    VALID = [
        code(
            """
            DEBUG = False
            """,
            path="config/settings/production.py",
        ),
        code(
            """
            DEBUG = True
            """,
            path="config/settings/local.py",
        ),
    ]
    INVALID = [
        code(
            """
            «DEBUG = True»
            """,
            path="config/settings/production.py",
        ),
        code("""
            class ProductionConfig(Config):
                «DEBUG = True»
        """),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        name = target.id if isinstance(target, ast.Name) else ""
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            name = str(target.slice.value)
        is_on = isinstance(node.value, ast.Constant) and node.value.value is True
        if (
            name in {"DEBUG", "TEMPLATE_DEBUG", "DEBUG_PROPAGATE_EXCEPTIONS"}
            and is_on
            and self._is_for_strangers(node)
        ):
            self.report(self.module.span(node), f"{name} is enabled in the production settings; disable it")

    def visit_Call(self, node: ast.Call) -> None:
        """Report an imported application run with the debugger; ruff covers local ones (S201)."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("run", "run_server"):
            return
        arguments = next(
            (keyword for keyword in node.keywords if keyword.arg == "debug" and is_true(keyword.value)), None
        )
        if arguments is None or _OWN.search(self.source.path) or not self._is_application(node.func.value):
            return
        message = "debug=True exposes Werkzeug's console, which runs code, on every error page; disable it"
        self.report(self.module.span(arguments), message, severity=Severity.WARN)

    def _is_application(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return _MAKER.search(last_name(node.func)) is not None
        if not isinstance(node, ast.Name):
            return False
        value = single_assignment(self.module, node)
        if isinstance(value, ast.Call):
            return _MAKER.search(last_name(value.func)) is not None
        return node.id in ("app", "application", "flask_app") and node.id in self.module.imported

    def _is_for_strangers(self, node: ast.Assign) -> bool:
        parents = list(self.module.ancestors(node))
        if any(isinstance(item, ast.If) for item in parents):
            return False
        classes = [parent.name for parent in parents if isinstance(parent, ast.ClassDef)]
        if classes:
            return _CLASS.search(classes[0]) is not None
        return _PRODUCTION.search(self.source.path) is not None
