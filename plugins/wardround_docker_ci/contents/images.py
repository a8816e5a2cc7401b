"""Images that the containers of a file use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.languages.yaml.tree import walk
from wardround.lazy import LazyPattern
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.parsed_file import ParsedFile

if TYPE_CHECKING:
    from wardround.languages.dockerfile import DockerfileToken
    from wardround_docker_ci.models.jenkinsfile import GroovyToken

_MOUNTED = LazyPattern(r"(?:^|,)from=([^,\s]*[/:][^,\s]*)")
_ARGUMENT = LazyPattern(r"\$(?:(\w+)|\{(\w+)\})$")


class Image(Struct, frozen=True):
    """An image that a container uses; ``built`` if the file also builds it.

    ``chosen`` if the reference is only the default of an argument.
    """

    reference: str
    start: int
    end: int
    built: bool = False
    chosen: bool = False


def images_of(file: ParsedFile) -> list[Image]:
    """Return the images that containers use."""
    return list(_IMAGES[file.kind](file)) if file.kind in _IMAGES else []


def _dockerfile_images(file: ParsedFile) -> Iterator[Image]:
    if frontend := file.dockerfile.frontend:  # BuildKit runs it, and it decides what the build does
        yield Image(frontend.text, frontend.start, frontend.end)
    for stage in file.dockerfile.stages:
        text = file.dockerfile.expand(stage.base.text) if stage.parent is None else None
        if text:
            position = _default_of(file, stage.base.text) or stage.base
            yield Image(text, position.start, position.end, chosen="$" in stage.base.text)
    yield from _copied_images(file)
    yield from _mounted_images(file)


def _mounted_images(file: ParsedFile) -> Iterator[Image]:
    """Yield the images that a RUN mounts files from; a plain name may be a stage or a build context."""
    for instruction in file.dockerfile.instructions:
        for name, value in instruction.flags if instruction.keyword == "RUN" else ():
            found = _MOUNTED.search(value.text) if name == "mount" else None
            if found is not None and "$" not in found.group(1):
                yield Image(found.group(1), value.start + found.start(1), value.start + found.end(1))


def _copied_images(file: ParsedFile) -> Iterator[Image]:
    """Yield the images that files are copied from; a plain name may be a stage or a build context."""
    for stage in file.dockerfile.stages:
        for instruction in stage.all("COPY", "ADD"):
            flag = instruction.flag("from")
            is_image = flag is not None and re.search(r"[/:]", flag.text) and "$" not in flag.text
            if flag is not None and is_image and file.dockerfile.stage_named(flag.text, stage.index) is None:
                yield Image(flag.text, flag.start, flag.end)


def _default_of(file: ParsedFile, base: str) -> DockerfileToken | None:
    """Return the default of the argument at the end of a FROM, which contains the version."""
    found = _ARGUMENT.search(base)
    return file.dockerfile.global_arguments.get(found.group(1) or found.group(2)) if found else None


def _scalar_image(file: ParsedFile, scalar: Scalar | None, *, built: bool = False) -> Iterator[Image]:
    if scalar is not None and scalar.value:
        at = file.passage(scalar)
        yield Image(scalar.value, at.start, at.end, built)


def _workflow_images(file: ParsedFile) -> Iterator[Image]:
    yield from _action_images(file)
    for job in file.workflow.jobs:
        container = job.node.get("container")
        if isinstance(container, Scalar):
            yield from _scalar_image(file, container)
        elif isinstance(container, Mapping):
            yield from _scalar_image(file, container.scalar("image"))
        for _, service in job.node.mapping("services").entries:
            if isinstance(service, Mapping):
                yield from _scalar_image(file, service.scalar("image"))


def _gitlab_images(file: ParsedFile) -> Iterator[Image]:
    from wardround_docker_ci.models import gitlab

    for scalar in gitlab.images(file.root, file.gitlab_jobs):
        yield from _scalar_image(file, scalar)


def _compose_images(file: ParsedFile) -> Iterator[Image]:
    for service in file.services:
        built = service.node.get("build") is not None
        yield from _scalar_image(file, service.node.scalar("image"), built=built)


def _pod_images(file: ParsedFile) -> Iterator[Image]:
    for pod in file.pods:
        for container in pod.containers:
            yield from _scalar_image(file, container.node.scalar("image"))


def _jenkins_images(file: ParsedFile) -> Iterator[Image]:
    arguments = (
        call.arguments[0]
        for call in file.jenkinsfile.calls
        if call.name.text == "image" and call.name.is_in("docker") and call.arguments
    )
    for token in (*arguments, *_docker_image_calls(file.jenkinsfile.tokens)):
        if token.kind == "string" and not token.interpolations:
            yield _image_of(token)


def _docker_image_calls(tokens: Sequence[GroovyToken]) -> Iterator[GroovyToken]:
    """Yield the first token of the argument of each ``docker.image(...)``."""
    for at in range(len(tokens) - 4):
        if [token.text for token in tokens[at : at + 4]] == ["docker", ".", "image", "("]:
            yield tokens[at + 4]


def _image_of(token: GroovyToken) -> Image:
    return Image(token.text, token.inside, token.inside + len(token.text))


def _action_images(file: ParsedFile) -> Iterator[Image]:
    """Yield the image of a container action, and those that steps use instead of an action."""
    yield from _docker_uses(file, file.root.scalar("runs", "image"))
    for _, step in file.workflow.all_steps:
        yield from _docker_uses(file, step.uses)


def _docker_uses(file: ParsedFile, scalar: Scalar | None) -> Iterator[Image]:
    if scalar is not None and scalar.value.startswith("docker://"):
        yield from _scalar_image(file, scalar)


def _values_images(file: ParsedFile) -> Iterator[Image]:
    """Yield the images in the values of a chart; one without a tag has the version of the chart."""
    for node in walk(file.root):
        if isinstance(node, Mapping) and (name := node.text("repository")):
            tag = node.scalar("tag")
            if tag is not None and tag.value and not node.text("digest"):
                at = file.passage(tag)
                yield Image(f"{name}:{tag.value}", at.start, at.end)


_IMAGES = {
    FileKind.DOCKERFILE: _dockerfile_images,
    FileKind.WORKFLOW: _workflow_images,
    FileKind.GITLAB_CI: _gitlab_images,
    FileKind.COMPOSE: _compose_images,
    FileKind.KUBERNETES: _pod_images,
    FileKind.JENKINSFILE: _jenkins_images,
    FileKind.ACTION: _action_images,
    FileKind.HELM_VALUES: _values_images,
    FileKind.HELM_TEMPLATE: _pod_images,
}
