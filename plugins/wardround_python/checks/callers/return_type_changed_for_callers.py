"""PY063."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import parse
from wardround.rules.maturity import Maturity
from wardround_python.analysis.callers import method_calls, spellings_of, written
from wardround_python.analysis.return_value_changes import ReturnShape, misfit, shapes, taken_apart, uses_of
from wardround_python.check import PythonCheck
from wardround_python.syntax.function_text import FunctionText, changed

_SHOWN_PLACES = 3
_PASSING_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "cache", "lru_cache", "retry", "override", "final", "atomic"}
)
_GIVES = LazyPattern(r"\breturn\b|->|\byield\b")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class ReturnTypeChangedForCallers(PythonCheck):
    """A function gives another kind of result than before and callers still use the old one.

    A tuple where one value was is true even when it holds nothing, is written into files as a tuple, and has
    none of the methods the caller asks for. Change the callers in the same commit.
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
            if function is None or old is None:
                continue
            was, now = shapes(old, function)
            other_kind = "?" not in (was.kind, now.kind) and (was.kind, was.size) != (now.kind, now.size)
            if other_kind or (now.or_none and not was.or_none and now.kind != "None"):
                self._look_at(function, owner, was, now)

    def _look_at(self, function: FunctionNode, owner: str, was: ReturnShape, now: ReturnShape) -> None:
        stale = set()
        for module, call in self._calls(function, owner):
            own = module is self.module
            unseen = not own and not self.source.is_changed(module.path)
            uses = list(uses_of(module, call))
            if now.or_none and not was.or_none and unseen and taken_apart(uses):
                stale.add((module.path, call.lineno))
            for use in uses if "?" not in (was.kind, now.kind) else ():
                if misfit(use, was, now, unseen or (own and not self.source.is_added(call.lineno))):
                    stale.add((module.path, call.lineno))
        if not stale:
            return
        places = [f"{path}:{line}" for path, line in sorted(stale)]
        more = f" and {len(places) - _SHOWN_PLACES} more" if len(places) > _SHOWN_PLACES else ""
        calls = "1 caller uses" if len(places) == 1 else f"{len(places)} callers use"
        self.report(
            self.module.name_span(function),
            f'"{function.name}" {_told(was, now)}, but {calls} it as before: '
            f"{', '.join(places[:_SHOWN_PLACES])}{more}",
        )

    def _calls(self, function: FunctionNode, owner: str) -> Iterator[tuple[PythonModule, ast.Call]]:
        if not owner:
            for module, spellings in spellings_of(self.source, self.module, function.name):
                for node in module.nodes if spellings else ():
                    if isinstance(node, ast.Call) and written(node.func) in spellings:
                        yield module, node
            return
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and written(node.func) == f"self.{function.name}":
                around = self.module.function_of(node)
                holder = self.module.class_of(around) if around is not None else None
                if holder is not None and holder.name == owner:
                    yield self.module, node
        if not function.name.startswith("_"):
            yield from method_calls(self.source, function, owner, lambda call: True)


def _pairs(source: SourceFile) -> Iterator[tuple[FunctionText, FunctionText]]:
    """The functions that say otherwise what they give, as they were written and are."""
    if source.base_text is None:
        return
    for old, new in changed(source.base_text, source.text):
        if _giving_lines(old.text) != _giving_lines(new.text):
            yield old, new


def _giving_lines(text: str) -> list[str]:
    """What is said of a result: all of the function where that takes more than a line."""
    lines = [line.strip() for line in text.split("\n") if _GIVES.search(line)]
    return [text] if any(line.endswith(("(", "[", "{", ",")) for line in lines) else sorted(lines)


def _parsed(function: FunctionText) -> FunctionNode | None:
    try:
        (node,) = parse(textwrap.dedent(function.text)).body
    except _UNREADABLE:
        return None
    return node if isinstance(node, FunctionNode) else None


def _told(was: ReturnShape, now: ReturnShape) -> str:
    if (was.kind, was.size) == (now.kind, now.size):
        return "may give None now"
    return f"gives {now} now and gave {was}"


def _functions(tree: ast.Module) -> Iterator[tuple[tuple[str, str], FunctionNode]]:
    """The functions of a module and the methods of its classes that are called as they are written."""
    holders = [n for n in tree.body if isinstance(n, ast.ClassDef)]
    for owner, body in [("", tree.body), *((holder.name, holder.body) for holder in holders)]:
        functions = [n for n in body if isinstance(n, FunctionNode)]
        times = Counter(function.name for function in functions)
        for function in functions:
            called = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
            names = {d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "?") for d in called}
            if (
                times[function.name] == 1
                and names <= _PASSING_DECORATORS
                and not function.name.startswith("__")
            ):
                yield (owner, function.name), function
