"""TS350: graphql open in production."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.analysis.call_options import CallOption, report_options
from wardround_typescript.check import TreeCheck

_ON = LazyPattern(r"^true$")
_OFF = LazyPattern(r"^false$")
_SERVER = LazyPattern(
    r"ApolloServer|apollo-server|@apollo/server|graphqlHTTP|express-graphql|mercurius|GraphQLModule"
    r"|createYoga|graphql-yoga"
)


class GraphqlOpenInProduction(TreeCheck):
    """A GraphQL server exposes its schema or internal errors.

    With introspection or a playground anyone can read the complete schema, unused parts included; stack
    traces show files, versions and queries. Enable them for development only.
    """

    ID = "TS350"
    NAME = "graphql-open-in-production"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "debug-in-production"
    WORDS = ("introspection", "playground", "graphiql", "includeStacktrace", "maskedErrors")
    ALSO = (("raphql", "raphQL", "pollo"),)
    VALID = [
        code("""
            import { ApolloServer } from '@apollo/server';
            new ApolloServer({ schema, introspection: process.env.NODE_ENV !== 'production' });
        """),
        code("""
            import { ApolloServer } from '@apollo/server';
            const options = isDev ? { introspection: true } : {};
            new ApolloServer({ schema, ...options });
        """),
    ]
    INVALID = [
        code("""
            import { ApolloServer } from '@apollo/server';
            const options = { «introspection: true» };
            new ApolloServer({ schema, ...options });
        """),
        code("""
            import { ApolloServer } from '@apollo/server';
            new ApolloServer({ schema, «includeStacktraceInErrorResponses: true» });
        """),
    ]
    SETTINGS = (
        CallOption(
            "introspection",
            _ON,
            _SERVER,
            "anyone can read the complete schema; enable introspection in development only",
        ),
        CallOption(
            "playground",
            _ON,
            _SERVER,
            "anyone can read the schema and run queries here; enable this in development only",
        ),
        CallOption(
            "graphiql",
            _ON,
            _SERVER,
            "anyone can read the schema and run queries here; enable this in development only",
        ),
        CallOption(
            "includeStacktraceInErrorResponses",
            _ON,
            _SERVER,
            "clients receive the stack trace of each error; enable it in development only",
        ),
        CallOption("maskedErrors", _OFF, _SERVER, "clients receive internal error messages; mask them"),
    )

    SEVERITY = Severity.WARN

    def check(self) -> None:
        report_options(self, self.SETTINGS)
