from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import GITLAB, CiCheck
from wardround_docker_ci.models.gitlab import GitlabJob, inherited_value


class ArtifactsWithoutExpiry(CiCheck):
    """A job's artifacts have no expiry date.

    They stay as long as the instance's default, possibly forever, and every pipeline adds to them. Set how
    long they are needed: `expire_in: 1 week`.
    """

    ID = "DC207"
    NAME = "artifacts-without-expiry"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "artifacts-kept"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    KINDS = GITLAB
    NEEDS = ("artifacts:",)
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            a:
              script: make
              artifacts:
                paths: [dist]
                expire_in: 1 week
        """),
        code("""
            default:
              artifacts: {expire_in: 1 day}
            a:
              script: make
              artifacts: {paths: [dist]}
        """),
    ]
    INVALID = [
        code("""
            a:
              script: make
              «artifacts»:
                paths: [dist]
        """),
        code("""
            a:
              script: make
              artifacts:
                untracked: true
                «expire_in: never»
        """),
    ]

    def run(self) -> None:
        if self.file.root.at("default", "artifacts", "expire_in") is not None:
            return
        for job in self.file.gitlab_jobs:
            artifacts, key = job.node.get("artifacts"), job.node.key("artifacts")
            if isinstance(artifacts, Mapping) and key is not None and not _is_permanent(job):
                self._check(job, key, artifacts)

    def _check(self, job: GitlabJob, key: Scalar, artifacts: Mapping) -> None:
        limit, location = artifacts.scalar("expire_in"), artifacts.key("expire_in")
        if limit is not None and location is not None:
            if limit.value == "never":
                message = "the artifacts of every pipeline are kept forever; set expire_in"
                self.report_at(location.start, limit.end, message)
        elif (artifacts.get("paths") or artifacts.get("untracked")) and not self._is_limited_above(job.node):
            self.report_at(key.start, key.end, "the artifacts have no expiry date; set expire_in")

    def _is_limited_above(self, node: Mapping) -> bool:
        """Return True if a job that it extends sets the expiry, or is in another file and may set it."""
        for name in node.items_at("extends"):
            base = self.file.root.get(getattr(name, "value", ""))
            if not isinstance(base, Mapping):
                return True
            above = inherited_value(self.file.root, base, "artifacts")
            if isinstance(above, Mapping) and above.get("expire_in") is not None:
                return True
        return False


def _is_permanent(job: GitlabJob) -> bool:
    """Return True for a hidden job, GitLab Pages, and jobs that build a release."""
    when = " ".join(
        rule.text("if") if isinstance(rule, Mapping) else getattr(rule, "value", "")
        for key in ("rules", "only")
        for rule in job.node.items_at(key)
    )
    is_release = re.search(r"CI_COMMIT_TAG|\btags\b|release", f"{when} {job.name}") is not None
    return job.name == "pages" or job.name[:1] == "." or is_release
