"""TS348."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.analysis.call_options import CallOption, report_options
from wardround_typescript.check import TreeCheck

_OFF = LazyPattern(r"^false$")
_HELMET = LazyPattern(r"helmet")
_INLINE = LazyPattern(r"['\"`]'?unsafe-(inline|eval)'?['\"`]|script-src[^;]*unsafe-(inline|eval)")
_POLICY = LazyPattern(r"(?i)content-?security-?policy|helmet")


class ContentSecurityPolicyDisabled(TreeCheck):
    """The policy that says which scripts a page may run is switched off, or lets any script run.

    It is what stands between a hole in the pages and the visitor's account: a script that got into a page
    does not run. List the sources your pages need, and give inline scripts a nonce or a hash.
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
        CallOption("contentSecurityPolicy", _OFF, _HELMET, "no policy says which scripts the pages may run"),
        CallOption("frameguard", _OFF, _HELMET, "any site may show these pages in a frame of its own"),
        CallOption("xFrameOptions", _OFF, _HELMET, "any site may show these pages in a frame of its own"),
        CallOption("scriptSrc", _INLINE, _POLICY, "the policy lets any script run that gets into a page"),
        CallOption("script-src", _INLINE, _POLICY, "the policy lets any script run that gets into a page"),
        CallOption("value", _INLINE, _POLICY, "the policy lets any script run that gets into a page"),
    )

    def check(self) -> None:
        report_options(self, self.SETTINGS)
        for name, node, arguments in self.reader.calls():
            if name.rpartition(".")[2] not in {"setHeader", "set", "header"} or len(arguments) != 2:
                continue
            header, policy = (self.reader.literal(one) or "" for one in arguments)
            if header.lower() == "content-security-policy" and _INLINE.search(policy):
                self.report_node(node, "the policy lets any script run that gets into a page")
