from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import is_false, is_true
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import values_of_target

_OLD = frozenset(
    f"ssl.{name}"
    for name in (
        "PROTOCOL_SSLv2", "PROTOCOL_SSLv3", "PROTOCOL_TLSv1", "PROTOCOL_TLSv1_1",
        "TLSVersion.SSLv3", "TLSVersion.TLSv1",
        "TLSVersion.TLSv1_1",
    )
)  # fmt: skip
_UNCHECKED = "the server's certificate is not verified, so anyone can impersonate it; leave verification on"


_OLD_TEXT = LazyPattern(r"(?i)^(tls)?_?v?1([._][01])?$|^TLSv1([._][01])?$|^ssl_?v?[23]$")
_VERSION_NAME = LazyPattern(
    r"(?i)(tls|ssl)\w*(version|floor|min(imum)?|protocol|level)|(min(imum)?|version)_(tls|ssl)"
)
_KEPT_VERSION = LazyPattern(r"(?i)(minimum|min|ssl|tls)_?version['\"\]]*$|(ssl|tls)_?protocol['\"\]]*$")
_VERIFY_NAME = LazyPattern(
    r"(?i)^(verify_?(ssl|tls|certs?|certificates?|server_cert)|(ssl|tls|cert)_?verif(y|ication)|check_?cert\w*)$"
)

_VARIABLES = {
    "OAUTHLIB_INSECURE_TRANSPORT": ("1", "true", "True"),
    "PYTHONHTTPSVERIFY": ("0",),
    "CURL_CA_BUNDLE": ("",),
    "REQUESTS_CA_BUNDLE": ("",),
}


class InsecureTls(PythonCheck):
    """A TLS connection does not verify the peer, or uses a broken protocol version.

    It is encrypted, but an attacker on the network path can impersonate the server and read and change the
    data. Leave verification on and set the right authority with ``cafile``; use ``ssl.PROTOCOL_TLS_CLIENT``
    and leave the version to the library.
    """

    ID = "PY322"
    NAME = "insecure-tls"
    WORDS = ("ssl", "tls", "TLS", "SSL", "verify", "VERIFY", "cert_reqs", "INSECURE_TRANSPORT", "HTTPSVERIFY",
             "CA_BUNDLE")  # fmt: skip
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "tls-verification-off"
    VALID = [
        code("""
            import ssl
            context = ssl.create_default_context(cafile='internal.pem')
        """),
        code("""
            import ssl
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.verify_mode = ssl.CERT_NONE
        """),
    ]
    INVALID = [
        code("""
            import os
            «os.environ['OAUTHLIB_INSECURE_TRANSPORT'] = '1'»
        """),
        code("""
            import httpx
            def client(verify=«False»):
                return httpx.Client(verify=verify)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return any(word in text for word in cls.WORDS) and any(
            word in text
            for word in (
                "check_hostname",
                "CERT_NONE",
                "PROTOCOL_",
                "TLSVersion",
                "ssl=False",
                "verify_ssl",
                "SSLv3",
                "SSLv2",
                "TLSv1",
                "verify",
                "VERIFY",
                "cert_reqs",
                "OPT_X_TLS",
                "tlsAllowInvalid",
                "INSECURE_TRANSPORT",
                "HTTPSVERIFY",
                "CA_BUNDLE",
            )
        )

    def _is_old_version(self, name: str, value: ast.expr) -> bool:
        return (
            isinstance(value, ast.Constant)
            and isinstance(value.value, str)
            and _OLD_TEXT.search(value.value) is not None
            and _VERSION_NAME.search(name) is not None
        )

    def _check_setting(self, node: ast.Assign | ast.AnnAssign, target: ast.expr, value: ast.expr) -> None:
        """Report a setting of this module or of a settings class that connections elsewhere use."""
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if self._is_old_version(name, value):
            self.report(self.module.span(node), _broken_message(value))
        elif (
            isinstance(value, ast.Constant)
            and value.value is False
            and _VERIFY_NAME.search(name)
            and self.module.function_of(node) is None
            and not self._is_opt_in(node)
        ):
            self.report(self.module.span(node), _UNCHECKED)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._check_setting(node, node.target, node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_default(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_default(node)

    def _check_default(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Report a parameter that is False by default and is passed on as ``verify``."""
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        late = positional[len(positional) - len(arguments.defaults) :]
        pairs = [
            *zip(late, arguments.defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        for item, default in pairs:
            is_off = isinstance(default, ast.Constant) and default.value is False
            if (
                default is not None
                and is_off
                and item.arg.startswith("verify")
                and self._passes_on(node, item.arg)
            ):
                self.report(self.module.span(default), _UNCHECKED)

    def _passes_on(self, node: ast.AST, name: str) -> bool:
        return any(
            isinstance(inner, ast.keyword)
            and inner.arg == "verify"
            and getattr(inner.value, "id", "") == name
            for inner in walk(node)
        )

    def _check_options(self, node: ast.Call) -> None:
        """Report options with ``verify`` off that are spread into a call of an HTTP client."""
        for keyword in node.keywords:
            if keyword.arg is None and isinstance(keyword.value, (ast.Name, ast.Attribute)):
                values = values_of_target(self.module.nodes, unparse(keyword.value))
                options = unparse(values[0]) if len(values) == 1 else ""
                if "'verify': False" in options or "verify=False" in options:
                    self.report(self.module.span(node), _UNCHECKED)

    def visit_Dict(self, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            name = str(key.value) if isinstance(key, ast.Constant) else ""
            if self._is_old_version(name, value):
                self.report(self.module.span(value), _broken_message(value))

    def visit_Module(self, node: ast.Module) -> None:
        self._said: set[object] = set()

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._check_variable(node, target)
            self._check_setting(node, target, node.value)
            if isinstance(target, ast.Attribute) and self._switches_off(target, node.value):
                where = (self.module.function_of(node), unparse(target.value))
                if (
                    where not in self._said
                    and not self._is_opt_in(node)
                    and not self._is_server(target.value)
                ):
                    self._said.add(where)
                    self.report(self.module.span(node), _UNCHECKED)

    def _check_variable(self, node: ast.Assign, target: ast.expr) -> None:
        """Report an environment variable that disables verification in the libraries it configures."""
        if not isinstance(target, ast.Subscript) or self.module.qualified_name(target.value) != "os.environ":
            return
        value = _VARIABLES.get(str(getattr(target.slice, "value", "")))
        is_off = isinstance(node.value, ast.Constant) and value is not None and node.value.value in value
        if is_off and not self._is_opt_in(node):
            self.report(self.module.span(node), _UNCHECKED)

    def _switches_off(self, target: ast.Attribute, value: ast.expr) -> bool:
        if isinstance(target.value, ast.Name) and target.value.id == "self":
            return False
        if target.attr == "check_hostname":
            return isinstance(value, ast.Constant) and value.value is False
        return target.attr == "verify_mode" and (self.module.qualified_name(value) or "").endswith(
            "CERT_NONE"
        )

    def _is_opt_in(self, node: ast.AST) -> bool:
        """Return True if it is behind an explicit option that is off by default."""
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.If):
                test = unparse(parent.test).lower()
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
        """Return True for a server, which requests no client certificate by default."""
        name = unparse(context)
        return any(
            isinstance(node, ast.Assign)
            and unparse(node.targets[0]) == name
            and any(word in unparse(node.value) for word in ("TLS_SERVER", "CLIENT_AUTH"))
            for node in self.module.nodes
        )

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.module.imported_name(node)
        if name in _OLD and self._is_chosen(node):
            self.report(
                self.module.span(node),
                f"{name} is broken: an attacker can read and change the connection; "
                "use ssl.PROTOCOL_TLS_CLIENT",
            )

    def _is_no_check(self, value: ast.expr) -> bool:
        text = value.value if isinstance(value, ast.Constant) else self.module.qualified_name(value)
        return isinstance(text, str) and (text.endswith("CERT_NONE") or text.lower() == "none")

    def visit_Call(self, node: ast.Call) -> None:
        last = (self.module.qualified_name(node.func) or unparse(node.func)).rpartition(".")[2]
        if "requests" in self.source.text or "httpx" in self.source.text:
            self._check_options(node)
        if last != "set_option" or len(node.args) != 2:
            return
        option, value = map(unparse, node.args)
        is_open = value.endswith(("OPT_X_TLS_NEVER", "OPT_X_TLS_ALLOW"))
        if option.endswith("OPT_X_TLS_REQUIRE_CERT") and is_open and not self._is_opt_in(node):
            self.report(self.module.span(node), _UNCHECKED)

    def _is_chosen(self, node: ast.Attribute) -> bool:
        parent = self.module.parents[node]
        if isinstance(parent, ast.Call) and node in parent.args:
            return (self.module.qualified_name(parent.func) or "").endswith(("SSLContext", "wrap_socket"))
        if isinstance(parent, ast.keyword):
            return parent.arg in {"ssl_version", "ssl_minimum_version", "protocol", "minimum_version"}
        if isinstance(parent, ast.Assign):
            return any(_KEPT_VERSION.search(unparse(target)) for target in parent.targets)
        return False

    def visit_keyword(self, node: ast.keyword) -> None:
        if self._is_old_version(node.arg or "", node.value):
            self.report(self.module.span(node), _broken_message(node.value))
        elif self._disables_verification(node):
            self.report(self.module.span(node), _UNCHECKED)

    def _disables_verification(self, node: ast.keyword) -> bool:
        """Return True if an argument disables the verification of a certificate."""
        match node.arg:
            case "cert_reqs" | "ssl_cert_reqs" if self._is_no_check(node.value):
                return not self._is_opt_in(node)
            case "tlsAllowInvalidCertificates" | "tlsInsecure":
                return is_true(node.value)
            case "ssl" | "verify_ssl" if is_false(node.value):
                call = self.module.parents[node]
                func = unparse(call.func) if isinstance(call, ast.Call) else ""
                if node.arg == "ssl" and "aiohttp" in func:
                    return True
                return "Connector" in func or "session" in func.lower()
        return False


def _broken_message(value: ast.expr) -> str:
    return f"{unparse(value)} is broken: an attacker can read and change the connection; require TLS 1.2"
