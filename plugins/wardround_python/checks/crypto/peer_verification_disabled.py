from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import literal, single_assignment
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.calls import called_method

_UNCHECKED = "the peer's identity is not verified, so anyone can impersonate it; leave verification on"
_OFF = frozenset(
    {"verify_certs", "verify_ssl_certs", "ssl_verify", "validate_certs", "ssl_check_hostname", "tls_verify",
     "assert_hostname", "server_hostname_check", "ssl_assert_hostname", "verify_hostname"}
)  # fmt: skip
"""Keyword arguments of clients that disable verification when False."""
_VERIFYING = LazyPattern(
    r"^(boto3|botocore|hvac|docker|consul|jenkins|jira|keystoneauth1|niquests|elasticsearch)\b"
)
_SESSIONS = LazyPattern(r"(^|\.)(Session|session|Client|AsyncClient)$")
_VARIABLES = {"PYTHONHTTPSVERIFY": "0", "CURL_CA_BUNDLE": "", "REQUESTS_CA_BUNDLE": "",
              "GIT_SSL_NO_VERIFY": "1",
              "NODE_TLS_REJECT_UNAUTHORIZED": "0"}  # fmt: skip
_FLAGS = LazyPattern(
    r"(?i)StrictHostKeyChecking[= ]no\b|--no-check-certificate\b|http\.sslVerify=(false|0)\b|"
    r"\bcurl\b.* (-k|--insecure)\b"
)
_OLD_METHODS = LazyPattern(r"^OpenSSL\.SSL\.(SSLv2|SSLv3|TLSv1|TLSv1_1)_METHOD$")
_WEAK_CIPHERS = LazyPattern(
    r"(?i)(^|[:,+ ])(RC4|3DES|DES|NULL|aNULL|eNULL|EXP|EXPORT|LOW|ADH|MD5|DES-CBC\w*)\b|SECLEVEL=0"
)
_OPEN_PLACES = LazyPattern(r"(?i)(^|[/_.])(tests?|testing|examples?|docs?)([/_.]|$)")


class PeerVerificationDisabled(PythonCheck):
    """The verification of the peer of a connection is disabled.

    The connection is encrypted, but an attacker on the network path can impersonate the peer and read and
    change the data. Set the right certificate authority or the known hosts instead.
    """

    ID = "PY356"
    NAME = "peer-verification-disabled"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "tls-verification-off"
    WORDS = ("verify", "ssl", "assert_hostname", "known_hosts", "VERIFY", "StrictHostKeyChecking",
             "CA_BUNDLE",
             "no-check-certificate", "insecure", "set_ciphers", "OpenSSL", "validate_certs",
             "curl")  # fmt: skip
    VALID = [
        code("""
            import boto3
            s3 = boto3.client('s3', verify='/etc/ca.pem')
        """),
        code("""
            import jwt
            claims = jwt.decode(token, key, verify=False)
        """),
    ]
    INVALID = [
        code("""
            import boto3
            s3 = boto3.client('s3', «verify=False»)
        """),
        code(
            """
            from elasticsearch import Elasticsearch
            c = Elasticsearch(URL, «verify_certs=False»)
            """,
            fixed="""
            from elasticsearch import Elasticsearch
            c = Elasticsearch(URL)
            """,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and not _OPEN_PLACES.search(source.path)

    def visit_keyword(self, node: ast.keyword) -> None:
        call = self.module.parents[node]
        if not isinstance(call, ast.Call) or not isinstance(node.value, ast.Constant):
            return
        value = node.value.value
        is_off = value is False and self._is_verification(node.arg, call)
        if is_off or (value is None and self._is_none_insecure(node.arg, call)):
            fix = self.fix(node, lambda edit: edit.remove_keyword(node), "check it, as is the default")
            self.report(self.module.span(node), _UNCHECKED, fix)

    def _is_verification(self, name: str | None, call: ast.Call) -> bool:
        """Return True if a keyword of a call enables the verification."""
        called = self.module.imported_name(call.func) or ""
        match name:
            case "verify" if _VERIFYING.search(called):
                return True
            case "ssl" if isinstance(call.func, ast.Attribute) and self._imports_package("aiohttp"):
                return "Connector" not in called and "ession" not in unparse(call.func)
        return name in _OFF

    def _is_none_insecure(self, name: str | None, call: ast.Call) -> bool:
        """Return True if None for a keyword of a call disables the verification."""
        if name == "known_hosts":
            return (self.module.imported_name(call.func) or "").startswith("asyncssh.")
        return name == "ssl_cert_reqs"

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Attribute):
            self._check_attribute(node, target)
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            expected = _VARIABLES.get(str(target.slice.value))
            is_environment = unparse(target.value).endswith("environ")
            if is_environment and expected is not None and literal(self.module, node.value) == expected:
                self.report(self.module.span(node), _UNCHECKED)

    def _check_attribute(self, node: ast.Assign, target: ast.Attribute) -> None:
        if target.attr == "_create_default_https_context":
            if unparse(node.value).endswith("_create_unverified_context"):
                self.report(self.module.span(node), _UNCHECKED)
        elif target.attr == "verify" and isinstance(node.value, ast.Constant) and node.value.value is False:
            value = single_assignment(self.module, target.value)
            maker = self.module.qualified_name(value.func) or "" if isinstance(value, ast.Call) else ""
            if _SESSIONS.search(maker) and "session" not in unparse(target.value).lower():
                self.report(self.module.span(node), _UNCHECKED)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        value = node.value
        is_taken_out = isinstance(node.op, ast.BitAnd) and isinstance(value, ast.UnaryOp)
        name = (self.module.qualified_name(value.operand) or "") if isinstance(value, ast.UnaryOp) else ""
        if is_taken_out and name.startswith(("ssl.OP_NO_SSL", "ssl.OP_NO_TLSv1")):
            self.report(
                self.module.span(node),
                "this option allows a broken protocol version; require TLS 1.2 or later",
            )

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parent = self.module.parents[node]
        is_context = isinstance(parent, ast.Call) and unparse(parent.func).endswith("Context")
        if (
            is_context
            and node.attr.endswith("_METHOD")
            and _OLD_METHODS.search(self.module.imported_name(node) or "")
        ):
            self.report(
                self.module.span(node),
                "this protocol version is broken: an attacker can read and "
                "change the data; require TLS 1.2 or later",
            )

    def visit_Call(self, node: ast.Call) -> None:
        called = called_method(node)
        if called == "set_ciphers":
            self._check_ciphers(node)
        elif self._disables_verification(called, node.args):
            self.report(self.module.span(node), _UNCHECKED)

    def _disables_verification(self, method: str, arguments: Sequence[ast.expr]) -> bool:
        first = unparse(arguments[0]).rpartition(".")[2] if arguments else ""
        match method:
            case "setopt" if first in ("SSL_VERIFYPEER", "SSL_VERIFYHOST"):
                return literal(self.module, arguments[1]) in {0}
            case "set_verify":
                return first == "VERIFY_NONE"
            case "tls_insecure_set" if arguments:
                return literal(self.module, arguments[0]) is True
        return False

    def _check_ciphers(self, node: ast.Call) -> None:
        ciphers = str(literal(self.module, node.args[0])) if node.args else ""
        if _WEAK_CIPHERS.search(ciphers):
            self.report(
                self.module.span(node),
                "these ciphers are broken: an attacker can read the data; use the library's default ciphers",
            )

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, str) or len(node.value) > 400:
            return
        words = self.module.parents[node]
        is_curl = (
            node.value in {"-k", "--insecure"}
            and isinstance(words, (ast.List, ast.Tuple))
            and literal(self.module, words.elts[0]) in {"curl", "/usr/bin/curl"}
        )
        if is_curl or (_FLAGS.search(node.value) and not isinstance(words, (ast.Expr, ast.Compare))):
            self.report(self.module.span(node), _UNCHECKED)

    def _imports_package(self, package: str) -> bool:
        return any(name.partition(".")[0] == package for name in self.module.imported.values())
