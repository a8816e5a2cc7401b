"""PY033: optional dereference."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround_python.analysis.none_results import QUERY, ROWS, may_return_none
from wardround_python.analysis.null_guards import is_caught, tested
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
    PREFILTER = "wardround_python.prefilters:asks_for_what_may_be_none"
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
            used = self._used(parent, value)
        else:
            used = parent if _accesses(parent, value) else None
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
            owner = unparse(func.value)
            by_key = _SESSION.fullmatch(owner.rpartition(".")[2]) is not None
            return not node.keywords and (by_key or _is_entry(node) or _SENT.fullmatch(owner) is not None)
        if isinstance(func, ast.Attribute) and func.attr in _BY_NAME:
            return True
        if not isinstance(func, (ast.Name, ast.Attribute)) or not self.source.is_added(node.lineno):
            return False
        if self.module.imported_name(func) in _FOUND_OR_NONE:
            return True
        parent = self.module.parents[node]
        parent = self.module.parents[parent] if isinstance(parent, ast.Await) else parent
        keeps = (ast.Assign, ast.AnnAssign, ast.Attribute, ast.Subscript)
        return isinstance(parent, keeps) and self._own(node) is not None

    def _used(self, statement: ast.Assign | ast.AnnAssign, made: ast.AST) -> ast.AST | None:
        """Return the first access to the only name a value is bound to; None if anything tests the name."""
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        scope = self.module.function_of(statement) or self.module.tree
        if not isinstance(target, ast.Name) or statement.value is not made:
            return None
        uses = [n for n in self._named(scope) if n.id == target.id]
        if sum(not isinstance(n.ctx, ast.Load) for n in uses) != 1 or target.id in self._tested(scope):
            return None
        loads = [n for n in uses if isinstance(n.ctx, ast.Load)]
        first = loads[0] if loads else None
        parent = self.module.parents[first] if first is not None else None
        return parent if first is not None and parent is not None and _accesses(parent, first) else None

    def _named(self, scope: ast.AST) -> list[ast.Name]:
        results = [n for n in walk(scope) if isinstance(n, ast.Name)]
        return sorted(results, key=lambda n: (n.lineno, n.col_offset))

    def _tested(self, scope: ast.AST) -> frozenset[str]:
        if scope not in self._tests:
            self._tests[scope] = tested(scope)
        return self._tests[scope]

    def _is_guarded(self, made: ast.AST, used: ast.AST) -> bool:
        scope = self.module.function_of(made) or self.module.tree
        return unparse(made) in self._tested(scope) or is_caught(self.module, used, _CATCHES)

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
        return self._why_own(node)

    def _why_no_match(self, node: ast.Call, func: ast.Attribute, used: ast.AST) -> str | None:
        if not node.args or (isinstance(used, ast.Attribute) and used.attr not in _OF_MATCH):
            return None
        pattern = node.args[0] if self.module.imported_name(func) == f"re.{func.attr}" else None
        if pattern is None:
            written = unparse(func.value).rpartition(".")[2]
            if written not in self._patterns and not (
                _PATTERN_NAME.fullmatch(written) and isinstance(used, ast.Attribute)
            ):
                return None
            pattern = self._patterns.get(written)
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
        if func.attr in ROWS:
            asked = QUERY.search(owner) or func.attr in ("get_or_none", "find_one", "scalar_one_or_none")
            if asked and not any(f in self.module.imported.values() for f in _FRAMES):
                return f"{func.attr}() returns None if no row matches"
        if func.attr != "get" or node.keywords:
            return None
        last = owner.rpartition(".")[2]
        model = node.args[0] if node.args else None
        by_key = len(node.args) == 2 and isinstance(model, ast.Name) and model.id[:1].isupper()
        by_query = last == "query" and len(node.args) == 1 and owner[:1].isupper()
        if (by_key and _SESSION.fullmatch(last)) or by_query:
            return "get() returns None if there is no such row"
        return None

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
        parses = any(name.startswith(_TREES) for name in self.module.imported.values())
        asked = isinstance(used, ast.Subscript) or (
            isinstance(used, ast.Attribute) and used.attr in _OF_ELEMENT
        )
        first = node.args[0] if node.args else None
        if not parses or not asked or not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
            return None
        if isinstance(func.value, ast.Constant) or not self.source.is_added(node.lineno):
            return None
        return f"{func.attr}() returns None if there is no such element"

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

    def _why_own(self, node: ast.Call) -> str | None:
        """Return the reason for a function of the project that is annotated or written to return None."""
        function = self._own(node) if self.source.is_added(node.lineno) else None
        waited = isinstance(self.module.parents[node], ast.Await)
        if function is None or isinstance(function, ast.AsyncFunctionDef) != waited:
            return None
        return f"{function.name}() may return None"

    def _own(self, node: ast.Call) -> FunctionNode | None:
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


def _accesses(parent: ast.AST, value: ast.AST) -> bool:
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
