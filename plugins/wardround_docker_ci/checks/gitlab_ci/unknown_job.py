from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import GITLAB, CiCheck
from wardround_docker_ci.models.gitlab import GitlabJob


class UnknownJob(CiCheck):
    """A job needs, extends or downloads artifacts from a job that the pipeline does not define.

    GitLab rejects the pipeline. Name an existing job.
    """

    ID = "DC204"
    NAME = "unknown-job"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "invalid-workflow"
    KINDS = GITLAB
    NEEDS = ("needs:", "extends:", "dependencies:", "stage:")
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            a:
              script: make
            b:
              needs: [a]
              script: make
        """),
        code("""
            include: x.yml
            b:
              needs: [a]
              script: make
        """),
    ]
    INVALID = [
        code("""
            b:
              needs: [«a»]
              script: make
        """),
        code("""
            b:
              needs:
                - job: «a»
              script: make
        """),
    ]

    def run(self) -> None:
        root = self.file.root
        # A file with includes gets jobs from them, and an included file from its includer.
        if not re.search(r"(?:^|/)\.gitlab-ci\.ya?ml$", self.source.path) or root.get("include") is not None:
            return
        known = {key.value for key, _ in root.entries}
        for job in self.file.gitlab_jobs:
            for name in _required_jobs(job):
                if name.value not in known and "$" not in name.value:
                    self._report(name, "job")
        self._check_stages(root)

    def _check_stages(self, root: Mapping) -> None:
        stages = {name.value for name in root.items_at("stages") if isinstance(name, Scalar)}
        for job in self.file.gitlab_jobs if stages else ():
            stage = job.node.scalar("stage")
            if stage is not None and stage.value not in stages | {".pre", ".post"} and "$" not in stage.value:
                self._report(stage, "stage")

    def _report(self, name: Scalar, what: str) -> None:
        text = self.file.passage(name)
        self.report_at(text.start, text.end, f'{what} "{name.value}" is not defined in the pipeline')


def _required_jobs(job: GitlabJob) -> Iterator[Scalar]:
    for key in ("needs", "dependencies", "extends"):
        for entry in job.node.items_at(key):
            if isinstance(entry, Scalar):
                yield entry
            elif isinstance(entry, Mapping) and not {"project", "pipeline", "optional"} & {
                name.value for name, _ in entry.entries
            }:
                scalar = entry.scalar("job")
                if scalar is not None:
                    yield scalar
