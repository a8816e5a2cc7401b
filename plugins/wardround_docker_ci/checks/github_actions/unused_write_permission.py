"""DC115: unused write permission."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.shell import commands
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.libraries.commands import is_test
from wardround_docker_ci.models import github_workflow

_READS_ONLY = LazyPattern(
    r"actions/(?:checkout|setup-\w+|cache(?:/restore|/save)?|upload-artifact|download-artifact)$"
    r"|(?:astral-sh/setup-uv|pnpm/action-setup|oven-sh/setup-bun|denoland/setup-deno|ruby/setup-ruby|dtolnay/rust-toolchain"
    r"|swatinem/rust-cache|shivammathur/setup-php|gradle/actions/setup-gradle|gradle/wrapper-validation-action"
    r"|taiki-e/install-action|extractions/setup-just|arduino/setup-task|erlef/setup-beam|julia-actions/\S+"
    r"|docker/setup-(?:buildx|qemu)-action|cypress-io/github-action|golangci/golangci-lint-action|pre-commit/action"
    r"|azure/setup-\w+|hashicorp/setup-terraform|aquasecurity/setup-trivy|helm/kind-action|helm/chart-testing-action"
    r"|browser-actions/\S+|supercharge/\S+|ankane/setup-\S+|mlugg/setup-zig|jdx/mise-action|cachix/install-nix-action"
    r"|baptiste0928/cargo-install|actions-rs/toolchain|crate-ci/typos|codespell-project/\S+|ludeeus/action-shellcheck"
    r"|hadolint/hadolint-action)$"
)
"""Actions that do not change the repository or its issues."""
_HARMLESS = LazyPattern(
    r"^(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install|run\s+(?:build|compile|format|prettier|coverage|docs?)[\w:-]*|build|dedupe|audit)\b"
    r"|^(?:pip\d?|poetry|uv|pdm|pipx|bundle|composer|go|cargo|mix|dotnet|mvn|\./mvnw|gradle"
    r"|\./gradlew|python\d?(?:\.\d+)? -m pip|corepack"
    r"|conda|mamba|bower|sbt|swift|cmake|ninja|meson|rustup|nix)\b(?!.*(?:publish|deploy|release|upload|push))"
    r"|^(?:make|just|task)\s+(?:build|all|install|deps|setup|compile|docs?|generate|fmt|format|init|bootstrap)\b"
    r"|^(?:sudo\s+)?(?:apt-get|apt|brew|choco|dnf|apk)\b"
    r"|^(?:echo|printf|cat|ls|cd|mkdir|cp|mv|rm|export|set|test|\[|\[\[|du|sort|head|tail|wc|grep|sed|awk|find|jq|true|exit|sleep|tar"
    r"|unzip|chmod|diff|pwd|env|date|which|source|\.|if|for|while|node|tee|touch|df|free|uname|docker\s+(?:build|run|compose|ps|logs|buildx)"
    r"|docker-compose|mkdocs build|sphinx-build|linkchecker|lychee|hugo|jekyll|npx\s+(?:tsc|vite"
    r"|webpack|playwright|prettier)|tsc|vite|webpack|xvfb-run)\b"
)
_TOKEN = LazyPattern(
    r"github\.token|secrets\.GITHUB_TOKEN|GH_TOKEN|GITHUB_TOKEN|ACTIONS_ID_TOKEN|ACTIONS_RUNTIME|ghcr\.io|\bgh\s|\bgit\s+(?:push|commit|tag)"
    r"|cosign|semantic-release|api\.github\.com"
)
_TAKES_IDENTITY = LazyPattern(r"codecov/|provenance|attest|sigstore|trusted", re.IGNORECASE)


class UnusedWritePermission(CiCheck):
    """The token of a job that only builds and tests has write access.

    The job does not use it, but every dependency it installs and every test it runs could: push commits,
    publish packages, use the identity. Declare `contents: read`, and grant more only to the job that needs
    it.
    """

    ID = "DC115"
    NAME = "unused-write-permission"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "excessive-permissions"
    KINDS = WORKFLOW
    NEEDS = (": write",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            permissions:
              contents: write
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v4
                  - run: git push --tags
        """),
        code("""
            on: push
            permissions:
              contents: write
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v4
                  - run: npm test
                  - uses: some/release@v1
        """),
    ]
    INVALID = [
        code("""
            on: pull_request
            permissions:
              «contents: write»
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v4
                  - run: |
                      npm ci
                      npm test
        """),
        code("""
            on: push
            permissions: {contents: read, «id-token: write»}
            jobs:
              a:
                runs-on: x
                steps:
                  - run: make build
                  - run: pytest -q
        """),
    ]

    def run(self) -> None:
        flow = self.file.workflow
        for job in flow.jobs:
            own = job.node.get("permissions")
            if isinstance(own, Mapping):
                self._check(own, [job])
        shared = flow.root.get("permissions")
        if isinstance(shared, Mapping):
            self._check(shared, [job for job in flow.jobs if job.node.get("permissions") is None])

    def _check(self, permissions: Mapping, jobs: Sequence[github_workflow.WorkflowJob]) -> None:
        """Report the first write permission that none of the jobs uses."""
        written = [(k, v) for k, v in permissions.entries if isinstance(v, Scalar) and v.value == "write"]
        if not written or not jobs or not all(self._only_reads(job) for job in jobs):
            return
        key, value = written[0]
        self.report_at(
            key.start,
            value.end,
            f"no step uses the {key.value} permission, they only build and test; remove it",
        )

    def _only_reads(self, job: github_workflow.WorkflowJob) -> bool:
        source = self.file.text[job.node.start : job.node.end]
        if not job.steps or _TOKEN.search(source) or _TAKES_IDENTITY.search(source):
            return False
        if any(
            _TOKEN.search(v.value) for _, v in self.file.root.mapping("env").entries if isinstance(v, Scalar)
        ):
            return False
        return all(self._step_only_reads(step) for step in job.steps)

    def _step_only_reads(self, step: github_workflow.WorkflowStep) -> bool:
        if step.run is None:
            return _READS_ONLY.match(step.action) is not None
        text = self.file.passage(step.run)
        return all(
            is_test(one) or _HARMLESS.match(re.sub(r"\s+", " ", " ".join(one.texts))) or not one.words
            for one in commands(text)
        )
