"""DC069: export lost between steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.contents.scripts import EmbeddedScript
from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep

_GOES = frozenset({"cd", "mkdir", "pushd", "ls", "pwd", "echo", "export"})

_WRITTEN = LazyPattern(r"(?<!\w)([A-Za-z_]\w*)(?:=|<<)")


class ExportLostBetweenSteps(CiCheck):
    """A step exports a variable or changes the directory for a later step, which runs in another shell.

    There the variable is silently empty, and the working directory is the workspace. Write `NAME=value` to
    the file in `$GITHUB_ENV`, set `working-directory`, or do it in the same step.
    """

    ID = "DC069"
    NAME = "export-lost-between-steps"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "environment-lost-between-steps"
    KINDS = STEPS
    NEEDS = ("export ", "cd ")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                steps:
                  - run: export TAG=1 && make $TAG
                  - run: echo $OTHER
        """),
        code("""
            on: push
            jobs:
              a:
                steps:
                  - run: |
                      export TAG=1
                      echo TAG=1 >> $GITHUB_ENV
                  - run: echo $TAG
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: «cd web»
                  - run: npm ci
        """),
        code("""
            on: push
            jobs:
              a:
                steps:
                  - run: export «TAG=$(date +%s)»
                  - run: docker build -t x:$TAG .
        """),
    ]

    def run(self) -> None:
        by_step = {id(script.owner): script for script in self.file.scripts}
        flow = self.file.workflow
        composite = [job for job, _ in flow.all_steps if job.key is None][:1]
        for job in (*flow.jobs, *composite):
            for at, step in enumerate(job.steps):
                script = by_step.get(id(step))
                if script is not None and "export " in script.passage.text:
                    self._check(script, job, step, job.steps[at + 1 :])
                if script is not None and "cd " in script.passage.text:
                    self._check_directory(script, job.steps[at + 1 :])

    def _check(
        self, script: EmbeddedScript, job: WorkflowJob, step: WorkflowStep, later: Sequence[WorkflowStep]
    ) -> None:
        for command in script.commands:
            exported = command.words[1:] if command.name == "export" and not command.depth else ()
            for word in exported:
                name, sign, _ = word.text.partition("=")
                is_variable = bool(sign) and re.fullmatch(r"[A-Za-z_]\w*", name) is not None
                if not is_variable or self._is_known(name, job) or not any(_reads(s, name) for s in later):
                    continue
                if not self._used_here(script, name, command.end):
                    message = f"{name} is unset after this step; write it to $GITHUB_ENV"
                    self.report_at(word.start, word.end, message)

    def _check_directory(self, script: EmbeddedScript, later: Sequence[WorkflowStep]) -> None:
        """Report a step that only changes the directory, as if the next began there."""
        names = [command.name for command in script.commands]
        runs = [one for one in later if one.run is not None and one.node.get("working-directory") is None]
        if names and names[-1] == "cd" and runs and set(names) <= _GOES:
            last = script.commands[-1]
            self.report_at(
                last.start, last.end, "the next step starts in the workspace; set working-directory there"
            )

    def _is_known(self, name: str, job: WorkflowJob) -> bool:
        """Return True if the variable is set anyway: by the system, or by the file for all steps."""
        if name in ("PATH", "HOME", "LANG", "LC_ALL", "DEBIAN_FRONTEND", "SHELL", "TERM", "TZ", "PWD"):
            return True
        if (
            self.file.root.mapping("env").get(name) is not None
            or job.node.mapping("env").get(name) is not None
        ):
            return True
        return name in self._set_for_all or any(
            "GITHUB_ENV" in (step.run.value if step.run else "")
            and name in (step.run.value if step.run else "")
            for step in job.steps
        )

    @cached_property
    def _set_for_all(self) -> frozenset[str]:
        """Variables written to ``GITHUB_ENV`` on the same or the next line."""
        if "GITHUB_ENV" not in self.file.text:
            return frozenset()
        lines = [*self.file.text.split("\n"), ""]
        return frozenset(
            found[1]
            for line, after in pairwise(lines)
            for found in _WRITTEN.finditer(line)
            if "GITHUB_ENV" in after or "GITHUB_ENV" in line[found.end() :]
        )

    def _used_here(self, script: EmbeddedScript, name: str, end: int) -> bool:
        """Return True if a command of the same step reads the variable."""
        rest = script.passage.text[end - script.passage.start :]
        return bool(re.search(rf"\$\{{?{name}\b", rest))


def _reads(step: WorkflowStep, name: str) -> bool:
    if step.run is None or step.node.mapping("env").get(name) is not None:
        return False
    text = step.run.value
    is_read = re.search(rf"\$(?:\{{{name}\}}|{name}\b)", text)
    return is_read is not None and not re.search(
        rf"(?:^|[\s;&|]){name}=(?!\$)|\bread\b[^\n]*\b{name}\b|for {name} in", text
    )
