"""PY404: bytes str mix."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.literals import is_text
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.analysis.type_inference import BYTES, ValueKinds
from wardround_python.check import PythonCheck

_FOR_READERS = frozenset(
    """
    print debug info warning error exception critical log warn write_line echo secho fail skip Exception repr
    """.split()  # noqa: SIM905
)


class BytesStrMix(PythonCheck):
    """Bytes are interpolated into a text without being decoded.

    The text then contains ``b'...'`` with its quotes: a header, an address or a key that nothing accepts.
    Call ``.decode()`` on the bytes.
    """

    ID = "PY404"
    NAME = "bytes-str-mix"
    MATURITY = Maturity.PREVIEW
    WORDS = (
        "b64encode(",
        "b32encode(",
        ".encode(",
        ".digest(",
        "hexlify(",
        "check_output(",
        "token_bytes(",
        "urandom(",
        "read_bytes(",
        "redis",
        "orjson",
        ".content",
    )
    DEFECT_CLASS = "bytes-as-text"
    VALID = [
        code("""
            import base64
            def f(a):
                return f'Basic {base64.b64encode(a).decode()}'
        """),
        code("""
            import base64
            def f(a):
                return f'{base64.b64encode(a)!r}'
        """),
    ]
    INVALID = [
        code("""
            import base64
            def f(user, word):
                coded = base64.b64encode(f'{user}:{word}'.encode())
                return {'Authorization': f'Basic {«coded»}'}
        """),
        code("""
            import hashlib
            def f(a):
                return 'key-' + str(«hashlib.md5(a).digest()»)
        """),
    ]

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        if node.conversion == -1:
            self._check(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        func = node.func
        if isinstance(func, ast.Name) and func.id == "str" and len(node.args) == 1 and not node.keywords:
            self._check(node.args[0])
        elif isinstance(func, ast.Attribute) and func.attr == "format" and is_text(func.value):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                self._check(argument)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Mod) and is_text(node.left):
            for element in node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]:
                self._check(element)

    def _check(self, node: ast.expr) -> None:
        if ValueKinds.shared(self.module, self.callees).of(node) != BYTES or self._is_for_readers(node):
            return
        self.report(
            self.module.span(node), f"{unparse(node)} is bytes, so the text contains b'...'; decode it"
        )

    def _is_for_readers(self, node: ast.expr) -> bool:
        """Return True if the text is a message for people, who can read the value all the same."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.Raise, ast.Assert)):
                return True
            if isinstance(parent, ast.Call) and last_name(parent.func) in _FOR_READERS:
                return True
            if isinstance(parent, ast.stmt):
                return False
        return False
