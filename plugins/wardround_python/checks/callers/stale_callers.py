"""PY008."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import parse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.callers import method_calls, spellings_of, written
from wardround_python.analysis.signature_compat import MOVED, Signature, SignatureChange
from wardround_python.check import PythonCheck

_SHOWN_PLACES = 3
_PASSING_DECORATORS = frozenset(
    {
        "contextmanager", "asynccontextmanager", "cache", "lru_cache", "retry", "on_exception", "override",
        "final",
        "atomic", "deprecated", "timed", "traced",
    }
)  # fmt: skip
_HAND_ON = {"submit": 0, "to_thread": 0, "run_in_executor": 1, "call_soon": 0, "run_sync": 0, "partial": 0}
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class StaleCallers(PythonCheck):
    """A function's parameters changed and callers still use the old ones.

    Such a call raises TypeError when it is reached, perhaps on a path that no test takes. Change the
    callers in the same commit, or give the new parameter a default.
    """

    ID = "PY008"
    NAME = "stale-callers"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:alters_a_signature"
    IN_TESTS = True
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    CASE_PATH = "app/mail.py"
    VALID = [
        code(
            """
            def send(to, text): ...
            send(1)
            """,
            path="case.py",
        ),
        code(
            """
            def send(to, text=''): ...
            """,
            base="""
            def send(to): ...
            """,
            others={
                "app/use.py": """
                from app.mail import send
                send(1)
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            def «send»(to, text): ...
            """,
            path="src/app/mail.py",
            base="""
            def send(to): ...
            """,
            others={
                "src/app/use.py": """
                from app.mail import send as post
                post(1)
                """,
            },
        ),
        code(
            """
            import x
            async def «send»(to, *, body): ...
            """,
            base="""
            import x
            async def send(to, *, text): ...
            """,
            others={
                "app/use.py": """
                from . import mail
                await_(mail.send(1, text='a'))
                """,
            },
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        base_text = self.source.base_text or ""
        functions = {
            name: function
            for name, function in _public_functions(node).items()
            if f"def {name}" in base_text and self._header(function) not in base_text
        }
        classes = {name: made for name, made in _public_classes(node).items() if f"class {name}" in base_text}
        try:
            base = parse(base_text)
        except _UNREADABLE:
            return
        functions_before, classes_before = _public_functions(base), _public_classes(base)
        for name, function in functions.items():
            if name in functions_before:
                before = functions_before[name]
                awaited = _awaited(before, function)
                old, new = Signature.of(before), Signature.of(function)
                self._look_at(SignatureChange(self.source.path, name, old, new, awaited), function)
        for holder in node.body:
            if isinstance(holder, ast.ClassDef) and not holder.name.startswith("_"):
                self._look_at_methods(holder, base)
        for name, (holder, signature) in classes.items():
            if name in classes_before:
                change = SignatureChange(self.source.path, name, classes_before[name][1], signature)
                self._look_at(change, _maker(holder) or holder)

    def _look_at_methods(self, holder: ast.ClassDef, base: ast.Module) -> None:
        """Look for calls of the methods of a class whose names no other class of the project has."""
        same = [n for n in base.body if isinstance(n, ast.ClassDef) and n.name == holder.name]
        if len(same) != 1:
            return
        before = _public_functions(same[0])
        for name, method in _public_functions(holder).items():
            if name not in before or self._header(method) in (self.source.base_text or ""):
                continue
            old, new = Signature.of(before[name], receiver=True), Signature.of(method, receiver=True)
            change = SignatureChange(self.source.path, name, old, new)
            if not change.new.accepts_all_of(change.old):
                self._report_stale(
                    change, method, sorted(self._stale_method_calls(change, holder.name, method))
                )

    def _stale_method_calls(
        self, change: SignatureChange, owner: str, method: FunctionNode
    ) -> Iterator[tuple[str, int, str]]:
        """The calls of a method in other files that can no longer be made."""
        for module, node in method_calls(
            self.source, method, owner, lambda call: bool(change.broken_by(call))
        ):
            yield module.path, node.lineno, change.broken_by(node) or ""

    def _header(self, function: FunctionNode) -> str:
        """The text from ``def`` to the body: where the base has it too, the parameters are the same."""
        end = max(function.body[0].lineno - 1, function.lineno)
        starts, text = self.source.line_starts, self.source.text
        return text[starts[function.lineno - 1] : starts[end] - 1 if end < len(starts) else len(text)]

    def _look_at(self, change: SignatureChange, function: FunctionNode | ast.ClassDef) -> None:
        if change.new.accepts_all_of(change.old) and change.awaited is None:
            return
        self._report_stale(change, function, sorted(self._stale_calls(change)))

    def _report_stale(
        self,
        change: SignatureChange,
        function: FunctionNode | ast.ClassDef,
        stale: Sequence[tuple[str, int, str]],
    ) -> None:
        if not stale:
            return
        places = ", ".join(f"{path}:{line}" for path, line, _ in stale[:_SHOWN_PLACES])
        more = f" and {len(stale) - _SHOWN_PLACES} more" if len(stale) > _SHOWN_PLACES else ""
        calls = "1 call was" if len(stale) == 1 else f"{len(stale)} calls were"
        # A call that cannot be made is certain; one that means something else is told by its words.
        severity = Severity.WARN if all(reason.startswith(MOVED + '"') for _, _, reason in stale) else None
        self.report(
            self.module.name_span(function),
            f'"{change.name}" {stale[0][2]} now, but {calls} not changed with it: {places}{more}',
            severity=severity,
        )

    def _stale_calls(self, change: SignatureChange) -> Iterator[tuple[str, int, str]]:
        """Path, line and reason of each call that can no longer be made."""
        is_function = change.name in _public_functions(self.module.tree)  # for classes here, ty tells
        for module, spellings in spellings_of(self.source, self.module, change.name, here=is_function):
            yield from _broken(module, change, spellings)


def _public_functions(tree: ast.Module | ast.ClassDef) -> dict[str, FunctionNode]:
    """The plain functions of a module, or methods of a class, by name: undecorated, and bound once."""
    functions = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    times = Counter(function.name for function in functions)
    return {
        function.name: function
        for function in functions
        if times[function.name] == 1 and _keeps_signature(function) and not function.name.startswith("_")
    }


def _keeps_signature(function: FunctionNode) -> bool:
    """Whether a function is called as it is written: no decorator, or those that pass on what they "
    "are given.
    """
    called = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    names = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "?") for one in called}
    return names <= _PASSING_DECORATORS


def _public_classes(tree: ast.Module) -> dict[str, tuple[ast.ClassDef, Signature]]:
    """The classes of a module by name that say themselves how they are called."""
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")]
    times = Counter(node.name for node in classes)
    found: dict[str, tuple[ast.ClassDef, Signature]] = {}
    for node in classes:
        if times[node.name] != 1 or node.keywords:
            continue
        maker = _maker(node)
        decorators = [ast.unparse(d).partition("(") for d in node.decorator_list]
        if maker is not None and not maker.decorator_list and not decorators:
            found[node.name] = node, Signature.of(maker, receiver=True)
        elif maker is None and not node.bases and len(decorators) == 1 and "field(" not in ast.unparse(node):
            name, _, options = decorators[0]
            if name in ("dataclass", "dataclasses.dataclass") and not re.search("kw_only|init", options):
                found[node.name] = node, Signature.of_fields(node)
    return found


def _awaited(old: FunctionNode, new: FunctionNode) -> bool | None:
    """Whether a function has become a coroutine function, or is one no more; None where it is as it was."""
    was, is_now = isinstance(old, ast.AsyncFunctionDef), isinstance(new, ast.AsyncFunctionDef)
    yields = any(isinstance(n, (ast.Yield, ast.YieldFrom)) for one in (old, new) for n in walk(one))
    return None if was == is_now or yields or new.decorator_list else is_now


def _maker(node: ast.ClassDef) -> FunctionNode | None:
    makers = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name in ("__init__", "__new__")]
    return makers[0] if len(makers) == 1 else None


def _broken(
    module: PythonModule, change: SignatureChange, spellings: Collection[str]
) -> Iterator[tuple[str, int, str]]:
    for node in walk(module.tree) if spellings else ():
        if not isinstance(node, ast.Call):
            continue
        if written(node.func) in spellings:
            reason = change.broken_by(node) or _wrongly_awaited(module, node, change)
        else:
            reason = _handed_on(node, change, spellings)
        if reason is not None:
            yield module.path, node.lineno, reason


def _handed_on(node: ast.Call, change: SignatureChange, spellings: Collection[str]) -> str | None:
    """Why a call fails that is made later: ``partial(send, 1)``, ``pool.submit(send, 1)``."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    place = _HAND_ON.get(name)
    if place is None or len(node.args) <= place or written(node.args[place]) not in spellings:
        return None
    call = ast.Call(node.args[place], node.args[place + 1 :], node.keywords)
    return change.partial_misfit(call) if name == "partial" else change.broken_by(call)


def _wrongly_awaited(module: PythonModule, node: ast.Call, change: SignatureChange) -> str | None:
    """Why a call that fits is wrong all the same: it has become a coroutine's, or is one no more."""
    parent = module.parents[node]
    if change.awaited is False:
        return "is no coroutine function" if isinstance(parent, ast.Await) else None
    if change.awaited and isinstance(
        parent, (ast.Expr, ast.Assign, ast.Attribute, ast.Subscript, ast.For, ast.If)
    ):
        return "has to be awaited"
    return None
