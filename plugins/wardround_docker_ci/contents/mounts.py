"""Host paths that a file mounts in containers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround.lazy import LazyPattern
from wardround_docker_ci.contents.scripts import EmbeddedScript
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.parsed_file import ParsedFile

if TYPE_CHECKING:
    from wardround_docker_ci.models.jenkinsfile import GroovyToken, Jenkinsfile

_BEFORE_COLON = LazyPattern(r"(?:\$\{[^}]*\}|[^:$]|\$)*")
_DEFAULT = LazyPattern(r"\$\{\w+:?-([^}]*)\}$")
_MOUNT_ARGUMENT = LazyPattern(
    r"(?:^|\s)(?:-v|--volume)[ =]?[\"']?(/[^\s:\"']*)(?=:)"
    r"|--mount[ =]\S*?(?:source|src)=([^,\s]+)"
)


class Mount(Struct, frozen=True):
    """A host path that is mounted in a container."""

    source: str
    start: int
    end: int


def mounts_of(file: ParsedFile, scripts: Callable[[], Sequence[EmbeddedScript]]) -> list[Mount]:
    """Return the host paths that are mounted in containers.

    Args:
        scripts: returns the scripts of the file, which only a Jenkinsfile needs.
    """
    if file.kind is FileKind.JENKINSFILE:
        return [*_jenkins_mounts(file.jenkinsfile, scripts())]
    return list(_MOUNTS[file.kind](file)) if file.kind in _MOUNTS else []


def _compose_mounts(file: ParsedFile) -> Iterator[Mount]:
    for service in file.services:
        for entry in service.node.items_at("volumes"):
            yield from _compose_mount(file, entry)


def _compose_mount(file: ParsedFile, entry: Node) -> Iterator[Mount]:
    scalar = entry.scalar("source") if isinstance(entry, Mapping) else entry
    if not isinstance(scalar, Scalar):
        return
    at = file.passage(scalar)
    is_short = isinstance(entry, Scalar)
    source = _BEFORE_COLON.match(at.text)[0] if is_short else at.text  # type: ignore[index]
    if not is_short or len(source) < len(at.text):
        default = _DEFAULT.match(source.strip())
        path = default[1] if default is not None else source.strip()
        yield Mount(path, at.start, at.start + len(source))


def _pod_mounts(file: ParsedFile) -> Iterator[Mount]:
    for pod in file.pods:
        for volume in pod.node.items_at("volumes"):
            scalar = volume.scalar("hostPath", "path") if isinstance(volume, Mapping) else None
            if scalar is not None:
                at = file.passage(scalar)
                yield Mount(scalar.value, at.start, at.end)


def _argument_mounts(text: str, start: int) -> Iterator[Mount]:
    """Yield the mounts in options of ``docker run``."""
    for option in _MOUNT_ARGUMENT.finditer(text):
        group = 1 if option.group(1) else 2
        yield Mount(option.group(group), start + option.start(group), start + option.end(group))


def _jenkins_mounts(jenkinsfile: Jenkinsfile, scripts: Sequence[EmbeddedScript]) -> Iterator[Mount]:
    for token in _docker_agent_arguments(jenkinsfile):
        yield from _argument_mounts(token.text, token.inside)
    for script in scripts:
        yield from _script_mounts(script)
    for token in _docker_method_arguments(jenkinsfile.tokens):
        yield from _argument_mounts(token.text, token.inside)


def _docker_agent_arguments(jenkinsfile: Jenkinsfile) -> Iterator[GroovyToken]:
    for call in jenkinsfile.calls:
        if call.name.text == "args" and call.name.is_in("docker", "dockerfile"):
            yield from call.strings()


def _script_mounts(script: EmbeddedScript) -> Iterator[Mount]:
    for command in script.commands:
        if command.name in ("docker", "podman") and "run" in command.texts[1:2]:
            text = script.passage.part(command.start, command.end).text
            yield from _argument_mounts(text, command.start)


def _docker_method_arguments(tokens: Sequence[GroovyToken]) -> Iterator[GroovyToken]:
    """Yield the string arguments of ``image.inside(...)`` and the like."""
    for at, (dot, name) in enumerate(pairwise(tokens)):
        if dot.text == "." and name.text in ("inside", "run", "withRun"):
            yield from (token for token in tokens[at + 2 : at + 5] if token.kind == "string")


def _workflow_mounts(file: ParsedFile) -> Iterator[Mount]:
    for job in file.workflow.jobs:
        for entry in job.node.mapping("container").items_at("volumes"):
            if isinstance(entry, Scalar) and ":" in entry.value:
                at = file.passage(entry)
                yield Mount(at.text.partition(":")[0], at.start, at.start + at.text.index(":"))


_MOUNTS = {
    FileKind.COMPOSE: _compose_mounts,
    FileKind.KUBERNETES: _pod_mounts,
    FileKind.HELM_TEMPLATE: _pod_mounts,
    FileKind.WORKFLOW: _workflow_mounts,
}
