"""PY008: stale callers."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import parse, unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.callers import method_calls, spellings_of, written
from wardround_python.analysis.signature_compat import MOVED, Signature, SignatureChange
from wardround_python.check import PythonCheck

_SHOWN_CALLS = 3
_TRANSPARENT_DECORATORS = frozenset(
    {
        "contextmanager", "asynccontextmanager", "cache", "lru_cache", "retry", "on_exception", "override",
        "final",
        "atomic", "deprecated", "timed", "traced",
    }
)  # fmt: skip
_CALLABLE_POSITIONS = {
    "submit": 0,
    "to_thread": 0,
    "run_in_executor": 1,
    "call_soon": 0,
    "run_sync": 0,
    "partial": 0,
}
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class StaleCallers(PythonCheck):
    """A function's parameters changed, and callers still use the old signature.

    Such a call raises TypeError when it runs, perhaps on a path that no test covers. Update the callers
    in the same commit, or give the new parameter a default.
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
        try:
            base = parse(self.source.base_text or "")
        except _UNREADABLE:
            return
        self._check_functions(node, base)
        for owner in node.body:
            if isinstance(owner, ast.ClassDef) and not owner.name.startswith("_"):
                self._check_methods(owner, base)
        self._check_classes(node, base)

    def _check_functions(self, node: ast.Module, base: ast.Module) -> None:
        base_text, functions_before = self.source.base_text or "", _public_functions(base)
        for name, function in _public_functions(node).items():
            if name in functions_before and self._header(function) not in base_text:
                before = functions_before[name]
                awaited = _awaited(before, function)
                old, new = Signature.of(before), Signature.of(function)
                self._check(SignatureChange(self.source.path, name, old, new, awaited), function)

    def _check_classes(self, node: ast.Module, base: ast.Module) -> None:
        classes_before = _public_classes(base)
        for name, (owner, signature) in _public_classes(node).items():
            if name in classes_before:
                change = SignatureChange(self.source.path, name, classes_before[name][1], signature)
                self._check(change, _constructor(owner) or owner)

    def _check_methods(self, holder: ast.ClassDef, base: ast.Module) -> None:
        """Check the calls of a class's methods whose names no other class of the project has."""
        base_classes = [n for n in base.body if isinstance(n, ast.ClassDef) and n.name == holder.name]
        if len(base_classes) != 1:
            return
        before = _public_functions(base_classes[0])
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
        """Yield the calls of a method in other files that the new signature rejects."""
        for module, node in method_calls(
            self.source, method, owner, lambda call: bool(change.broken_by(call))
        ):
            yield module.path, node.lineno, change.broken_by(node) or ""

    def _header(self, function: FunctionNode) -> str:
        """Return the text from ``def`` to the body; the base contains it if the parameters are unchanged."""
        end = max(function.body[0].lineno - 1, function.lineno)
        starts, text = self.source.line_starts, self.source.text
        return text[starts[function.lineno - 1] : starts[end] - 1 if end < len(starts) else len(text)]

    def _check(self, change: SignatureChange, function: FunctionNode | ast.ClassDef) -> None:
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
        places = ", ".join(f"{path}:{line}" for path, line, _ in stale[:_SHOWN_CALLS])
        more = f" and {len(stale) - _SHOWN_CALLS} more" if len(stale) > _SHOWN_CALLS else ""
        calls = "1 call was" if len(stale) == 1 else f"{len(stale)} calls were"
        # A rejected call is certain; a call with another meaning is inferred from names.
        severity = Severity.WARN if all(reason.startswith(MOVED + '"') for _, _, reason in stale) else None
        self.report(
            self.module.name_span(function),
            f'"{change.name}" now {stale[0][2]}, but {calls} not updated: {places}{more}',
            severity=severity,
        )

    def _stale_calls(self, change: SignatureChange) -> Iterator[tuple[str, int, str]]:
        """Yield path, line and reason of each call that the new signature rejects."""
        is_function = change.name in _public_functions(self.module.tree)  # ty reports calls of classes here
        for module, spellings in spellings_of(self.source, self.module, change.name, here=is_function):
            yield from _stale_calls_in(module, change, spellings)


def _public_functions(tree: ast.Module | ast.ClassDef) -> dict[str, FunctionNode]:
    """Return the undecorated public functions, or methods of a class, that are defined once, by name."""
    functions = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    times = Counter(function.name for function in functions)
    return {
        function.name: function
        for function in functions
        if times[function.name] == 1 and _keeps_signature(function) and not function.name.startswith("_")
    }


def _keeps_signature(function: FunctionNode) -> bool:
    """Return True if no decorator changes how the function is called."""
    called = [
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for decorator in function.decorator_list
    ]
    names = {item.attr if isinstance(item, ast.Attribute) else getattr(item, "id", "?") for item in called}
    return names <= _TRANSPARENT_DECORATORS


def _public_classes(tree: ast.Module) -> dict[str, tuple[ast.ClassDef, Signature]]:
    """Return the public classes that define their own signature, by name."""
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")]
    times = Counter(node.name for node in classes)
    found: dict[str, tuple[ast.ClassDef, Signature]] = {}
    for node in classes:
        signature = _signature_of(node) if times[node.name] == 1 and not node.keywords else None
        if signature is not None:
            found[node.name] = node, signature
    return found


def _signature_of(node: ast.ClassDef) -> Signature | None:
    """Return the signature of a class that has one constructor, or of a dataclass."""
    constructor = _constructor(node)
    decorators = [unparse(d).partition("(") for d in node.decorator_list]
    if constructor is not None:
        is_plain = not constructor.decorator_list and not decorators
        return Signature.of(constructor, receiver=True) if is_plain else None
    if node.bases or len(decorators) != 1 or "field(" in unparse(node):
        return None
    name, _, options = decorators[0]
    is_dataclass = name in ("dataclass", "dataclasses.dataclass")
    return Signature.of_fields(node) if is_dataclass and not re.search("kw_only|init", options) else None


def _awaited(old: FunctionNode, new: FunctionNode) -> bool | None:
    """Return True if the function became a coroutine function, False if it ceased to be one, else None."""
    was_coroutine, is_coroutine = isinstance(old, ast.AsyncFunctionDef), isinstance(new, ast.AsyncFunctionDef)
    yields = any(isinstance(n, (ast.Yield, ast.YieldFrom)) for item in (old, new) for n in walk(item))
    return None if was_coroutine == is_coroutine or yields or new.decorator_list else is_coroutine


def _constructor(node: ast.ClassDef) -> FunctionNode | None:
    constructors = [
        n for n in node.body if isinstance(n, ast.FunctionDef) and n.name in ("__init__", "__new__")
    ]
    return constructors[0] if len(constructors) == 1 else None


def _stale_calls_in(
    module: PythonModule, change: SignatureChange, spellings: Collection[str]
) -> Iterator[tuple[str, int, str]]:
    for node in walk(module.tree) if spellings else ():
        if not isinstance(node, ast.Call):
            continue
        if written(node.func) in spellings:
            reason = change.broken_by(node) or _wrongly_awaited(module, node, change)
        else:
            reason = _deferred_misfit(node, change, spellings)
        if reason is not None:
            yield module.path, node.lineno, reason


def _deferred_misfit(node: ast.Call, change: SignatureChange, spellings: Collection[str]) -> str | None:
    """Return why a deferred call fails: ``partial(send, 1)``, ``pool.submit(send, 1)``."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    position = _CALLABLE_POSITIONS.get(name)
    if position is None or len(node.args) <= position or written(node.args[position]) not in spellings:
        return None
    call = ast.Call(node.args[position], node.args[position + 1 :], node.keywords)
    return change.partial_misfit(call) if name == "partial" else change.broken_by(call)


def _wrongly_awaited(module: PythonModule, node: ast.Call, change: SignatureChange) -> str | None:
    """Return why a call that fits is wrong: its function became, or ceased to be, a coroutine function."""
    parent = module.parents[node]
    if change.awaited is False:
        return "is not a coroutine function" if isinstance(parent, ast.Await) else None
    if change.awaited and isinstance(
        parent, (ast.Expr, ast.Assign, ast.Attribute, ast.Subscript, ast.For, ast.If)
    ):
        return "must be awaited"
    return None
