"""PY009."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.module import FunctionNode

_MARKER = LatePattern(
    r"\b(TODO|FIXME|XXX)\b(?!-)|(?i:\b(not implemented yet|not yet implemented|implement me)\b)"
)
_PROMISE = LatePattern(
    r"(Compute|Calculate|Return|Fetche?|Validate|Parse|Retrieve|Determine|Estimate|Convert|Count)s?\b(?!:)",
    re.IGNORECASE,
)
# A docstring that admits the constant promises nothing more.
_ADMITS = LatePattern(
    r"\b(always|never|none|true|false|nothing|default|no-?op|dummy|empty|constant|subclass\w*|overrid\w+|abstract"
    r"|placeholder|mock|fake|not supported|unsupported|deprecated|compatib\w+)\b",
    re.IGNORECASE,
)
_WORDS = ("todo", "fixme", "xxx", "implement")
_RETURN_BELOW_DOCSTRING = LatePattern(r"[\"'][ \t]*\n(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*return\b")
_NO_STUB_DECORATOR = LatePattern(
    r"abstract|overload|singledispatch|hookspec|final|fixture|deprecated", re.IGNORECASE
)
_EVENT_HANDLER = LatePattern(r"(visit|on|handle|depart|leave|log|pre|post|before|after)_|handle$|do_[A-Z]")
_ABSTRACT_BASES = frozenset({"ABC", "ABCMeta", "Protocol", "Interface"})
_BASE_CLASS_NAME = LatePattern(
    r"^_?(Base|Abstract|Null|Noop|NoOp|Dummy|Fake|Mock|Empty)|(Base|Mixin|Protocol|Interface|Error|Exception)$"
)


class StubInProduction(PythonCheck):
    """A function that is only a stub is part of the program.

    Its callers get a constant or an exception where its name promises work, and a constant looks like a
    result. Finish it, or leave it out until it is needed.
    """

    ID = "PY009"
    NAME = "stub-in-production"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "class Store:\n    def get(self, key):\n        raise NotImplementedError\n",
        "from abc import abstractmethod\nclass A:\n    @abstractmethod\n    def f(self):\n"
        "        pass  # TODO\n",
        "from typing import Protocol\nclass A(Protocol):\n    def f(self): ...  # TODO: name it\n",
        "class A:\n    def f(self):\n        pass  # TODO\nclass B(A):\n    def f(self):\n        return 1\n",
        "def f(x):\n    # TODO: faster\n    return g(x)\n",
        "def on_close(event):\n    pass  # TODO\n",
        "def nothing(x):\n    pass\n",
        'def rate(_country):\n    """Return the rate of a country."""\n    return 0.2\n',
        'def limit():\n    """Return the limit."""\n    return 10\n',
        'def rate(country):\n    """Return 0.2 always."""\n    return 0.2\n',
        'class Plain:\n    def weight(self, x):\n        """Return the weight."""\n        return 1\n',
        Valid("def f(x):\n    pass  # TODO\n", path="tests/test_f.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def charge(card):\n    # TODO: call the bank\n    return None\n", line=1, column=5),
        Invalid("class Shop:\n    async def pay(self, card):\n        pass  # FIXME\n", line=2, column=15),
        Invalid(
            'def tax(total):\n    """Not yet implemented."""\n    raise NotImplementedError\n',
            line=1,
            column=5,
        ),
        Invalid('def tax(total):\n    """Calculate the tax of a total."""\n    return 0\n', line=1, column=5),
        Invalid(
            'def load(path, mode):\n    """Parses the file."""\n    raise NotImplementedError()\n',
            line=1,
            column=5,
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        if source.path.endswith(".pyi"):
            return False
        text = source.text.lower()
        return any(word in text for word in _WORDS) or _RETURN_BELOW_DOCSTRING.search(text) is not None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        body = _body_after_docstring(node)
        if len(body) > 1 or not all(_is_stub(statement) for statement in body):
            return
        if body and isinstance(body[0], ast.Raise) and isinstance(body[0].exc, ast.Call) and body[0].exc.args:
            return  # It refuses in so many words: whoever calls it is told.
        why = self._marked(node) or self._unkept(node, body)
        if why is not None and not self._is_meant(node):
            self.report(self.module.name_span(node), f'"{node.name}" is a stub: {why}')

    def _marked(self, node: FunctionNode) -> str | None:
        """The marker in the comments of a function or in its docstring."""
        docstring = ast.get_docstring(node, clean=False) or ""
        found = _MARKER.search(docstring)
        lines = self.source.lines
        last = node.end_lineno or node.lineno
        while last < len(lines) and lines[last].lstrip().startswith("#"):
            if len(lines[last]) - len(lines[last].lstrip()) <= node.col_offset:
                break
            last += 1
        for line in lines[node.lineno - 1 : last]:
            found = found or _MARKER.search(line.partition("#")[2])
        return f'its text says "{found[0]}"' if found else None

    def _unkept(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """What the docstring of a module's function promises while its parameters go unused."""
        promise = (ast.get_docstring(node) or "").partition("\n\n")[0]
        starts = _PROMISE.match(promise)
        arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        if not starts or not arguments or not body or node.decorator_list or _ADMITS.search(promise):
            return None
        if node not in self.module.tree.body or any(a.arg.startswith("_") for a in arguments):
            return None
        if isinstance(body[0], ast.Raise):
            return f'it says it "{starts[0]}" something and only raises NotImplementedError'
        if isinstance(body[0], ast.Return) and body[0].value is not None:
            value = ast.unparse(body[0].value)
            return None if value in promise else f'it says "{starts[0]}" and only returns {value}'
        return None

    def _is_meant(self, node: FunctionNode) -> bool:
        """Whether leaving the body empty is the design: abstract, overloaded, a handler, or overridden."""
        if any(_NO_STUB_DECORATOR.search(ast.unparse(decorator)) for decorator in node.decorator_list):
            return True
        owner = self.module.class_of(node)
        if _EVENT_HANDLER.match(node.name) or (node.name.startswith("__") and node.name.endswith("__")):
            return True
        return owner is not None and (self._is_abstract(owner) or self._is_overridden(owner, node.name))

    def _is_abstract(self, owner: ast.ClassDef) -> bool:
        bases = [*owner.bases, *(keyword.value for keyword in owner.keywords)]
        names = {(self.module.dotted(_unsubscripted(base)) or "").rpartition(".")[2] for base in bases}
        return bool(names & _ABSTRACT_BASES) or _BASE_CLASS_NAME.search(owner.name) is not None

    def _is_overridden(self, owner: ast.ClassDef, name: str) -> bool:
        heirs = [
            other
            for other in ast.walk(self.module.tree)
            if isinstance(other, ast.ClassDef)
            and any(self.module.dotted(b) == owner.name for b in other.bases)
        ]
        return any(getattr(statement, "name", None) == name for heir in heirs for statement in heir.body)


def _unsubscripted(base: ast.expr) -> ast.expr:
    return base.value if isinstance(base, ast.Subscript) else base


def _body_after_docstring(node: FunctionNode) -> list[ast.stmt]:
    first = node.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return node.body[1:]
    return node.body


def _is_stub(statement: ast.stmt) -> bool:
    """Whether a statement does nothing: ``pass``, ``...``, a constant, or a bare NotImplementedError."""
    if isinstance(statement, ast.Raise):
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    if isinstance(statement, (ast.Return, ast.Expr)):
        return statement.value is None or isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass)
