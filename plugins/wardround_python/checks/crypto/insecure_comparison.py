"""PY329."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import walk
from wardround_python.check import PythonCheck

_OURS = LazyPattern(
    r"(?i)(^|_)(secret|(api|access|service|webhook|auth|shared|internal|csrf|signing|bearer|admin|hook|master|cron|job|task|deploy|"
    r"partner|agent|device|upload|metrics|health|callback)_?(token|key|secret)|"
    r"admin_?(token|secret)|(expected|computed|calculated|wanted|actual|valid|our|my)_?"
    r"(sig|signature|mac|hmac|digest|token|secret)|hmac|signature)s?$"
)
_GIVEN = LazyPattern(
    r"(?i)(^|_)(token|secret|sig|signature|mac|hmac|digest|api_?key|provided|given|received|supplied|presented|"
    r"header_value|credential|bearer|key)s?$"
)
_DIGEST = LazyPattern(
    r"\bhmac\.(new|digest)\(|HMAC\(|\.hexdigest\(\).*(?i:key|secret)|(?i:key|secret).*hexdigest"
)
_DIGEST_NAME = LazyPattern(r"(?i)^_?(mac|hmac|sig|signature|digest|token|secret)$")
_TOLD = "a secret is compared with ==, which tells how much of a guess was right"
_HANDLED = LazyPattern(r"(?i)(request|header|Depends|Security|Header\(|authoriz|webhook|verif|authentic)")


class InsecureComparison(PythonCheck):
    """A secret from outside is compared with ==, which takes longer the more of it is right.

    It stops at the first character that differs, so answer times tell how much of a guess was right.
    ``hmac.compare_digest`` takes the same time whatever it is given.
    """

    ID = "PY329"
    NAME = "insecure-comparison"
    PREFILTER = "wardround_python.prefilters:handles_what_is_sent"
    WORDS = ("==", "!=")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-compared-with-equals"
    VALID = [
        code("""
            import hmac
            def check(request, secret):
                return hmac.compare_digest(request.headers['token'], secret)
        """),
        code("""
            def kind(token, request):
                return token == 'end'
        """),
    ]
    INVALID = [
        code(
            """
            import hmac
            def verify(body, header, key):
                expected = 'sha256=' + hmac.new(key, body, 'sha256').hexdigest()
                return «header == expected»
            """,
            fixed="""
            import hmac
            def verify(body, header, key):
                expected = 'sha256=' + hmac.new(key, body, 'sha256').hexdigest()
                return hmac.compare_digest(header, expected)
            """,
        ),
        code("""
            import hmac
            class Link:
                def __eq__(self, other):
                    return «(self.name, self.mac) == (other.name, other.mac)»
                def verify(self):
                    return self == Link(self.name, mac_of(self.name))
        """),
    ]

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return
        left, right = node.left, node.comparators[0]
        if isinstance(left, ast.Constant) or isinstance(right, ast.Constant):
            return
        function = self.module.function_of(node)
        if isinstance(function, ast.FunctionDef) and function.name == "__eq__":
            self._look_at_own(node)
            return
        if not any(
            self._is_pair(ours, given)
            or (function is not None and self._computes and self._is_computed(ours, given, function))
            for one, other in self._pairs(node)
            for ours, given in ((one, other), (other, one))
        ):
            return
        if function is not None and _is_earlier(function, left, right):
            return
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and self._handles_strangers(
            function
        ):
            self._report(node)

    @cached_property
    def _computes(self) -> bool:
        return "hmac" in self.source.text.lower() or "hexdigest" in self.source.text

    def _look_at_own(self, node: ast.Compare) -> None:
        """Equality of objects that hold a digest, in a module that computes one with a key."""
        if "hmac" not in self.source.text:
            return
        for one, other in self._pairs(node):
            if _called(one) == _called(other) and _DIGEST_NAME.search(_called(one)):
                self._report(node)

    def _report(self, node: ast.Compare) -> None:
        """Report a comparison; its fix is not safe, for ``compare_digest`` refuses text beyond ASCII."""
        template = "hmac.compare_digest({left}, {right})"
        if isinstance(node.ops[0], ast.NotEq):
            template = f"not {template}"
        parts = {"left": node.left, "right": node.comparators[0]}
        fix = None
        if not any(isinstance(part, ast.Tuple) for part in parts.values()):
            fix = self.fix(
                node, lambda one: one.expression(node, template, **parts), "use hmac.compare_digest()",
                needed_import="hmac",
            )  # fmt: skip
        self.report(self.module.span(node), _TOLD, fix)

    def _pairs(self, node: ast.Compare) -> list[tuple[ast.expr, ast.expr]]:
        """The two sides; of two tuples of one length, those of every place."""
        left, right = node.left, node.comparators[0]
        if isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple) and len(left.elts) == len(right.elts):
            return list(zip(left.elts, right.elts, strict=True))
        return [(left, right)]

    def _is_computed(self, left: ast.expr, right: ast.expr, function: ast.AST) -> bool:
        """Whether one side is a keyed digest, computed here or in a function of this module."""
        return any(
            _GIVEN.search(_called(given)) and _DIGEST.search(self._made_of(ours, function))
            for ours, given in ((left, right), (right, left))
            if not isinstance(given, ast.Constant)
        ) or any("hmac." in self._made_of(one, function) for one in (left, right))

    def _made_of(self, node: ast.expr, function: ast.AST) -> str:
        """The text of what an expression was made of."""
        if isinstance(node, ast.Name):
            made = [
                one.value
                for one in walk(function)
                if isinstance(one, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == node.id for t in one.targets)
            ]
            node = made[0] if len(made) == 1 else node
        if isinstance(node, (ast.BinOp, ast.JoinedStr)):
            text = ast.unparse(node)  # "sha256=" before the digest
            return text if "hmac." in text else ""
        if not isinstance(node, ast.Call):
            return ""
        called = last_name(node.func)
        bodies = [
            ast.unparse(one)
            for one in self.module.nodes
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name == called
        ]
        return " ".join([ast.unparse(node), *bodies[:1]])

    def _is_pair(self, ours: ast.expr, given: ast.expr) -> bool:
        if isinstance(ours, ast.Constant) or isinstance(given, ast.Constant):
            return False
        mine, theirs = _called(ours), _called(given)
        return bool(_OURS.search(mine) and _GIVEN.search(theirs)) and ast.unparse(ours) != ast.unparse(given)

    def _handles_strangers(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether what is compared came with a request, as far as the function itself tells."""
        signature = ast.unparse(function.args)
        lines = self.source.lines[function.lineno - 1 : function.end_lineno]
        return bool(_HANDLED.search(signature) or _HANDLED.search("\n".join(lines)))


def _is_earlier(function: ast.AST, left: ast.expr, right: ast.expr) -> bool:
    """Whether one side was set from the other: a look whether it changed since."""
    texts = {ast.unparse(left), ast.unparse(right)}
    return any(
        isinstance(one, ast.Assign) and {ast.unparse(one.targets[0]), ast.unparse(one.value)} == texts
        for one in walk(function)
    )


def _called(node: ast.expr) -> str:
    """The last word of what a value is called: a name, an attribute, a constant key or argument."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value).replace("-", "_")
    if isinstance(node, ast.Call):
        if node.args and isinstance(node.args[0], ast.Constant):
            return str(node.args[0].value).replace("-", "_")
        return _called(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    return node.id if isinstance(node, ast.Name) else ""
