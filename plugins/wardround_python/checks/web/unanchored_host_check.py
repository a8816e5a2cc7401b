from __future__ import annotations

import ast

from wardround.findings import Plane, Severity
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_DOMAIN = LazyPattern(r"(?i)^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$")
_SITE = LazyPattern(r"(?i)^https?://[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$")
_HOST = LazyPattern(r"(?i)(^|_)(host|hostname|netloc|origin|domain|referr?er|server_name)$")
_ADDRESS = LazyPattern(
    r"(?i)(^|_)(origin|referr?er|url|uri|next|target|callback|location|return_to|redirect\w*)$"
)
_LOOKS = LazyPattern(
    r"(?i)(^|_)(is|ok|may|can|allow\w*|valid\w*|check\w*|verif\w*|trust\w*|safe|permit\w*|accept\w*|whitelist\w*|origins?|"
    r"redirect\w*|embed\w*|hosts?|domains?)(_|$)"
)
_START = LazyPattern(r"^(?P<bound>\^|\\A)?(\(\?:|\()?https?\??\)?:(//|\\/\\/)(?P<rest>.*)$")
_END_OF_HOST = LazyPattern(r"(?<!\\)[/$:?)]|\\/|\\Z|\\b|\(\?")
_OPEN_DOT = LazyPattern(r"(?<![\\\[])\.(?![*+?{])(?=[a-z0-9-]+(\\?\.|[$/)]|$))")
_DOMAIN_END = LazyPattern(r"(?i)\\\.[a-z]{2,}$")
_EXTENSION = LazyPattern(
    r"(?i)\.(py|js|css|html?|json|ya?ml|txt|png|jpe?g|svg|local|internal|md|xml|csv|gz|zip)$"
)


class UnanchoredHostCheck(PythonCheck):
    """A test of a host or an origin also accepts other sites.

    ``evil-example.com`` ends in ``example.com``, and ``https://example.com.evil.net`` starts with
    ``https://example.com``. Compare the complete host, or test for ``.example.com`` with its dot.
    """

    ID = "PY336"
    NAME = "unanchored-host-check"
    PREFILTER = "wardround_python.prefilters:speaks_of_hosts"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "loose-host-check"
    WORDS = (".endswith(", ".startswith(", " in ", "origin_regex", "ORIGIN_REGEXES", "re.")
    VALID = [
        code("""
            def allowed(host):
                return host == 'example.com' or host.endswith('.example.com')
        """),
        code("""
            def allowed(origin):
                return origin in {'https://example.com'}
        """),
    ]
    INVALID = [
        code("""
            def allowed(host):
                return «host.endswith('example.com')»
        """),
        code("""
            import re
            FILM = re.compile(«r'^https://film.example.com/embed/'»)
            def may_embed(url):
                return FILM.match(url) is not None
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        func = node.func
        if (
            isinstance(func, ast.Attribute)
            and func.attr in {"endswith", "startswith"}
            and len(node.args) == 1
        ):
            names, shape = (_HOST, _DOMAIN) if func.attr == "endswith" else (_ADDRESS, _SITE)
            is_loose = names.search(_last_word(func.value)) and self._is_loose(node.args[0], shape)
            if is_loose and not self._is_narrowed(node, func.value):
                self.report(
                    self.module.span(node),
                    "other sites also pass this test of the host; compare the complete host",
                )
        elif (self.module.qualified_name(func) or "") == "re.compile" and node.args:
            self._check_named_pattern(node)
        elif (
            (self.module.qualified_name(func) or "").startswith("re.")
            and len(node.args) > 1
            and self._decides_access(node)
        ):
            self._check_pattern(node.args[0], getattr(func, "attr", ""), "")
        elif (
            (self.module.qualified_name(func) or "").startswith("re.")
            and len(node.args) > 1
            and _HOST.search(_last_word(node.args[1]))
            and self._is_loose_pattern(node.args[0])
        ):
            self.report(
                self.module.span(node.args[0]), "a dot in this pattern matches any character; escape it"
            )

    def _check_named_pattern(self, node: ast.Call) -> None:
        """Report a named pattern whose use is a decision."""
        parent = self.module.parents[node]
        name = unparse(parent.targets[0]) if isinstance(parent, ast.Assign) else ""
        for inner in self.module.nodes if name and "://" in unparse(node.args[0]) else ():
            if (
                isinstance(inner, ast.Call)
                and isinstance(inner.func, ast.Attribute)
                and inner.func.attr in {"match", "fullmatch", "search"}
                and unparse(inner.func.value).rpartition(".")[2] == name.rpartition(".")[2]
                and self._decides_access(inner)
            ):
                self._check_pattern(node.args[0], inner.func.attr, name)
                return

    def _check_pattern(self, node: ast.expr, how: str, name: str) -> None:
        """Report a pattern of addresses that accepts others too."""
        text = self._pattern_string(node)
        match = _START.search(text) if text is not None else None
        if match is None:
            return
        host, rest = _host_of(match["rest"])
        if _OPEN_DOT.search(host + "/"):
            self.report(
                self.module.span(node),
                "a dot in this pattern matches any character; escape it",
                None,
                Severity.INFO,
            )
        elif how == "search" and not match["bound"]:
            message = "this matches the address anywhere in another one; start the pattern with ^"
            self.report(self.module.span(node), message, None, Severity.INFO)
        elif how != "fullmatch" and not rest and _DOMAIN_END.search(host):
            self.report(
                self.module.span(node),
                "longer host names match this too; end the pattern with /",
                None,
                Severity.INFO,
            )

    def _decides_access(self, node: ast.Call) -> bool:
        """Return True if only the existence of a match is tested, by a function that accepts or rejects."""
        function = self.module.function_of(node)
        named = f"{getattr(function, 'name', '')}"
        parent = self.module.parents[node]
        if isinstance(parent, ast.Compare):
            is_asked = any(
                isinstance(operand, ast.Constant) and operand.value is None for operand in parent.comparators
            )
        elif isinstance(parent, ast.Call):
            is_asked = unparse(parent.func) == "bool"
        else:
            is_asked = isinstance(parent, (ast.If, ast.IfExp, ast.UnaryOp, ast.BoolOp, ast.Return))
        return is_asked and _LOOKS.search(named) is not None

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg == "allow_origin_regex" and self._is_loose_pattern(node.value):
            self.report(
                self.module.span(node.value), "other sites also match this pattern of origins; anchor it"
            )

    def visit_Assign(self, node: ast.Assign) -> None:
        if unparse(node.targets[0]) in {"CORS_ALLOWED_ORIGIN_REGEXES", "CORS_ORIGIN_REGEX_WHITELIST"}:
            for item in getattr(node.value, "elts", ()):
                if self._is_loose_pattern(item):
                    self.report(
                        self.module.span(item), "other sites also match this pattern of origins; anchor it"
                    )

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return
        if isinstance(node.left, ast.Constant) and self._is_loose(node.left, _DOMAIN):
            called = _last_word(node.comparators[0])
            if _HOST.search(called) and not called.lower().startswith("allowed"):
                self.report(
                    self.module.span(node),
                    "other sites also pass this test of the host; compare the complete host",
                )
            elif _ADDRESS.search(called) and self._is_decision(node):
                message = (
                    "this matches anywhere in the address, including its path; compare the complete host"
                )
                self.report(self.module.span(node), message, None, Severity.INFO)

    def _is_decision(self, node: ast.Compare) -> bool:
        function = self.module.function_of(node)
        return _LOOKS.search(getattr(function, "name", "")) is not None

    def _is_loose(self, node: ast.expr, shape: LazyPattern) -> bool:
        if isinstance(node, ast.Tuple):
            return any(self._is_loose(element, shape) for element in node.elts)
        text = self._pattern_string(node)
        return text is not None and shape.search(text) is not None and not _EXTENSION.search(text)

    def _is_loose_pattern(self, node: ast.expr) -> bool:
        text = self._pattern_string(node)
        if text is None or ("http" not in text and "\\." not in text):
            return False
        return _OPEN_DOT.search(text) is not None or (
            ".*" in text and "\\." not in text.partition(".*")[2][:3]
        )

    def _pattern_string(self, node: ast.expr) -> str | None:
        """Return a string that is a literal or a constant of the module."""
        if isinstance(node, ast.Name):
            element = self._first_element(node)
            if element is not None:
                return self._pattern_string(element)
            node = self._module_constant(node)
        return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None

    def _first_element(self, name: ast.Name) -> ast.expr | None:
        """Return the first of the values that a comprehension around a name goes through."""
        for parent in self.module.ancestors(name):
            for generator in getattr(parent, "generators", ()):
                elements = getattr(generator.iter, "elts", ())
                if elements and getattr(generator.target, "id", "") == name.id:
                    first: ast.expr = elements[0]
                    return first
        return None

    def _module_constant(self, name: ast.Name) -> ast.expr:
        """Return the only value that the module assigns to a name; the name itself if there is none."""
        assignments = (statement for statement in self.module.tree.body if isinstance(statement, ast.Assign))
        values = [item.value for item in assignments if unparse(item.targets[0]) == name.id]
        return values[0] if len(values) == 1 else name

    def _is_narrowed(self, node: ast.Call, looked_at: ast.expr) -> bool:
        """Return True if the same condition also requires another test of the value."""
        text = unparse(looked_at)
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.And):
                return any(text in unparse(value) for value in parent.values if value is not node)
            if isinstance(parent, ast.stmt):
                break
        return False


def _host_of(pattern: str) -> tuple[str, str]:
    """Return the host part of a pattern, and the text that ends it."""
    end = _END_OF_HOST.search(pattern)
    return (pattern[: end.start()], pattern[end.start() :]) if end is not None else (pattern, "")


def _last_word(node: ast.expr) -> str:
    """Return the last word of the name of a value."""
    if isinstance(node, ast.Call):
        if node.args and isinstance(node.args[0], ast.Constant):
            return str(node.args[0].value).replace("-", "_")
        return _last_word(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if isinstance(node, ast.BoolOp):
        return _last_word(node.values[0])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value).replace("-", "_")
    return last_name(node)
