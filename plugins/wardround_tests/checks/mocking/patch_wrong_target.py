from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS

_ROOTS = ("", "src/", "lib/", "app/", "backend/", "server/")
_PATCHING = LazyPattern(r"(^|\.)patch(\.object)?$|monkeypatch\.setattr$")


class PatchWrongTarget(PythonTestCheck):
    """A patch replaces a name in the module that defines it, but the code under test imported it by name.

    ``from app.mail import send`` binds the name in the importing module, and a patch of ``app.mail.send``
    does not change that binding: the real function runs. Patch the name in the module that uses it.
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

    def check_test(self, case: TestCase) -> None:
        patches = [*self._patches(case)]
        if not patches:
            return
        replaced = {target for _, target in patches}
        called = {name for node in self.module.all_nodes_of(case) if (name := self._called_name(node))}
        for call, target in patches:
            for dotted in sorted(called):
                own = self._imported_name(dotted, target)
                if own and own not in replaced:
                    text = f'{own} is bound at import and not replaced; patch "{own}" instead'
                    self.report(self.module.span(call), text)
                    break

    def _patches(self, case: TestCase) -> Iterator[tuple[ast.Call, str]]:
        """Yield the patches of a test, each with the full name of its target."""
        decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
        for node in (*decorators, *self.module.nodes_of(case)):
            if isinstance(node, ast.Call) and _PATCHING.search(unparse(node.func)):
                target = self._target(node.args)
                if target:
                    yield node, target

    def _target(self, arguments: Sequence[ast.expr]) -> str:
        """Return the full name that a patch replaces; empty if unknown."""
        match arguments:
            case [ast.Constant(value=str(dotted)), *_] if "." in dotted:
                return dotted
            case [owner, ast.Constant(value=str(name)), *_]:
                home = self.module.imported_name(owner)
                return f"{home}.{name}" if home else ""
        return ""

    def _called_name(self, node: ast.AST) -> str | None:
        return self.module.imported_name(node.func) if isinstance(node, ast.Call) else None

    def _imported_name(self, dotted: str, target: str) -> str:
        """Return the name under which the module of a called function imported the target."""
        home, _, name = target.rpartition(".")
        module, _, function = dotted.rpartition(".")
        if module in ("", home, "unittest.mock", "pytest"):
            return ""
        text = self._read_source(module)
        if text is None or not _may_import(text, name):
            return ""
        try:
            parsed = PythonModule(module, text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ""
        imports = ((local, source) for local, source in _imported_names(parsed, module) if source == target)
        own, _ = next(imports, ("", ""))
        return f"{module}.{own}" if own and _uses_name(parsed, function, own) else ""

    def _read_source(self, module: str) -> str | None:
        path = module.replace(".", "/")
        texts = (self.source.project.read(f"{root}{path}.py") for root in _ROOTS)
        return next((text for text in texts if text is not None), None)


def _imported_names(parsed: PythonModule, module: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a module imports: the local name and its full name."""
    package = module.split(".")[:-1]
    for node in parsed.tree.body:
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            home = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((name.asname or name.name, f"{home}.{name.name}") for name in node.names)


def _may_import(text: str, name: str) -> bool:
    """Return True if a text may import a name: a prefilter."""
    pattern = rf"import\s.*\b{re.escape(name)}\b|\b{name},?$"
    return name in text and re.search(pattern, text, re.M) is not None


def _uses_name(module: PythonModule, definition: str, name: str) -> bool:
    """Return True if a function or class of a module uses a name."""
    for statement in module.tree.body:
        if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)) or statement.name != definition:
            continue
        if any(isinstance(node, ast.Name) and node.id == name for node in walk(statement)):
            return True
    return False
