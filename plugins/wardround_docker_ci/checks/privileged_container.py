"""DC070."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import COMPOSE, HELM, KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.jenkinsfile import Token
from wardround_docker_ci.kinds import Kind
from wardround_docker_ci.manifests import Pod, contexts
from wardround_docker_ci.programs import program
from wardround_docker_ci.shell import unwrapped
from wardround_docker_ci.yaml_tree import Mapping, Node, Scalar

_NEEDS_IT = LatePattern(r"\bdind\b|docker-in-docker|kindest/node|/cadvisor|binfmt|buildkit", re.IGNORECASE)
_ALL_POWER = frozenset({"ALL", "SYS_ADMIN", "CAP_SYS_ADMIN", "CAP_ALL"})
_UNCONFINED = LatePattern(r"(?:seccomp|apparmor)[:=]\s*unconfined")
_TAKES_NO_VALUE = LatePattern(r"--(?:rm|privileged|init|detach|interactive|tty)$|-[dit]+$")


class PrivilegedContainer(CiCheck):
    """A container gets all rights of the host.

    A hole in its program is then a hole in the machine: it can load kernel modules and mount every disk.
    Give it the one capability or device it needs (`cap_add`, `devices`).
    """

    ID = "DC070"
    NAME = "privileged-container"
    PLANE = Plane.SECURITY
    TRIED_ON = (
        "trees of 27 repositories: 9 hits; 640 commits of 16 that touch such files: 0; node agents "
        "and init containers narrowed; arguments of Jenkins and charts, in 85: 4 more, all true"
    )
    KINDS = (
        COMPOSE | KUBERNETES | {Kind.SHELL, Kind.WORKFLOW, Kind.JENKINSFILE, Kind.GITLAB_CI} | HELM | TEMPLATE
    )
    NEEDS = (
        "privileged",
        "SYS_ADMIN",
        "ALL",
        "allowPrivilegeEscalation",
        "unconfined",
        "Unconfined",
        "Unmasked",
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "services:\n  a:\n    image: a:1\n    privileged: false\n    cap_add: [NET_ADMIN]\n",
            path="compose.yml",
        ),
        Valid("services:\n  a:\n    image: docker:27-dind\n    privileged: true\n", path="compose.yml"),
        Valid("docker run --rm a:1 --privileged\n", path="a.sh"),
        Valid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: a:1\n"
            "    securityContext:\n"
            "      capabilities:\n        drop: [ALL]\n",
            path="pod.yaml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "securityContext:\n  privileged: true\n",
            line=2,
            column=3,
            path="charts/a/values.yaml",
        ),
        Invalid(
            "node {\n  docker.image('a:1').inside('-u root --privileged') {\n    sh 'make'\n  }\n}\n",
            line=2,
            column=39,
            path="Jenkinsfile",
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    securityContext:\n"
            "      seccompProfile: {type: Unconfined}\n",
            line=7,
            column=30,
            path="pod.yaml",
        ),
        Invalid(
            "services:\n  a:\n    image: b:1\n    security_opt:\n      - seccomp:unconfined\n",
            line=5,
            column=9,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    privileged: true\n", line=4, column=5, path="compose.yml"
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    cap_add:\n      - NET_RAW\n      - SYS_ADMIN\n",
            line=6,
            column=9,
            path="compose.yml",
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
            "      - name: a\n        image: a:1\n        securityContext:\n          privileged: true\n",
            line=10,
            column=11,
            path="deploy.yaml",
        ),
        Invalid("docker run --rm --privileged a:1\n", line=1, column=17, path="a.sh"),
    ]

    def run(self) -> None:
        if self.file.kind is Kind.COMPOSE:
            for service in self.file.services:
                self._compose(service.node)
        elif self.file.kind is Kind.HELM_VALUES:
            for context in contexts(self.file.root):
                self._context(context, "the container", None)
        elif self.file.kind in KUBERNETES | TEMPLATE:
            for pod in self.file.pods:
                for container in pod.containers:
                    if not container.is_init:
                        self._manifest(container.node, _node_agent(pod))
        else:
            self._scripts()
            self._arguments()

    def _arguments(self) -> None:
        """What a pipeline of Jenkins gives ``docker run`` on its way."""
        for call in self.file.jenkinsfile.calls if self.file.kind is Kind.JENKINSFILE else ():
            if call.name.text == "args" and call.name.is_in("docker", "dockerfile"):
                for token in call.strings():
                    self._argument(token)
        tokens = self.file.jenkinsfile.tokens if self.file.kind is Kind.JENKINSFILE else []
        for name, bracket, given in zip(tokens, tokens[1:], tokens[2:], strict=False):
            if name.text in ("inside", "withRun", "run") and bracket.text == "(" and given.kind == "string":
                self._argument(given)

    def _argument(self, token: Token) -> None:
        at = token.text.find("--privileged")
        if at >= 0:
            start = token.inside + at
            self.report_at(start, start + len("--privileged"), "the container gets all rights of the host")

    def _compose(self, node: Mapping) -> None:
        if _NEEDS_IT.search(node.text("image")):
            return
        self._flag(node, node.text("image") or "the container")
        self._powers(node.listed("cap_add"))
        for option in node.listed("security_opt"):
            if isinstance(option, Scalar) and _UNCONFINED.fullmatch(option.value):
                text = self.file.passage(option)
                self.report_at(
                    text.start, text.end, f"{option.value} lets the container make any system call"
                )

    def _manifest(self, node: Mapping, severity: Severity | None) -> None:
        if not _NEEDS_IT.search(node.text("image")):
            name = node.text("name")
            said = name if name and "$" not in name else "the container"
            self._context(node.mapping("securityContext"), said, severity)

    def _context(self, context: Mapping, name: str, severity: Severity | None) -> None:
        self._flag(context, name, severity)
        self._powers(context.listed("capabilities", "add"))
        for path, bad in ((("seccompProfile", "type"), "Unconfined"), (("procMount",), "Unmasked")):
            value = context.scalar(*path)
            if value is not None and value.value == bad:
                text = self.file.passage(value)
                self.report_at(text.start, text.end, f"{bad} takes a wall down that keeps the container in")

    def _flag(self, node: Mapping, name: str, severity: Severity | None = None) -> None:
        key, value = node.key("privileged"), node.scalar("privileged")
        if key is not None and value is not None and value.value == "true":
            self.report_at(key.start, value.end, f"{name} gets all rights of the host", severity=severity)

    def _powers(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Scalar) and node.value.upper() in _ALL_POWER:
                text = self.file.passage(node)
                self.report_at(text.start, text.end, f"{node.value} is nearly every right of the host")

    def _scripts(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                words = unwrapped(command)
                if program(command) not in ("docker", "podman", "nerdctl") or _NEEDS_IT.search(
                    " ".join(command.texts)
                ):
                    continue
                if not {"run", "create"}.intersection(word.text for word in words[1:3]):
                    continue
                image = _image_at([word.text for word in words])
                for word in words[:image]:
                    if word.text in ("--privileged", "--privileged=true"):
                        self.report_at(word.start, word.end, "the container gets all rights of the host",
                                       severity=Severity.INFO)  # fmt: skip


def _node_agent(pod: Pod) -> Severity | None:
    """A pod on every node is there to work on the node."""
    return Severity.INFO if pod.kind == "DaemonSet" else None


def _image_at(texts: Sequence[str]) -> int:
    """About where the image of ``docker run`` stands; what follows is the container's own command."""
    for at in range(2, len(texts)):
        behind_value = texts[at - 1].startswith("-") and "=" not in texts[at - 1]
        if not texts[at].startswith("-") and not behind_value:
            return at
        if not texts[at].startswith("-") and _TAKES_NO_VALUE.match(texts[at - 1]):
            return at
    return len(texts)
