from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.analysis.call_options import CallOption, report_options
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_OFF = LazyPattern(r"^false$")
_APOLLO = LazyPattern(r"(?i)apollo|graphql")
_CSRF = LazyPattern(r"(?i)csurf|csrf|lusca")
_CHANGING = LazyPattern(r"['\"](?i:POST|PUT|PATCH|DELETE)['\"]")
_CHECKS = LazyPattern(r"(?i)^(csrf|csurf|lusca\.csrf|csrfProtection|doubleCsrfProtection)\b")
_FRAMEWORKS = LazyPattern(r"(?i)csurf|sails|egg|lusca|strapi|nuxt|adonis|astro|svelte")


class CsrfDisabled(TreeCheck):
    """The protection against cross-site request forgery is disabled.

    Another site can make a visitor's browser send requests with the visitor's cookies. Keep the protection
    enabled, and have clients send the required header or token.
    """

    ID = "TS349"
    NAME = "csrf-disabled"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "csrf"
    WORDS = ("csrfPrevention", "ignoreMethods", "csrf", "checkOrigin")
    VALID = [
        code("""
            const csrf = require('csurf');
            web.use(methodOverride('_method'));
            web.use(csrf());
        """),
        code("""
            import { ApolloServer } from '@apollo/server';
            new ApolloServer({ schema, csrfPrevention: true });
        """),
    ]
    INVALID = [
        code("""
            const csrf = require('csurf');
            «web.use(csrf())»;
            web.use(methodOverride('_method'));
        """),
        code("""
            import { ApolloServer } from '@apollo/server';
            export const server = new ApolloServer({
              schema,
              «csrfPrevention: false»,
            });
        """),
    ]
    SETTINGS = (
        CallOption(
            "csrfPrevention",
            _OFF,
            _APOLLO,
            "other sites can send queries with the visitor's cookies; keep csrfPrevention enabled",
        ),
        CallOption(
            "ignoreMethods",
            _CHANGING,
            _CSRF,
            "state-changing methods are accepted without a token; remove them from ignoreMethods",
        ),
        CallOption(
            "csrf",
            _OFF,
            _FRAMEWORKS,
            "other sites can send requests with the visitor's cookies; keep csrf enabled",
        ),
        CallOption(
            "checkOrigin",
            _OFF,
            _FRAMEWORKS,
            "other sites can send requests with the visitor's cookies; keep checkOrigin enabled",
        ),
    )

    def check(self) -> None:
        report_options(self, self.SETTINGS)
        if "methodOverride" in self.source.text:
            self._check_method_override()

    def _check_method_override(self) -> None:
        """Report a method override after the CSRF check, which has accepted the original method."""
        checks: list[tuple[str, Node]] = []
        for name, node, arguments in self.reader.calls():
            if name.rpartition(".")[2] != "use" or not arguments:
                continue
            owner, given = name.rpartition(".")[0], self.text(arguments[-1])
            if given.startswith("methodOverride"):
                for router, check in checks:
                    if router == owner:
                        self.report_node(
                            check,
                            "method is overridden after this check, so a POST passes as a GET; "
                            "override it before",
                        )
            elif _CHECKS.search(given):
                checks.append((owner, node))
