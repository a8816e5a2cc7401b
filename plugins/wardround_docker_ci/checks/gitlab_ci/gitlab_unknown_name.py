from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import GITLAB, CiCheck
from wardround_docker_ci.models.gitlab import GitlabJob

_USUAL = (".pre", "build", "test", "deploy", ".post")


class GitlabUnknownName(CiCheck):
    """A job names a stage, a job or a template that the file does not define, and the file includes no other.

    GitLab rejects the pipeline: none of its jobs runs. Usually something was renamed in only one position.
    """

    ID = "DC085"
    NAME = "gitlab-unknown-name"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "undefined-name"
    KINDS = GITLAB
    NEEDS = ("stage:", "needs", "dependencies", "extends")
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            stages: [check]
            a:
              stage: check
              script: b
        """),
        code("""
            a:
              stage: test
              script: b
            c:
              needs: [a]
              stage: .post
              script: d
        """),
    ]
    INVALID = [
        code("""
            stages: [check]
            a:
              stage: «checks»
              script: b
        """),
        code("""
            build:
              script: b
            a:
              needs: [«biuld»]
              script: c
        """),
    ]

    def run(self) -> None:
        root = self.file.root
        if self.file.path.rpartition("/")[2] not in _FILE_NAMES or root.get("include"):
            return
        stages = [stage.value for stage in root.items_at("stages") if isinstance(stage, Scalar)]
        known_stages = {*(stages or _USUAL), ".pre", ".post"}
        names = {key.value for key, value in root.entries if isinstance(value, Mapping)}
        for job in self.file.gitlab_jobs:
            if job.key is not None:
                self._check(job, known_stages, names)

    def _check(self, job: GitlabJob, stages: set[str], names: set[str]) -> None:
        stage = job.node.scalar("stage")
        if stage is not None and stage.value not in stages and "$" not in stage.value:
            self._report(stage, f'stage "{stage.value}" is not defined')
        for name in _required_jobs(job):
            if name.value not in names and "$" not in name.value:
                self._report(name, f'job "{name.value}" is not defined')

    def _report(self, name: Scalar, message: str) -> None:
        text = self.file.passage(name)
        self.report_at(text.start, text.end, message)


def _required_jobs(job: GitlabJob) -> Iterator[Scalar]:
    """Yield the other jobs and templates that a job requires."""
    for key in ("needs", "dependencies", "extends"):
        for entry in job.node.items_at(key):
            if isinstance(entry, Scalar):
                yield entry
            elif isinstance(entry, Mapping) and _is_required_here(entry):
                name = entry.scalar("job")
                if name is not None:
                    yield name


def _is_required_here(entry: Mapping) -> bool:
    """Return True if a requirement is not optional, and of a job of the same pipeline."""
    if entry.text("optional") == "true":
        return False
    return entry.get("pipeline") is None and entry.get("project") is None


_FILE_NAMES = (".gitlab-ci.yml", ".gitlab-ci.yaml")
