"""DC121."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Mapping
from wardround_docker_ci.check import GITLAB, CiCheck

_BRANCHES = frozenset({"", "main", "master", "develop", "head", "trunk"})


class IncludeUnpinned(CiCheck):
    """A part of the pipeline comes from elsewhere, in whatever state it is there when the pipeline starts.

    What is pushed there runs here with this project's variables, unseen. Name a tag or commit (`ref:`), and
    for a remote file its digest (`integrity:`).
    """

    ID = "DC121"
    NAME = "include-unpinned"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    TRIED_ON = "trees of 85 repositories: no hit; only 1 of their files are GitLab pipelines"
    KINDS = GITLAB
    NEEDS = ("include",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("include:\n  - project: a/b\n    ref: v1.2.0\n    file: x.yml\n", path=".gitlab-ci.yml"),
        Valid(
            "include:\n  - local: ci/x.yml\n  - template: Jobs/SAST.gitlab-ci.yml\n", path=".gitlab-ci.yml"
        ),
        Valid("include:\n  - remote: https://a.io/x.yml\n    integrity: sha256-x\n", path=".gitlab-ci.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("include:\n  - project: a/b\n    file: x.yml\n", line=2, column=5, path=".gitlab-ci.yml"),
        Invalid("include:\n  remote: https://a.io/x.yml\n", line=2, column=3, path=".gitlab-ci.yml"),
        Invalid(
            "include:\n  - project: a/b\n    ref: main\n    file: x.yml\n",
            line=2,
            column=5,
            path=".gitlab-ci.yml",
        ),
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
                self.report_at(key.start, value.end, f"{value.value} can change, and runs here as it then is")
