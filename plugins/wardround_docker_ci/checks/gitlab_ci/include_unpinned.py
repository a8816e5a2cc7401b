"""DC121."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Mapping
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import GITLAB, CiCheck

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
        for entry in self.file.root.listed("include"):
            if not isinstance(entry, Mapping):
                continue
            remote, project = entry.key("remote"), entry.key("project")
            value = entry.scalar("remote") or entry.scalar("project")
            key = remote or project
            if key is None or value is None or "$" in value.value:
                continue
            ref = entry.text("ref").lower()
            if (remote is not None and entry.get("integrity") is None) or (
                remote is None and ref in _BRANCHES
            ):
                self.report_at(
                    key.start,
                    value.end,
                    f"{value.value} can change and runs with this project's variables; pin it",
                )
