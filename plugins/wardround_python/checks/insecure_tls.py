"""PY322."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Plane
from wardround_python.check import PythonCheck

_OLD = frozenset(
    f"ssl.{name}"
    for name in (
        "PROTOCOL_SSLv2", "PROTOCOL_SSLv3", "PROTOCOL_TLSv1", "PROTOCOL_TLSv1_1",
        "TLSVersion.SSLv3", "TLSVersion.TLSv1",
        "TLSVersion.TLSv1_1",
    )
)  # fmt: skip
_UNCHECKED = "whoever answers is trusted: the certificate is not checked"


class InsecureTls(PythonCheck):
    """A connection is made without checking who is at the other end, or with a broken protocol.

    It is encrypted, but to anybody: whoever is in between can read and change it. Keep the checks on and name
    the right authority with ``cafile``; take ``ssl.PROTOCOL_TLS_CLIENT`` and leave the version to the
    library.
    """

    ID = "PY322"
    NAME = "insecure-tls"
    WORDS = ("ssl",)
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "tls-verification-off"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "three, one right, two wrong or in examples; narrowed, one left in an example"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import ssl\ncontext = ssl.create_default_context(cafile='internal.pem')\n",
        "import ssl\ncontext = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n"
        "context.verify_mode = ssl.CERT_NONE\n",
        "import ssl\ncontext = ssl.create_default_context()\nif not verify:\n"
        "    context.check_hostname = False\n",
        "import aiohttp\nconnector = aiohttp.TCPConnector(ssl=context)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("import ssl\ncontext = ssl.create_default_context()\ncontext.check_hostname = False\n", 3, 1),
        Invalid(
            "import ssl\ncontext = ssl.create_default_context()\ncontext.verify_mode = ssl.CERT_NONE\n", 3, 1
        ),
        Invalid("import ssl\ncontext = ssl.SSLContext(ssl.PROTOCOL_TLSv1)\n", 2, 26),
        Invalid("import aiohttp\nconnector = aiohttp.TCPConnector(ssl=False)\n", 2, 34),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        text = source.text
        return "ssl" in text and any(
            word in text
            for word in (
                "check_hostname",
                "CERT_NONE",
                "PROTOCOL_",
                "TLSVersion",
                "ssl=False",
                "verify_ssl",
                "SSLv3",
            )
        )

    def visit_Module(self, node: ast.Module) -> None:
        self._said: set[object] = set()

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute) and self._switches_off(target, node.value):
                where = (self.module.function_of(node), ast.unparse(target.value))
                if (
                    where not in self._said
                    and not self._is_asked_for(node)
                    and not self._is_server(target.value)
                ):
                    self._said.add(where)
                    self.report(self.module.span(node), _UNCHECKED)

    def _switches_off(self, target: ast.Attribute, value: ast.expr) -> bool:
        if isinstance(target.value, ast.Name) and target.value.id == "self":
            return False
        if target.attr == "check_hostname":
            return isinstance(value, ast.Constant) and value.value is False
        return target.attr == "verify_mode" and (self.module.dotted(value) or "").endswith("CERT_NONE")

    def _is_asked_for(self, node: ast.stmt) -> bool:
        """Whether it stands behind a switch that says so, which is off unless somebody asks."""
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.If):
                test = ast.unparse(parent.test).lower()
                if any(
                    word in test
                    for word in ("verif", "insecure", "validate", "check", "ssl", "tls", "debug", "strict")
                ):
                    return True
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = parent.name.lower()
                return any(word in name for word in ("insecure", "unverified", "no_verify", "noverify"))
            child = parent
        return child is None

    def _is_server(self, context: ast.expr) -> bool:
        """Servers ask nobody for a certificate unless they are told to."""
        name = ast.unparse(context)
        return any(
            isinstance(one, ast.Assign)
            and ast.unparse(one.targets[0]) == name
            and any(word in ast.unparse(one.value) for word in ("TLS_SERVER", "CLIENT_AUTH"))
            for one in self.module.nodes
        )

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.module.imported_name(node)
        if name in _OLD and self._is_chosen(node):
            self.report(self.module.span(node), f"{name} is broken: the connection can be read and changed")

    def _is_chosen(self, node: ast.Attribute) -> bool:
        parent = self.module.parents[node]
        if isinstance(parent, ast.Call) and node in parent.args:
            return (self.module.dotted(parent.func) or "").endswith(("SSLContext", "wrap_socket"))
        if isinstance(parent, ast.keyword):
            return parent.arg in {"ssl_version", "ssl_minimum_version", "protocol", "minimum_version"}
        if isinstance(parent, ast.Assign):
            return any(
                isinstance(one, ast.Attribute) and one.attr == "minimum_version" for one in parent.targets
            )
        return False

    def visit_keyword(self, node: ast.keyword) -> None:
        if not isinstance(node.value, ast.Constant) or node.value.value is not False:
            return
        call = self.module.parents[node]
        func = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        is_ssl = node.arg == "ssl" and ("Connector" in func or "session" in func.lower() or "aiohttp" in func)
        if is_ssl or (node.arg == "verify_ssl" and ("Connector" in func or "session" in func.lower())):
            self.report(self.module.span(node), _UNCHECKED)
