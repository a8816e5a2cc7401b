from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.analysis.call_options import CallOption, report_options
from wardround_typescript.check import TreeCheck

_OFF = LazyPattern(r"^false$")
_HELMET = LazyPattern(r"helmet")
_INLINE = LazyPattern(r"['\"`]'?unsafe-(inline|eval)'?['\"`]|script-src[^;]*unsafe-(inline|eval)")
_POLICY = LazyPattern(r"(?i)content-?security-?policy|helmet")


class ContentSecurityPolicyDisabled(TreeCheck):
    """The content security policy is disabled, or allows any script.

    The policy is the second line of defence: a script injected into a page does not run. List the sources
    that your pages need, and give inline scripts a nonce or a hash.
    """

    ID = "TS348"
    NAME = "content-security-policy-disabled"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "csp-disabled"
    WORDS = ("contentSecurityPolicy", "scriptSrc", "script-src", "frameguard")
    VALID = [
        code("""
            import helmet from 'helmet';
            app.use(helmet({ contentSecurityPolicy: { directives: { scriptSrc: ["'self'"] } } }));
        """),
        code("""
            import helmet from 'helmet';
            if (isDev) {
              app.use(helmet({ contentSecurityPolicy: false }));
            }
        """),
    ]
    INVALID = [
        code("""
            import helmet from 'helmet';
            const options = {
              «contentSecurityPolicy: false»,
            };
            app.use(helmet(options));
        """),
        code("""
            import helmet from 'helmet';
            app.use(helmet({ «frameguard: false» }));
        """),
    ]
    SETTINGS = (
        CallOption(
            "contentSecurityPolicy",
            _OFF,
            _HELMET,
            "content security policy is disabled; list the allowed sources",
        ),
        CallOption("frameguard", _OFF, _HELMET, "any site may embed these pages in a frame; keep frameguard"),
        CallOption(
            "xFrameOptions",
            _OFF,
            _HELMET,
            "any site may embed these pages in a frame; restrict frame-ancestors",
        ),
        CallOption(
            "scriptSrc",
            _INLINE,
            _POLICY,
            "content security policy allows any injected script; use a nonce or a hash",
        ),
        CallOption(
            "script-src",
            _INLINE,
            _POLICY,
            "content security policy allows any injected script; use a nonce or a hash",
        ),
        CallOption(
            "value",
            _INLINE,
            _POLICY,
            "content security policy allows any injected script; use a nonce or a hash",
        ),
    )

    def check(self) -> None:
        report_options(self, self.SETTINGS)
        for name, node, arguments in self.reader.calls():
            if name.rpartition(".")[2] not in {"setHeader", "set", "header"} or len(arguments) != 2:
                continue
            header, policy = (self.reader.literal(argument) or "" for argument in arguments)
            if header.lower() == "content-security-policy" and _INLINE.search(policy):
                self.report_node(
                    node, "content security policy allows any injected script; use a nonce or a hash"
                )
