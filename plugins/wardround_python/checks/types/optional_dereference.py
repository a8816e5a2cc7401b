from __future__ import annotations

import ast
import re
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.none_results import QUERY, ROWS, may_return_none
from wardround_python.analysis.null_guards import is_caught, tested_expressions
from wardround_python.check import PythonCheck

_MATCHERS = ("match", "search", "fullmatch")
_PATTERN_NAME = LazyPattern(r"[A-Z][A-Z0-9_]*|\w*(re|regex|pattern|rx)", re.IGNORECASE)
_OF_MATCH = frozenset({"group", "groups", "groupdict", "start", "end", "span"})
_FRAMES = ("pandas", "polars", "pyspark", "dask")
_SESSION = LazyPattern(r"(\w*_)?(session|db)|query")
# Mappings of data from clients: an entry may be missing.
_SENT = LazyPattern(
    r"(?i:.*\b(get|post|args|form|headers|query_params|cookies|meta|payload|body|event|metadata|json\(\)))"
)
_OF_TEXT = frozenset(
    "strip split lower upper startswith endswith encode replace lstrip rstrip splitlines removeprefix".split()  # noqa: SIM905
)
_FOUND_OR_NONE = frozenset(
    {"shutil.which", "inspect.getmodule", "importlib.util.find_spec", "inspect.getdoc"}
)
# Searches in a tree of elements, and the attributes and methods of the element they return.
_IN_TREE = frozenset({"find", "select_one", "find_next", "find_parent", "find_next_sibling"})
_TREES = ("xml.etree", "lxml", "defusedxml", "bs4", "html5lib")
_OF_ELEMENT = frozenset(
    "text attrib get tail find findall iter get_text find_all string select select_one contents".split()  # noqa: SIM905
)
_KEY = LazyPattern(r"[A-Za-z_][\w-]*")
_BY_NAME = frozenset({*_MATCHERS, *ROWS, *_IN_TREE, "get"})
_CATCHES = ("AttributeError", "TypeError")


class OptionalDereference(PythonCheck):
    """A value that may be None is used without a test.

    A pattern that does not match, a row that does not exist and an entry that was not sent are None, and the
    next attribute or index of it raises an error that does not name the cause. Test for None first, and
    report what is missing. A line with ``type: ignore`` is not reported.
    """

    ID = "PY033"
    NAME = "optional-dereference"
    PREFILTER = "wardround_python.prefilters:may_dereference_none"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "none-used"
    VALID = [
        code("""
            def f(text):
                return text.find('a').bit_length()
        """),
        code("""
            def f(client):
                return client.get('/users')['id']
        """),
    ]
    INVALID = [
        code("""
            import xml.etree.ElementTree as ET
            def f(entry):
                found = entry.find('c:Ref')
                return «found».text.strip()
        """),
        code("""
            def f(row):
                card = row.get('details', {}).get('card')
                return «card»['brand']
        """),
    ]

    def __init__(self, source: SourceFile, module: PythonModule | None = None) -> None:
        super().__init__(source, module)
        self._tests: dict[ast.AST, frozenset[str]] = {}
        self._found: dict[str, FunctionNode | None] = {}

    def visit_Call(self, node: ast.Call) -> None:
        if not self._is_of_interest(node):
            return
        parent = self.module.parents[node]
        value: ast.AST = node
        if isinstance(parent, ast.Await):
            value, parent = parent, self.module.parents[parent]
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            used = self._first_use(parent, value)
        else:
            used = parent if _is_access(parent, value) else None
        if not isinstance(used, (ast.Attribute, ast.Subscript)):
            return
        why = self._why_none(node, used)
        if why is not None and not self._is_guarded(value, used) and not self._is_waived(used):
            self.report(
                self.module.span(used.value),
                (f"{why}, and {_access_text(used)} of None raises; test for None first"),
            )

    def _is_of_interest(self, node: ast.Call) -> bool:
        """Return True if a call may return None at all; a prefilter."""
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "get":
            return not node.keywords and _reads_entry(node, unparse(func.value))
        if isinstance(func, ast.Attribute) and func.attr in _BY_NAME:
            return True
        if not isinstance(func, (ast.Name, ast.Attribute)) or not self.source.is_added(node.lineno):
            return False
        if self.module.imported_name(func) in _FOUND_OR_NONE:
            return True
        return self._uses_result(node) and self._project_function(node) is not None

    def _uses_result(self, node: ast.Call) -> bool:
        """Return True if the result of a call is assigned or accessed."""
        parent = self.module.parents[node]
        parent = self.module.parents[parent] if isinstance(parent, ast.Await) else parent
        return isinstance(parent, (ast.Assign, ast.AnnAssign, ast.Attribute, ast.Subscript))

    def _first_use(self, statement: ast.Assign | ast.AnnAssign, created: ast.AST) -> ast.AST | None:
        """Return the first access to the only name a value is bound to; None if anything tests the name."""
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if not isinstance(target, ast.Name) or statement.value is not created:
            return None
        scope = self.module.function_of(statement) or self.module.tree
        first = self._first_read(scope, target.id)
        if first is None or target.id in self._tested_expressions(scope):
            return None
        parent = self.module.parents[first]
        return parent if _is_access(parent, first) else None

    def _first_read(self, scope: ast.AST, name: str) -> ast.Name | None:
        """Return the first read of a name that a scope binds once."""
        uses = [use for use in self._names_in_order(scope) if use.id == name]
        reads = [use for use in uses if isinstance(use.ctx, ast.Load)]
        return reads[0] if reads and len(uses) == len(reads) + 1 else None

    def _names_in_order(self, scope: ast.AST) -> list[ast.Name]:
        results = [n for n in walk(scope) if isinstance(n, ast.Name)]
        return sorted(results, key=lambda n: (n.lineno, n.col_offset))

    def _tested_expressions(self, scope: ast.AST) -> frozenset[str]:
        if scope not in self._tests:
            self._tests[scope] = tested_expressions(scope)
        return self._tests[scope]

    def _is_guarded(self, created: ast.AST, used: ast.AST) -> bool:
        scope = self.module.function_of(created) or self.module.tree
        return unparse(created) in self._tested_expressions(scope) or is_caught(self.module, used, _CATCHES)

    def _is_waived(self, used: ast.expr) -> bool:
        """Return True if a comment suppresses type checkers in the lines of an access."""
        lines = self.source.lines[used.lineno - 1 : used.end_lineno or used.lineno]
        return any("type: ignore" in line for line in lines)

    def _why_none(self, node: ast.Call, used: ast.Attribute | ast.Subscript) -> str | None:
        """Return the reason for which a call may return None, if it is known."""
        name = self.module.imported_name(node.func)
        if name in _FOUND_OR_NONE:
            return f"{name}() returns None without a result"
        func = node.func
        if isinstance(func, ast.Attribute):
            if func.attr in _MATCHERS:
                return self._why_no_match(node, func, used)
            if why := self._why_no_row(node, func):
                return why
            if func.attr in _IN_TREE and (why := self._why_no_element(node, func, used)):
                return why
            if func.attr == "get":
                return self._why_not_sent(node, func, used) or self._why_no_entry(node, func, used)
        return self._why_optional(node)

    def _why_no_match(self, node: ast.Call, func: ast.Attribute, used: ast.AST) -> str | None:
        if not node.args or (isinstance(used, ast.Attribute) and used.attr not in _OF_MATCH):
            return None
        pattern: ast.expr | None
        if self.module.imported_name(func) == f"re.{func.attr}":
            pattern = node.args[0]
        else:
            name = unparse(func.value).rpartition(".")[2]
            is_named_so = isinstance(used, ast.Attribute) and _PATTERN_NAME.fullmatch(name) is not None
            if name not in self._patterns and not is_named_so:
                return None
            pattern = self._patterns.get(name)
        if pattern is not None and _always_matches(pattern):
            return None
        return f"{unparse(func)}() returns None if nothing matches"

    @cached_property
    def _patterns(self) -> dict[str, ast.expr]:
        """Return the pattern each name is compiled from."""
        result: dict[str, ast.expr] = {}
        for node in self.module.nodes:
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            if not isinstance(value, ast.Call) or not value.args:
                continue
            if self.module.imported_name(value.func) == "re.compile":
                for target in node.targets if isinstance(node, ast.Assign) else [getattr(node, "target")]:  # noqa: B009
                    result[unparse(target).rpartition(".")[2]] = value.args[0]
        return result

    def _why_no_row(self, node: ast.Call, func: ast.Attribute) -> str | None:
        owner = unparse(func.value)
        if func.attr in ROWS and self._is_query(owner, func.attr):
            return f"{func.attr}() returns None if no row matches"
        if func.attr == "get" and not node.keywords and _reads_row(node, owner):
            return "get() returns None if there is no such row"
        return None

    def _is_query(self, owner: str, method: str) -> bool:
        """Return True if a method queries a database row, not a table in memory."""
        if method not in ("get_or_none", "find_one", "scalar_one_or_none") and not QUERY.search(owner):
            return False
        return not any(package in self.module.imported.values() for package in _FRAMES)

    def _why_not_sent(self, node: ast.Call, func: ast.Attribute, used: ast.AST) -> str | None:
        if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], ast.Constant):
            return None
        if not isinstance(used, ast.Attribute) or used.attr not in _OF_TEXT:
            return None
        owner = unparse(func.value)
        if not _SENT.fullmatch(owner) or self.module.imported_name(func.value) is not None:
            return None
        return f"{owner}.get() returns None if {node.args[0].value!r} was not sent"

    def _why_no_element(self, node: ast.Call, func: ast.Attribute, used: ast.AST) -> str | None:
        if not any(name.startswith(_TREES) for name in self.module.imported.values()):
            return None
        is_member = isinstance(used, ast.Attribute) and used.attr in _OF_ELEMENT
        if not is_member and not isinstance(used, ast.Subscript):
            return None
        match node.args:
            case [ast.Constant(value=str()), *_]:
                is_found = isinstance(func.value, ast.Constant) or not self.source.is_added(node.lineno)
                return None if is_found else f"{func.attr}() returns None if there is no such element"
        return None

    def _why_no_entry(self, node: ast.Call, func: ast.Attribute, used: ast.AST) -> str | None:
        """Return the reason for which an entry that is then indexed may be missing."""
        if (
            not isinstance(used, ast.Subscript)
            or not _is_entry(node)
            or not self.source.is_added(node.lineno)
        ):
            return None
        if self.module.imported_name(func.value) is not None or self._is_passed_by_framework(func.value):
            return None
        return f"get({unparse(node.args[0])}) returns None if there is no such entry"

    def _is_passed_by_framework(self, owner: ast.expr) -> bool:
        """Return True for the ``**`` arguments of a method that a base class may call."""
        function = self.module.function_of(owner)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or function.args.kwarg is None:
            return False
        holder = self.module.class_of(function)
        return holder is not None and bool(holder.bases) and unparse(owner) == function.args.kwarg.arg

    def _why_optional(self, node: ast.Call) -> str | None:
        """Return the reason for a function of the project that is annotated or written to return None."""
        function = self._project_function(node) if self.source.is_added(node.lineno) else None
        waited = isinstance(self.module.parents[node], ast.Await)
        if function is None or isinstance(function, ast.AsyncFunctionDef) != waited:
            return None
        return f"{function.name}() may return None"

    def _project_function(self, node: ast.Call) -> FunctionNode | None:
        """Return the function of the project that a call reaches, if it may return None."""
        written = unparse(node.func)
        if written in self._found:
            return self._found[written]
        resolved = self.callees.definition_of(node)
        function = resolved.node if resolved is not None else None
        if isinstance(function, ast.ClassDef) or (function is not None and function.decorator_list):
            function = None
        result = function if function is not None and may_return_none(function) else None
        if not written.startswith(("self.", "cls.", "cls")):
            self._found[written] = result
        return result


def _is_entry(node: ast.Call) -> bool:
    """Return True if a ``get`` is of a mapping, without a default."""
    key = node.args[0] if len(node.args) == 1 and not node.keywords else None
    return (
        isinstance(key, ast.Constant) and isinstance(key.value, str) and _KEY.fullmatch(key.value) is not None
    )


def _is_access(parent: ast.AST, value: ast.AST) -> bool:
    if isinstance(parent, ast.Attribute):
        return parent.value is value and not parent.attr.startswith("__")
    return isinstance(parent, ast.Subscript) and parent.value is value and isinstance(parent.ctx, ast.Load)


def _access_text(used: ast.Attribute | ast.Subscript) -> str:
    return f".{used.attr}" if isinstance(used, ast.Attribute) else f"[{unparse(used.slice)}]"


def _always_matches(pattern: ast.expr) -> bool:
    """Return True if a pattern matches the empty text, and so every text."""
    if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str):
        return False
    after_start = pattern.value.removeprefix("^")
    if any(mark in after_start.replace("[^", "[") for mark in ("$", "\\Z", "\\b", "^")):
        return False
    try:
        return re.match(after_start, "") is not None
    except (re.error, OverflowError, RecursionError):
        return True


def _reads_entry(call: ast.Call, owner: str) -> bool:
    """Return True if ``get`` reads a row by its key, an entry of a mapping, or a part of a request."""
    if _SESSION.fullmatch(owner.rpartition(".")[2]) or _SENT.fullmatch(owner):
        return True
    return _is_entry(call)


def _reads_row(call: ast.Call, owner: str) -> bool:
    """Return True for ``session.get(Model, key)`` and ``Model.query.get(key)``."""
    last = owner.rpartition(".")[2]
    match call.args:
        case [ast.Name(id=model), _] if model[:1].isupper() and _SESSION.fullmatch(last):
            return True
        case [_]:
            return last == "query" and owner[:1].isupper()
    return False
