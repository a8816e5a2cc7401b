from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_NAMES = frozenset(
    {"rejectUnauthorized", "minVersion", "maxVersion", "secureProtocol", "strictSSL", "checkServerIdentity"}
)
_NEGATED = LazyPattern(
    r"(?i)^!\s*(this\.|options\.|opts\.|config\.)?\w*(self_?signed|insecure|skip\w*|allow\w*|ignore\w*|trust\w*|unsafe|noverify)$"
)
_OLD = LazyPattern(r"^['\"](SSLv2|SSLv3|TLSv1|TLSv1_1)_method")
_ACCEPTS = LazyPattern(
    r"^(\(\w*(,\s*\w+)?\)|\w+)\s*=>\s*(undefined|null|\{\s*(return\s*(undefined|null)?;?)?\s*\}|void 0|true)$"
)


_TAKES_ALL = LazyPattern(r"^\(\s*\(\w+,\s*(\w+)\)\s*=>\s*(\{\s*)?\1\(0\)")


class InsecureTlsSettings(TreeCheck):
    """TLS certificates are not verified, or an obsolete TLS version is allowed.

    Without verification of the certificate anyone on the network path can read and alter the traffic; TLS
    before 1.2 can be broken. Pass the server's certificate as ``ca`` and leave ``rejectUnauthorized`` at its
    default.
    """

    ID = "TS335"
    NAME = "insecure-tls-settings"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "tls-verification-off"
    WORDS = (
        "rejectUnauthorized",
        "NODE_TLS_REJECT",
        "checkServerIdentity",
        "inVersion",
        "secureProtocol",
        "strictSSL",
        "insecure",
        "certificate-error",
        "setCertificateVerifyProc",
    )
    VALID = [
        code("""
            const agent = new https.Agent({ rejectUnauthorized: true, ca });
        """),
        code("""
            const agent = new Agent({ checkServerIdentity: (host, cert) => verify(host, cert) });
        """),
    ]
    INVALID = [
        code("""
            class Client {
              constructor({ base, strict = false }) {
                this.agent = new Agent({ keepAlive: true, «rejectUnauthorized: strict» });
              }
            }
        """),
        code("""
            «app.on('certificate-error', (event, contents, url, error, certificate, callback) => {
              event.preventDefault();
              callback(true);
            })»;
        """),
    ]

    def check(self) -> None:
        for node in self.code.kinds("pair"):
            self._set(node, self.code.field(node, "key").strip("'\""), node.child_by_field_name("value"))
        for node in self.code.kinds("assignment_expression"):
            self._set(
                node, self.code.field(node, "left").rpartition(".")[2], node.child_by_field_name("right")
            )

        for called, call in self.code.calls:
            arguments = call.child_by_field_name("arguments")
            text = self.text(arguments)[:600] if arguments is not None else ""
            if (called.endswith(".on") and "certificate-error" in text[:24] and "callback(true)" in text) or (
                called.endswith("setCertificateVerifyProc") and _TAKES_ALL.search(text)
            ):
                self.report_node(
                    call, "TLS certificate is not verified, so any server is trusted; remove this setting"
                )

    def _is_off_by_default(self, value: Node) -> bool:
        """Return True if a parameter is false unless a caller sets it."""
        function = self.reader.function_around(value)
        listed = function.child_by_field_name("parameters") if function is not None else None
        message = self.text(listed).replace(" ", "")
        return any(f"{sign}{self.text(value)}=false" in message for sign in "{,(")

    def _set(self, node: Node, name: str, value: Node | None) -> None:
        if value is None or name not in _NAMES:
            return
        text = self.text(self.reader.scope.resolve(value))
        if name == "rejectUnauthorized":
            self._check_reject_unauthorized(node, value, text)
        elif _is_obsolete_version(name, text):
            self.report_node(node, "obsolete TLS version can be broken; require TLSv1.2 or later")
        elif name == "strictSSL" and text == "false":
            self.report_node(
                node, "TLS certificate is not verified, so any server is trusted; remove this setting"
            )
        elif name == "checkServerIdentity" and _ACCEPTS.search(text):
            self.report_node(node, "host name of the TLS certificate is not verified; remove this function")

    def _check_reject_unauthorized(self, node: Node, value: Node, text: str) -> None:
        if value.type == "identifier" and self._is_off_by_default(value):
            self.report_node(
                node, "TLS certificate is not verified unless a caller requests it; verify by default"
            )
        elif _NEGATED.search(text):
            self.report_node(node, "an option disables the verification of the TLS certificate; remove it")


def _is_obsolete_version(name: str, text: str) -> bool:
    if name in {"minVersion", "maxVersion"}:
        return text.strip("'\"") in {"TLSv1", "TLSv1.1"}
    return name == "secureProtocol" and _OLD.search(text) is not None
