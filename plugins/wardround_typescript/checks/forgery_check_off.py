"""TS349."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround.late import LatePattern
from wardround_typescript.server_check import Setting, SettingCheck

_OFF = LatePattern(r"^false$")
_APOLLO = LatePattern(r"(?i)apollo|graphql")
_CSRF = LatePattern(r"(?i)csurf|csrf|lusca")
_CHANGING = LatePattern(r"['\"](?i:POST|PUT|PATCH|DELETE)['\"]")
_FRAMEWORKS = LatePattern(r"(?i)csurf|sails|egg|lusca|strapi|nuxt|adonis|astro|svelte")


class ForgeryCheckOff(SettingCheck):
    """The check is switched off that a request comes from the program's own pages.

    Another site can then make a visitor's browser send requests with the visitor's cookies. Leave it on, and
    have clients send the header or token that it asks for.
    """

    ID = "TS349"
    NAME = "forgery-check-off"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "csrf"
    WORDS = ("csrfPrevention", "ignoreMethods", "csrf", "checkOrigin")
    TRIED_ON = (
        "the trees of 13 projects (NodeBB, langfuse, hoppscotch, formbricks, documenso, supabase/storage, "
        "redash, chainlit, lerna, biome, NodeGoat among them; 19,000 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import { ApolloServer } from '@apollo/server';\n"
            "new ApolloServer({ schema, csrfPrevention: true });\n",
            path="case.ts",
        ),
        Valid(
            "const csurf = require('csurf');\n"
            "app.use(csurf({ ignoreMethods: ['GET', 'HEAD', 'OPTIONS'] }));\n",
            path="case.ts",
        ),
        Valid("const wanted = { csrf: false, json: true };\nawait send(wanted);\n", path="case.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import { ApolloServer } from '@apollo/server';\n"
            "export const server = new ApolloServer({\n  schema,\n  csrfPrevention: false,\n});\n",
            line=4,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "const csurf = require('csurf');\n"
            "const SKIPPED = ['GET', 'POST'];\napp.use(csurf({ cookie: true, ignoreMethods: SKIPPED }));\n",
            line=3,
            column=31,
            path="case.ts",
        ),
        Invalid(
            "const lusca = require('lusca');\napp.use(lusca({ csrf: false, xframe: 'DENY' }));\n",
            line=2,
            column=17,
            path="case.ts",
        ),
    ]
    SETTINGS = (
        Setting("csrfPrevention", _OFF, _APOLLO, "other sites can send queries with the visitor's cookies"),
        Setting(
            "ignoreMethods", _CHANGING, _CSRF, "requests that change things are let through without the token"
        ),
        Setting("csrf", _OFF, _FRAMEWORKS, "other sites can send requests with the visitor's cookies"),
        Setting("checkOrigin", _OFF, _FRAMEWORKS, "other sites can send requests with the visitor's cookies"),
    )
