"""DC046: definition description."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.dockerfile import DockerfileToken
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.buildkit_checks import enables


class DefinitionDescription(CiCheck):
    """The comment above an ARG or a stage does not begin with its name.

    `docker build --call=outline` shows such a comment as the description of the argument or stage only if
    it begins with the name. Reported only if the file enables it: `# check=experimental=all`.
    """

    ID = "DC046"
    NAME = "definition-description"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE
    NEEDS = ("experimental",)
    VALID = [
        code("""
            # the version
            ARG V=1
            FROM a:1
            # experimental
        """),
        code("""
            # check=experimental=all
            # V is the version
            ARG V=1
            # build compiles
            FROM a:1 AS build
        """),
    ]
    INVALID = [
        code("""
            # check=experimental=all
            # «the version»
            ARG V=1
            FROM a:1
        """),
        code("""
            # check=skip=a;experimental=InvalidDefinitionDescription
            ARG V=1
            # «compiles it»
            FROM a:1 AS build
        """),
    ]

    def run(self) -> None:
        if not enables(self.file.dockerfile, "InvalidDefinitionDescription"):
            return
        stages = {id(stage.start): stage.name for stage in self.file.dockerfile.stages}
        for instruction in self.file.dockerfile.instructions:
            is_argument = instruction.keyword == "ARG" and instruction.pairs
            name = instruction.pairs[0].name if is_argument else stages.get(id(instruction))
            if instruction.comment is not None and name is not None:
                self._check(instruction.comment, name.text)

    def _check(self, comment: DockerfileToken, name: str) -> None:
        is_directive = comment.text.partition("=")[0].strip().lower() in self.file.dockerfile.directives
        if comment.text and not is_directive and not comment.text.startswith(name + " "):
            start = comment.end - len(comment.text)
            self.report_at(start, comment.end, f"begin the description of {name} with its name")
