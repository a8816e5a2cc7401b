from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity, Span
from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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

_REVERSES_PAYMENT = LazyPattern(r"refund|revert|chargeback|roll_?back|undo|repay|storno|cancel")
_NEARBY_LINES = 12
_MIN_ARGUMENTS = 2
_LONG = 5
_MAX_SUSPECTS = 100
"""Most suspects of one file; a file with more follows another convention or is generated."""


class SwappedArguments(PythonCheck):
    """Two arguments are swapped, judged by their names and the parameters' names.

    If both have the same type nothing fails: width and height are exchanged, the wrong account is
    charged. Reorder the arguments to match the parameters, or pass them by keyword.
    """

    ID = "PY030"
    NAME = "swapped-arguments"
    PREFILTER = "wardround_python.prefilters:has_several_arguments"
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
        swap = None if call is None else self.misordering(node, call)
        if call is None or swap is None:
            self._compare_with_others(node)
            return
        begin, end = (self.module.span(node.args[swap.moves[position][0]]) for position in (0, -1))
        span = Span(begin.line, begin.column, end.end_line, end.end_column)
        self.report(span, call.describe(swap))

    def _compare_with_others(self, node: ast.Call) -> None:
        """Report an argument that has another position in every earlier call of the same function."""
        if len(node.args) < _MIN_ARGUMENTS or not self.adds(node) or self.callees.of(node) is None:
            return
        others = [_argument_sources(call) for call in self._calls_of_same_callee(node)]
        texts = _argument_sources(node)
        for position, argument in enumerate(node.args):
            expected = _expected_position(others, position, texts) if _is_distinctive(argument) else None
            if expected is None:
                continue
            is_exchange = isinstance(argument, ast.Constant)
            if not is_exchange or _is_exchanged(others, position, expected, texts[expected]):
                called = unparse(node.func)
                message = f"{texts[position]} is argument {expected + 1} in the other calls of {called}"
                self.report(self.module.span(argument), f"{message}, but argument {position + 1} here")
                return

    def _calls_of_same_callee(self, node: ast.Call) -> Iterator[ast.Call]:
        callee_dump = ast.dump(node.func)
        for calls in self._calls_at.values():
            yield from (call for call in calls if ast.dump(call.func) == callee_dump and not self.adds(call))

    def call_of(self, node: ast.Call) -> ArgumentList | None:
        """Return the call if the change added it, its callee is known, and names identify its arguments."""
        arguments = tuple(map(argument_name, node.args))
        if not 2 <= len(arguments) <= MOST_ARGUMENTS or not self.adds(node):
            return None
        if sum(argument is not None and is_informative(argument.name) for argument in arguments) < 2:
            return None
        has_starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        callee = None if has_starred else self.callees.of(node)
        if callee is None or len(arguments) > len(callee.parameters):
            return None
        texts = tuple(map(unparse, node.args))
        return ArgumentList(callee.name, callee.parameters[: len(arguments)], arguments, texts)

    def misordering(self, node: ast.Call, call: ArgumentList) -> Reordering | None:
        """Return the order that fits better, unless the present one is intended."""
        swap = call.better_order()
        if swap is None and names_a_way(call.parameters):
            text = self.source.text
            return against_the_words(text, PYTHON, node.lineno, call.arguments, call.parameters)
        if swap is None or self._suspects >= _MAX_SUSPECTS:
            return None
        self._suspects += 1
        return None if self._is_intended(node, call, swap) else swap

    def _is_intended(self, node: ast.Call, call: ArgumentList, swap: Reordering) -> bool:
        moved = {call.texts[position] for position, _ in swap.moves}
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if _suggests_swap(parent.name, call.callee):
                    return True
            elif isinstance(parent, (ast.If, ast.IfExp, ast.While)) and _compares_arguments(
                parent.test, moved
            ):
                return True
        if is_intentional_reversal(self.source.text, PYTHON, node.lineno):
            return True
        return has_mirror_call(
            call.texts, [[unparse(a) for a in like.args] for like in self._nearby_calls(node)]
        )

    def _nearby_calls(self, node: ast.Call) -> Iterator[ast.Call]:
        """Yield nearby calls of the same callee."""
        callee_dump = ast.dump(node.func)
        for line in range(node.lineno - _NEARBY_LINES, node.lineno + _NEARBY_LINES + 1):
            for other in self._calls_at.get(line, ()):
                if (
                    other is not node
                    and len(other.args) == len(node.args)
                    and ast.dump(other.func) == callee_dump
                ):
                    yield other

    @cached_property
    def _calls_at(self) -> dict[int, list[ast.Call]]:
        found: dict[int, list[ast.Call]] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and len(node.args) > 1:
                found.setdefault(node.lineno, []).append(node)
        return found


def _is_distinctive(argument: ast.expr) -> bool:
    """Return True if an argument is distinctive enough to identify the same value in all calls."""
    if isinstance(argument, ast.Constant):
        return isinstance(argument.value, str) and len(argument.value) > _LONG
    return isinstance(argument, (ast.BoolOp, ast.Call)) and len(unparse(argument)) > 2 * _LONG


def argument_name(argument: ast.expr) -> ArgumentName | None:
    """Return the name of an argument: a name, an attribute, an entry, a call without arguments."""
    argument = _callee_of(argument)
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


def _callee_of(argument: ast.expr) -> ast.expr:
    """Return the callee of a call without arguments, awaited or not."""
    if isinstance(argument, ast.Await):
        argument = argument.value
    is_bare_call = isinstance(argument, ast.Call) and not argument.args and not argument.keywords
    return argument.func if is_bare_call and isinstance(argument, ast.Call) else argument


def _compares_arguments(test: ast.expr, moved: set[str]) -> bool:
    """Return True if a condition compares two of the arguments, so that their order is chosen."""
    return len(moved & {unparse(n) for n in walk(test) if isinstance(n, (ast.Name, ast.Attribute))}) > 1


def _is_exchanged(others: Iterable[Sequence[str]], position: int, expected: int, text: str) -> bool:
    """Return True if another call has the argument of the expected position at this one."""
    return any(len(other) > max(position, expected) and other[position] == text for other in others)


def _suggests_swap(name: str, callee: str) -> bool:
    """Return True if the name of an enclosing function or class suggests that the order is reversed."""
    if implies_reordering(name) or _REVERSES_PAYMENT.search(name):
        return True
    return name == callee or are_opposites(name, callee)


def _expected_position(others: Sequence[Sequence[str]], position: int, texts: Sequence[str]) -> int | None:
    """Return the only position of an argument in all other calls, if it differs from this one."""
    text = texts[position]
    positions = {other.index(text) for other in others if text in other}
    if position in positions or len(positions) != 1:
        return None
    expected = positions.pop()
    return expected if expected < len(texts) else None


def _argument_sources(call: ast.Call) -> list[str]:
    return [unparse(argument) for argument in call.args]
