"""TS350."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.analysis.call_options import CallOption, SettingCheck

_ON = LazyPattern(r"^true$")
_OFF = LazyPattern(r"^false$")
_SERVER = LazyPattern(
    r"ApolloServer|apollo-server|@apollo/server|graphqlHTTP|express-graphql|mercurius|GraphQLModule"
    r"|createYoga|graphql-yoga"
)


class GraphqlOpenInProduction(SettingCheck):
    """A GraphQL server tells strangers how it is built, or where it failed.

    With introspection or a playground anybody reads the whole schema, also what no page uses; stack traces
    show files, versions and queries. Switch them on for development only.
    """

    ID = "TS350"
    NAME = "graphql-open-in-production"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "debug-in-production"
    WORDS = ("introspection", "playground", "graphiql", "includeStacktrace", "maskedErrors")
    ALSO = (("raphql", "raphQL", "pollo"),)
    TRIED_ON = (
        "the trees of 13 projects (NodeBB, langfuse, hoppscotch, formbricks, documenso, supabase/storage, "
        "redash, chainlit, lerna, biome, NodeGoat among them; 19,000 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import { ApolloServer } from '@apollo/server';\n"
            "new ApolloServer({ schema, introspection: process.env.NODE_ENV !== 'production' });\n",
            path="case.ts",
        ),
        Valid(
            "import { ApolloServer } from '@apollo/server';\n"
            "const options = isDev ? { introspection: true } : {};\n"
            "new ApolloServer({ schema, ...options });\n",
            path="case.ts",
        ),
        Valid("const config = { introspection: true };\nexport const graphql = 1;\n", path="case.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import { ApolloServer } from '@apollo/server';\n"
            "const options = { introspection: true };\nnew ApolloServer({ schema, ...options });\n",
            line=2,
            column=19,
            path="case.ts",
        ),
        Invalid(
            "import { ApolloServer } from '@apollo/server';\n"
            "new ApolloServer({ schema, includeStacktraceInErrorResponses: true });\n",
            line=2,
            column=28,
            path="case.ts",
        ),
        Invalid(
            "const { graphqlHTTP } = require('express-graphql');\n"
            "app.use('/graphql', graphqlHTTP({ schema, graphiql: true }));\n",
            line=2,
            column=43,
            path="case.ts",
        ),
    ]
    SETTINGS = (
        CallOption("introspection", _ON, _SERVER, "anybody can read the whole schema"),
        CallOption("playground", _ON, _SERVER, "anybody can read the schema and try queries here"),
        CallOption("graphiql", _ON, _SERVER, "anybody can read the schema and try queries here"),
        CallOption(
            "includeStacktraceInErrorResponses", _ON, _SERVER, "strangers see the stack trace of each error"
        ),
        CallOption("maskedErrors", _OFF, _SERVER, "strangers see the text of errors inside the server"),
    )

    SEVERITY = Severity.WARN
