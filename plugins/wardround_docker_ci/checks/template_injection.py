"""DC050."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.contexts import untrusted
from wardround_docker_ci.workflow import Job, Step, expressions
from wardround_docker_ci.yaml_tree import Mapping, Scalar

_SCRIPT_INPUTS = {
    "actions/github-script": "script",
    "azure/cli": "inlinescript",
    "azure/powershell": "inlinescript",
    "appleboy/ssh-action": "script",
    "mikefarah/yq": "cmd",
}


class TemplateInjection(CiCheck):
    """Text that a stranger writes becomes part of a script.

    The expression is filled in before the shell reads the script, so a title or branch name with a quote
    and a command in it runs that command, with the job's token and secrets. Put it into `env:` and use the
    variable, quoted.
    """

    ID = "DC050"
    NAME = "template-injection"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = STEPS
    NEEDS = ("${{",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n      - env:\n"
            '          TITLE: ${{ github.event.issue.title }}\n        run: echo "$TITLE"\n',
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - run: echo ${{ github.sha }} ${{ github.event.pull_request.number }}\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@v1\n        with:\n"
            "          title: ${{ github.event.issue.title }}\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - run: echo ${{ github.event.issue.title == 'a' }}\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: issues\njobs:\n  a:\n    runs-on: x\n    env:\n"
            "      TITLE: ${{ github.event.issue.title }}\n    steps:\n"
            "      - run: echo ${{ env.TITLE }}\n",
            line=8,
            column=19,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: pull_request\njobs:\n  a:\n    runs-on: x\n    steps:\n      - id: t\n        env:\n"
            "          T: ${{ github.event.pull_request.title }}\n"
            '        run: echo "title=$T" >> "$GITHUB_OUTPUT"\n'
            "      - run: say ${{ steps.t.outputs.title }}\n",
            line=10,
            column=18,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: issues\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            '      - run: echo "${{ github.event.issue.title }}"\n',
            line=6,
            column=20,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          a\n"
            "          git checkout ${{github.head_ref}}\n",
            line=8,
            column=24,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: issue_comment\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/github-script@v7\n"
            "        with:\n          script: |\n            const b = `${{ github.event.comment.body }}`\n",
            line=9,
            column=24,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "name: a\ndescription: b\nruns:\n  using: composite\n  steps:\n    - shell: bash\n"
            "      run: echo ${{ github.event.pull_request.head.ref || 'x' }}\n",
            line=7,
            column=17,
            path="action.yml",
        ),
    ]

    def run(self) -> None:
        for job, step in self.file.workflow.all_steps:
            known = self._carried(job, step)
            key = _SCRIPT_INPUTS.get(step.action)
            for name, value in step.given.entries:
                if name.value.lower() == key and isinstance(value, Scalar):
                    self._look(value, known)
            if step.run is not None:
                self._look(step.run, known)

    def _look(self, scalar: Scalar, known: dict[str, str]) -> None:
        text = self.file.passage(scalar)
        for expression in expressions(text.text, text.start):
            context = untrusted(expression.inside) or known.get("".join(expression.inside.split()), "")
            if context:
                self.report_at(
                    expression.start, expression.end, f"whoever writes {context} runs commands here"
                )

    def _carried(self, job: Job, step: Step) -> dict[str, str]:
        """What holds a stranger's text under another name: variables, and outputs of earlier steps."""
        found = {}
        for node in (self.file.root, job.node, step.node):
            for name, context in _given(node.mapping("env")).items():
                found[f"env.{name}"] = context
        for earlier in job.steps:
            if earlier is step:
                break
            identity = earlier.node.text("id")
            given = _given(earlier.node.mapping("env"))
            if not identity or earlier.run is None or not given or "GITHUB_OUTPUT" not in earlier.run.value:
                continue
            for output, name in _OUTPUT.findall(earlier.run.value):
                if name in given:
                    found[f"steps.{identity}.outputs.{output}"] = given[name]
        return found


_OUTPUT = LatePattern(r"(?:^|[\s\"'])([\w-]+)=\$\{?(\w+)\}?[\"']?\s*(?:>>|\||$)", re.MULTILINE)


def _given(env: Mapping) -> dict[str, str]:
    """The variables whose value is a stranger's text."""
    found = {}
    for key, value in env.entries:
        if isinstance(value, Scalar):
            contexts = [untrusted(one.inside) for one in expressions(value.value, 0)]
            if any(contexts):
                found[key.value] = next(context for context in contexts if context)
    return found
