"""Shell scripts embedded in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wardround.languages.positions import Passage
from wardround.lazy import LazyPattern
from wardround_docker_ci.file_kinds import SHELLS, FileKind
from wardround_docker_ci.libraries.windows_images import runs_in_cmd
from wardround_docker_ci.parsed_file import ParsedFile

if TYPE_CHECKING:
    from wardround.languages.dockerfile import Dockerfile, Instruction
    from wardround.languages.shell import Command
    from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep

_OTHER_INTERPRETERS = ("pwsh", "powershell", "cmd", "python", "node", "perl")
_WINDOWS_SHELL = LazyPattern(r"powershell|pwsh|cmd", re.IGNORECASE)
_SHELL_STRING = LazyPattern(r"\s*(?:\S*/)?(?:ba|da)?sh\s+-\w*c\s+(['\"])(.*)\1\s*$", re.DOTALL)


class EmbeddedScript:
    """A shell script embedded in a file.

    Attributes:
        owner: the instruction, step, job or call that runs it; None for a shell script.
    """

    def __init__(self, text: Passage, owner: Any = None, job: WorkflowJob | None = None) -> None:
        self.passage = text
        self.owner = owner
        self.job = job

    @cached_property
    def commands(self) -> list[Command]:
        from wardround.languages.shell import commands

        return commands(self.passage)


def scripts_of(file: ParsedFile) -> list[EmbeddedScript]:
    """Return the shell scripts in a file, in source order."""
    return list(_SCRIPTS[file.kind](file)) if file.kind in _SCRIPTS else []


def _shell_scripts(file: ParsedFile) -> Iterator[EmbeddedScript]:
    yield EmbeddedScript(Passage(file.text, 0))


def _dockerfile_scripts(file: ParsedFile) -> Iterator[EmbeddedScript]:
    if _uses_windows_shell(file.dockerfile):
        return
    in_cmd = [stage for stage in file.dockerfile.stages if runs_in_cmd(file.dockerfile, stage)]
    skipped = {id(instruction) for stage in in_cmd for instruction in stage.instructions}
    for instruction in file.dockerfile.instructions:
        if instruction.keyword == "RUN" and id(instruction) not in skipped:
            yield from _run_scripts(instruction)


def _run_scripts(instruction: Instruction) -> Iterator[EmbeddedScript]:
    """Yield the scripts of a RUN in shell form: its body, or its documents if a shell reads them."""
    if instruction.exec_form is not None:
        return
    if not instruction.runs_document:
        yield EmbeddedScript(instruction.body, instruction)
    elif instruction.program_of_document in ("", *SHELLS):
        for document in instruction.heredocs:
            yield EmbeddedScript(document, instruction)


def _uses_windows_shell(dockerfile: Dockerfile) -> bool:
    shells = (instruction for stage in dockerfile.stages for instruction in stage.all("SHELL"))
    return any(_WINDOWS_SHELL.search(instruction.text) for instruction in shells)


def _workflow_scripts(file: ParsedFile) -> Iterator[EmbeddedScript]:
    for job, step in file.workflow.all_steps:
        if step.run is not None and _runs_in_shell(file, job, step):
            yield EmbeddedScript(file.passage(step.run), step, job)


def _runs_in_shell(file: ParsedFile, job: WorkflowJob, step: WorkflowStep) -> bool:
    shell = file.workflow.shell(job, step).split()
    if shell:
        return shell[0] not in _OTHER_INTERPRETERS
    return "windows" not in job.node.text("runs-on") or bool(file.workflow.shell(job, step))


def _gitlab_scripts(file: ParsedFile) -> Iterator[EmbeddedScript]:
    for job in file.gitlab_jobs:
        for line in job.script_lines:
            yield EmbeddedScript(file.passage(line), job)


def _jenkins_scripts(file: ParsedFile) -> Iterator[EmbeddedScript]:
    for call in file.jenkinsfile.shell_steps:
        if call.name.text == "sh":
            for token in call.script:
                yield EmbeddedScript(token.passage(), call)


def _compose_scripts(file: ParsedFile) -> Iterator[EmbeddedScript]:
    for service in file.services:
        for text in service.shell_texts:
            yield EmbeddedScript(file.passage(text), service)
        for scalar in (service.node.scalar("command"), service.node.scalar("entrypoint")):
            if scalar is None:
                continue
            command = file.passage(scalar)
            script = _SHELL_STRING.match(command.text)
            if script is not None:
                start, end = script.span(2)
                yield EmbeddedScript(command.part(command.start + start, command.start + end), service)


def _pod_scripts(file: ParsedFile) -> Iterator[EmbeddedScript]:
    for pod in file.pods:
        for container in pod.containers:
            for text in container.shell_texts:
                yield EmbeddedScript(file.passage(text), container)


_SCRIPTS = {
    FileKind.SHELL: _shell_scripts,
    FileKind.DOCKERFILE: _dockerfile_scripts,
    FileKind.WORKFLOW: _workflow_scripts,
    FileKind.ACTION: _workflow_scripts,
    FileKind.GITLAB_CI: _gitlab_scripts,
    FileKind.JENKINSFILE: _jenkins_scripts,
    FileKind.COMPOSE: _compose_scripts,
    FileKind.KUBERNETES: _pod_scripts,
}
