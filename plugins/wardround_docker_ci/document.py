"""One file under review as every kind of file shows itself: scripts, images, variables, mounts.

Everything is read when it is first asked for, once for all checks, by a parser that is imported then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from wardround.checks.lazy import LazyPattern
from wardround.languages.positions import Passage, Places
from wardround.languages.yaml.tree import Mapping, Node, Scalar, documents, passage
from wardround_docker_ci.file_kinds import FileKind

if TYPE_CHECKING:
    from wardround.languages.dockerfile import Dockerfile
    from wardround.languages.dockerfile import DockerfileToken as Value
    from wardround.languages.shell import Command
    from wardround_docker_ci.models import compose, gitlab, kubernetes
    from wardround_docker_ci.models.github_workflow import Workflow, WorkflowJob
    from wardround_docker_ci.models.jenkinsfile import GroovyToken, Jenkinsfile

_POWERSHELL = ("pwsh", "powershell", "cmd", "python", "node", "perl")
_COMMENT_LINES = 4
_MAY_FAIL = LazyPattern(
    r"#.*\b(?:ignor\w+|continue|allow\w*|advisory|non-?blocking|best.effort|optional|informational|fail\w*)\b",
    re.IGNORECASE,
)


class EmbeddedScript:
    """Shell text somewhere in a file.

    Attributes:
        owner: what runs it: an instruction, a step, a job's mapping, a call; None for a script of its own.
    """

    def __init__(self, text: Passage, owner: Any = None, job: WorkflowJob | None = None) -> None:
        self.passage = text
        self.owner = owner
        self.job = job

    @cached_property
    def commands(self) -> list[Command]:
        from wardround.languages.shell import commands

        return commands(self.passage)


class Image(Struct, frozen=True):
    """An image a container is made from; ``built`` if the file also says how to build it.

    ``chosen`` where the reference is only what an argument is by default.
    """

    reference: str
    start: int
    end: int
    built: bool = False
    chosen: bool = False


class EnvironmentVariable(Struct, frozen=True):
    """An environment variable or the like that a file gives a value, and where the value stands."""

    name: str
    value: str
    start: int
    end: int


class Mount(Struct, frozen=True):
    """A path of the host that a container gets."""

    source: str
    start: int
    end: int


class CiFile:
    """A file and what can be seen in it."""

    def __init__(self, kind: FileKind, path: str, text: str) -> None:
        self.kind = kind
        self.path = path
        self.text = text
        self.places = Places(path, text)

    @cached_property
    def documents(self) -> list[Node]:
        if self.kind is not FileKind.HELM_TEMPLATE:
            return documents(self.text)
        try:
            return documents(_without_gaps(self.text))
        except SyntaxError:
            return []  # only what the template becomes is YAML

    @cached_property
    def root(self) -> Mapping:
        """The first YAML document that is a mapping."""
        return next((one for one in self.documents if isinstance(one, Mapping)), Mapping(0))

    @cached_property
    def dockerfile(self) -> Dockerfile:
        from wardround.languages import dockerfile

        return dockerfile.read(self.text)

    @cached_property
    def workflow(self) -> Workflow:
        from wardround_docker_ci.models.github_workflow import Workflow

        return Workflow(self.root)

    @cached_property
    def jenkinsfile(self) -> Jenkinsfile:
        from wardround_docker_ci.models.jenkinsfile import Jenkinsfile

        return Jenkinsfile(self.text)

    @cached_property
    def services(self) -> list[compose.Service]:
        from wardround_docker_ci.models import compose

        return compose.services(self.root)

    @cached_property
    def gitlab_jobs(self) -> list[gitlab.GitlabJob]:
        from wardround_docker_ci.models import gitlab

        return gitlab.jobs(self.root)

    @cached_property
    def pods(self) -> list[kubernetes.Pod]:
        from wardround_docker_ci.models import kubernetes

        return kubernetes.pods(self.documents)

    def is_explained(self, offset: int) -> bool:
        """Whether a comment on the line or just above it says that a failure there is all right."""
        line = self.places.line(offset)
        first = self.places.line_start(max(1, line - _COMMENT_LINES))
        end = self.text.find("\n", offset)
        return _MAY_FAIL.search(self.text[first : end if end >= 0 else len(self.text)]) is not None

    def passage(self, scalar: Scalar) -> Passage:
        """What a YAML scalar says, at its place."""
        return passage(self.text, scalar)

    @cached_property
    def scripts(self) -> list[EmbeddedScript]:
        """Every piece of shell in the file, in source order."""
        return list(_SCRIPTS[self.kind](self)) if self.kind in _SCRIPTS else []

    @cached_property
    def images(self) -> list[Image]:
        """The images containers are made from."""
        return list(_IMAGES[self.kind](self)) if self.kind in _IMAGES else []

    @cached_property
    def variables(self) -> list[EnvironmentVariable]:
        """The environment variables given a value in the file."""
        return list(_VARIABLES[self.kind](self)) if self.kind in _VARIABLES else []

    @cached_property
    def mounts(self) -> list[Mount]:
        """The paths of the host that containers get."""
        return list(_MOUNTS[self.kind](self)) if self.kind in _MOUNTS else []


_ACTION = LazyPattern(r"\{\{.*?\}\}", re.DOTALL)
_ONLY_ACTIONS = LazyPattern(r"^[ \t]*(?:\{\{(?:(?!\}\}).)*\}\}[ \t]*)+$", re.MULTILINE | re.DOTALL)


_OPENS = LazyPattern(r"\{\{-?\s*(?:/\*|(if|with|range|define|block|end|else)\b)")
_WHOLE = LazyPattern(r"^\s*(?:kind|spec|containers|template):", re.MULTILINE)


def _without_gaps(text: str) -> str:
    """A template of Helm as YAML of the same length: lines of actions are blank, values are ``$$$``.

    What only stands there on a condition is blank too: the values decide about it.
    """
    pieces, at = [], 0
    for start, end in sorted(_on_condition(text)):
        if start >= at:  # else it stands in one that is blank already
            pieces += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
            at = end
    text = "".join((*pieces, text[at:]))
    plain = _ONLY_ACTIONS.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    return _ACTION.sub(lambda found: re.sub(r"[^\n]", "$", found.group()), plain)


def _on_condition(text: str) -> Iterator[tuple[int, int]]:
    """Where the bodies of ``if`` and ``with`` are, but for those around a whole object."""
    opened: list[tuple[str, int]] = []
    for found in _OPENS.finditer(text):
        word = found.group(1)
        if word in ("if", "with", "range", "define", "block"):
            opened.append((word, found.start()))
        elif word == "end" and opened:
            word, start = opened.pop()
            if word in ("if", "with") and not _WHOLE.search(text, start, found.start()):
                yield text.find("}}", start) + 2, found.start()


def _shell_scripts(file: CiFile) -> Iterator[EmbeddedScript]:
    yield EmbeddedScript(Passage(file.text, 0))


def _dockerfile_scripts(file: CiFile) -> Iterator[EmbeddedScript]:
    shells = {id(one): stage for stage in file.dockerfile.stages for one in stage.all("SHELL")}
    is_windows = any(re.search(r"powershell|pwsh|cmd", one.text, re.IGNORECASE)
                     for one in file.dockerfile.instructions if id(one) in shells)  # fmt: skip
    if is_windows:
        return
    for one in file.dockerfile.instructions:
        if one.keyword == "RUN" and one.exec_form is None:
            if one.heredocs and one.text.startswith("<<"):
                yield from (EmbeddedScript(document, one) for document in one.heredocs)
            else:
                yield EmbeddedScript(one.body, one)


def _workflow_scripts(file: CiFile) -> Iterator[EmbeddedScript]:
    for job, step in file.workflow.all_steps:
        shell = file.workflow.shell(job, step)
        program = shell.split()[0] if shell.split() else ""
        on_windows = "windows" in job.node.text("runs-on") and not shell
        if step.run is not None and program not in _POWERSHELL and not on_windows:
            yield EmbeddedScript(file.passage(step.run), step, job)


def _gitlab_scripts(file: CiFile) -> Iterator[EmbeddedScript]:
    for job in file.gitlab_jobs:
        for line in job.script_lines:
            yield EmbeddedScript(file.passage(line), job)


def _jenkins_scripts(file: CiFile) -> Iterator[EmbeddedScript]:
    for call in file.jenkinsfile.shell_steps:
        if call.name.text == "sh":
            for token in call.script:
                yield EmbeddedScript(token.passage(), call)


_ONE_STRING = LazyPattern(r"\s*(?:\S*/)?(?:ba|da)?sh\s+-\w*c\s+(['\"])(.*)\1\s*$", re.DOTALL)


def _compose_scripts(file: CiFile) -> Iterator[EmbeddedScript]:
    for service in file.services:
        for text in service.shell_texts:
            yield EmbeddedScript(file.passage(text), service)
        for scalar in (service.node.scalar("command"), service.node.scalar("entrypoint")):
            told = file.passage(scalar) if scalar is not None else None
            found = _ONE_STRING.match(told.text) if told is not None else None
            if told is not None and found is not None:
                yield EmbeddedScript(
                    told.part(told.start + found.start(2), told.start + found.end(2)), service
                )


def _pod_scripts(file: CiFile) -> Iterator[EmbeddedScript]:
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


def _dockerfile_images(file: CiFile) -> Iterator[Image]:
    for stage in file.dockerfile.stages:
        if stage.parent is None and stage.base.text:
            text = file.dockerfile.expanded(stage.base.text)
            if text:
                said = _default_of(file, stage.base.text) or stage.base
                yield Image(text, said.start, said.end, chosen="$" in stage.base.text)
    yield from _copied_images(file)
    yield from _mounted_images(file)


_MOUNTED = LazyPattern(r"(?:^|,)from=([^,\s]*[/:][^,\s]*)")


def _mounted_images(file: CiFile) -> Iterator[Image]:
    """Images that a RUN mounts files from; a plain name may be a stage or a build context."""
    for one in file.dockerfile.instructions:
        for name, value in one.flags if one.keyword == "RUN" else ():
            found = _MOUNTED.search(value.text) if name == "mount" else None
            if found is not None and "$" not in found.group(1):
                yield Image(found.group(1), value.start + found.start(1), value.start + found.end(1))


def _copied_images(file: CiFile) -> Iterator[Image]:
    """Images that files are copied from; a plain name may be a stage or a build context."""
    for stage in file.dockerfile.stages:
        for one in stage.all("COPY", "ADD"):
            flag = one.flag("from")
            is_image = flag is not None and re.search(r"[/:]", flag.text) and "$" not in flag.text
            if flag is not None and is_image and file.dockerfile.stage_named(flag.text, stage.index) is None:
                yield Image(flag.text, flag.start, flag.end)


_ARGUMENT = LazyPattern(r"\$(?:(\w+)|\{(\w+)\})$")


def _default_of(file: CiFile, base: str) -> Value | None:
    """The default of the argument that a FROM ends in, which is where its version is written."""
    found = _ARGUMENT.search(base)
    return file.dockerfile.global_arguments.get(found.group(1) or found.group(2)) if found else None


def _scalar_image(file: CiFile, scalar: Scalar | None, *, built: bool = False) -> Iterator[Image]:
    if scalar is not None and scalar.value:
        at = file.passage(scalar)
        yield Image(scalar.value, at.start, at.end, built)


def _workflow_images(file: CiFile) -> Iterator[Image]:
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


def _gitlab_images(file: CiFile) -> Iterator[Image]:
    from wardround_docker_ci.models import gitlab

    for scalar in gitlab.images(file.root, file.gitlab_jobs):
        yield from _scalar_image(file, scalar)


def _compose_images(file: CiFile) -> Iterator[Image]:
    for service in file.services:
        built = service.node.get("build") is not None
        yield from _scalar_image(file, service.node.scalar("image"), built=built)


def _pod_images(file: CiFile) -> Iterator[Image]:
    for pod in file.pods:
        for container in pod.containers:
            yield from _scalar_image(file, container.node.scalar("image"))


def _jenkins_images(file: CiFile) -> Iterator[Image]:
    for call in file.jenkinsfile.calls:
        if call.name.text == "image" and call.name.is_in("docker") and call.arguments:
            token = call.arguments[0]
            if token.kind == "string" and not token.interpolations:
                yield _image_of(token)
    tokens = file.jenkinsfile.tokens
    for at in range(len(tokens) - 4):
        if [t.text for t in tokens[at : at + 4]] == ["docker", ".", "image", "("]:
            token = tokens[at + 4]
            if token.kind == "string" and not token.interpolations:
                yield _image_of(token)


def _image_of(token: GroovyToken) -> Image:
    return Image(token.text, token.inside, token.inside + len(token.text))


def _action_images(file: CiFile) -> Iterator[Image]:
    """The image of a container action, and those that steps take in place of an action."""
    yield from _docker_uses(file, file.root.scalar("runs", "image"))
    for _, step in file.workflow.all_steps:
        yield from _docker_uses(file, step.uses)


def _docker_uses(file: CiFile, scalar: Scalar | None) -> Iterator[Image]:
    if scalar is not None and scalar.value.startswith("docker://"):
        yield from _scalar_image(file, scalar)


def _values_images(file: CiFile) -> Iterator[Image]:
    """The images that the values of a chart put together; one without a tag has that of the chart."""
    from wardround.languages.yaml.tree import walk

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


def _scalar_variable(file: CiFile, name: str, value: Node) -> Iterator[EnvironmentVariable]:
    if isinstance(value, Scalar):
        at = file.passage(value)
        yield EnvironmentVariable(name, value.value, at.start, at.end)


def _mapping_variables(file: CiFile, node: Mapping) -> Iterator[EnvironmentVariable]:
    for key, value in node.entries:
        yield from _scalar_variable(file, key.value, value)


def _workflow_variables(file: CiFile) -> Iterator[EnvironmentVariable]:
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


def _gitlab_variables(file: CiFile) -> Iterator[EnvironmentVariable]:
    for node in [file.root, *(job.node for job in file.gitlab_jobs)]:
        for key, value in node.mapping("variables").entries:
            inner = value.get("value") if isinstance(value, Mapping) else value
            if inner is not None:
                yield from _scalar_variable(file, key.value, inner)


def _compose_variables(file: CiFile) -> Iterator[EnvironmentVariable]:
    for service in file.services:
        for name, value, start, end in service.environment(file.text):
            yield EnvironmentVariable(name, value, start, end)


def _pod_variables(file: CiFile) -> Iterator[EnvironmentVariable]:
    for pod in file.pods:
        for container in pod.containers:
            for entry in container.node.listed("env"):
                if isinstance(entry, Mapping) and (value := entry.get("value")) is not None:
                    yield from _scalar_variable(file, entry.text("name"), value)


def _jenkins_variables(file: CiFile) -> Iterator[EnvironmentVariable]:
    tokens = file.jenkinsfile.tokens
    for name, sign, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_set = name.kind == "word" and sign.text == "=" and value.kind == "string"
        if is_set and name.is_in("environment") and not value.interpolations:
            yield EnvironmentVariable(name.text, value.text, value.inside, value.inside + len(value.text))
    for call in file.jenkinsfile.calls:
        told = call.named("name"), call.named("defaultValue")
        if call.name.text in ("password", "string") and told[0] is not None and told[1] is not None:
            label = "password" if call.name.text == "password" else told[0].text
            if told[1].kind == "string":
                yield EnvironmentVariable(
                    label, told[1].text, told[1].inside, told[1].inside + len(told[1].text)
                )


def _dockerfile_variables(file: CiFile) -> Iterator[EnvironmentVariable]:
    for one in file.dockerfile.instructions:
        if one.keyword in ("ENV", "ARG"):
            for pair in one.pairs:
                if pair.value is not None:
                    yield EnvironmentVariable(
                        pair.name.text, pair.value.text, pair.value.start, pair.value.end
                    )


_VARIABLES = {
    FileKind.DOCKERFILE: _dockerfile_variables,
    FileKind.WORKFLOW: _workflow_variables,
    FileKind.GITLAB_CI: _gitlab_variables,
    FileKind.COMPOSE: _compose_variables,
    FileKind.KUBERNETES: _pod_variables,
    FileKind.JENKINSFILE: _jenkins_variables,
}


_BEFORE_COLON = LazyPattern(r"(?:\$\{[^}]*\}|[^:$]|\$)*")
_DEFAULT = LazyPattern(r"\$\{\w+:?-([^}]*)\}$")


def _compose_mounts(file: CiFile) -> Iterator[Mount]:
    for service in file.services:
        for entry in service.node.listed("volumes"):
            scalar = entry.scalar("source") if isinstance(entry, Mapping) else entry
            if isinstance(scalar, Scalar):
                at = file.passage(scalar)
                is_short = isinstance(entry, Scalar)
                source = _BEFORE_COLON.match(at.text)[0] if is_short else at.text  # type: ignore[index]
                if not is_short or len(source) < len(at.text):
                    default = _DEFAULT.match(source.strip())
                    path = default[1] if default is not None else source.strip()
                    yield Mount(path, at.start, at.start + len(source))


def _pod_mounts(file: CiFile) -> Iterator[Mount]:
    for pod in file.pods:
        for volume in pod.node.listed("volumes"):
            scalar = volume.scalar("hostPath", "path") if isinstance(volume, Mapping) else None
            if scalar is not None:
                at = file.passage(scalar)
                yield Mount(scalar.value, at.start, at.end)


_MOUNT_ARGUMENT = LazyPattern(
    r"(?:^|\s)(?:-v|--volume)[ =]?[\"']?(/[^\s:\"']*)(?=:)"
    r"|--mount[ =]\S*?(?:source|src)=([^,\s]+)"
)


def _argument_mounts(text: str, start: int) -> Iterator[Mount]:
    """The mounts of options for ``docker run``."""
    for found in _MOUNT_ARGUMENT.finditer(text):
        group = 1 if found.group(1) else 2
        yield Mount(found.group(group), start + found.start(group), start + found.end(group))


def _jenkins_mounts(file: CiFile) -> Iterator[Mount]:
    for call in file.jenkinsfile.calls:
        is_agent = call.name.text == "args" and call.name.is_in("docker", "dockerfile")
        if is_agent:
            for token in call.strings():
                yield from _argument_mounts(token.text, token.inside)
    for script in file.scripts:
        for command in script.commands:
            if command.name in ("docker", "podman") and "run" in command.texts[1:2]:
                yield from _argument_mounts(
                    script.passage.part(command.start, command.end).text, command.start
                )
    tokens = file.jenkinsfile.tokens
    for at, (dot, name) in enumerate(pairwise(tokens)):
        if dot.text == "." and name.text in ("inside", "run", "withRun"):
            for token in tokens[at + 2 : at + 5]:
                if token.kind == "string":
                    yield from _argument_mounts(token.text, token.inside)


def _workflow_mounts(file: CiFile) -> Iterator[Mount]:
    for job in file.workflow.jobs:
        for entry in job.node.mapping("container").listed("volumes"):
            if isinstance(entry, Scalar) and ":" in entry.value:
                at = file.passage(entry)
                yield Mount(at.text.partition(":")[0], at.start, at.start + at.text.index(":"))


_MOUNTS = {
    FileKind.COMPOSE: _compose_mounts,
    FileKind.KUBERNETES: _pod_mounts,
    FileKind.HELM_TEMPLATE: _pod_mounts,
    FileKind.JENKINSFILE: _jenkins_mounts,
    FileKind.WORKFLOW: _workflow_mounts,
}
