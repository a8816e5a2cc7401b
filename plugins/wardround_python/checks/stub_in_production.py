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
_ANSWERS = (
    "Compute|Calculate|Return|Fetche?|Validate|Parse|Retrieve|Determine|Estimate|Convert|Count|Checke?|Verif(?:y|ie)"
    "|Authenticate|Authori[sz]e|Decide|Find|Search|Select|Recommend|Rank|Score|Render|Generate|Build|Decode"
    "|Encode|Encrypt|Decrypt|Hashe?|Sign|Extract|Load|Read|Resolve|Translate|Measure|Detect|Look up|Sum"
)
_DEEDS = (
    "Delete|Remove|Send|Save|Store|Write|Update|Insert|Create|Revoke|Cancel|Refund|Charge|Notify|Publishe?"
    "|Upload|Archive|Lock|Unlock|Purge|Apply|Applie|Schedule|Enqueue|Record|Flushe?|Invalidate|Clear|Copy|Move"
    "|Register|Persist|Sync|Synchroni[sz]e|Merge|Migrate|Rotate|Import|Export|Email|E-mail|Block|Expire"
    "|Restore|Reset|Release|Reserve|Deactivate|Activate|Disable|Enable|Ensure|Enforce|Log|Post|Push|Deliver"
)
_PROMISE = LatePattern(rf"(?:{_ANSWERS}|{_DEEDS})s?\b(?!:)", re.IGNORECASE)
_DEED = LatePattern(rf"({_DEEDS})s?\b", re.IGNORECASE)
# Whoever may not pass is let in by a stub of these.
_GUARD_NAME = LatePattern(
    r"_*(verify_\w+|authenticate\w*|authori[sz]e\w*|is_(authori[sz]ed|authenticated|allowed|permitted|trusted)"
    r"|has_(permission|access|role)\w*|(check|validate)_(\w+_)?(signature|password|permissions?|access|token"
    r"|credentials|hmac|csrf))"
)
# A docstring that admits the constant promises nothing more.
_ADMITS = LatePattern(
    r"\b(always|never|none|true|false|nothing|default|no-?op|dummy|empty|constant|subclass\w*|overrid\w+|abstract"
    r"|placeholder|mock|fake|not supported|unsupported|deprecated|compatib\w+)\b",
    re.IGNORECASE,
)
_WORDS = ("todo", "fixme", "xxx", "implement")
_SKIPPED = r"(?:[ \t]*(?:(?:#|\w*log\w*\.|self\.\w*log\w*\.|print\()[^\n]*)?\n)*[ \t]*"
_STUB_BELOW = LatePattern(rf"[\"'][ \t]*\n{_SKIPPED}(?:return|pass|\.\.\.|@|def|async|class|\Z)")
_SAYS_YES = LatePattern(rf":[ \t]*\n{_SKIPPED}return True$", re.MULTILINE)
_TALKS = frozenset({"debug", "info", "warning", "warn", "error", "print", "log"})
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
    TRIED_ON = "twenty-three trees of 1.2 million lines, tests left out: 2, both unfinished"
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
        Valid(
            "class A:\n    def pay(self, card):\n        self.tell(card)\n\n    def tell(self, card):\n"
            '        """Send the receipt to the owner of the card."""\n',
            others={"web.py": "class B(A):\n    def tell(self, card): post(card)\n"},
        ),
        'def has_access(user):\n    """Everybody has access: always True."""\n    return True\n',
        'def save(row):\n    raise NotImplementedError("rows cannot be saved here")\n',
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
        Invalid('def drop(user):\n    """Delete all sessions of a user."""\n    pass\n', line=1, column=5),
        Invalid(
            'def best(user):\n    """Find the best offers for a user."""\n    log.info("best")\n'
            '    return [{"id": 1, "price": 9.5}]\n',
            line=1,
            column=5,
        ),
        Invalid(
            "class A:\n    def pay(self, card):\n        self._tell(card)\n\n    def _tell(self, card):\n"
            '        """Send the receipt to the owner of the card."""\n',
            line=5,
            column=9,
        ),
        Invalid("def verify_signature(body, signature):\n    return True\n", line=1, column=5),
        Invalid(
            'def refund(order):\n    raise NotImplementedError("refunds")\n\ndef cancel(order):\n'
            "    refund(order)\n",
            line=1,
            column=5,
        ),
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
        if any(word in text for word in _WORDS) or _STUB_BELOW.search(source.text):
            return True
        return "return true" in text and _SAYS_YES.search(source.text) is not None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        body = _body_after_docstring(node)
        while len(body) > 1 and _only_talks(body[0]):
            body = body[1:]
        if len(body) > 1 or not all(_is_stub(statement) for statement in body):
            return
        if body and isinstance(body[0], ast.Raise) and isinstance(body[0].exc, ast.Call) and body[0].exc.args:
            # It refuses in so many words: whoever calls it is told, but for the module's own calls.
            why = self._called_here(node)
        else:
            why = self._marked(node) or self._unkept(node, body) or self._lets_all_pass(node, body)
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
        if not starts or not arguments or node.decorator_list or _ADMITS.search(promise):
            return None
        if node not in self.module.tree.body and not (len(arguments) > 1 and self._is_own_step(node)):
            return None
        if any(a.arg.startswith("_") for a in arguments):
            return None
        first = body[0] if body else None
        if isinstance(first, ast.Raise):
            return f'it says it "{starts[0]}" something and only raises NotImplementedError'
        if isinstance(first, ast.Return) and first.value is not None:
            value = ast.unparse(first.value)
            return None if value in promise else f'it says "{starts[0]}" and only returns {value}'
        does = _DEED.match(promise) is not None
        return f'it says "{starts[0]}" and does nothing' if does else None

    def _is_own_step(self, node: FunctionNode) -> bool:
        """Whether a method is of a class that nothing here inherits from, and the class calls it itself."""
        owner = self.module.class_of(node)
        if owner is None or owner.bases or owner.keywords or f"self.{node.name}(" not in self.source.text:
            return False
        heir = re.compile(rf"^\s*class \w+\([^)]*\b{owner.name}\b", re.MULTILINE)
        project = self.source.project
        others = (project.read(path) for path in project.files_with_word([owner.name], ["*.py"]))
        return not any(heir.search(text) for text in (self.source.text, *others) if text)

    def _lets_all_pass(self, node: FunctionNode, body: Sequence[ast.stmt]) -> str | None:
        """Whether a guard of the module, by its name, says yes to everybody."""
        last = body[0] if body else None
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Constant):
            return None
        if last.value.value is not True or node not in self.module.tree.body or node.decorator_list:
            return None
        asked = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
        admits = _ADMITS.search((ast.get_docstring(node) or "").partition("\n\n")[0])
        if not asked or asked[0].startswith("_") or admits or not _GUARD_NAME.fullmatch(node.name):
            return None
        return "it returns True whatever it is given"

    def _called_here(self, node: FunctionNode) -> str | None:
        """Where the module itself calls a function that only raises NotImplementedError."""
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
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Return):
        return statement.value is None or _is_fixed(statement.value)
    return isinstance(statement, ast.Pass)


def _is_fixed(value: ast.expr) -> bool:
    """Whether a value is written out: a constant, or a collection of such."""
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return all(map(_is_fixed, value.elts))
    if isinstance(value, ast.Dict):
        return all(key is not None and _is_fixed(key) for key in value.keys) and all(
            map(_is_fixed, value.values)
        )
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.operand, ast.Constant)
    return isinstance(value, ast.Constant)


def _only_talks(statement: ast.stmt) -> bool:
    """Whether a statement only logs or prints."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = statement.value.func
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in _TALKS
