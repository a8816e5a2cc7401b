"""PY030."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
    TRIED_ON = (
        "thirteen repositories, most in up to 14 yearly states, and their commits that mend an order: 5 "
        "places in 3 of them, all mended there later; no false one in 16,600 judged calls (code that stays "
        "counts in each state); of 2,015 injected swaps 870 found; of words that state a direction, 24 "
        "projects: 1, wrong, its cause passed over since"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def crop(width, height): ...\n\ndef main(width, height):\n    crop(width, height)\n",
        "def crop(width, height): ...\n\ndef rotated(width, height):\n    crop(height, width)\n",
        "def crop(width, height): ...\n\ndef main(width, height):\n    crop(height=height, width=width)\n",
        "def crop(*sides): ...\n\ndef main(width, height):\n    crop(height, width)\n",
        "def pay(payer, payee): ...\n\ndef settle(payer, payee):\n"
        "    pay(payer, payee)\n    pay(payee, payer)\n",
        "def gap(first, second): ...\n\ndef wide(first, second):\n    if first > second:\n"
        "        return gap(second, first)\n    return gap(first, 2)\n",
        "def move(disk, source, target):\n    move(disk - 1, target, source)\n",
        "def send(x, y): ...\n\ndef main(y, x):\n    send(y, x)\n",
        Valid(
            "from app.other import crop\n\ndef main(width, height):\n    crop(height, width)\n",
            path="app/use.py",
            others={"app/shape.py": "def crop(width, height): ...\n"},
        ),
        Valid(
            "def crop(width, height): ...\n\ndef main(width, height):\n    crop(height, width)\n# end\n",
            base="def crop(width, height): ...\n\ndef main(width, height):\n    crop(height, width)\n",
        ),
        "def crop(width, height): ...\n\ndef fit(width, height):\n"
        "    # the scanner hands pages in sideways\n    crop(height, width)\n",
        "def crop(width, height): ...\n\ndef fit(width, height):\n"
        '    """Cut the page after a quarter turn."""\n    crop(height, width)\n',
        "def added(old, new): ...\n\ndef removed(old, new):\n    return added(new, old)\n",
        "def move(source, target): ...\n\ndef restock(shop, depot):\n"
        '    """Bring pallets from the depot to the shop."""\n    move(depot, shop)\n',
        "def move(source, target): ...\n\ndef both(shop, depot):\n"
        '    """Bring pallets from the depot to the shop, and boxes from the shop to the depot."""\n'
        "    move(depot, shop)\n    move(shop, depot)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def crop(width, height): ...\n\ndef main(width, height):\n    crop(height, width)\n",
            line=4,
            column=10,
        ),
        Invalid(
            "from .shape import crop\n\ndef main(image):\n    crop(1, image.height, image.width)\n",
            path="app/use.py",
            others={"app/shape.py": "def crop(depth, width, height): ...\n"},
            line=4,
            column=13,
        ),
        Invalid(
            "def name(short, place): ...\n\ndef own(text):\n    short, place = parts(text)\n"
            "    return name(short or DEFAULT, place or here())\n\ndef next_to(text, suffix):\n"
            "    short, place = parts(text)\n    return name(place or here(), f'{short}-{suffix}')\n",
            line=9,
            column=17,
            base="def name(short, place): ...\n\ndef own(text):\n    short, place = parts(text)\n"
            "    return name(short or DEFAULT, place or here())\n",
        ),
        Invalid(
            "def swap_in(request, target, template): ...\n\ndef new(request):\n"
            "    return swap_in(request, 'shelf-dialog', 'shelf/new.html')\n\ndef again(request):\n"
            "    return swap_in(request, 'shelf/new.html', 'shelf-dialog')\n",
            line=4,
            column=29,
            base="def swap_in(request, target, template): ...\n\n\ndef again(request):\n"
            "    return swap_in(request, 'shelf/new.html', 'shelf-dialog')\n",
        ),
        Invalid(
            "class Copy:\n"
            "    def run(self, src, dst):\n        self._one(dst, src)\n\n"
            "    def _one(self, source, destination): ...\n",
            line=3,
            column=19,
        ),
        Invalid(
            "from app import Account\n\ndef main(owner_id, bank_id):\n    use(Account(bank_id, owner_id))\n",
            path="main.py",
            others={
                "app/__init__.py": "from app.accounts import Account\n",
                "app/accounts.py": "@dataclass\nclass Account:\n    owner_id: int\n    bank_id: int\n",
            },
            line=4,
            column=17,
        ),
        Invalid(
            "def move(source, target): ...\n\ndef restock(shop, depot):\n"
            '    """Bring pallets out of the depot to the shop."""\n    move(shop, depot)\n',
            line=5,
            column=10,
        ),
        Invalid(
            "def pay(amount, payer, payee): ...\n\ndef settle(host, guest):\n"
            "    # goes to the host from the guest\n    pay(3, host.account, guest.account)\n",
            line=5,
            column=12,
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
