"""PY453."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, last_name, names_in, statements_in
from wardround.languages.python.tree import walk
from wardround.semantics.semdiff.guards import KINDS
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck

_WHOSE = LazyPattern(
    r"(?i)(?:^|[._ (])(?:\w+_)?(?:user|owner|org(?:anization)?|tenant|team|group|household|account|project"
    r"|workspace|customer|company|author|member)(?:_?id|s)?\b"
)
"""To whom something belongs; a condition that compares two of them asks whether it is one's own."""
_ENDS = frozenset({"abort", "fail", "error", "exit"})
_ASKS = (
    "def rename(self, box, name):\n    if box.group != self.group:\n        raise Refused(box)\n"
    "    box.name = name\n    box.save()\n"
)
_GONE = "def rename(self, box, name):\n    box.name = name.strip()\n    box.save()\n"


class RemovedPermissionCheck(PythonCheck):
    """A function refused who may not before the change, and what came after the refusal is done for all now.

    It asked whether something belongs to who asks, or whether they have the right. No line of the function
    asks now. Put it back, or say in the commit who looks at it instead.
    """

    ID = "PY453"
    NAME = "removed-permission-check"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "missing-authorization"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    TRIED_ON = (
        "the newest 300 commits of nine projects (6,311 changed files): none, so nothing wrong; "
        "tried on edits made by script in five projects beside that"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_ASKS.replace("name\n    box", "name.strip()\n    box"), base=_ASKS),
        Valid(_GONE.replace("(self", "(other"), base="def rename(other, box, name):\n    box.name = name\n"),
        Valid(_GONE.replace("    box.name", "    check(box, self.group)\n    box.name"), base=_ASKS),
        Valid(
            _GONE.replace(
                "    box.name", "    if not box.may(self):\n        raise Refused(1)\n    box.name"
            ),
            base=_ASKS,
        ),
        Valid(_GONE.replace("box.name = name.strip()\n    box.save()", "show(name)"), base=_ASKS),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_GONE, base=_ASKS, line=2, column=5),
        Invalid(_GONE.replace(".strip()", ""), base=_ASKS, line=2, column=5),
        Invalid(
            "def key(user, kind):\n    log(kind)\n    return make(user, kind)\n",
            base="def key(user, kind):\n    if not user.is_staff:\n        abort(403)\n"
            "    return make(user, kind)\n",
            line=3,
            column=5,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        for was, now in rewritten(self.source, self.module):
            if len(now.decorator_list) <= len(was.decorator_list):
                self._compare(was, now)

    def _compare(self, was: FunctionNode, now: FunctionNode) -> None:
        text = ast.unparse(now)
        if _exits(now) >= _exits(was) or _new_calls(was, now):
            return
        for guard, after in _guards(was.body):
            told = ast.unparse(guard.test)
            asked = names_in(guard.test) - {"self", "cls"}
            reason = ast.unparse(guard.body[-1])
            if (
                not _asks_whose(guard)
                or told in text
                or reason in text
                or reason in self.source.text.replace('"', "'")
            ):
                continue
            later = {name for one in after for name in names_in(one)}
            place = _first_left(after, now)
            if place is not None and asked and asked <= later & names_in(now):
                self.report(
                    self.module.keyword_span(place, 1),
                    f"{now.name}() refused this before the change where {told[:80]}, and nothing asks now",
                )
                return


def _exits(function: FunctionNode) -> int:
    return sum(isinstance(one, (ast.Raise, ast.Assert)) or _is_end(one) for one in walk(function))


def _new_calls(was: FunctionNode, now: FunctionNode) -> bool:
    """Whether the function calls something new by itself, which may ask in its place."""
    old = {last_name(one.func) for one in walk(was) if isinstance(one, ast.Call)}
    return any(
        isinstance(one, ast.Expr)
        and isinstance(one.value, ast.Call)
        and last_name(one.value.func) not in old | {"log"}
        for one in walk(now)
    )


def _guards(block: Sequence[ast.stmt]) -> Iterator[tuple[ast.If, Sequence[ast.stmt]]]:
    """The conditions under which something is refused, with what is done otherwise."""
    for index, statement in enumerate(block):
        if isinstance(statement, ast.If) and not statement.orelse and _refuses(statement.body[-1]):
            yield statement, block[index + 1 :]
        for name in ("body", "orelse", "finalbody"):
            below = getattr(statement, name, None)
            if isinstance(below, list) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                yield from _guards(below)


def _asks_whose(guard: ast.If) -> bool:
    """Whether a condition asks for a right, or compares to whom two things belong."""
    if KINDS["permission"].search(f"{ast.unparse(guard.test)} {ast.unparse(guard.body[-1])}"):
        return True
    pairs = (one for one in walk(guard.test) if isinstance(one, ast.Compare))
    return any(len(_WHOSE.findall(ast.unparse(one))) > 1 for one in pairs)


def _refuses(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return statement.exc is not None
    return isinstance(statement, ast.Expr) and _is_end(statement.value)


def _is_end(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _ENDS


def _first_left(after: Sequence[ast.stmt], now: FunctionNode) -> ast.stmt | None:
    """The first statement after a refusal that still stands, as a whole or by what it gives a value."""
    texts = {_told(one) for one in after}
    return next((one for one in statements_in(now) if one is not now and _told(one) in texts), None)


def _told(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assign):
        return f"{ast.unparse(statement.targets[0])} ="
    return ast.unparse(statement).partition("\n")[0]
