from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.models.github_conditions import is_limited
from wardround_docker_ci.models.github_expressions import untrusted_context
from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep, expressions

_SCRIPT_INPUTS = {
    "actions/github-script": "script",
    "azure/cli": "inlinescript",
    "azure/powershell": "inlinescript",
    "appleboy/ssh-action": "script",
    "mikefarah/yq": "cmd",
}


class TemplateInjection(CiCheck):
    """Untrusted text is expanded into a script.

    The expression is expanded before the shell parses the script, so a title or branch name that contains a
    quote and a command runs that command, with the job's token and secrets. Assign it to a variable under
    `env:` and use the variable, quoted.
    """

    ID = "DC050"
    NAME = "template-injection"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    KINDS = STEPS
    NEEDS = ("${{",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: issues
            jobs:
              a:
                runs-on: x
                steps:
                  - env:
                      TITLE: ${{ github.event.issue.title }}
                    run: echo "$TITLE"
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: echo ${{ github.sha }} ${{ github.event.pull_request.number }}
        """),
    ]
    INVALID = [
        code("""
            on: issues
            jobs:
              a:
                runs-on: x
                env:
                  TITLE: ${{ github.event.issue.title }}
                steps:
                  - run: echo «${{ env.TITLE }}»
        """),
        code("""
            on: issues
            jobs:
              a:
                runs-on: x
                steps:
                  - run: echo "«${{ github.event.issue.title }}»"
        """),
    ]

    def run(self) -> None:
        job_outputs = self._untrusted_job_outputs()
        for job, step in self.file.workflow.all_steps:
            known = self._untrusted_names(job, step) | job_outputs
            conditions = [
                condition.value for condition in (job.condition, step.condition) if condition is not None
            ]
            key = _SCRIPT_INPUTS.get(step.action)
            for name, value in step.inputs.entries:
                if name.value.lower() == key and isinstance(value, Scalar):
                    self._check(value, known, conditions)
            if step.run is not None:
                self._check(step.run, known, conditions)
                self._check_evaluation(step, job, conditions)

    def _check(self, scalar: Scalar, known: dict[str, str], conditions: Sequence[str]) -> None:
        text = self.file.passage(scalar)
        for expression in expressions(text.text, text.start):
            context = untrusted_context(expression.inside) or known.get(
                "".join(expression.inside.split()), ""
            )
            is_alone = context == "".join(expression.inside.split())  # another context may be part of it
            if context and not (is_alone and any(is_limited(context, condition) for condition in conditions)):
                # Newer versions of these actions escape shell metacharacters with a backslash.
                self.report_at(
                    expression.start,
                    expression.end,
                    f"anyone who controls {context} can run commands here; pass it through env",
                    severity=Severity.INFO if context == _FILES else None,
                )

    def _untrusted_names(self, job: WorkflowJob, step: WorkflowStep) -> dict[str, str]:
        """Return the variables and outputs of earlier steps that hold untrusted text, with their contexts."""
        found = {}
        for node in (self.file.root, job.node, step.node):
            for name, context in _untrusted_variables(node.mapping("env")).items():
                found[f"env.{name}"] = context
        for earlier in job.steps:
            if earlier is step:
                break
            found |= self._outputs(earlier, job)
        return found

    def _outputs(self, step: WorkflowStep, job: WorkflowJob) -> dict[str, str]:
        """Return the outputs of a step that hold untrusted text, with their contexts."""
        identity = step.node.text("id")
        if not identity:
            return {}
        if step.run is None:
            outputs = dict(_UNTRUSTED_OUTPUTS.get(step.action, ()))
        elif "GITHUB_OUTPUT" in step.run.value:
            outputs = self._script_outputs(step.run.value, step, job)
        else:
            outputs = {}
        return {f"steps.{identity}.outputs.{name}": source for name, source in outputs.items()}

    def _script_outputs(self, text: str, step: WorkflowStep, job: WorkflowJob) -> dict[str, str]:
        """Return the outputs that a script sets to untrusted text, with their contexts."""
        sources = self._script_variables(text, step, job)
        outputs = {name: sources[used] for name, used in _OUTPUT.findall(text) if used in sources}
        if self._has_foreign_commits():
            outputs |= dict.fromkeys(_LOGGED_OUT.findall(text), _COMMIT)
        return outputs | dict.fromkeys(_FETCHED_OUTPUT.findall(text), _PULL_REQUEST_TEXT)

    def _script_variables(self, text: str, step: WorkflowStep, job: WorkflowJob) -> dict[str, str]:
        """Return the variables of a script that hold untrusted text, with their contexts."""
        sources = _untrusted_variables(job.node.mapping("env"))
        sources |= _untrusted_variables(step.node.mapping("env"))
        if self._has_foreign_commits():
            sources |= dict.fromkeys(_LOGGED.findall(text), _COMMIT)
        sources |= dict.fromkeys(_FETCHED.findall(text), _PULL_REQUEST_TEXT)
        for name, value in _ASSIGNED.findall(text):
            source = next(
                (sources[variable] for variable in _NAMES.findall(value) if variable in sources), ""
            )
            if source and name not in sources and not _CLEANED.search(value):
                sources[name] = source
        return sources

    def _has_foreign_commits(self) -> bool:
        """Return True if the inspected commits may be those of an unmerged pull request."""
        return bool(
            {"pull_request", "pull_request_target", "workflow_run"}.intersection(self.file.workflow.triggers)
        )

    def _untrusted_job_outputs(self) -> dict[str, str]:
        """Return the outputs of jobs that contain untrusted text, as other jobs reference them."""
        found = {}
        for job in self.file.workflow.jobs:
            outputs = job.node.mapping("outputs").entries if job.key is not None else []
            known: dict[str, str] = {}
            for step in job.steps if outputs else ():
                known |= self._outputs(step, job)
            for name, value in outputs:
                source = _untrusted_source(value, known)
                if source:
                    found[f"needs.{job.name}.outputs.{name.value}"] = source
        return found

    def _check_evaluation(self, step: WorkflowStep, job: WorkflowJob, conditions: Sequence[str]) -> None:
        """Report untrusted text in a variable that a shell or an interpreter runs as a program."""
        sources = _untrusted_variables(job.node.mapping("env")) | _untrusted_variables(
            step.node.mapping("env")
        )
        if not sources or step.run is None:
            return
        text = self.file.passage(step.run)
        for found in _AS_PROGRAM.finditer(text.text):
            name = next((variable for variable in _NAMES.findall(found.group()) if variable in sources), "")
            if name and not any(is_limited(sources[name], condition) for condition in conditions):
                start = text.start + found.start(1)
                self.report_at(
                    start,
                    text.start + found.end(),
                    f"anyone who controls {sources[name]} can run commands here; do not evaluate it",
                )


_COMMIT = "the message of a commit"
_PULL_REQUEST_TEXT = "the title or text of a pull request"
_NAMES = LazyPattern(r"\$\{?(\w+)")
_ASSIGNED = LazyPattern(r"(?:^|[\s;])(\w+)=(\"?\$[^\n]*)", re.MULTILINE)
_CLEANED = LazyPattern(
    r"tr -(?:cd|dc)\b|tr -c -d|sed [^\n|]*\[\^|\bsha\d+sum|md5sum|\bwc\b|grep -\w*[qcoE]|printf %q"
    r"|@Q\}|jq\b|cut -c|basename|slugify|\bif\b|==",
)
"""Commands that remove shell metacharacters, or may be there to do so."""
_GIT_TEXT = (
    r"git (?:log|show)\b[^\n)`]*?(?:--(?:format|pretty)[= ]?[\"']?(?:format:|tformat:)?[^\n)`]*"
    r"%(?:s|B|b|an|ae|cn|f(?!\w))|--oneline)"
)
_LOGGED = LazyPattern(r"(?:^|[\s;])(\w+)=\"?(?:\$\(|`)[^\n]*?" + _GIT_TEXT, re.MULTILINE)
_LOGGED_OUT = LazyPattern(
    r"(?:^|[\s\"'])([\w-]+)=\"?(?:\$\(|`)[^\n]*?" + _GIT_TEXT + r"[^\n]*GITHUB_OUTPUT", re.MULTILINE
)
_PULL_TEXT = (
    r"gh (?:pr|issue) view\b[^\n)`]*--json[= ][\w,]*(?:title|body|headRefName)"
    r"|gh api\b[^\n)`]*\.(?:title|body|head\.ref)\b"
)
_FETCHED = LazyPattern(r"(?:^|[\s;])(\w+)=\"?(?:\$\(|`)[^\n]*?(?:" + _PULL_TEXT + r")", re.MULTILINE)
_FETCHED_OUTPUT = LazyPattern(
    r"(?:^|[\s\"'])([\w-]+)=\"?(?:\$\(|`)[^\n]*?(?:" + _PULL_TEXT + r")[^\n]*GITHUB_OUTPUT", re.MULTILINE
)
_AS_PROGRAM = LazyPattern(
    r"(?:^|[\s;&|(])(eval\s[^\n]*|(?:ba|da|z)?sh\s+-\w*c\s+\"[^\n]*|ssh\s[^\n]*\s\"[^\n]*|python3?\s+-c\s+\"[^\n]*|node\s+-e\s+\"[^\n]*)",
    re.MULTILINE,
)
_FILES = "the names of the files"
_UNTRUSTED_OUTPUTS = {
    "tj-actions/changed-files": tuple(
        (f"{kind}_files", _FILES)
        for kind in ("all_changed", "all_modified", "added", "modified", "changed", "any_changed")
    ),
    "jitterbit/get-changed-files": (
        ("all", _FILES),
        ("added", _FILES),
        ("modified", _FILES),
        ("added_modified", _FILES),
    ),
    "xt0rted/pull-request-comment-branch": (("head_ref", "github.head_ref"),),
    "tj-actions/branch-names": (
        ("current_branch", "github.head_ref"),
        ("head_ref_branch", "github.head_ref"),
    ),
}
"""Outputs of well-known actions that the author of a pull request controls."""
_OUTPUT = LazyPattern(r"(?:^|[\s\"'])([\w-]+)=\$\{?(\w+)\}?[\"']?\s*(?:>>|\||$)", re.MULTILINE)


def _untrusted_variables(env: Mapping) -> dict[str, str]:
    """Return the variables whose value is untrusted text."""
    found = {}
    for key, value in env.entries:
        if isinstance(value, Scalar):
            contexts = [untrusted_context(expression.inside) for expression in expressions(value.value, 0)]
            if any(contexts):
                found[key.value] = next(context for context in contexts if context)
    return found


def _untrusted_source(value: Node, known: dict[str, str]) -> str:
    """Return the context of the untrusted text in a value; empty if none."""
    if not isinstance(value, Scalar):
        return ""
    insides = (expression.inside for expression in expressions(value.value, 0))
    contexts = (untrusted_context(inside) or known.get("".join(inside.split()), "") for inside in insides)
    return next(contexts, "")
