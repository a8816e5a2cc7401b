"""PY329."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "five, two right; narrowed, the two left; with more names and computed digests: four, three right"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import hmac\ndef check(request, secret):\n"
        "    return hmac.compare_digest(request.headers['token'], secret)\n",
        "def kind(token, request):\n    return token == 'end'\n",
        "def check(request, api_key):\n    return api_key is None or api_key == ''\n",
        "def refresh(self, request):\n    token = self.access_token\n    with self.lock:\n"
        "        return token == self.access_token\n",
        "def find(request, tokens):\n    return [t for t in tokens if t.token == t.kind]\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import hmac\ndef verify(body, header, key):\n"
            "    expected = 'sha256=' + hmac.new(key, body, 'sha256').hexdigest()\n"
            "    return header == expected\n",
            4,
            12,
        ),
        Invalid(
            "import hmac\nclass Link:\n    def __eq__(self, other):\n"
            "        return (self.name, self.mac) == (other.name, other.mac)\n"
            "    def verify(self):\n        return self == Link(self.name, mac_of(self.name))\n",
            4,
            16,
        ),
        Invalid(
            "import hmac\ndef sign(body):\n    return hmac.new(KEY, body, 'sha256').hexdigest()\n\n"
            "def check(request):\n    return sign(request.body) == request.headers['X-Signature']\n",
            6,
            12,
        ),
        Invalid(
            "def check(request, settings):\n"
            "    return request.headers.get('X-Token') == settings.api_token\n",
            2,
            12,
        ),
        Invalid(
            "def caller(token: str = Depends(header)):\n    for name, secret in known().items():\n"
            "        if secret == token:\n            return name\n",
            3,
            12,
        ),
        Invalid(
            "def webhook(request):\n    expected_signature = sign(request.body)\n"
            "    signature = request.headers['X-Sig']\n"
            "    if signature != expected_signature:\n        raise PermissionError\n",
            4,
            8,
        ),
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
            self.report(
                self.module.span(node),
                _TOLD,
            )

    @cached_property
    def _computes(self) -> bool:
        return "hmac" in self.source.text.lower() or "hexdigest" in self.source.text

    def _look_at_own(self, node: ast.Compare) -> None:
        """Equality of objects that hold a digest, in a module that computes one with a key."""
        if "hmac" not in self.source.text:
            return
        for one, other in self._pairs(node):
            if _called(one) == _called(other) and _DIGEST_NAME.search(_called(one)):
                self.report(self.module.span(node), _TOLD)

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
