from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.models.github_conditions import is_same_repository_head
from wardround_docker_ci.models.github_expressions import HEAD_REFERENCE
from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep
from wardround_docker_ci.models.node_lists import scalars

_FETCHES_HEAD = LazyPattern(
    r"\bgh pr checkout\b|git (?:fetch|pull)\b[^\n]*\bpull/[^\n]*/(?:head|merge)"
    r"|git (?:fetch|pull|clone|checkout|remote add)\b[^\n]*(?:pull_request\.head\.|github\.head_ref)"
)
_RUNS = LazyPattern(
    r"\b(?:npm|pnpm|yarn|bun|pip[\d.]*|poetry|uv|make|cargo|go|mvn|gradle|bundle|composer|tox|pytest"
    r"|docker (?:build|compose)|docker-compose|python[\d.]*|node|bash|sh|npx|bunx|deno|corepack|rake"
    r"|ruby|rails|php|artisan"
    r"|terraform|tofu|terragrunt|pulumi|cdk|helm|helmfile|kustomize|ansible\S*|packer|vagrant|skaffold|tilt"
    r"|just|task|invoke|nox|hatch|pdm|rye|pre-commit|dotnet|msbuild|swift|xcodebuild|fastlane|bazel\w*|buck2?|pants"
    r"|sbt|lein|mix|rebar3|stack|cabal|nix|nix-build|cmake|meson|ninja|scons|perl|lua|Rscript|julia|elixir"
    r"|mkdocs|sphinx-build|hugo|jekyll|act|earthly|dagger|gulp|grunt|lerna|nx|turbo|vite|webpack|tsc|eslint|prettier"
    r"|jest|vitest|mocha|cypress|playwright|phpunit|rspec|cucumber|mypy|pylint|ctest|jupyter)\b|\./",
)
_BY_LABEL = LazyPattern(r"labels\.\*\.name|label\.name|safe.to.test", re.IGNORECASE)
_MOVES = LazyPattern(
    r"pull_request\.head\.ref\b|github\.head_ref|refs/pull/|\bgh pr checkout\b|\bpull/[^\n]*/(?:head|merge)",
    re.IGNORECASE,
)
"""References to the head that resolve to the newest push when the step runs."""

_RUNNING_ACTIONS = (
    "./",
    "docker/build-push-action",
    "gradle/",
    "pre-commit/action",
    "golangci/golangci-lint-action",
    "cypress-io/github-action",
    "ruby/setup-ruby",
    "bahmutov/npm-install",
    "reactivecircus/",
)
_GATED = LazyPattern(
    r"author_association|head\.repo\.full_name\s*==|\.fork\s*(?:==\s*false|!=\s*true)|safe.to.test"
    r"|labels\.\*\.name|label\.name|github\.actor\s*==|sender\.login|merged\s*==\s*true|\.merged\b",
    re.IGNORECASE,
)


class UntrustedCheckout(CiCheck):
    """A privileged workflow checks out the code of a pull request and runs it.

    Anyone who opens the pull request then has the write token and the secrets. Run code of forks under
    `pull_request`, and use `pull_request_target` or `workflow_run` only to report.
    """

    ID = "DC051"
    NAME = "untrusted-checkout"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    KINDS = WORKFLOW
    NEEDS = ("pull_request_target", "workflow_run", "issue_comment")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: pull_request
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v4
                    with:
                      ref: ${{ github.event.pull_request.head.sha }}
                  - run: npm ci
        """),
        code("""
            on: pull_request_target
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v4
                  - run: npm ci
        """),
    ]
    INVALID = [
        code("""
            on: issue_comment
            jobs:
              a:
                runs-on: x
                steps:
                  - id: pr
                    run: echo sha=$(gh pr view 1 --json headRefOid -q .headRefOid) >> $GITHUB_OUTPUT
                  - uses: actions/checkout@v4
                    with:
                      ref: «${{ steps.pr.outputs.sha }}»
                  - run: make
        """),
        code("""
            on: issue_comment
            jobs:
              a:
                if: github.event.comment.body == '/test'
                runs-on: x
                steps:
                  - uses: actions/checkout@v4
                    with:
                      ref: «refs/pull/${{ github.event.issue.number }}/head»
                  - run: make
        """),
    ]

    def run(self) -> None:
        if self.file.workflow.is_started_by_forks() or "issue_comment" in self.file.workflow.triggers:
            for job in self.file.workflow.jobs:
                self._check(job)

    def _check(self, job: WorkflowJob) -> None:
        for at, step in enumerate(job.steps):
            location = self._checked_out(step, job.steps[:at])
            if location is None:
                continue
            conditions = [
                condition.value for condition in (job.condition, step.condition) if condition is not None
            ]
            gates = [condition for condition in conditions if _GATED.search(condition)]
            if gates and not self._passes_by_label(gates, *location):
                continue
            self._check_later_steps(location, job, at, is_gated=bool(gates))
            return

    def _check_later_steps(
        self, place: tuple[int, int], job: WorkflowJob, at: int, *, is_gated: bool
    ) -> None:
        """Report a checkout if a step from ``at`` on runs the code."""
        steps = job.steps[at:]
        runs = next((step for step in steps if _runs_code(step, is_first=step is steps[0])), None)
        if runs is None:
            return
        line = self.file.places.line(runs.node.start)
        if is_gated:
            message = f"commits pushed after the label is set run from line {line} on with write access"
            self.report_at(*place, message, severity=Severity.WARN)
        else:
            message = f"code of the pull request runs from line {line} on with this repository's permissions"
            self.report_at(*place, message)
            self._report_secrets(job, steps)

    def _passes_by_label(self, gates: Sequence[str], start: int, end: int) -> bool:
        """Return True if a label is the only gate of the checkout and does not pin the commit."""
        if not all(map(_is_label_gate, gates)):
            return False
        event = self.file.workflow.triggers.get("pull_request_target")
        listed = event.items_at("types") if isinstance(event, Mapping) else []
        types = [scalar.value for scalar in scalars(listed)]
        if "synchronize" in types:
            return True
        if not types and any("labels" in gate for gate in gates):
            return True
        return _MOVES.search(self.file.text[start:end]) is not None

    def _report_secrets(self, job: WorkflowJob, later: Sequence[WorkflowStep]) -> None:
        """Report the first secret in the environment of the pull request's code."""
        steps = [step.node for step in later if _runs_code(step, is_first=False)]
        for node in (self.file.root, job.node, *steps):
            for _, value in node.mapping("env").entries:
                if isinstance(value, Scalar) and _SECRET.search(value.value):
                    text = self.file.passage(value)
                    self.report_at(
                        text.start,
                        text.end,
                        "code of the pull request can read this secret from its environment",
                    )
                    return

    def _environment_values(self, reference: str, step: WorkflowStep) -> str:
        """Return the values of the ``env`` variables in a reference."""
        nodes = (step.node, *(job.node for job in self.file.workflow.jobs), self.file.root)
        names = _ENVIRONMENT.findall(reference)
        return " ".join(node.mapping("env").text(name) for name in names for node in nodes)

    def _checked_out(self, step: WorkflowStep, earlier: Sequence[WorkflowStep]) -> tuple[int, int] | None:
        """Return the offsets where a step checks out the commit of the pull request."""
        reference = step.inputs.scalar("ref")
        if step.action == "actions/checkout" and reference is not None:
            text = self.file.passage(reference)
            is_head = self._is_head(text.text, step) or _is_head_output(text.text, earlier)
            return (text.start, text.end) if is_head else None
        return self._find_fetch(step, step.run) if step.run is not None else None

    def _is_head(self, reference: str, step: WorkflowStep) -> bool:
        texts = (reference, self._environment_values(reference, step))
        return any(HEAD_REFERENCE.search(_EXPRESSION.sub(_foreign_head, text)) for text in texts)

    def _find_fetch(self, step: WorkflowStep, script: Scalar) -> tuple[int, int] | None:
        """Return the offsets where a script fetches the commit of the pull request."""
        text = self.file.passage(script)
        found = _FETCHES_HEAD.search(text.text)
        if found is None and (clone := _CLONES.search(text.text)) is not None:
            url = step.node.mapping("env").scalar(clone.group(1) or clone.group(2))
            found = clone if url is not None and "pull_request.head." in url.value else None
        return (text.start + found.start(), text.start + found.end()) if found else None


def _is_label_gate(gate: str) -> bool:
    return _BY_LABEL.search(gate) is not None and _OTHER_GATE.search(gate) is None


def _foreign_head(expression: re.Match[str]) -> str:
    """Return an expression; empty if it takes the head only from branches of the same repository."""
    inside = expression[1]
    is_safe = HEAD_REFERENCE.search(inside) is not None and is_same_repository_head(inside)
    return "" if is_safe else expression[0]


_EXPRESSION = LazyPattern(r"\$\{\{((?:(?!\}\}).)*)\}\}", re.DOTALL)
_ENVIRONMENT = LazyPattern(r"\benv\.(\w+)")
_SECRET = LazyPattern(r"\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)\w+")
_OTHER_GATE = LazyPattern(
    r"author_association|full_name\s*==|\.fork\b|github\.actor\s*==|sender\.login|merged", re.IGNORECASE
)


def _is_head_output(reference: str, earlier: Sequence[WorkflowStep]) -> bool:
    """Return True if a reference is the output of an earlier step that resolves the pull request's head."""
    found = _OUTPUT.search(reference)
    step = next(
        (
            earlier_step
            for earlier_step in earlier
            if found and earlier_step.node.text("id") == found.group(1)
        ),
        None,
    )
    if step is None:
        return False
    return step.action in _HEAD_ACTIONS or (
        step.run is not None and _RESOLVES_HEAD.search(step.run.value) is not None
    )


_OUTPUT = LazyPattern(r"\bsteps\.([\w-]+)\.outputs\.")
_RESOLVES_HEAD = LazyPattern(r"headRef(?:Oid|Name)|\.head\.(?:sha|ref)\b|\bgithub\.head_ref\b")
_CLONES = LazyPattern(r"git (?:clone|fetch|remote add)\b[^\n]*\$(?:(\w+)|\{(\w+)\})")
_HEAD_ACTIONS = ("xt0rted/pull-request-comment-branch", "eficode/resolve-pr-refs")


def _runs_code(step: WorkflowStep, *, is_first: bool) -> bool:
    """Return True if a step runs something that the checked-out tree controls."""
    if step.run is not None:
        text = step.run.value
        found = _FETCHES_HEAD.search(text) if is_first else None
        return _RUNS.search(text[found.end() :] if found else text) is not None
    return (step.uses.value.lower() if step.uses else "").startswith(_RUNNING_ACTIONS)
