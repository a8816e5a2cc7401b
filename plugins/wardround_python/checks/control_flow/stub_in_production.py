from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.class_usage import BASE_CLASS_NAME, ClassUsage, chooses_class
from wardround_python.analysis.stub_shapes import (
    docstring_summary,
    handles_changes,
    has_no_effect,
    implemented_methods,
    is_decorated_by,
    is_explained_raise,
    named_parameters,
    returns_or_raises,
    shortfall_of,
    stub_body,
)
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
from wardround_python.analysis.stubs import is_stub, returns_only
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import is_named

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
        body = stub_body(node)
        if body is None:
            return
        first = body[0] if body else None
        marked = None if is_explained_raise(first) else self._describe_marker(node)
        reason = marked or self._reason(node, body)
        if reason is None or self._is_intended(node):
            return
        span = self.module.name_span(node)
        if first is not None and not marked and returns_or_raises(first):
            span = self.module.span(first)
        self.report(span, f'"{node.name}" is a stub: {reason}')

    @cached_property
    def _classes(self) -> ClassUsage:
        return ClassUsage(self.source, self.module)

    def _reason(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Return why a function without a marker is a stub: its promise, or the code that depends on it."""
        first = body[0] if body else None
        if is_explained_raise(first):
            # The exception explains itself to callers, except for the module's own calls.
            return self._called_here(node) or self._unimplemented_method(node)
        for describe in (
            self._broken_promise,
            self._accepts_all,
            self._constant_predicate,
            self._describe_registration,
            self._depended_on,
        ):
            reason = describe(node, body)
            if reason is not None:
                return reason
        return self._unimplemented_method(node) if isinstance(first, ast.Raise) else None

    def _describe_marker(self, node: FunctionNode) -> str | None:
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
        arguments = named_parameters(node)
        is_route = handles_changes(node) or self._is_view(node)
        if not is_route and (not arguments or node.decorator_list):
            return None
        promise = docstring_summary(node)
        if CONSTANT_DOCUMENTED.search(promise) or any(argument.arg.startswith("_") for argument in arguments):
            return None
        promised = self._promised_words(node, promise, is_route)
        is_method = node not in self.module.tree.body
        shortfall = shortfall_of(body, promise, is_method) if promised is not None else None
        return None if shortfall is None else f'its docstring promises "{promised}", but it {shortfall}'

    def _promised_words(self, node: FunctionNode, promise: str, is_route: bool) -> str | None:
        """Return the words of the docstring that promise an effect."""
        if is_route and not EFFECT.match(promise):
            return None
        promised = PROMISE.match(promise)
        if node not in self.module.tree.body:
            arguments = named_parameters(node)
            mention = self._mention(promise, arguments[1:])
            if not is_route and not self._is_step_with(node, arguments, mention):
                return None
            promised = promised or mention
        return promised[0] if promised else None

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
        """Return True if a method is a step of an algorithm of its class: the class calls it, or it is one of
        several.
        """
        if self._is_called_by_class(node):
            return True
        owner = self.module.class_of(node)
        if (
            owner is None
            or owner.bases
            or owner.keywords
            or not mention
            or self._classes.has_subclasses(owner)
        ):
            return False
        return bool(implemented_methods(owner, node))

    def _mention(self, promise: str, arguments: Sequence[ast.arg]) -> re.Match[str] | None:
        """Return the mention of a parameter in a docstring of several words."""
        if len(promise.split()) < _SEVERAL_WORDS:
            return None
        named = "|".join(re.escape(a.arg) for a in arguments if len(a.arg) > _SHORT)
        return re.search(rf"\b(?:{named})(?:s|'s)?\b", promise, re.IGNORECASE) if named else None

    def _is_called_by_class(self, node: FunctionNode) -> bool:
        """Return True if a class without subclasses here calls the method itself."""
        owner = self.module.class_of(node)
        if owner is None or owner.bases or owner.keywords or f"self.{node.name}(" not in self.source.text:
            return False
        return not self._classes.has_subclasses(owner)

    def _accepts_all(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe a guard of the module, by its name, that accepts everyone."""
        last = body[0] if body else None
        if not isinstance(last, ast.Return) or not is_true(last.value):
            return None
        if node not in self.module.tree.body or node.decorator_list or not GUARD_NAME.fullmatch(node.name):
            return None
        parameters = named_parameters(node)
        if not parameters or parameters[0].arg.startswith("_"):
            return None
        is_documented = CONSTANT_DOCUMENTED.search(docstring_summary(node)) is not None
        return None if is_documented else "it returns True for every argument"

    def _depended_on(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe a method without effect that the change adds together with its call."""
        promise = docstring_summary(node)
        if CONSTANT_DOCUMENTED.search(promise):
            return None
        if body and isinstance(body[0], ast.Raise):
            description = "it only raises NotImplementedError"
        elif has_no_effect(body) and EFFECT.match(promise):
            description = f'it promises "{promise.split()[0]}" and does nothing'
        else:
            return None
        line = self._line_of_added_call(node)
        return f"{description}, and line {line} depends on it" if line is not None else None

    def _line_of_added_call(self, node: FunctionNode) -> int | None:
        """Return the line of an added call of an added method in its class, which nothing extends."""
        owner = self.module.class_of(node)
        if owner is None or node.decorator_list or not self.source.is_added(node.lineno):
            return None
        line = self._added_call(owner, node.name)
        if line is None or self._classes.has_subclasses(owner) or BASE_CLASS_NAME.search(owner.name):
            return None
        return line

    def _added_call(self, owner: ast.ClassDef, name: str) -> int | None:
        """Return the line of an added call of a method in its class."""
        calls = (n for n in walk(owner) if isinstance(n, ast.Call) and self.source.is_added(n.lineno))
        return next((call.lineno for call in calls if unparse(call.func) == f"self.{name}"), None)

    def _constant_predicate(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe a predicate of a class that always returns the same value."""
        owner = self.module.class_of(node)
        if owner is None or node.decorator_list:
            return None
        match body:
            case [ast.Return(value=ast.Constant(value=bool(result)))]:
                promise = docstring_summary(node)
            case _:
                return None
        if not CONDITION.search(promise) or CONSTANT_DOCUMENTED.search(CONDITION.sub("", promise)):
            return None
        if not self._is_called_only_here(node.name) or self._classes.has_subclasses(owner):
            return None
        return f"its docstring states a condition, but it always returns {result}"

    def _is_called_only_here(self, name: str) -> bool:
        """Return True if the class calls a method and no other module uses its name."""
        if not re.search(rf"\bself\.{name}\(", self.source.text):
            return False
        paths = self.source.project.files_with_word([name], ["*.py"])
        return all(path == self.source.path for path in paths)

    def _describe_registration(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Describe the only one of several registered functions that does nothing."""
        promise = docstring_summary(node)
        if not has_no_effect(body) or CONSTANT_DOCUMENTED.search(promise):
            return None
        if len(promise.split()) < _SEVERAL_WORDS:
            return None
        calls = [call for call in node.decorator_list if isinstance(call, ast.Call) and call.args]
        if len(calls) != 1 or not self._has_implemented_sibling(node, calls[0].func):
            return None
        return f'its docstring promises "{promise.split()[0]}", but it does nothing'

    def _has_implemented_sibling(self, node: FunctionNode, registry: ast.expr) -> bool:
        """Return True if another function is registered in the same way and is not a stub."""
        functions = [other for other in self.module.tree.body if isinstance(other, FunctionNode)]
        siblings = [other for other in functions if other is not node and is_decorated_by(other, registry)]
        return not all(all(map(is_stub, sibling.body)) for sibling in siblings)

    def _called_here(self, node: FunctionNode) -> str | None:
        """Describe a call in the module of a function that only raises NotImplementedError."""
        if node not in self.module.tree.body or node.decorator_list:
            return None
        for call in self.module.nodes:
            if not isinstance(call, ast.Call) or not is_named(call.func, node.name):
                continue
            if not any(isinstance(parent, ast.Try) for parent in self.module.ancestors(call)):
                return f"it only raises NotImplementedError, and line {call.lineno} calls it"
        return None

    def _unimplemented_method(self, node: FunctionNode) -> str | None:
        """Describe an unimplemented method of a class that the module uses and nothing extends."""
        owner = self.module.class_of(node)
        if owner is None or node.decorator_list or node.name.startswith("__"):
            return None
        if self._classes.has_subclasses(owner):
            return None
        if not self._classes.extends_abstract(owner) and (
            owner.bases or not implemented_methods(owner, node)
        ):
            return None
        line = self._classes.line_of_use(owner)
        if line is None:
            return None
        return f'it only raises NotImplementedError, and line {line} uses "{owner.name}"'

    def _is_intended(self, node: FunctionNode) -> bool:
        """Return True if an empty body is by design: abstract, overloaded, a handler, or overridden."""
        if any(_NO_STUB_DECORATOR.search(unparse(decorator)) for decorator in node.decorator_list):
            return True
        if _EVENT_HANDLER.match(node.name) or (node.name.startswith("__") and node.name.endswith("__")):
            return True
        owner = self.module.class_of(node)
        if owner is None:
            return False
        return (
            self._classes.is_abstract(owner)
            or self._classes.is_overridden(owner, node.name)
            or chooses_class(owner)
        )


def _only_literals(value: ast.expr) -> bool:
    """Return True if a value consists of literals, so that it reflects no work."""
    kinds = (ast.Constant, ast.Dict, ast.Tuple, ast.List, ast.expr_context, ast.keyword)
    if isinstance(value, ast.Call):
        return all(isinstance(node, kinds) for given in value.args for node in walk(given))
    return all(isinstance(child, kinds) for child in walk(value))
