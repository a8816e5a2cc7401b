"""PY063: return type changed for callers."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.function_text import FunctionText, changed
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import parse, unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.callers import method_calls, spellings_of, written
from wardround_python.analysis.return_value_changes import ReturnShape, misfit, shapes, taken_apart, uses_of
from wardround_python.check import PythonCheck

_SHOWN_CALLS = 3
_TRANSPARENT_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "cache", "lru_cache", "retry", "override", "final", "atomic"}
)
_RESULT_LINE = LazyPattern(r"\breturn\b|->|\byield\b")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class ReturnTypeChangedForCallers(PythonCheck):
    """A function returns another type than before, and callers still use the old one.

    A tuple in place of a single value is always truthy, is serialized as a tuple, and lacks the methods
    that callers use. Update the callers in the same commit.
    """

    ID = "PY063"
    NAME = "return-type-changed-for-callers"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    WORDS = ("def ",)
    IN_TESTS = True
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "stale-callers"
    CASE_PATH = "app/store.py"
    VALID = [
        code(
            """
            def find(key) -> Row | None: ...
            """,
            base="""
            def find(key) -> Row: ...
            """,
            others={
                "a.py": """
                from app.store import find
                def f(k):
                    row = find(k)
                    if row is None:
                        return ''
                    return row.name
                """,
            },
        ),
        code(
            """
            def names(key):
                return list(key)
            """,
            base="""
            def names(key):
                return sorted(key)
            """,
            others={
                "a.py": """
                from app.store import names
                first = names('ab')[0]
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            def «find»(key) -> Row | None: ...
            """,
            base="""
            def find(key) -> Row: ...
            """,
            others={
                "a.py": """
                from app.store import find
                def f(k):
                    row = find(k)
                    return row.name
                """,
            },
        ),
        code(
            """
            def «load»(key) -> tuple[str, str]: ...
            """,
            base="""
            def load(key) -> str: ...
            """,
            others={
                "a.py": """
                from app.store import load
                def f(k):
                    text = load(k)
                    keep(text)
                """,
            },
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return any(_pairs(source))

    def visit_Module(self, node: ast.Module) -> None:
        functions = dict(_functions(node))
        for old_text, new_text in _pairs(self.source):
            owner, _, name = new_text.name.rpartition(".")
            function, old = functions.get((owner, name)), _parsed(old_text)
            if function is None or old is None or _only_declares(old, function):
                continue
            before, after = shapes(old, function)
            type_changed = "?" not in (before.kind, after.kind) and (before.kind, before.size) != (
                after.kind,
                after.size,
            )
            if type_changed or (after.or_none and not before.or_none and after.kind != "None"):
                self._check(function, owner, before, after)

    def _check(self, function: FunctionNode, owner: str, before: ReturnShape, after: ReturnShape) -> None:
        stale = {
            (module.path, call.lineno)
            for module, call in self._calls(function, owner)
            if _has_result(module, call, function) and self._is_stale(module, call, before, after)
        }
        if not stale:
            return
        places = [f"{path}:{line}" for path, line in sorted(stale)]
        more = f" and {len(places) - _SHOWN_CALLS} more" if len(places) > _SHOWN_CALLS else ""
        calls = "1 caller still uses" if len(places) == 1 else f"{len(places)} callers still use"
        self.report(
            self.module.name_span(function),
            f'"{function.name}" {_description(before, after)}, but {calls} the old result: '
            f"{', '.join(places[:_SHOWN_CALLS])}{more}",
        )

    def _is_stale(
        self, module: PythonModule, call: ast.Call, before: ReturnShape, after: ReturnShape
    ) -> bool:
        """Return True if an unchanged call uses the result as it was before."""
        own = module is self.module
        is_unchanged_file = not own and not self.source.is_changed(module.path)
        uses = list(uses_of(module, call))
        if after.or_none and not before.or_none and is_unchanged_file and taken_apart(uses):
            return True
        if "?" in (before.kind, after.kind):
            return False
        is_unchanged = is_unchanged_file or (own and not self.source.is_added(call.lineno))
        return any(misfit(use, before, after, is_unchanged) for use in uses)

    def _calls(self, function: FunctionNode, owner: str) -> Iterator[tuple[PythonModule, ast.Call]]:
        if not owner:
            yield from self._function_calls(function)
            return
        for node in self.module.nodes:
            is_own_call = isinstance(node, ast.Call) and written(node.func) == f"self.{function.name}"
            if is_own_call and isinstance(node, ast.Call) and self._class_around(node) == owner:
                yield self.module, node
        if not function.name.startswith("_"):
            yield from method_calls(self.source, function, owner, lambda call: True)

    def _function_calls(self, function: FunctionNode) -> Iterator[tuple[PythonModule, ast.Call]]:
        for module, spellings in spellings_of(self.source, self.module, function.name):
            for node in module.nodes if spellings else ():
                if isinstance(node, ast.Call) and written(node.func) in spellings:
                    yield module, node

    def _class_around(self, node: ast.Call) -> str | None:
        function = self.module.function_of(node)
        holder = self.module.class_of(function) if function is not None else None
        return None if holder is None else holder.name


def _pairs(source: SourceFile) -> Iterator[tuple[FunctionText, FunctionText]]:
    """Yield the functions whose return lines changed, before and after."""
    if source.base_text is None:
        return
    for old, new in changed(source.base_text, source.text):
        if _return_lines(old.text) != _return_lines(new.text):
            yield old, new


def _return_lines(text: str) -> list[str]:
    """Return the lines about the result: the complete function if one of them spans several lines."""
    lines = [line.strip() for line in text.split("\n") if _RESULT_LINE.search(line)]
    return [text] if any(line.endswith(("(", "[", "{", ",")) for line in lines) else sorted(lines)


def _parsed(function: FunctionText) -> FunctionNode | None:
    try:
        (node,) = parse(textwrap.dedent(function.text)).body
    except _UNREADABLE:
        return None
    return node if isinstance(node, FunctionNode) else None


def _has_result(module: PythonModule, call: ast.Call, function: FunctionNode) -> bool:
    """Return True if a call yields the result: that of a coroutine function only where it is awaited."""
    return isinstance(function, ast.FunctionDef) or isinstance(module.parents[call], ast.Await)


def _only_declares(old: FunctionNode, now: FunctionNode) -> bool:
    """Return True if only the annotation changed of a body that shows its result or raises."""
    if unparse(ast.Module(old.body, [])) != unparse(ast.Module(now.body, [])):
        return False
    return any(isinstance(n, ast.Raise) or (isinstance(n, ast.Return) and n.value) for n in walk(now))


def _description(before: ReturnShape, after: ReturnShape) -> str:
    if (before.kind, before.size) == (after.kind, after.size):
        return "may now return None"
    return f"now returns {after} and returned {before} before"


def _functions(tree: ast.Module) -> Iterator[tuple[tuple[str, str], FunctionNode]]:
    """Yield the functions of a module and the methods of its classes that decorators do not alter."""
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef)]
    for owner, body in [("", tree.body), *((node.name, node.body) for node in classes)]:
        functions = [n for n in body if isinstance(n, FunctionNode)]
        times = Counter(function.name for function in functions)
        for function in functions:
            if times[function.name] == 1 and _is_unaltered(function):
                yield (owner, function.name), function


def _is_unaltered(function: FunctionNode) -> bool:
    """Return True if callers receive the function's own result."""
    called = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    names = {d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "?") for d in called}
    return names <= _TRANSPARENT_DECORATORS and not function.name.startswith("__")
