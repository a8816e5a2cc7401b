from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.findings import Plane, Severity
from wardround.languages.positions import Passage
from wardround.languages.shell import unwrap_command
from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import COMPOSE, HELM, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.capabilities import OPENS, judge_capability
from wardround_docker_ci.libraries.commands import program
from wardround_docker_ci.models.jenkinsfile import GroovyToken
from wardround_docker_ci.models.kubernetes import Pod, contexts

_NEEDS_IT = LazyPattern(r"\bdind\b|docker-in-docker|kindest/node|/cadvisor|binfmt|buildkit", re.IGNORECASE)
_ALL_RIGHTS = "the container has all privileges of the host; add only the capabilities it needs"
_OPTION = LazyPattern(
    r"(?<![\w-])(?:(?P<all>--privileged)(?![\w-]|=false)|--cap-add[= ](?P<power>\w+)"
    r"|--security-opt[= ](?P<opens>\S+))"
)
_TAKES_NO_VALUE = LazyPattern(r"--(?:rm|privileged|init|detach|interactive|tty)$|-[dit]+$")


class PrivilegedContainer(CiCheck):
    """A container has all privileges of the host, or its sandbox is disabled.

    A vulnerability in its program then compromises the machine: it can load kernel modules and mount every
    disk. Add only the capability or device that it needs (`cap_add`, `devices`).
    """

    ID = "DC070"
    NAME = "privileged-container"
    PLANE = Plane.SECURITY
    KINDS = (
        COMPOSE
        | KUBERNETES
        | {FileKind.SHELL, FileKind.WORKFLOW, FileKind.JENKINSFILE, FileKind.GITLAB_CI}
        | HELM
        | TEMPLATE
    )
    NEEDS = (
        "privileged", "SYS_", "ALL", "NET_ADMIN", "BPF", "DAC_READ", "unconfined", "Unconfined", "Unmasked",
        "disable", "new-privileges",
    )  # fmt: skip
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                image: a:1
                privileged: false
                cap_add: [NET_BIND_SERVICE]
        """),
        code("""
            services:
              a:
                image: linuxserver/wireguard:1
                cap_add: [NET_ADMIN]
                security_opt:
                  - no-new-privileges:true
        """),
    ]
    INVALID = [
        code("""
            services:
              a:
                image: a:1
                cap_add: [«NET_ADMIN»]
        """),
        code("""
            services:
              a:
                image: a:1
                security_opt:
                  - «no-new-privileges=false»
        """),
    ]

    def run(self) -> None:
        if self.file.kind is FileKind.COMPOSE:
            for service in self.file.services:
                self._check_service(service.node)
        elif self.file.kind is FileKind.HELM_VALUES:
            for context in contexts(self.file.root):
                self._check_context(context, "the container", "")
        elif self.file.kind in KUBERNETES | TEMPLATE:
            for pod in self.file.pods:
                self._check_pod(pod)
        else:
            self._check_scripts()
            for options in self._option_texts():
                self._check_options(options)

    def _option_texts(self) -> Iterator[Passage]:
        """Yield the strings with ``docker run`` options outside of scripts."""
        if self.file.kind is FileKind.JENKINSFILE:
            yield from (token.passage() for token in self._arguments())
        elif self.file.kind is FileKind.WORKFLOW:
            for job in self.file.workflow.jobs:
                options = job.node.scalar("container", "options")
                if options is not None:
                    yield self.file.passage(options)

    def _arguments(self) -> Iterator[GroovyToken]:
        """Yield the arguments that a Jenkins pipeline passes to ``docker run``."""
        for call in self.file.jenkinsfile.calls:
            if call.name.text == "args" and call.name.is_in("docker", "dockerfile"):
                yield from call.strings()
        tokens = self.file.jenkinsfile.tokens
        for name, bracket, argument in zip(tokens, tokens[1:], tokens[2:], strict=False):
            if (
                name.text in ("inside", "withRun", "run")
                and bracket.text == "("
                and argument.kind == "string"
            ):
                yield argument

    def _check_options(self, options: Passage) -> None:
        """Check the ``docker run`` options in one string."""
        for found in _OPTION.finditer(options.text):
            start, end = options.start + found.start(), options.start + found.end()
            if found["all"]:
                self.report_at(start, end, _ALL_RIGHTS)
            elif found["power"]:
                self._check_capability(found["power"], "", options.start + found.start("power"), end)
            else:
                self._check_security_option(found["opens"], options.start + found.start("opens"), end)

    def _check_service(self, node: Mapping) -> None:
        image = node.text("image")
        if _NEEDS_IT.search(image):
            return
        self._check_privileged(node, image or "the container")
        self._check_capabilities(node.items_at("cap_add"), image)
        for option in node.items_at("security_opt"):
            if isinstance(option, Scalar):
                text = self.file.passage(option)
                self._check_security_option(option.value, text.start, text.end)

    def _check_security_option(self, option: str, start: int, end: int) -> None:
        if OPENS.fullmatch(option):
            is_setuid = "privileges" in option
            message = "setuid programs can become root" if is_setuid else "the container is less isolated"
            # Without SELinux labels a container is still limited to the permissions of its user.
            severity = Severity.INFO if "label" in option else None
            self.report_at(start, end, f"{message} with {option}; remove it", severity=severity)

    def _check_pod(self, pod: Pod) -> None:
        # The pods of a DaemonSet are there to work on the node.
        severity = Severity.INFO if pod.kind == "DaemonSet" else None
        self._check_context(pod.node.mapping("securityContext"), "the pod", "", severity)
        for container in pod.containers:
            image = container.node.text("image")
            if not container.is_init and not _NEEDS_IT.search(image):
                message = container.name if container.name and "$" not in container.name else "the container"
                self._check_context(container.node.mapping("securityContext"), message, image, severity)

    def _check_context(
        self, context: Mapping, name: str, image: str, severity: Severity | None = None
    ) -> None:
        self._check_privileged(context, name, severity)
        self._check_capabilities(context.items_at("capabilities", "add"), image, severity)
        for path, bad in ((("seccompProfile", "type"), "Unconfined"), (("procMount",), "Unmasked")):
            value = context.scalar(*path)
            if value is not None and value.value == bad:
                text = self.file.passage(value)
                self.report_at(
                    text.start,
                    text.end,
                    f"{bad} disables a sandbox of the container; use the default profile",
                )

    def _check_privileged(self, node: Mapping, name: str, severity: Severity | None = None) -> None:
        key, value = node.key("privileged"), node.scalar("privileged")
        if key is not None and value is not None and value.value == "true":
            self.report_at(
                key.start,
                value.end,
                f"{name} has all privileges of the host; add only the capabilities it needs",
                severity=severity,
            )

    def _check_capabilities(
        self, nodes: Sequence[Node], image: str, severity: Severity | None = None
    ) -> None:
        for node in nodes:
            if isinstance(node, Scalar):
                text = self.file.passage(node)
                self._check_capability(node.value, image, text.start, text.end, severity)

    def _check_capability(
        self, name: str, image: str, start: int, end: int, severity: Severity | None = None
    ) -> None:
        found = judge_capability(name, image)
        if found is not None:
            self.report_at(start, end, found[1], severity=severity or found[0])

    def _check_scripts(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                words = unwrap_command(command)
                if program(command) not in ("docker", "podman", "nerdctl") or _NEEDS_IT.search(
                    " ".join(command.texts)
                ):
                    continue
                if not {"run", "create"}.intersection(word.text for word in words[1:3]):
                    continue
                image = _image_at([word.text for word in words])
                for word in words[:image]:
                    if word.text in ("--privileged", "--privileged=true"):
                        self.report_at(word.start, word.end, _ALL_RIGHTS, severity=Severity.INFO)


def _image_at(texts: Sequence[str]) -> int:
    """Return the approximate index of the image in ``docker run``; the container's own command follows it."""
    for at in range(2, len(texts)):
        behind_value = texts[at - 1].startswith("-") and "=" not in texts[at - 1]
        if not texts[at].startswith("-") and not behind_value:
            return at
        if not texts[at].startswith("-") and _TAKES_NO_VALUE.match(texts[at - 1]):
            return at
    return len(texts)
