"""PY325."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround_python.check import PythonCheck
from wardround_python.module import nodes_run_by

_PLACES = frozenset({"jwt", "jose", "authlib", "joserfc", "flask_jwt_extended"})
_VERIFYING = frozenset({"decode", "verify", "get_signing_key_from_jwt", "verify_token"})
_UNVERIFIED = frozenset({"get_unverified_claims"})


class InsecureJwt(PythonCheck):
    """A token can be made by anybody: its key stands in the source, or its signature is not looked at.

    The key is in every clone for good, and whoever has it signs tokens for any user. Read it from the
    environment or a secret store, and verify with a fixed list of algorithms that leaves "none" out.
    """

    ID = "PY325"
    NAME = "insecure-jwt"
    WORDS = ("jwt", "jose")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "signature-not-verified"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding"
    )
    MASKED = True
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import jwt\ndef read(token, key):\n    return jwt.decode(token, key, algorithms=['HS256'])\n",
        "import jwt\nfrom settings import KEY\ndef make(claims):\n"
        "    return jwt.encode(claims, KEY, algorithm='HS256')\n",
        "from jose import jwt\ndef read(token):\n    issuer = jwt.get_unverified_claims(token)['iss']\n"
        "    return jwt.decode(token, KEYS[issuer], algorithms=['RS256'])\n",
        Valid("import jwt\ndef test():\n    jwt.encode({}, 'secret')\n", path="tests/test_tokens.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import jwt\ndef make(claims):\n"
            "    return jwt.encode(claims, 'orders-2021', algorithm='HS256')\n",
            3,
            31,
        ),
        Invalid(
            "from jose import jwt\ndef read(token):\n    return jwt.get_unverified_claims(token)['sub']\n",
            3,
            12,
        ),
        Invalid(
            "import jwt\ndef read(token, key):\n"
            "    return jwt.decode(token, key, algorithms=['HS256', 'none'])\n",
            3,
            46,
        ),
        Invalid(
            "import jwt\nKEY = 'orders-2021'\ndef make(claims):\n"
            "    return jwt.encode(claims, KEY, algorithm='HS256')\n",
            4,
            31,
        ),
        Invalid(
            "import os, jwt\nKEY = os.environ.get('KEY', 'orders-2021')\ndef make(claims):\n"
            "    return jwt.encode(claims, KEY)\n",
            4,
            31,
        ),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name.partition(".")[0] not in _PLACES:
            return
        last = name.rpartition(".")[2]
        if last in _UNVERIFIED and not self._is_verified_later(node):
            self.report(
                self.module.span(node), "the token's signature is not verified, so anybody can write one"
            )
        elif last in {"encode", "decode"}:
            self._look_at_key(node)
            self._look_at_algorithms(node)

    def _look_at_key(self, node: ast.Call) -> None:
        given = [*node.args[1:2], *(k.value for k in node.keywords if k.arg in {"key", "secret"})]
        if given and self._is_in_source(given[0]):
            self.report(self.module.span(given[0]), "the key that signs tokens stands in the source")

    def _is_in_source(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (str, bytes)) and len(node.value) > 0 and not _is_pem(node.value)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            return self._is_in_source(node.values[-1])
        if isinstance(node, ast.Call) and self.module.dotted(node.func) in {
            "os.environ.get",
            "os.getenv",
            "config",
            "env",
        }:
            defaults = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "default")]
            return bool(defaults) and self._is_in_source(defaults[0])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "encode":
            return self._is_in_source(node.func.value)
        if isinstance(node, ast.Name):
            made = [
                one.value
                for one in self.module.tree.body
                if isinstance(one, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == node.id for target in one.targets)
            ]
            return len(made) == 1 and not isinstance(made[0], ast.Name) and self._is_in_source(made[0])
        return False

    def _look_at_algorithms(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg in {"algorithms", "algorithm"}:
                for one in ast.walk(keyword.value):
                    if (
                        isinstance(one, ast.Constant)
                        and str(one.value).lower() == "none"
                        and one.value is not None
                    ):
                        span = self.module.span(keyword.value)
                        self.report(span, 'a token with the algorithm "none" needs no signature')
                        return

    def _is_verified_later(self, node: ast.Call) -> bool:
        """A first look to find the issuer is fine where the same function then verifies the token."""
        function = self.module.function_of(node)
        body = function.body if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
        return any(
            isinstance(one, ast.Call) and isinstance(one.func, (ast.Attribute, ast.Name)) and one is not node
            and ast.unparse(one.func).rpartition(".")[2] in _VERIFYING
            for one in nodes_run_by(body)
        )  # fmt: skip


def _is_pem(text: str | bytes) -> bool:
    return "-----BEGIN PUBLIC" in (text if isinstance(text, str) else text.decode("latin-1"))
