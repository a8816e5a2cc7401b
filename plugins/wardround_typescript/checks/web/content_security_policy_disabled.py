"""TS348."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.analysis.call_options import CallOption, SettingCheck

_OFF = LazyPattern(r"^false$")
_HELMET = LazyPattern(r"helmet")
_INLINE = LazyPattern(r"['\"`]'?unsafe-(inline|eval)'?['\"`]|script-src[^;]*unsafe-(inline|eval)")
_POLICY = LazyPattern(r"(?i)content-?security-?policy|helmet")


class ContentSecurityPolicyDisabled(SettingCheck):
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
    TRIED_ON = (
        "the trees of 13 projects (NodeBB, langfuse, hoppscotch, formbricks, documenso, supabase/storage, "
        "redash, chainlit, lerna, biome, NodeGoat among them; 19,000 scripts): one hit, right (NodeBB "
        "switches it off, and says why)"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import helmet from 'helmet';\n"
            "app.use(helmet({ contentSecurityPolicy: { directives: { scriptSrc: [\"'self'\"] } } }));\n",
            path="case.ts",
        ),
        Valid(
            "import helmet from 'helmet';\n"
            "app.use(helmet({ contentSecurityPolicy: process.env.NODE_ENV === 'production' ? undefined : "
            "false }));\n",
            path="case.ts",
        ),
        Valid(
            "import helmet from 'helmet';\n"
            "if (isDev) {\n  app.use(helmet({ contentSecurityPolicy: false }));\n}\n",
            path="case.ts",
        ),
        Valid(
            "import helmet from 'helmet';\n"
            "app.use(helmet({ contentSecurityPolicy: { directives: { styleSrc: [\"'unsafe-inline'\"] } } "
            "}));\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import helmet from 'helmet';\n"
            "const options = {\n  contentSecurityPolicy: false,\n};\napp.use(helmet(options));\n",
            line=3,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "import helmet from 'helmet';\n"
            "app.use(helmet.contentSecurityPolicy({ directives: { scriptSrc: [\"'self'\", "
            "\"'unsafe-eval'\"] } }));\n",
            line=2,
            column=54,
            path="case.ts",
        ),
        Invalid(
            "import helmet from 'helmet';\napp.use(helmet({ frameguard: false }));\n",
            line=2,
            column=18,
            path="case.ts",
        ),
        Invalid(
            "const headers = [{ key: 'Content-Security-Policy', value: \"script-src * 'unsafe-inline'\" "
            "}];\n",
            line=1,
            column=52,
            path="case.ts",
        ),
        Invalid(
            "app.use((req, res, next) => {\n"
            "  res.setHeader('Content-Security-Policy', \"default-src 'self'; script-src 'self' "
            "'unsafe-eval'\");\n"
            "  next();\n});\n",
            line=2,
            column=3,
            path="case.ts",
        ),
    ]
    SETTINGS = (
        CallOption("contentSecurityPolicy", _OFF, _HELMET, "no policy says which scripts the pages may run"),
        CallOption("frameguard", _OFF, _HELMET, "any site may show these pages in a frame of its own"),
        CallOption("xFrameOptions", _OFF, _HELMET, "any site may show these pages in a frame of its own"),
        CallOption("scriptSrc", _INLINE, _POLICY, "the policy lets any script run that gets into a page"),
        CallOption("script-src", _INLINE, _POLICY, "the policy lets any script run that gets into a page"),
        CallOption("value", _INLINE, _POLICY, "the policy lets any script run that gets into a page"),
    )

    def look(self) -> None:
        super().look()
        for name, node, arguments in self.calls():
            if name.rpartition(".")[2] not in {"setHeader", "set", "header"} or len(arguments) != 2:
                continue
            header, policy = (self.literal(one) or "" for one in arguments)
            if header.lower() == "content-security-policy" and _INLINE.search(policy):
                self.say(node, "the policy lets any script run that gets into a page")
