"""PY030."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity, Span
from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import walk
from wardround.semantics.argument_order import (
    MOST_ARGUMENTS,
    ArgumentList,
    ArgumentName,
    Reordering,
    has_mirror_call,
    implies_reordering,
    is_informative,
)
from wardround.semantics.docdrift.comment_lines import PYTHON
from wardround.semantics.docdrift.directions import (
    against_the_words,
    are_opposites,
    is_intentional_reversal,
    names_a_way,
)
from wardround_python.check import PythonCheck

_GIVES_BACK = LazyPattern(r"refund|revert|chargeback|roll_?back|undo|repay|storno|cancel")
_NEARBY_LINES = 12
_ENOUGH = 2
_LONG = 5
_SUSPECTS_AT_MOST = 100
"""Of one file; one with more goes by another convention, or is no code that people write."""


class SwappedArguments(PythonCheck):
    """Two arguments stand in each other's places, by their names and those of the parameters.

    Where both are of the same type nothing fails: the picture is as high as it should be wide, the wrong one
    of two accounts is charged. Put them in the order of the parameters, or give them by keyword.
    """

    ID = "PY030"
    NAME = "swapped-arguments"
    PREFILTER = "wardround_python.prefilters:gives_several"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    VALID = [
        code("""
            def crop(width, height): ...

            def main(width, height):
                crop(width, height)
        """),
        code("""
            def crop(width, height): ...

            def rotated(width, height):
                crop(height, width)
        """),
    ]
    INVALID = [
        code("""
            def crop(width, height): ...

            def main(width, height):
                crop(«height, width»)
        """),
        code(
            """
            from .shape import crop

            def main(image):
                crop(1, «image.height, image.width»)
            """,
            path="app/use.py",
            others={
                "app/shape.py": """
                def crop(depth, width, height): ...
                """,
            },
        ),
    ]

    def __init__(self, source: SourceFile, module: PythonModule | None = None) -> None:
        super().__init__(source, module)
        self._suspects = 0

    def visit_Call(self, node: ast.Call) -> None:
        call = self.call_of(node)
        swap = None if call is None else self.judged(node, call)
        if call is None or swap is None:
            self._compare_with_others(node)
            return
        begin, end = (self.module.span(node.args[swap.moves[place][0]]) for place in (0, -1))
        span = Span(begin.line, begin.column, end.end_line, end.end_column)
        self.report(span, call.describe(swap))

    def _compare_with_others(self, node: ast.Call) -> None:
        """Report an argument that stands in another place in every call there was of the same function."""
        if len(node.args) < _ENOUGH or not self.adds(node) or self.callees.of(node) is None:
            return
        texts = [ast.unparse(one) for one in node.args]
        others = [[ast.unparse(one) for one in like.args] for like in self._of_same_callee(node)]
        for place, (argument, text) in enumerate(zip(node.args, texts, strict=True)):
            at = {other.index(text) for other in others if text in other}
            if not _is_telling(argument) or place in at or len(at) != 1:
                continue
            there = at.pop()
            is_exchange = isinstance(argument, ast.Constant)
            if there < len(texts) and (
                not is_exchange
                or any(len(other) > max(place, there) and other[place] == texts[there] for other in others)
            ):
                said = f"{text} is argument {there + 1} in the other calls of {ast.unparse(node.func)}"
                self.report(self.module.span(argument), f"{said}, and argument {place + 1} here")
                return

    def _of_same_callee(self, node: ast.Call) -> Iterator[ast.Call]:
        written = ast.dump(node.func)
        for calls in self._calls_at.values():
            yield from (one for one in calls if ast.dump(one.func) == written and not self.adds(one))

    def call_of(self, node: ast.Call) -> ArgumentList | None:
        """The call, if the change wrote it, its callee is known, and names can tell its arguments apart."""
        arguments = tuple(map(named, node.args))
        if not 2 <= len(arguments) <= MOST_ARGUMENTS or not self.adds(node):
            return None
        if sum(one is not None and is_informative(one.name) for one in arguments) < 2:
            return None
        callee = None if any(isinstance(a, ast.Starred) for a in node.args) else self.callees.of(node)
        if callee is None or len(arguments) > len(callee.parameters):
            return None
        texts = tuple(ast.unparse(argument) for argument in node.args)
        return ArgumentList(callee.name, callee.parameters[: len(arguments)], arguments, texts)

    def judged(self, node: ast.Call, call: ArgumentList) -> Reordering | None:
        """The order that fits better, unless something says that this one is meant."""
        swap = call.better_order()
        if swap is None and names_a_way(call.parameters):
            text = self.source.text
            return against_the_words(text, PYTHON, node.lineno, call.arguments, call.parameters)
        if swap is None or self._suspects >= _SUSPECTS_AT_MOST:
            return None
        self._suspects += 1
        return None if self._is_meant(node, call, swap) else swap

    def _is_meant(self, node: ast.Call, call: ArgumentList, swap: Reordering) -> bool:
        moved = {call.texts[place] for place, _ in swap.moves}
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if (
                    implies_reordering(parent.name)
                    or _GIVES_BACK.search(parent.name)
                    or parent.name == call.callee
                ):
                    return True
                if are_opposites(parent.name, call.callee):
                    return True
            elif isinstance(parent, (ast.If, ast.IfExp, ast.While)) and _compares(parent.test, moved):
                return True
        if is_intentional_reversal(self.source.text, PYTHON, node.lineno):
            return True
        return has_mirror_call(call.texts, [[ast.unparse(a) for a in like.args] for like in self._like(node)])

    def _like(self, node: ast.Call) -> Iterator[ast.Call]:
        """Calls of the same callee nearby."""
        written = ast.dump(node.func)
        for line in range(node.lineno - _NEARBY_LINES, node.lineno + _NEARBY_LINES + 1):
            for other in self._calls_at.get(line, ()):
                if (
                    other is not node
                    and len(other.args) == len(node.args)
                    and ast.dump(other.func) == written
                ):
                    yield other

    @cached_property
    def _calls_at(self) -> dict[int, list[ast.Call]]:
        found: dict[int, list[ast.Call]] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and len(node.args) > 1:
                found.setdefault(node.lineno, []).append(node)
        return found


def _is_telling(argument: ast.expr) -> bool:
    """Whether an argument is so much its own that it stands for one and the same thing in all calls."""
    if isinstance(argument, ast.Constant):
        return isinstance(argument.value, str) and len(argument.value) > _LONG
    return isinstance(argument, (ast.BoolOp, ast.Call)) and len(ast.unparse(argument)) > 2 * _LONG


def named(argument: ast.expr) -> ArgumentName | None:
    """What an argument is called: a name, an attribute, an entry, a call without arguments."""
    if isinstance(argument, ast.Await):
        argument = argument.value
    if isinstance(argument, ast.Call) and not argument.args and not argument.keywords:
        argument = argument.func
    if isinstance(argument, ast.Name):
        return ArgumentName(argument.id)
    if isinstance(argument, ast.Attribute):
        owner = argument.value
        return ArgumentName(
            argument.attr, owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
        )
    if isinstance(argument, ast.Subscript) and isinstance(argument.slice, ast.Constant):
        key = argument.slice.value
        return ArgumentName(key) if isinstance(key, str) and key.isidentifier() else None
    return None


def _compares(test: ast.expr, moved: set[str]) -> bool:
    """Whether a condition looks at two of the arguments: then their order is chosen."""
    return len(moved & {ast.unparse(n) for n in walk(test) if isinstance(n, (ast.Name, ast.Attribute))}) > 1
