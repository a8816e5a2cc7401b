from __future__ import annotations

import ast
from functools import cached_property

from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import assigned_values_of

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
_MESSAGE = "a secret is compared with ==, which leaks its prefix through timing; use hmac.compare_digest"
_HANDLED = LazyPattern(r"(?i)(request|header|Depends|Security|Header\(|authoriz|webhook|verif|authentic)")


class InsecureComparison(PythonCheck):
    """A secret is compared with ``==``, whose duration depends on the number of matching characters.

    The comparison stops at the first difference, so response times reveal how long a correct prefix is.
    ``hmac.compare_digest`` takes the same time for every input of the same length.
    """

    ID = "PY329"
    NAME = "insecure-comparison"
    PREFILTER = "wardround_python.prefilters:handles_request_data"
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
        if isinstance(node.left, ast.Constant) or isinstance(node.comparators[0], ast.Constant):
            return
        function = self.module.function_of(node)
        if isinstance(function, ast.FunctionDef) and function.name == "__eq__":
            self._check_equality_method(node)
        elif isinstance(function, FunctionNode) and self._decides_access(node, function):
            self._report(node)

    def _decides_access(self, node: ast.Compare, function: FunctionNode) -> bool:
        """Return True if a comparison with a secret is the first that a stranger's value meets."""
        if not self._is_secret_test(node, function):
            return False
        return not _is_earlier(function, node.left, node.comparators[0]) and self._handles_strangers(function)

    def _is_secret_test(self, node: ast.Compare, function: FunctionNode) -> bool:
        """Return True if a secret of ours is compared with a value that was sent."""
        for pair in self._pairs(node):
            for ours, sent in (pair, pair[::-1]):
                if self._is_pair(ours, sent):
                    return True
                if self._computes and self._is_computed(ours, sent, function):
                    return True
        return False

    @cached_property
    def _computes(self) -> bool:
        return "hmac" in self.source.text.lower() or "hexdigest" in self.source.text

    def _check_equality_method(self, node: ast.Compare) -> None:
        """Report ``__eq__`` of classes with a digest, in a module that computes keyed digests."""
        if "hmac" not in self.source.text:
            return
        for item, other in self._pairs(node):
            if _last_word(item) == _last_word(other) and _DIGEST_NAME.search(_last_word(item)):
                self._report(node)

    def _report(self, node: ast.Compare) -> None:
        """Report a comparison; its fix is not safe, for ``compare_digest`` rejects text beyond ASCII."""
        template = "hmac.compare_digest({left}, {right})"
        if isinstance(node.ops[0], ast.NotEq):
            template = f"not {template}"
        parts = {"left": node.left, "right": node.comparators[0]}
        fix = None
        if not any(isinstance(part, ast.Tuple) for part in parts.values()):
            fix = self.fix(
                node, lambda edit: edit.expression(node, template, **parts), "use hmac.compare_digest()",
                needed_import="hmac",
            )  # fmt: skip
        self.report(self.module.span(node), _MESSAGE, fix)

    def _pairs(self, node: ast.Compare) -> list[tuple[ast.expr, ast.expr]]:
        """Yield the two operands; for two tuples of one length, the operands at each position."""
        left, right = node.left, node.comparators[0]
        if isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple) and len(left.elts) == len(right.elts):
            return list(zip(left.elts, right.elts, strict=True))
        return [(left, right)]

    def _is_computed(self, left: ast.expr, right: ast.expr, function: ast.AST) -> bool:
        """Return True if an operand is a keyed digest, computed here or in a function of this module."""
        return any(
            _GIVEN.search(_last_word(given)) and _DIGEST.search(self._assigned_source(ours, function))
            for ours, given in ((left, right), (right, left))
            if not isinstance(given, ast.Constant)
        ) or any("hmac." in self._assigned_source(item, function) for item in (left, right))

    def _assigned_source(self, node: ast.expr, function: ast.AST) -> str:
        """Return the source text of the value an expression is assigned."""
        if isinstance(node, ast.Name):
            values = assigned_values_of(walk(function), node.id)
            node = values[0] if len(values) == 1 else node
        match node:
            case ast.BinOp() | ast.JoinedStr():
                text = unparse(node)  # "sha256=" before the digest
                return text if "hmac." in text else ""
            case ast.Call():
                return " ".join([unparse(node), *self._bodies(last_name(node.func))])
        return ""

    def _bodies(self, name: str) -> list[str]:
        """Return the text of the first function of a name."""
        functions = (node for node in self.module.nodes if isinstance(node, FunctionNode))
        return [unparse(function) for function in functions if function.name == name][:1]

    def _is_pair(self, ours: ast.expr, given: ast.expr) -> bool:
        if isinstance(ours, ast.Constant) or isinstance(given, ast.Constant):
            return False
        mine, theirs = _last_word(ours), _last_word(given)
        return bool(_OURS.search(mine) and _GIVEN.search(theirs)) and unparse(ours) != unparse(given)

    def _handles_strangers(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Return True if the compared value comes from a request, if the function shows."""
        signature = unparse(function.args)
        lines = self.source.lines[function.lineno - 1 : function.end_lineno]
        return bool(_HANDLED.search(signature) or _HANDLED.search("\n".join(lines)))


def _is_earlier(function: ast.AST, left: ast.expr, right: ast.expr) -> bool:
    """Return True if one operand was assigned from the other: the comparison detects a change."""
    texts = {unparse(left), unparse(right)}
    return any(
        isinstance(node, ast.Assign) and {unparse(node.targets[0]), unparse(node.value)} == texts
        for node in walk(function)
    )


def _last_word(node: ast.expr) -> str:
    """Return the last word of the name of a value: a name, an attribute, a constant key or argument."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value).replace("-", "_")
    if isinstance(node, ast.Call):
        if node.args and isinstance(node.args[0], ast.Constant):
            return str(node.args[0].value).replace("-", "_")
        return _last_word(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    return node.id if isinstance(node, ast.Name) else ""
