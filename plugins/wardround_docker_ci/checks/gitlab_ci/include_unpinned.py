from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import GITLAB, CiCheck
from wardround_docker_ci.models.node_lists import mappings

_BRANCHES = frozenset({"", "main", "master", "develop", "head", "trunk"})


class IncludeUnpinned(CiCheck):
    """A pipeline includes a file from elsewhere without pinning its version.

    Any push to it runs here with this project's variables, without review. Pin a tag or commit (`ref:`),
    and for a remote file its digest (`integrity:`).
    """

    ID = "DC121"
    NAME = "include-unpinned"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    KINDS = GITLAB
    NEEDS = ("include",)
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            include:
              - project: a/b
                ref: v1.2.0
                file: x.yml
        """),
        code("""
            include:
              - local: ci/x.yml
              - template: Jobs/SAST.gitlab-ci.yml
        """),
    ]
    INVALID = [
        code("""
            include:
              - «project: a/b»
                file: x.yml
        """),
        code("""
            include:
              «remote: https://a.io/x.yml»
        """),
    ]

    def run(self) -> None:
        for entry in mappings(self.file.root.items_at("include")):
            key = entry.key("remote") or entry.key("project")
            value = entry.scalar("remote") or entry.scalar("project")
            if key is not None and value is not None and "$" not in value.value and not _is_pinned(entry):
                message = f"{value.value} can change and runs with this project's variables; pin it"
                self.report_at(key.start, value.end, message)


def _is_pinned(entry: Mapping) -> bool:
    if entry.key("remote") is not None:
        return entry.get("integrity") is not None
    return entry.text("ref").lower() not in _BRANCHES
