"""PY345: exponential regex."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CALLS = frozenset({"match", "fullmatch", "search", "compile", "sub", "subn", "split", "findall", "finditer"})
_CONSTRAINTS = frozenset({"pattern", "regex"})


class ExponentialRegex(PythonCheck):
    """A regular expression for a full match takes exponential time on a text that nearly matches.

    A repeated group of repeated parts can split the same text in exponentially many ways, and all are tried
    before the match fails. Thirty characters are enough to block the process. Rewrite the parts so that they
    cannot match the same text, or limit the length first.
    """

    ID = "PY345"
    NAME = "exponential-regex"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "regex-denial-of-service"
    WORDS = (")+", ")*", "){")
    VALID = [
        code(r"""
            import re
            ok = re.match(r'^([a-z]+\.)+[a-z]+$', text)
        """),
        code(r"""
            import re
            words = re.findall(r'(\w+\s?)*', text)
        """),
    ]
    INVALID = [
        code(r"""
            import re
            ok = «re.match(r'^(\w+\s?)*$', text)»
        """),
        code("""
            import re
            NAME = «re.compile(r'^([a-z]+)+@$')»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return super().wants(source) and ("re." in text or "regex" in text or "pattern=" in text)

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        last = name.rpartition(".")[2]
        if name.startswith(("re.", "regex.")) and last in _CALLS and node.args:
            self._check(node, node.args[0], last == "fullmatch")
        for keyword in node.keywords:
            if keyword.arg in _CONSTRAINTS and isinstance(keyword.value, ast.Constant):
                self._check(node, keyword.value, False)

    def _check(self, node: ast.Call, pattern: ast.expr, is_whole: bool) -> None:
        from wardround_python.dataflow.regex_dos import is_slow_text

        text = self._text(pattern)
        if text is None or not is_slow_text(text) or self._is_short(node):
            return
        if is_whole or self._is_full_match(node) or text.endswith(("$", r"\Z", r"\z")):
            self.report(
                self.module.span(node),
                "a text that nearly matches takes exponential time; "
                "make the repeated parts disjoint or limit the length",
            )

    def _is_full_match(self, node: ast.Call) -> bool:
        """Return True if full matches are requested of the name a compiled pattern is bound to."""
        parent = self.module.parents[node]
        names = [unparse(target) for target in parent.targets] if isinstance(parent, ast.Assign) else []
        return any(f"{name}.fullmatch(" in self.source.text for name in names)

    def _text(self, node: ast.expr) -> str | None:
        """Return a text that is a literal or a constant of the module."""
        if isinstance(node, ast.Name):
            values = [
                statement.value
                for statement in self.module.tree.body
                if isinstance(statement, ast.Assign) and unparse(statement.targets[0]) == node.id
            ]
            node = values[0] if len(values) == 1 else node
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None

    def _is_short(self, node: ast.Call) -> bool:
        """Return True if the text is truncated, or its length compared, at the match."""
        if any(
            isinstance(argument, ast.Subscript) and isinstance(argument.slice, ast.Slice)
            for argument in node.args[1:]
        ):
            return True
        if any(keyword.arg in {"max_length", "timeout"} for keyword in node.keywords):
            return True
        around: ast.AST | None = self.module.function_of(node)
        if around is None:
            around = next((p for p in self.module.ancestors(node) if isinstance(p, ast.stmt)), None)
        return around is not None and "len(" in unparse(around)
