from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.calls import passed_values

_SWITCH = LazyPattern(r"(?i)^(\w+_)?debug(_mode)?$|^TEMPLATE_DEBUG$")
_TEXT_DEFAULTS = frozenset({"false", "0", "no", "off", "n", "f"})
_APPS = frozenset(
    {"fastapi.FastAPI", "starlette.applications.Starlette", "tornado.web.Application", "sanic.Sanic",
     "litestar.Litestar", "web.Application", "aiohttp.web.Application"}
)  # fmt: skip
_OTHER_SERVERS = frozenset({"bottle", "sanic", "quart", "dash", "aiohttp", "cherrypy", "japronto"})
_FLASK_APP = LazyPattern(r"(?i)^(app|application|server|flask_app|web_?app)(\.config)?$")
_OPEN_PLACES = LazyPattern(
    r"(?i)(^|[/_.])(dev(elopment)?|local|tests?|testing|debug|examples?|ci|docker|e2e|sandbox|demo|scripts?|docs?)([/_.]|$)"
)
_ANSWERS = LazyPattern(
    r"(?i)(response|jsonify|json|abort|HTTPException|make_response|html|text|write|finish|error)$"
)
_TRACES = frozenset({"traceback.format_exc", "traceback.format_exception", "traceback.format_tb"})


_DEBUGGING = "debug error pages expose internals; disable debugging"


class ExposedStackTrace(PythonCheck):
    """Internals of the program are exposed: debugging is enabled, or a response contains a stack trace.

    Debug pages show source, settings and variables. A string from the environment is true for every value,
    even ``"false"``: compare it. Log the trace and respond with a reference number.
    """

    ID = "PY339"
    NAME = "exposed-stack-trace"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "debug-in-production"
    WORDS = (
        "debug",
        "DEBUG",
        "traceback",
        "ALLOWED_HOSTS",
        "use_debugger",
        "DebuggedApplication",
        "serve_traceback",
    )
    VALID = [
        code("""
            import os
            DEBUG = os.environ.get('DEBUG', '').lower() == 'true'
        """),
        code("""
            import os
            DEBUG = bool(int(os.environ.get('DEBUG', '0')))
        """),
    ]
    INVALID = [
        code("""
            import traceback
            async def failed(request):
                detail = «traceback.format_exc()»
                return web.json_response({'error': detail}, status=500)
        """),
        code("""
            def options():
                return {'port': 8000, 'debug': True}

            «create().run(**options())»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and not _OPEN_PLACES.search(source.path)

    def visit_Assign(self, node: ast.Assign) -> None:
        name = _name_of_value(node.targets[0])
        if name == "ALLOWED_HOSTS" and _is_any(node.value) and not self._is_under_condition(node):
            if "settings" in self.source.path or "conf" in self.source.path:
                self.report(
                    self.module.span(node),
                    "any Host header is accepted as the name of the site; list the allowed hosts",
                )
        elif name.upper() == "DEBUG" and self._is_flask_switch(node):
            self.report(self.module.span(node), "debug error pages expose internals; disable debugging")
        elif _SWITCH.search(name) and self._is_on_by_accident(node.value):
            self.report(
                self.module.span(node), "this is always on: a text is true, even 'false'; compare the value"
            )

    def visit_keyword(self, node: ast.keyword) -> None:
        is_on = isinstance(node.value, ast.Constant) and node.value.value is True
        if node.arg == "serve_traceback" and is_on and not self._is_under_condition(node):
            self.report(self.module.span(node), "debug error pages expose internals; disable debugging")

    def _is_flask_switch(self, node: ast.Assign) -> bool:
        """Report ``app.debug = True`` and ``app.config["DEBUG"] = True`` without a condition."""
        target = node.targets[0]
        if not isinstance(target, (ast.Attribute, ast.Subscript)) or self._is_under_condition(node):
            return False
        is_on = isinstance(node.value, ast.Constant) and node.value.value is True
        is_flask = any(name.partition(".")[0] in {"flask", "quart"} for name in self.module.imported.values())
        return is_on and is_flask and _FLASK_APP.search(unparse(target.value)) is not None

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if (
            node.value is not None
            and _SWITCH.search(_name_of_value(node.target))
            and self._is_on_by_accident(node.value)
        ):
            self.report(
                self.module.span(node), "this is always on: a text is true, even 'false'; compare the value"
            )

    def _is_on_by_accident(self, value: ast.expr) -> bool:
        if not isinstance(value, ast.Call):
            return False
        name = self.module.qualified_name(value.func) or ""
        if name == "bool" and len(value.args) == 1 and isinstance(value.args[0], ast.Call):
            return self._default(value.args[0]) in _TEXT_DEFAULTS
        if self.module.imported_name(value.func) in {"os.getenv", "os.environ.get"}:
            default = self._default(value)
            return default in _TEXT_DEFAULTS or default is True
        return isinstance(value.func, ast.Name) and self._is_loose_reader(value)

    def _default(self, call: ast.Call) -> object:
        """Return the default of a read of the environment, in lower case; None if there is none."""
        if self.module.imported_name(call.func) not in {"os.getenv", "os.environ.get"}:
            return None
        arguments = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "default")]
        value = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else None
        return value.lower() if isinstance(value, str) else value

    def _is_loose_reader(self, call: ast.Call) -> bool:
        """Return True if a function converts a variable by its truth value, so that ``"false"`` is True."""
        if not _has_false_default(call):
            return False
        name = getattr(call.func, "id", "")
        functions = [node for node in self.module.tree.body if isinstance(node, ast.FunctionDef)]
        makers = [function for function in functions if function.name == name]
        return len(makers) == 1 and _returns_truth_of_variable(makers[0])

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name in _APPS:
            self._check_app(node)
        elif name == "werkzeug.debug.DebuggedApplication":
            self._check_debugger(node)
        elif _name_of_value(node.func) in {"run", "run_app", "run_simple"} and self._is_run_open(node):
            self.report(self.module.span(node), _DEBUGGING)
        elif name in _TRACES and self._is_in_response(node):
            self.report(
                self.module.span(node),
                "the response contains the stack trace; log it and send a reference number",
            )

    def _check_app(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg == "debug" and is_true(keyword.value):
                self.report(self.module.span(keyword), _DEBUGGING)

    def _check_debugger(self, node: ast.Call) -> None:
        if len(passed_values(node)) > 1 and "evalex=False" not in unparse(node):
            self.report(
                self.module.span(node),
                "the debugger lets everyone who opens an error page run code; disable debugging",
            )

    def _is_run_open(self, node: ast.Call) -> bool:
        """Return True if a server is started with debugging on: by a constant, or by spread options."""
        if (self.module.imported_name(node.func) or "").startswith(("subprocess.", "asyncio.")):
            return False
        return any(map(self._enables_debugging, node.keywords))

    def _enables_debugging(self, keyword: ast.keyword) -> bool:
        value = keyword.value
        match keyword.arg:
            case None:
                return self._spreads_debugging(value)
            case "debug" if self._is_on_in_other_server(value):
                return True
            case "debug" | "use_debugger":
                is_constant = isinstance(value, ast.Name) and self._definition_text(value.id) == "True"
                return is_constant or self._is_on_by_accident(value)
        return False

    def _spreads_debugging(self, options: ast.expr) -> bool:
        name = options.func if isinstance(options, ast.Call) else options
        text = self._definition_text(_name_of_value(name))
        return any(setting in text for setting in ("['debug'] = True", "'debug': True", "debug=True"))

    def _is_on_in_other_server(self, value: ast.expr) -> bool:
        """Return True if debugging is on in a server that ruff does not cover; ruff covers Flask only."""
        roots = {name.partition(".")[0] for name in self.module.imported.values()}
        is_on = isinstance(value, ast.Constant) and value.value is True
        return is_on and bool(roots & _OTHER_SERVERS) and "flask" not in roots

    def _definition_text(self, name: str) -> str:
        """Return the text of the value of a name of the module: a function, or its only value."""
        values = [
            node
            for node in self.module.nodes
            if (isinstance(node, ast.FunctionDef) and node.name == name)
            or (
                isinstance(node, ast.Assign)
                and any(_name_of_value(target) == name for target in node.targets)
            )
        ]
        if len(values) != 1:
            return ""
        return unparse(values[0].value if isinstance(values[0], ast.Assign) else values[0])

    def _is_in_response(self, node: ast.Call) -> bool:
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Call) and child is not parent.func:
                called = _name_of_value(parent.func)
                if called in {"error", "exception", "warning", "critical", "debug", "info", "print"}:
                    return False
                if _ANSWERS.search(called):
                    return True
            if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
                return self._is_sent(_name_of_value(parent.targets[0]), node)
            if isinstance(parent, ast.stmt):
                return isinstance(parent, ast.Return) and isinstance(child, (ast.Dict, ast.Tuple))
            child = parent
        return False

    def _is_sent(self, name: str, place: ast.AST) -> bool:
        """Return True if a name is part of a response that the same function returns."""
        function = self.module.function_of(place)
        return (
            function is not None
            and bool(name)
            and any(
                isinstance(node, ast.Return)
                and isinstance(node.value, ast.Call)
                and _ANSWERS.search(_name_of_value(node.value.func)) is not None
                and any(isinstance(part, ast.Name) and part.id == name for part in walk(node.value))
                for node in walk(function)
            )
        )

    def _is_under_condition(self, node: ast.AST) -> bool:
        return any(isinstance(parent, ast.If) for parent in self.module.ancestors(node))


def _name_of_value(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return last_name(node)


def _is_any(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and any(
        isinstance(element, ast.Constant) and element.value == "*" for element in node.elts
    )


def _has_false_default(call: ast.Call) -> bool:
    """Return True if the default that a call passes to a reader is a string like ``"false"``."""
    defaults = passed_values(call)[len(call.args[:1]) :]
    default = defaults[0].value if defaults and isinstance(defaults[0], ast.Constant) else None
    return isinstance(default, str) and default.lower() in _TEXT_DEFAULTS


def _returns_truth_of_variable(function: ast.FunctionDef) -> bool:
    """Return True if a function only returns ``bool()`` of a variable of the environment."""
    returned = [node.value for node in walk(function) if isinstance(node, ast.Return)]
    if len(returned) != 1 or not isinstance(returned[0], ast.Call) or unparse(returned[0].func) != "bool":
        return False
    return "environ" in unparse(function) and isinstance(returned[0].args[0], (ast.Call, ast.Name))
