"""TS083: server module in browser code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_DIRECTIVE = LazyPattern(r"(?m)^['\"]use client['\"]")
_SERVER_ONLY = LazyPattern(
    r"(?m)^import\s+['\"]server-only['\"]|^(?:import\b|\})[^;\n'\"]{0,300}\bfrom\s+['\"](?:(?:node:)"
    r"?(?:fs|fs/promises|child_process|net|tls|dns|cluster|worker_threads)"
    r"|next/headers|pg|mysql2|mysql2/promise|ioredis|nodemailer|bcrypt|firebase-admin)['\"]"
    r"|new PrismaClient\("
)
_SVELTE = LazyPattern(r"^\$lib/server(/|$)|^\$env/(static|dynamic)/private$|\.server$|\.server/")
_VUE = LazyPattern(r"^(~|@|~~|@@|#)/?server/")
_NAMED_SERVER = LazyPattern(
    r"(?:^[@~#]/?|/)server/(?:[\w-]+/)*(?:db|database|prisma|drizzle|redis|mailer|auth|session|secrets?|env)$|\.server$"
)
_TYPE_NAME = LazyPattern(r"^(type\s|[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*$)")


class ServerModuleInBrowserCode(TreeCheck):
    """A server-only module is imported by a file that runs in the browser.

    The bundler includes the module and its imports in the browser code: the build fails, or server code and
    its secrets are sent to every visitor. Load the data in a server component, a loader or an action, or
    import only the type.
    """

    ID = "TS083"
    NAME = "server-module-in-browser-code"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "server-code-in-client"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    KINDS = (".tsx", ".jsx", ".ts", ".js", *COMPONENTS)
    WORDS = ("use client", "$lib/server", "$env/", ".server", "/server/")
    ALSO = (("import",),)
    CASE_PATH = "app/a.tsx"
    VALID = [
        code(
            """
            'use client';
            import type { Row } from '@/server/rows';
            import { save } from '@/server/actions';
            """,
            others={
                "server/rows.ts": """
                import 'server-only';
                """,
                "server/actions.ts": """
                'use server';
                import { prisma } from './prisma';
                """,
            },
        ),
        code(
            """
            import { prisma } from '@/server/prisma';
            """,
            others={
                "server/prisma.ts": """
                import 'server-only';
                """,
            },
        ),
    ]
    INVALID = [
        code("""
            'use client';
            import { useState } from 'react';
            «import { db } from '@/server/db';»
        """),
        code(
            """
            'use client';
            «import { prisma } from '@/server/prisma';»
            """,
            others={
                "server/prisma.ts": """
                import 'server-only';
                export const prisma = new PrismaClient();
                """,
            },
        ),
    ]

    def check(self) -> None:
        code = self.code
        path = self.source.path
        if not path.endswith(COMPONENTS) and not _DIRECTIVE.search(self.source.text):
            return
        for node in code.kinds("import_statement"):
            if self._is_of_server(code.field(node, "source")[1:-1]) and not self._is_of_types(node):
                self.report_node(
                    node,
                    "server-only module is imported by a file that runs in the browser; load the data "
                    "on the server",
                )

    def _is_of_types(self, node: Node) -> bool:
        """Return True if only types are imported, by the syntax or by their names."""
        from wardround.languages.script.syntax import inside

        text = self.code.text(node)
        if text.startswith("import type"):
            return True
        parts = list(inside(node))
        names = [self.code.text(one) for one in parts if one.type == "import_specifier"]
        clause = next((one for one in parts if one.type == "import_clause"), None)
        has_more = clause is not None and any(one.type != "named_imports" for one in clause.named_children)
        return bool(names) and not has_more and all(_TYPE_NAME.search(name) for name in names)

    def _is_of_server(self, module: str) -> bool:
        from wardround_typescript.analysis.call_resolution import module_text

        path = self.source.path
        if path.endswith(".svelte"):
            return _SVELTE.search(module) is not None
        if path.endswith(".vue"):
            return _VUE.search(module) is not None
        text = module_text(module, path, self.source.project)
        if text is None:
            return _NAMED_SERVER.search(module) is not None
        return "use server" not in text[:200] and _SERVER_ONLY.search(text) is not None
