"""PY345."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CALLS = frozenset({"match", "fullmatch", "search", "compile", "sub", "subn", "split", "findall", "finditer"})
_CONSTRAINTS = frozenset({"pattern", "regex"})


class ExponentialRegex(PythonCheck):
    """A pattern that checks a whole text takes exponential time where the text nearly fits.

    A group that repeats, of parts that repeat, can split the same text in countless ways, and all are tried
    before it is given up. Thirty characters stop the process. Make the parts unable to match the same text,
    or look at the length first.
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
            self._look(node, node.args[0], last == "fullmatch")
        for keyword in node.keywords:
            if keyword.arg in _CONSTRAINTS and isinstance(keyword.value, ast.Constant):
                self._look(node, keyword.value, False)

    def _look(self, node: ast.Call, pattern: ast.expr, is_whole: bool) -> None:
        from wardround_python.dataflow.regex_dos import is_slow_text

        text = self._text(pattern)
        if text is None or not is_slow_text(text) or self._is_short(node):
            return
        if is_whole or self._is_matched_whole(node) or text.endswith(("$", r"\Z", r"\z")):
            self.report(self.module.span(node), "a text that nearly fits this pattern takes exponential time")

    def _is_matched_whole(self, node: ast.Call) -> bool:
        """Whether the name a compiled pattern is given is asked for full matches."""
        parent = self.module.parents[node]
        names = [ast.unparse(target) for target in parent.targets] if isinstance(parent, ast.Assign) else []
        return any(f"{name}.fullmatch(" in self.source.text for name in names)

    def _text(self, node: ast.expr) -> str | None:
        """A text that stands here, or at the top of the module under a name."""
        if isinstance(node, ast.Name):
            made = [
                one.value
                for one in self.module.tree.body
                if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == node.id
            ]
            node = made[0] if len(made) == 1 else node
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None

    def _is_short(self, node: ast.Call) -> bool:
        """Whether the text is cut, or its length looked at, where it is matched."""
        if any(isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice) for one in node.args[1:]):
            return True
        if any(keyword.arg in {"max_length", "timeout"} for keyword in node.keywords):
            return True
        around: ast.AST | None = self.module.function_of(node)
        if around is None:
            around = next((p for p in self.module.ancestors(node) if isinstance(p, ast.stmt)), None)
        return around is not None and "len(" in ast.unparse(around)
