"""PY359: unescaped markup."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround_python.analysis.constant_texts import is_constant_text
from wardround_python.check import PythonCheck

_PROMISES = LazyPattern(r"(^|\.)(mark_safe|SafeString|SafeText|SafeData|Markup)$")
_FORMATTING = frozenset({"format_html", "django.utils.html.format_html"})
_ESCAPED = LazyPattern(
    r"(?i)escape|quote|urlencode|dumps|saniti[sz]e|clean|bleach|gettext|_\(|conditional_|reverse\(|url|static\(|"
    r"html|markup|render|svg|icon|widget|css|class|_id\b|\.pk\b|\.id\b|count|len\(|int\(|date|time|color|colour|attrs|style|json"
)
_MARKDOWN = frozenset(
    {"markdown.markdown", "markdown2.markdown", "mistune.html", "mistune.markdown", "commonmark.commonmark"}
)
_TAG = LazyPattern(r"<\s*/?[a-zA-Z]")
_DEEPEST = 2


class UnescapedMarkup(PythonCheck):
    """Text is combined with tags and then marked as safe, so its values are not escaped.

    A name that contains a script then runs in the browser of everyone who views the page. Use
    ``format_html("<b>{}</b>", name)`` or ``Markup("<b>{}</b>").format(name)``, which escape the values.
    """

    ID = "PY359"
    NAME = "unescaped-markup"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "html-injection"
    WORDS = ("mark_safe", "Markup(", "SafeString", "SafeText", "format_html(", "__html__", "is_safe=True",
             "unsafe_allow_html")  # fmt: skip
    VALID = [
        code("""
            from django.utils.safestring import mark_safe
            def f(name):
                return mark_safe('<b>' + escape(name) + '</b>')
        """),
        code("""
            from django.utils.safestring import mark_safe
            TAG = 'b'
            def f():
                return mark_safe('<' + TAG + '>')
        """),
    ]
    INVALID = [
        code("""
            from django.utils.safestring import mark_safe
            def f(user):
                return «mark_safe('<b>' + user.name + '</b>')»
        """),
        code("""
            from markupsafe import Markup
            def f(note):
                text = f'<p>{note}</p>'
                return «Markup(text)»
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        first = node.args[0] if node.args else None
        if first is None:
            return
        if _PROMISES.search(name):
            is_told = self._is_literal_form(first) and name.endswith(("mark_safe", "Markup"))
            if not is_told and (self._is_mixed(first, node, _DEEPEST) or self._is_markdown(first)):
                self.report(
                    self.module.span(node),
                    "values between these tags are not escaped; use format_html or Markup.format",
                )
        elif name in _FORMATTING and self._is_filled(first):
            self.report(
                self.module.span(node),
                "the text is formatted before format_html can escape its values; pass them as arguments",
            )
        elif self._is_streamlit(node) and self._is_mixed(first, node, _DEEPEST):
            self.report(
                self.module.span(node),
                "values between these tags are not escaped; use format_html or Markup.format",
            )

    def _is_streamlit(self, node: ast.Call) -> bool:
        return any(k.arg == "unsafe_allow_html" and is_true(k.value) for k in node.keywords)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        is_filter = any("is_safe=True" in unparse(decorator) for decorator in node.decorator_list)
        if node.name != "__html__" and not is_filter:
            return
        for inner in walk(node):
            if (
                isinstance(inner, ast.Return)
                and inner.value is not None
                and self._is_mixed(inner.value, inner, _DEEPEST)
            ):
                self.report(
                    self.module.span(inner.value),
                    "values between these tags are not escaped; use format_html or Markup.format",
                )

    def _is_literal_form(self, node: ast.expr) -> bool:
        """Return True if the rule about texts formatted in place already reports it."""
        is_percent = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
        is_format = (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format"
        )
        return isinstance(node, ast.JoinedStr) or is_percent or is_format

    def _is_filled(self, node: ast.expr) -> bool:
        return self._is_literal_form(node) and self._is_mixed(node, node, 0)

    def _is_markdown(self, node: ast.expr) -> bool:
        name = self.module.imported_name(node.func) if isinstance(node, ast.Call) else None
        return name in _MARKDOWN and "bleach" not in self.source.text and "nh3" not in self.source.text

    def _is_mixed(self, node: ast.expr, place: ast.AST, deep: int) -> bool:
        """Return True if a text has tags of its own, and an unescaped value between them."""
        if deep and isinstance(node, ast.Name):
            return any(self._is_mixed(item, place, deep - 1) for item in self._assigned_values(node, place))
        if deep and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = self._function(node.func.id)
            if called is None or not self._passes_text(node):
                return False
            returned = [
                inner for inner in walk(called) if isinstance(inner, ast.Return) and inner.value is not None
            ]
            return any(
                element.value is not None and self._is_mixed(element.value, element, deep - 1)
                for element in returned
            )
        values = list(_parts(node))
        texts = [
            value.value
            for value in values
            if isinstance(value, ast.Constant) and isinstance(value.value, str)
        ]
        function = self.module.function_of(place)
        if not any(map(_TAG.search, texts)) or (function is not None and "escape" in unparse(function)):
            return False
        others = [operand for operand in values if not isinstance(operand, ast.Constant)]
        return any(
            isinstance(other, (ast.Name, ast.Attribute, ast.Subscript))
            and not _ESCAPED.search(unparse(other))
            and not is_constant_text(self.module, other, place)
            and not self._is_escaped(other, place)
            for other in others
        )

    def _passes_text(self, node: ast.Call) -> bool:
        return any(
            isinstance(argument, (ast.Attribute, ast.Name, ast.Subscript))
            and not _ESCAPED.search(unparse(argument))
            for argument in node.args
        )

    def _is_escaped(self, node: ast.expr, place: ast.AST) -> bool:
        """Return True if a name is bound to an escaped value, or built piece by piece."""
        values = list(self._assigned_values(node, place)) if isinstance(node, ast.Name) else []
        return any(isinstance(value, (ast.Call, ast.JoinedStr, ast.BinOp, ast.List)) for value in values)

    def _assigned_values(self, node: ast.Name, place: ast.AST) -> Iterator[ast.expr]:
        function = self.module.function_of(place)
        for inner in walk(function) if function is not None else ():
            if isinstance(inner, (ast.Assign, ast.AugAssign)) and inner.value is not None:
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                if any(isinstance(target, ast.Name) and target.id == node.id for target in targets):
                    yield inner.value

    def _function(self, name: str) -> FunctionNode | None:
        results = [
            statement
            for statement in self.module.tree.body
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and statement.name == name
        ]
        return results[0] if len(results) == 1 else None


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Return the parts a text is built of."""
    if isinstance(node, ast.JoinedStr):
        for value in node.values:
            yield from _parts(value.value) if isinstance(value, ast.FormattedValue) else [value]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _parts(node.left)
        yield from _parts(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield node.left
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        yield from (node.right.values if isinstance(node.right, ast.Dict) else values)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        yield node.func.value
        yield from [*node.args, *(keyword.value for keyword in node.keywords)]
    else:
        yield node
