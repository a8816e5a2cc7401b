"""DC019: duplicate stage name."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class DuplicateStageName(CiCheck):
    """Two stages have the same name.

    Later references use only one of them, and it is easy to guess wrong which one. Give each stage its own
    name.
    """

    ID = "DC019"
    NAME = "duplicate-stage-name"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "duplicate-stage-name"
    NEEDS = (" AS ", " as ", " As ", " aS ")
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM a:1 AS x
            FROM b:1 AS y
        """),
        code("""
            FROM a:1
            FROM b:1
        """),
    ]
    INVALID = [
        code("""
            FROM a:1 AS x
            FROM b:1 AS «x»
        """),
        code("""
            FROM a:1 AS build
            FROM b:1 AS y
            FROM c:1 as «BUILD»
        """),
    ]

    def run(self) -> None:
        seen: dict[str, int] = {}
        for stage in self.file.dockerfile.stages:
            if stage.name is None:
                continue
            name = stage.name.text.lower()
            if name in seen:
                self.report_at(
                    stage.name.start,
                    stage.name.end,
                    f'stage "{name}" is already defined on line {seen[name]}',
                )
            seen.setdefault(name, self.file.places.line(stage.name.start))
