"""PY067: stale documented setting."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Plane, Severity, Span
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class StaleDocumentedSetting(PythonCheck):
    """The default of a setting changed and the documentation still states the old one.

    Users rely on the page and omit the setting. Update the page in the same commit.
    """

    ID = "PY067"
    NAME = "stale-documented-setting"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:brings_a_setting"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "stale-documentation"
    VALID = [
        code(
            """
            LIMIT = envint("BODY_LIMIT", "20000")
            """,
            base="""
            LIMIT = envint("BODY_LIMIT", "10000")
            """,
            others={
                "docs/settings.md": """
                # Settings

                ## `BODY_LIMIT`

                Default: `20000`

                The most that is kept.
                """,
            },
        ),
        code(
            """
            class Spool:
                spool: str = 'disk'
            """,
            base="""
            class Spool:
                spool: str = 'memory'
            """,
            others={
                "docs/settings.md": """
                | Key | Default | Meaning |
                |---|---|---|
                | `spool` | `memory` | Where events wait: memory or disk |
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            «LIMIT = envint("BODY_LIMIT", "20000")»
            """,
            base="""
            LIMIT = envint("BODY_LIMIT", "10000")
            """,
            others={
                "docs/settings.md": """
                # Settings

                ## `BODY_LIMIT`

                Default: `10000`

                The most that is kept.
                """,
            },
        ),
        code(
            """
            class RelayConfig:
                «spool: str = 'disk'»
            """,
            base="""
            class RelayConfig:
                spool: str = 'memory'
            """,
            others={
                "docs/settings.md": """
                | Key | Default | Meaning |
                |---|---|---|
                | `spool` | `memory` | Where events wait: memory or disk |
                """,
            },
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        from wardround.semantics.docdrift.config_defaults import (
            stale_defaults,  # not needed where nothing changed
        )

        for item in stale_defaults(self.source):
            line = self.source.lines[item.line - 1]
            column = len(line) - len(line.lstrip()) + 1
            self.report(
                Span(item.line, column, item.line, len(line.rstrip()) + 1),
                f'this change sets the default of {item.name} to "{item.new}", but {item.where} still states '
                f'"{item.phrase}"',
            )
