from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.findings import Plane
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
        if not node.args:
            return
        name, markup = self.module.imported_name(node.func) or "", node.args[0]
        if _PROMISES.search(name):
            if self._is_promised_wrongly(name, markup, node):
                self._report_values(node)
        elif name in _FORMATTING and self._is_filled(markup):
            self.report(
                self.module.span(node),
                "the text is formatted before format_html can escape its values; pass them as arguments",
            )
        elif self._is_streamlit(node) and self._is_mixed(markup, node, _DEEPEST):
            self._report_values(node)

    def _is_promised_wrongly(self, name: str, markup: ast.expr, node: ast.Call) -> bool:
        """Return True if a call declares a text with unescaped values safe, and no other rule reports it."""
        if self._is_literal_form(markup) and name.endswith(("mark_safe", "Markup")):
            return False
        return self._is_mixed(markup, node, _DEEPEST) or self._is_markdown(markup)

    def _report_values(self, node: ast.expr) -> None:
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
                self._report_values(inner.value)

    def _is_literal_form(self, node: ast.expr) -> bool:
        """Return True if the rule about strings formatted in place already reports it."""
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
        """Return True if a string has literal tags, and an unescaped value between them."""
        if deep and isinstance(node, ast.Name):
            return any(self._is_mixed(item, place, deep - 1) for item in self._assigned_values(node, place))
        if deep and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = self._function(node.func.id)
            if called is None or not self._passes_string(node):
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

    def _passes_string(self, node: ast.Call) -> bool:
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
    match node:
        case ast.JoinedStr(values=values):
            for value in values:
                yield from _parts(value.value) if isinstance(value, ast.FormattedValue) else [value]
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case ast.BinOp(op=ast.Mod(), left=template, right=right):
            yield template
            yield from _percent_values(right)
        case ast.Call(func=ast.Attribute(attr="format", value=template)):
            yield template
            yield from [*node.args, *(keyword.value for keyword in node.keywords)]
        case _:
            yield node


def _percent_values(node: ast.expr) -> list[ast.expr]:
    """Return the values of the right side of ``template % values``."""
    match node:
        case ast.Tuple(elts=values) | ast.Dict(values=values):
            return values
        case _:
            return [node]
