"""PY009: stub in production."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.storage.regex_cache import bounded
from wardround_python.analysis.stub_wording import (
    CONDITION,
    CONSTANT_DOCUMENTED,
    EFFECT,
    GUARD_NAME,
    MARKER,
    MISSING_WORK,
    PROMISE,
    SUCCESS,
    TEMPORARY,
)
from wardround_python.analysis.stubs import body_after_docstring, is_stub, only_talks, returns_only, says_why
from wardround_python.check import PythonCheck

_TEMPORARY_WORDS = (
    "for now",
    "placeholder",
    "hardcoded",
    "hard-coded",
    "stub",
    "temporar",
    " comes ",
    "wired",
)
_WORDS = ("todo", "fixme", "xxx", "implement")
_SKIPPED = r"(?:[ \t]*(?:(?:#|\w*log\w*\.|self\.\w*log\w*\.|print\()[^\n]*)?\n)*[ \t]*"
_STUBS_BELOW = tuple(
    LazyPattern(rf"{quote}[ \t]*\n{_SKIPPED}(?:return|pass|\.\.\.|@|def|async|class|\Z)") for quote in "\"'"
)
_RETURNS_TRUE = LazyPattern(rf":[ \t]*\n{_SKIPPED}return True$", re.MULTILINE)
_SEVERAL_WORDS, _SHORT = 6, 3
_VIEW = LazyPattern(r"(View|ViewSet|Resource|Endpoint|Handler)(\[|$)")
_NO_STUB_DECORATOR = LazyPattern(
    r"abstract|overload|singledispatch|hookspec|final|fixture|deprecated", re.IGNORECASE
)
_EVENT_HANDLER = LazyPattern(r"(visit|on|handle|depart|leave|log|pre|post|before|after)_|handle$|do_[A-Z]")
_ABSTRACT_BASES = frozenset({"ABC", "ABCMeta", "Protocol", "Interface"})
_BASE_CLASS_NAME = LazyPattern(
    r"^_?(Base|Abstract|Null|Noop|NoOp|Dummy|Fake|Mock|Empty)|(Base|Mixin|Protocol|Interface|Error"
    r"|Exception)$"
)


class StubInProduction(PythonCheck):
    """A stub is part of production code.

    Its callers get a constant or an exception although its name promises work, and a constant passes for
    a result. Implement it, or leave it out until it is needed.
    """

    ID = "PY009"
    NAME = "stub-in-production"
    VALID = [
        code("""
            class Store:
                def get(self, key):
                    raise NotImplementedError
        """),
        code("""
            from abc import abstractmethod
            class A:
                @abstractmethod
                def f(self):
                    pass  # TODO
        """),
    ]
    INVALID = [
        code("""
            class Hook(Channel):
                def seal(self, body):
                    «raise NotImplementedError()»

                def send(self, body):
                    post(body, self.seal(body))
        """),
        code('''
            class Logs:
                def on_signal(self):
                    self.reopen()

                def «reopen»(self):
                    """Close and open the files again."""
                    pass
        '''),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        if source.path.endswith(".pyi"):
            return False
        if source.keywords.in_lower_case.contains_any((*_WORDS, *_TEMPORARY_WORDS)):
            return True
        if any(stub.search(source.text) for stub in _STUBS_BELOW):
            return True
        return source.keywords.has("return True") and _RETURNS_TRUE.search(source.text) is not None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_Return(self, node: ast.Return) -> None:
        """Report a success result below a comment that the work is still to be done."""
        above = self.source.lines[node.lineno - 2].strip() if node.lineno > 1 else ""
        found = MISSING_WORK.match(above)
        function = self.module.function_of(node)
        if found is None or node.value is None or not isinstance(function, FunctionNode):
            return
        is_end = function.body[-1] is node and len(function.body) > 1 and self.source.is_added(node.lineno)
        if is_end and SUCCESS.search(unparse(node.value)) and _only_literals(node.value):
            self.report(
                self.module.span(node), f'this reports success, but the work is missing: "{found[0][:60]}"'
            )

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        body = body_after_docstring(node)
        while len(body) > 1 and only_talks(body[0]):
            body = body[1:]
        if len(body) > 1 or not all(map(is_stub, body)):
            return
        first = body[0] if body else None
        marked = None if _explains(first) else self._marked(node)
        reason = marked or self._reason(node, body)
        if reason is not None and not self._is_intended(node):
            at_result = first is not None and _gives_result(first) and not marked
            span = self.module.span(first) if first and at_result else self.module.name_span(node)
            self.report(span, f'"{node.name}" is a stub: {reason}')

    def _reason(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Return why a function without a marker is a stub: its promise, or the code that depends on it."""
        first = body[0] if body else None
        if _explains(first):
            # The exception explains itself to callers, except for the module's own calls.
            return self._called_here(node) or self._unimplemented_method(node)
        for describe in (
            self._broken_promise,
            self._accepts_all,
            self._constant_predicate,
            self._registered,
            self._depended_on,
        ):
            reason = describe(node, body)
            if reason is not None:
                return reason
        return self._unimplemented_method(node) if isinstance(first, ast.Raise) else None

    def _marked(self, node: FunctionNode) -> str | None:
        """Describe the marker in a function's comments or docstring."""
        found = MARKER.search(ast.get_docstring(node, clean=False) or "")
        lines = self.source.lines
        for line in lines[node.lineno - 1 : self._last_line(node)]:
            comment = line.partition("#")[2]
            found = found or MARKER.search(comment)
            if returns_only(node):
                found = found or TEMPORARY.search(comment)
        return f'it contains "{found[0]}"' if found else None

    def _last_line(self, node: FunctionNode) -> int:
        """Return the last line of a function, comments indented in it included."""
        lines = self.source.lines
        last = node.end_lineno or node.lineno
        while last < len(lines) and lines[last].lstrip().startswith("#"):
            if len(lines[last]) - len(lines[last].lstrip()) <= node.col_offset:
                break
            last += 1
        return last

    def _broken_promise(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe the docstring's promise of a module function that ignores its parameters."""
        promise = _promise_of(node)
        arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        is_route = _is_route(node) or self._is_view(node)
        if not is_route and (not arguments or node.decorator_list):
            return None
        if CONSTANT_DOCUMENTED.search(promise) or any(a.arg.startswith("_") for a in arguments):
            return None
        is_method = node not in self.module.tree.body
        mention = self._mention(promise, arguments[1:]) if is_method else None
        if is_method and not is_route and not self._is_step_with(node, arguments, mention):
            return None
        promised = PROMISE.match(promise) or mention
        if not promised or (is_route and not EFFECT.match(promise)):
            return None
        shortfall = _shortfall(body[0] if body else None, promise, is_method)
        return None if shortfall is None else f'its docstring promises "{promised[0]}", but it {shortfall}'

    def _is_step_with(
        self, node: FunctionNode, arguments: Sequence[ast.arg], mention: re.Match[str] | None
    ) -> bool:
        return len(arguments) > 1 and self._is_step(node, mention is not None)

    def _is_view(self, node: FunctionNode) -> bool:
        """Return True if a method handles requests that modify data."""
        owner = self.module.class_of(node)
        bases = owner.bases if owner is not None else []
        is_view = any(_VIEW.search(unparse(base)) for base in bases)
        return is_view and node.name in ("post", "put", "patch", "delete", "form_valid", "create", "destroy")

    def _is_step(self, node: FunctionNode, mention: bool) -> bool:
        """Return True if a method does a part of its class's work: called by the class, or one of several."""
        if self._is_own_step(node):
            return True
        owner = self.module.class_of(node)
        if owner is None or owner.bases or owner.keywords or not mention or self._has_subclasses(owner):
            return False
        return bool(_implemented(owner, node))

    def _mention(self, promise: str, arguments: Sequence[ast.arg]) -> re.Match[str] | None:
        """Return the mention of a parameter in a docstring of several words."""
        if len(promise.split()) < _SEVERAL_WORDS:
            return None
        named = "|".join(re.escape(a.arg) for a in arguments if len(a.arg) > _SHORT)
        return re.search(rf"\b(?:{named})(?:s|'s)?\b", promise, re.IGNORECASE) if named else None

    def _is_own_step(self, node: FunctionNode) -> bool:
        """Return True if a class without subclasses here calls the method itself."""
        owner = self.module.class_of(node)
        if owner is None or owner.bases or owner.keywords or f"self.{node.name}(" not in self.source.text:
            return False
        return not self._has_subclasses(owner)

    def _accepts_all(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe a guard of the module, by its name, that accepts everyone."""
        last = body[0] if body else None
        if not isinstance(last, ast.Return) or not is_true(last.value):
            return None
        if node not in self.module.tree.body or node.decorator_list or not GUARD_NAME.fullmatch(node.name):
            return None
        parameters = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
        if not parameters or parameters[0].startswith("_") or CONSTANT_DOCUMENTED.search(_promise_of(node)):
            return None
        return "it returns True for every argument"

    def _depended_on(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe a method without effect that the change adds together with its call."""
        owner = self.module.class_of(node)
        if owner is None or node.decorator_list or not self.source.is_added(node.lineno):
            return None
        promise = _promise_of(node)
        raises = bool(body) and isinstance(body[0], ast.Raise)
        is_empty = _has_no_effect(body) and EFFECT.match(promise) is not None
        if not (raises or is_empty) or CONSTANT_DOCUMENTED.search(promise):
            return None
        line = self._added_call(owner, node.name)
        if line is None or self._has_subclasses(owner) or _BASE_CLASS_NAME.search(owner.name):
            return None
        if raises:
            return f"it only raises NotImplementedError, and line {line} depends on it"
        return f'it promises "{promise.split()[0]}" and does nothing, and line {line} depends on it'

    def _added_call(self, owner: ast.ClassDef, name: str) -> int | None:
        """Return the line of an added call of a method in its class."""
        calls = (n for n in walk(owner) if isinstance(n, ast.Call) and self.source.is_added(n.lineno))
        return next((call.lineno for call in calls if unparse(call.func) == f"self.{name}"), None)

    def _constant_predicate(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe a predicate of a class that always returns the same value."""
        owner = self.module.class_of(node)
        if len(body) != 1 or not isinstance(body[0], ast.Return) or node.decorator_list or owner is None:
            return None
        result = body[0].value
        if not isinstance(result, ast.Constant) or not isinstance(result.value, bool):
            return None
        promise = _promise_of(node)
        if not CONDITION.search(promise) or CONSTANT_DOCUMENTED.search(CONDITION.sub("", promise)):
            return None
        if not self._is_called_only_here(node.name) or self._has_subclasses(owner):
            return None
        return f"its docstring states a condition, but it always returns {result.value}"

    def _is_called_only_here(self, name: str) -> bool:
        """Return True if the class calls a method and no other module uses its name."""
        if not re.search(rf"\bself\.{name}\(", self.source.text):
            return False
        paths = self.source.project.files_with_word([name], ["*.py"])
        return all(path == self.source.path for path in paths)

    def _registered(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe the only one of several registered functions that does nothing."""
        promise = _promise_of(node)
        decorators = [d for d in node.decorator_list if isinstance(d, ast.Call) and d.args]
        if len(decorators) != 1 or not _has_no_effect(body) or CONSTANT_DOCUMENTED.search(promise):
            return None
        if len(promise.split()) < _SEVERAL_WORDS:
            return None
        others = [n for n in self.module.tree.body if isinstance(n, FunctionNode) and n is not node]
        alike = [other for other in others if _is_decorated_by(other, decorators[0].func)]
        if all(all(map(is_stub, other.body)) for other in alike):
            return None
        return f'its docstring promises "{promise.split()[0]}", but it does nothing'

    def _called_here(self, node: FunctionNode) -> str | None:
        """Describe a call in the module of a function that only raises NotImplementedError."""
        if node not in self.module.tree.body or node.decorator_list:
            return None
        for other in self.module.nodes:
            if (
                isinstance(other, ast.Call)
                and isinstance(other.func, ast.Name)
                and other.func.id == node.name
                and not any(isinstance(parent, ast.Try) for parent in self.module.ancestors(other))
            ):
                return f"it only raises NotImplementedError, and line {other.lineno} calls it"
        return None

    def _unimplemented_method(self, node: FunctionNode) -> str | None:
        """Describe an unimplemented method of a class that the module uses and nothing extends."""
        owner = self.module.class_of(node)
        if owner is None or node.decorator_list or node.name.startswith("__") or self._has_subclasses(owner):
            return None
        bases = {self.module.dotted(_unsubscripted(base)) or "" for base in owner.bases}
        if not bases & self._abstract_here and (owner.bases or not _implemented(owner, node)):
            return None
        line = self._line_of_use(owner)
        if line is None:
            return None
        return f'it only raises NotImplementedError, and line {line} uses "{owner.name}"'

    def _line_of_use(self, owner: ast.ClassDef) -> int | None:
        """Return the line of a use of a class outside it, except as base or annotation."""
        own_lines = range(owner.lineno, (owner.end_lineno or owner.lineno) + 1)
        for node in self.module.nodes:
            if not isinstance(node, ast.Name) or node.id != owner.name or node.lineno in own_lines:
                continue
            is_declared = isinstance(
                self.module.parents[node], (ast.ClassDef, ast.arg, ast.AnnAssign, ast.Subscript)
            )
            if isinstance(node.ctx, ast.Load) and not is_declared:
                return node.lineno
        return None

    @cached_property
    def _abstract_here(self) -> set[str]:
        """Classes of the module that leave methods to subclasses."""
        classes = [n for n in self.module.nodes if isinstance(n, ast.ClassDef)]
        return {c.name for c in classes if self._is_abstract(c) or "abstractmethod" in unparse(c)}

    def _has_subclasses(self, owner: ast.ClassDef) -> bool:
        subclass = bounded(rf"^\s*class \w+\([^)]*\b{owner.name}\b", re.MULTILINE)
        project = self.source.project
        others = (project.read(path) for path in project.files_with_word([owner.name], ["*.py"]))
        return any(subclass.search(text) for text in (self.source.text, *others) if text)

    def _is_intended(self, node: FunctionNode) -> bool:
        """Return True if an empty body is by design: abstract, overloaded, a handler, or overridden."""
        if any(_NO_STUB_DECORATOR.search(unparse(decorator)) for decorator in node.decorator_list):
            return True
        owner = self.module.class_of(node)
        if _EVENT_HANDLER.match(node.name) or (node.name.startswith("__") and node.name.endswith("__")):
            return True
        return owner is not None and (
            self._is_abstract(owner) or self._is_overridden(owner, node.name) or _chooses_class(owner)
        )

    def _is_abstract(self, owner: ast.ClassDef) -> bool:
        bases = [*owner.bases, *(keyword.value for keyword in owner.keywords)]
        names = {(self.module.dotted(_unsubscripted(base)) or "").rpartition(".")[2] for base in bases}
        return bool(names & _ABSTRACT_BASES) or _BASE_CLASS_NAME.search(owner.name) is not None

    def _is_overridden(self, owner: ast.ClassDef, name: str) -> bool:
        subclasses = [
            other
            for other in walk(self.module.tree)
            if isinstance(other, ast.ClassDef)
            and any(self.module.dotted(b) == owner.name for b in other.bases)
        ]
        return any(
            getattr(statement, "name", None) == name for subclass in subclasses for statement in subclass.body
        )


def _chooses_class(owner: ast.ClassDef) -> bool:
    """Return True if ``__new__`` of a class returns objects of others, so that it may have none itself."""
    makers = (n for n in owner.body if isinstance(n, FunctionNode) and n.name == "__new__")
    returned = (n.value for maker in makers for n in walk(maker) if isinstance(n, ast.Return))
    calls = (value.func for value in returned if isinstance(value, ast.Call))
    return any(isinstance(func, ast.Name) and func.id[:1].isupper() for func in calls)


def _is_route(node: FunctionNode) -> bool:
    """Return True if a decorator makes a function the handler of requests that modify data."""
    called = [
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list
    ]
    names = {item.attr if isinstance(item, ast.Attribute) else getattr(item, "id", "") for item in called}
    return bool(names & {"post", "put", "patch", "delete", "route", "task", "shared_task", "command"})


def _unsubscripted(base: ast.expr) -> ast.expr:
    return base.value if isinstance(base, ast.Subscript) else base


def _only_literals(value: ast.expr) -> bool:
    """Return True if a value consists of literals, so that it reflects no work."""
    kinds = (ast.Constant, ast.Dict, ast.Tuple, ast.List, ast.expr_context, ast.keyword)
    if isinstance(value, ast.Call):
        return all(isinstance(one, kinds) for given in value.args for one in walk(given))
    return all(isinstance(child, kinds) for child in walk(value))


def _explains(statement: ast.stmt | None) -> bool:
    """Return True for a raise whose message explains it to callers."""
    return isinstance(statement, ast.Raise) and bool(says_why(statement))


def _gives_result(statement: ast.stmt) -> bool:
    """Return True for a raise, or a return of a value."""
    if isinstance(statement, ast.Return):
        return statement.value is not None
    return isinstance(statement, ast.Raise)


def _has_no_effect(body: Sequence[ast.stmt]) -> bool:
    return not body or isinstance(body[0], (ast.Pass, ast.Expr))


def _promise_of(node: FunctionNode) -> str:
    """Return the first paragraph of a docstring."""
    return (ast.get_docstring(node) or "").partition("\n\n")[0]


def _shortfall(first: ast.stmt | None, promise: str, is_method: bool) -> str | None:
    """Describe the only statement of a stub, unless the docstring documents its result."""
    if isinstance(first, ast.Raise):
        return "only raises NotImplementedError"
    if isinstance(first, ast.Return) and first.value is not None:
        value = unparse(first.value)
        return None if value in promise else f"only returns {value}"
    is_promise = EFFECT.match(promise) is not None or (first is not None and not is_method)
    return "does nothing" if is_promise else None


def _implemented(owner: ast.ClassDef, node: FunctionNode) -> list[FunctionNode]:
    """Return the other methods of a class that are not stubs."""
    methods = [n for n in owner.body if isinstance(n, FunctionNode) and n is not node]
    work = (method for method in methods if method.name != "__init__")
    return [method for method in work if not all(map(is_stub, body_after_docstring(method)))]


def _is_decorated_by(function: FunctionNode, decorator: ast.expr) -> bool:
    calls = (d.func for d in function.decorator_list if isinstance(d, ast.Call))
    return any(ast.dump(func) == ast.dump(decorator) for func in calls)
