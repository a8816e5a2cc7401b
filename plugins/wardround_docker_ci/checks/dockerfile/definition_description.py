"""DC046."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.buildkit_checks import asks_for


class DefinitionDescription(CiCheck):
    """The comment above an ARG or a stage does not begin with its name.

    `docker build --call=outline` shows such comments as the description of arguments and stages only if
    they begin with the name. Said where the file asks for it: `# check=experimental=all`.
    """

    ID = "DC046"
    NAME = "definition-description"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "trees of 27 repositories: 85 hits, few of them meant as a description; said only where the file "
        "asks Docker for it since: in 85 no hit"
    )
    KINDS = DOCKERFILE
    NEEDS = ("experimental",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("# the version\nARG V=1\nFROM a:1\n# experimental\n", path="Dockerfile"),
        Valid(
            "# check=experimental=all\n# V is the version\nARG V=1\n# build compiles\nFROM a:1 AS build\n",
            path="Dockerfile",
        ),
        Valid("# check=experimental=all\n# a remark\n\nARG V=1\nFROM a:1\n", path="Dockerfile"),
        Valid("# check=experimental=all\n# a remark\nFROM a:1\nRUN x\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "# check=experimental=all\n# the version\nARG V=1\nFROM a:1\n",
            line=2,
            column=3,
            path="Dockerfile",
        ),
        Invalid(
            "# check=skip=a;experimental=InvalidDefinitionDescription\nARG V=1\n# compiles it\n"
            "FROM a:1 AS build\n",
            line=3,
            column=3,
            path="Dockerfile",
        ),
        Invalid("# check=experimental=all\nFROM a:1\n#set by CI\nARG REV\n", 3, 2, path="Dockerfile"),
    ]

    def run(self) -> None:
        if not asks_for(self.file.dockerfile, "InvalidDefinitionDescription"):
            return
        stages = {id(stage.start): stage.name for stage in self.file.dockerfile.stages}
        for one in self.file.dockerfile.instructions:
            pairs = one.pairs if one.keyword == "ARG" else []
            name = stages.get(id(one)) if one.keyword == "FROM" else (pairs[0].name if pairs else None)
            if one.comment is None or name is None or not one.comment.text:
                continue
            if one.comment.text.partition("=")[0].strip().lower() in self.file.dockerfile.directives:
                continue
            if not one.comment.text.startswith(name.text + " "):
                end = one.comment.end
                start = end - len(one.comment.text)
                self.report_at(start, end, f"a description of {name.text} begins with its name")
