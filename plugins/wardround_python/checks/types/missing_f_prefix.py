from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.findings import Span, SuggestedFix
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_FIELD = LazyPattern(
    r"(?<!\{)\{(?:(?:len|str|int|sum|round|repr)\()?([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*|\[\w+\])*)\)?(?:![rsa])?(?::[^{}\s]*)?\}(?!\})"
)
_STRING = LazyPattern(r"""(?P<prefix>[A-Za-z]{0,2})(?:\"\"\"|'''|"|')""")
# Functions that fill in the fields of a text later.
_FILLED_LATER = frozenset(
    {
        "format", "format_map", "Template", "gettext", "_", "gettext_lazy", "ngettext", "partial", "path",
        "re_path", "route", "get", "post", "put", "patch", "delete", "add_url_rule", "add_route", "websocket",
        "substitute", "bind", "Field", "Message", "head", "options", "api_route", "add_api_route", "add_get",
        "add_post", "render", "from_template", "from_string", "from_messages", "from_format", "strptime",
    }
)  # fmt: skip


# Methods of clients and routers, which fill in no fields inside a function.
_VERBS = frozenset(
    {
        "get", "post", "put", "patch", "delete", "head", "options", "path", "render", "partial", "bind",
    }
)  # fmt: skip
_MESSAGES = frozenset(
    {
        "message", "msg", "detail", "text", "body", "title", "subject", "description", "reason", "error",
        "label", "content", "summary", "note", "greeting", "line", "url", "link", "caption", "comment",
        "warning", "hint",
    }
)  # fmt: skip


class MissingFPrefix(PythonCheck):
    """A string names a variable in braces but has no ``f`` prefix.

    The braces are used literally, so the message, file or address contains the name of the variable. In
    concatenated strings each part needs its own ``f``.
    """

    ID = "PY064"
    NAME = "missing-f-prefix"
    WORDS = ("{",)
    DEFECT_CLASS = "missing-f-string-syntax"
    VALID = [
        code("""
            def f(name):
                return 'Hello {name}'.format(name=name)
        """),
        code("""
            def f(name):
                text = 'Hello {name}'
                return text.format(name=name)
        """),
    ]
    INVALID = [
        code("""
            import httpx
            def f(n):
                return httpx.get(«'https://a.b.org/u/{n}'», timeout=3)
        """),
        code(
            """
            def f(v):
                return (
                    f'To {v}. '
                    «'Notes of {v}'»
                )
            """,
            fixed="""
            def f(v):
                return (
                    f'To {v}. '
                    f'Notes of {v}'
                )
            """,
        ),
    ]

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Report a part without ``f`` next to one that has it."""
        if (
            node.lineno == node.end_lineno
            and '" ' not in self._line(node.lineno)
            and "' " not in self._line(node.lineno)
        ):
            return
        if not any(isinstance(v, ast.Constant) and "{" in str(v.value) for v in node.values):
            return
        for span, text in self._unprefixed_pieces(node):
            if self._names_values(text, node):
                fix = self._prefix_fix(node, text, span)
                self.report(span, "this part has no f prefix, so its braces are literal; add f", fix)
                return

    def visit_Constant(self, node: ast.Constant) -> None:
        """Report a string that is stored, passed or returned, in a function that fills in no fields."""
        text = node.value
        if not isinstance(text, str) or "{" not in text:
            return
        if " " not in text.strip():
            self._check_address(node, text)
            return
        if not self._is_message(node) or not self._names_values(text, node):
            return
        function = self.module.function_of(node)
        if function is not None and not self._fills_fields(function):
            self.report(
                self.module.span(node), "this string has no f prefix, so its braces are literal; add f"
            )

    def _check_address(self, node: ast.Constant, text: str) -> None:
        """Report an address that a client calls unchanged."""
        call = self.module.parents[node]
        if (
            not text.startswith(("http://", "https://"))
            or not isinstance(call, ast.Call)
            or _passes_names(call)
        ):
            return
        name = self.module.imported_name(call.func) or ""
        function = self.module.function_of(node)
        fields = {match[1] for match in _FIELD.finditer(text)}
        if not name.startswith(("requests.", "httpx.")) or not isinstance(function, FunctionNode):
            return
        if fields and fields <= _values_of(function):
            message = "this address has no f prefix, so it is called with literal braces; add f"
            self.report(self.module.span(node), message, self._prefix_fix(node, text))

    def _is_message(self, node: ast.Constant) -> bool:
        """Return True if a string is displayed: added to a list of lines, or assigned to a field called
        message.
        """
        parent = self.module.parents[node]
        match parent:
            case ast.keyword(arg=name):
                call = self.module.parents[parent]
                return name in _MESSAGES and isinstance(call, ast.Call) and not _passes_names(call)
            case ast.Dict():
                return any(_is_message_key(key) for key in _keys_of(parent, node))
            case ast.Assign(targets=[ast.Name(id=name), *_]):
                return name in _MESSAGES
            case ast.Call(func=ast.Attribute(attr="append" | "write" | "appendleft")):
                return parent.args == [node]
        return False

    def _fills_fields(self, function: ast.AST) -> bool:
        """Return True if a function fills in fields: then a string with braces may be a template for it."""
        return any(
            (isinstance(node, ast.Attribute) and node.attr in _FILLED_LATER - _VERBS)
            or (isinstance(node, ast.Name) and "template" in node.id.lower())
            for node in walk(function)
        )

    def visit_Call(self, node: ast.Call) -> None:
        """Report a message that is shown directly."""
        only = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if not isinstance(only, ast.Constant) or not isinstance(only.value, str) or "{" not in only.value:
            return
        if self._shows_argument(node) and self._names_values(only.value, only):
            message = "this string has no f prefix, so its braces are literal; add f"
            self.report(self.module.span(only), message, self._prefix_fix(only, only.value))

    def _prefix_fix(
        self, node: ast.Constant | ast.JoinedStr, text: str, part: Span | None = None
    ) -> SuggestedFix | None:
        """Return the fix; safe where the braces hold parameters, which are always bound."""
        function = self.module.function_of(node)
        fields = {match[1] for match in _FIELD.finditer(text)}
        if text.count("{") != len(_FIELD.findall(text)) or "[" in text:
            return None  # str.format reads a key in brackets as a text
        safe = isinstance(function, FunctionNode) and fields <= _parameters(function)
        return self.fix(node, lambda edit: edit.add_f_prefix(node, part), "put f before the text", safe=safe)

    def _shows_argument(self, node: ast.Call) -> bool:
        """Return True if a call raises, logs or prints its argument."""
        if isinstance(self.module.parents[node], ast.Raise):
            return True
        if isinstance(node.func, ast.Name):
            return node.func.id == "print"
        if not isinstance(node.func, ast.Attribute) or not isinstance(self.module.parents[node], ast.Expr):
            return False
        level = node.func.attr in ("debug", "info", "warning", "error", "exception", "critical")
        return level and "log" in unparse(node.func.value).lower() and not self._logs_with_braces

    @cached_property
    def _logs_with_braces(self) -> bool:
        return any("loguru" in name or "structlog" in name for name in self.module.imported.values())

    def _names_values(self, text: str, node: ast.expr) -> bool:
        """Return True if all braces of a string contain bound names, and no later call fills them."""
        fields = {match[1] for match in _FIELD.finditer(text)}
        function = self.module.function_of(node)
        if not fields or not isinstance(function, FunctionNode) or "{{" in text:
            return False
        return not self._is_filled_later(node) and fields <= _values_of(function)

    def _is_filled_later(self, node: ast.expr) -> bool:
        """Return True if a string is an argument, or the receiver, of a method that fills its fields."""
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            match parent:
                case ast.stmt():
                    return False
                case ast.Call() if parent.func is not child and _called_name(parent) in _FILLED_LATER:
                    return True
                case ast.Attribute() if parent.attr in _FILLED_LATER:
                    return True
            child = parent
        return False

    def _unprefixed_pieces(self, node: ast.JoinedStr) -> Iterator[tuple[Span, str]]:
        """Yield the position and source of the pieces of a string that have no ``f`` prefix."""
        end = node.end_lineno or node.lineno
        lines = self.source.lines[node.lineno - 1 : end]
        for number, line in enumerate(lines, node.lineno):
            start = (
                len(line) - len(line.lstrip()) if number > node.lineno else self.module.span(node).column - 1
            )
            while (match := _STRING.match(line, start)) is not None:
                quote = match[0][len(match["prefix"]) :]
                close = line.find(quote, match.end())
                while close > 0 and line[close - 1] == "\\":
                    close = line.find(quote, close + 1)
                if close < 0 or len(quote) > 1:
                    return
                if not set(match["prefix"].lower()) & {"f", "r", "b"}:
                    yield Span(number, start + 1, number, close + 2), line[match.end() : close]
                start = close + 1
                start += len(line[start:]) - len(line[start:].lstrip())

    def _line(self, number: int) -> str:
        return self.source.lines[number - 1]


def _passes_names(node: ast.Call) -> bool:
    """Return True if a call has keyword arguments for the fields of its string."""
    return any(
        k.arg is None or (isinstance(k.value, ast.Name) and k.arg == k.value.id) for k in node.keywords
    )


def _called_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _parameters(function: FunctionNode) -> set[str]:
    return {n.arg for n in walk(function.args) if isinstance(n, ast.arg)}


def _values_of(function: FunctionNode) -> set[str]:
    """Return the names that a function binds, including its parameters."""
    return _parameters(function) | {
        n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _keys_of(display: ast.Dict, value: ast.expr) -> list[ast.expr | None]:
    return [key for key, other in zip(display.keys, display.values, strict=True) if other is value]


def _is_message_key(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value in _MESSAGES
