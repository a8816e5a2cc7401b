"""Environment variables and similar settings in a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.parsed_file import ParsedFile

if TYPE_CHECKING:
    from wardround_docker_ci.models.jenkinsfile import GroovyToken, StepCall


class EnvironmentVariable(Struct, frozen=True):
    """An environment variable or similar setting, with the offsets of its value."""

    name: str
    value: str
    start: int
    end: int


def variables_of(file: ParsedFile) -> list[EnvironmentVariable]:
    """Return the environment variables that a file sets."""
    return list(_VARIABLES[file.kind](file)) if file.kind in _VARIABLES else []


def _scalar_variable(file: ParsedFile, name: str, value: Node) -> Iterator[EnvironmentVariable]:
    if isinstance(value, Scalar):
        at = file.passage(value)
        yield EnvironmentVariable(name, value.value, at.start, at.end)


def _mapping_variables(file: ParsedFile, node: Mapping) -> Iterator[EnvironmentVariable]:
    for key, value in node.entries:
        yield from _scalar_variable(file, key.value, value)


def _workflow_variables(file: ParsedFile) -> Iterator[EnvironmentVariable]:
    yield from _mapping_variables(file, file.root.mapping("env"))
    for job in file.workflow.jobs:
        yield from _mapping_variables(file, job.node.mapping("env"))
        yield from _mapping_variables(file, job.node.mapping("container", "env"))
        for _, service in job.node.mapping("services").entries:
            if isinstance(service, Mapping):
                yield from _mapping_variables(file, service.mapping("env"))
    for _, step in file.workflow.all_steps:
        yield from _mapping_variables(file, step.node.mapping("env"))
        yield from _mapping_variables(file, step.inputs)


def _gitlab_variables(file: ParsedFile) -> Iterator[EnvironmentVariable]:
    for node in [file.root, *(job.node for job in file.gitlab_jobs)]:
        for key, value in node.mapping("variables").entries:
            inner = value.get("value") if isinstance(value, Mapping) else value
            if inner is not None:
                yield from _scalar_variable(file, key.value, inner)


def _compose_variables(file: ParsedFile) -> Iterator[EnvironmentVariable]:
    for service in file.services:
        for name, value, start, end in service.environment(file.text):
            yield EnvironmentVariable(name, value, start, end)


def _pod_variables(file: ParsedFile) -> Iterator[EnvironmentVariable]:
    for pod in file.pods:
        for container in pod.containers:
            for entry in container.node.items_at("env"):
                if isinstance(entry, Mapping) and (value := entry.get("value")) is not None:
                    yield from _scalar_variable(file, entry.text("name"), value)


def _jenkins_variables(file: ParsedFile) -> Iterator[EnvironmentVariable]:
    tokens = file.jenkinsfile.tokens
    for name, sign, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_set = name.kind == "word" and sign.text == "=" and value.kind == "string"
        if is_set and name.is_in("environment") and not value.interpolations:
            yield _string_variable(name.text, value)
    for call in file.jenkinsfile.calls:
        yield from _parameter_default(call)


def _parameter_default(call: StepCall) -> Iterator[EnvironmentVariable]:
    if call.name.text not in ("password", "string"):
        return
    name, default = call.named_argument("name"), call.named_argument("defaultValue")
    if name is not None and default is not None and default.kind == "string":
        yield _string_variable("password" if call.name.text == "password" else name.text, default)


def _string_variable(name: str, value: GroovyToken) -> EnvironmentVariable:
    return EnvironmentVariable(name, value.text, value.inside, value.inside + len(value.text))


def _dockerfile_variables(file: ParsedFile) -> Iterator[EnvironmentVariable]:
    for instruction in file.dockerfile.instructions:
        for pair in instruction.pairs if instruction.keyword in ("ENV", "ARG") else ():
            if pair.value is not None:
                yield EnvironmentVariable(pair.name.text, pair.value.text, pair.value.start, pair.value.end)


_VARIABLES = {
    FileKind.DOCKERFILE: _dockerfile_variables,
    FileKind.WORKFLOW: _workflow_variables,
    FileKind.GITLAB_CI: _gitlab_variables,
    FileKind.COMPOSE: _compose_variables,
    FileKind.KUBERNETES: _pod_variables,
    FileKind.JENKINSFILE: _jenkins_variables,
}
