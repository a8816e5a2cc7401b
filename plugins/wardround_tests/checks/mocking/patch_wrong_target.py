"""TE026."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import FUNCTIONS, TestCase

_ROOTS = ("", "src/", "lib/", "app/", "backend/", "server/")
_PATCHING = LazyPattern(r"(^|\.)patch(\.object)?$|monkeypatch\.setattr$")


class PatchWrongTarget(PythonTestCheck):
    """A patch replaces a name where it is made, and the code under test took it from there before.

    ``from app.mail import send`` gives the module a name of its own, and a patch of ``app.mail.send`` does
    not reach that one: the real function runs. Patch the name where it is looked up.
    """

    ID = "TE026"
    NAME = "patch-wrong-target"
    DEFECT_CLASS = "patch-target"
    WORDS: ClassVar[tuple[str, ...]] = ("patch(", "patch.object(", ".setattr(")
    CASE_PATH = "tests/test_case.py"
    VALID = [
        code(
            """
            from unittest.mock import patch
            from app.join import join
            @patch('app.join.send')
            def test_join(send):
                join('a')
                assert send.called
            """,
            others={
                "app/join.py": """
                from app.mail import send
                def join(name):
                    send(name)
                """,
            },
        ),
        code(
            """
            from unittest.mock import patch
            from app.join import join
            @patch('app.mail.send')
            def test_join(send):
                join('a')
                assert send.called
            """,
            others={
                "app/join.py": """
                from app import mail
                def join(name):
                    mail.send(name)
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            from unittest.mock import patch
            from app import mail
            from app.join import join
            def test_join():
                with «patch.object(mail, 'send')» as send:
                    join('a')
                assert send.called
            """,
            others={
                "app/join.py": """
                from app.mail import send
                def join(name):
                    send(name)
                """,
            },
        ),
        code(
            """
            from unittest.mock import patch
            from app.join import join
            @«patch('app.mail.send')»
            def test_join(send):
                join('a')
                assert send.called
            """,
            others={
                "app/join.py": """
                from app.mail import send
                def join(name):
                    send(name)
                """,
            },
        ),
    ]

    def look_at(self, case: TestCase) -> None:
        patches = [*self._patches(case)]
        if not patches:
            return
        replaced = {target for _, target in patches}
        called = {name for node in self.module.all_of(case) if (name := self._called(node))}
        for call, target in patches:
            for dotted in sorted(called):
                own = self._own_name(dotted, target)
                if own and own not in replaced:
                    text = f'{own} was taken from there on import and stays real: patch "{own}"'
                    self.report(self.module.span(call), text)
                    break

    def _patches(self, case: TestCase) -> Iterator[tuple[ast.Call, str]]:
        """The patches of a test, each with the full name of what it replaces."""
        decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
        for node in (*decorators, *self.module.own(case)):
            if isinstance(node, ast.Call) and _PATCHING.search(ast.unparse(node.func)):
                texts = [one.value if isinstance(one, ast.Constant) else None for one in node.args[:2]]
                if texts and isinstance(texts[0], str) and "." in texts[0]:
                    yield node, texts[0]
                elif len(texts) > 1 and isinstance(texts[1], str):
                    home = self.module.imported_name(node.args[0])
                    if home:
                        yield node, f"{home}.{texts[1]}"

    def _called(self, node: ast.AST) -> str | None:
        return self.module.imported_name(node.func) if isinstance(node, ast.Call) else None

    def _own_name(self, dotted: str, target: str) -> str:
        """By what name a function that the test calls has the target, if it took it on import."""
        home, _, name = target.rpartition(".")
        module, _, called = dotted.rpartition(".")
        if not module or module == home or module in ("unittest.mock", "pytest"):
            return ""
        text = self._text(module)
        if (
            text is None
            or name not in text
            or not re.search(rf"import\s.*\b{re.escape(name)}\b|\b{name},?$", text, re.M)
        ):
            return ""
        try:
            parsed = PythonModule(module, text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ""
        own = next((local for local, source in _taken(parsed, module) if source == target), "")
        is_used = own and any(
            isinstance(n, ast.Name) and n.id == own
            for s in parsed.tree.body
            if isinstance(s, (*FUNCTIONS, ast.ClassDef)) and s.name == called
            for n in walk(s)
        )
        return f"{module}.{own}" if is_used else ""

    def _text(self, module: str) -> str | None:
        path = module.replace(".", "/")
        texts = (self.source.project.read(f"{root}{path}.py") for root in _ROOTS)
        return next((text for text in texts if text is not None), None)


def _taken(parsed: PythonModule, module: str) -> Iterator[tuple[str, str]]:
    """What a module takes from others when it is imported: its own name, and where that comes from."""
    package = module.split(".")[:-1]
    for node in parsed.tree.body:
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            home = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((one.asname or one.name, f"{home}.{one.name}") for one in node.names)
