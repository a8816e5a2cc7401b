"""PY364: privileged container."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.languages.python.literals import entries, is_true, literal
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_SWITCHES = frozenset({"privileged", "host_network", "host_pid", "host_ipc", "allow_privilege_escalation"})
_MODES = frozenset({"pid_mode", "ipc_mode", "userns_mode", "uts_mode", "network_mode", "cgroupns"})
_PRIVILEGES = frozenset({"cap_add", "capabilities", "security_opt"})
_UNRESTRICTED = frozenset(
    {
        "ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "DAC_READ_SEARCH", "CAP_SYS_ADMIN", "CAP_ALL",
        "CAP_SYS_PTRACE", "seccomp=unconfined", "apparmor=unconfined", "apparmor:unconfined",
        "seccomp:unconfined",
    }
)  # fmt: skip
_SOCKET = "docker.sock"
_CONTAINER_LIBRARIES = (
    "docker",
    "kubernetes",
    "podman",
    "aws_cdk",
    "pulumi",
    "airflow",
    "testcontainers",
    "dagger",
    "aiodocker",
)


class PrivilegedContainer(PythonCheck):
    """A container is started with the privileges of its host.

    Privileged mode, the host's process or network namespace, ``SYS_ADMIN`` or a mounted Docker socket
    give its processes control of the host. Grant the single capability or device that it needs.
    """

    ID = "PY364"
    NAME = "privileged-container"
    MATURITY = Maturity.PREVIEW
    WORDS = (
        "privileged", "docker.sock", "pid_mode", "ipc_mode", "userns_mode", "network_mode", "cap_add",
        "SYS_ADMIN",
        "host_network", "host_pid", "host_ipc", "allow_privilege_escalation", ":2375",
    )  # fmt: skip
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "privileged-container"
    VALID = [
        code("""
            import docker
            docker.from_env().containers.run(x, privileged=False, cap_drop=['ALL'])
        """),
        code("""
            import docker
            c.containers.run(x, network_mode='none', cap_add=['NET_BIND_SERVICE'])
        """),
    ]
    INVALID = [
        code("""
            import docker
            docker.from_env().containers.run(x, «privileged=True»)
        """),
        code("""
            import docker
            c.containers.create(x, «pid_mode='host'»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if self._starts_containers:
            for keyword in node.keywords:
                if keyword.arg is not None:
                    self._check(keyword.arg, keyword.value, keyword)

    def visit_Dict(self, node: ast.Dict) -> None:
        if self._starts_containers:
            for name, value in entries(node).items():
                self._check(name, value, value)

    @property
    def _starts_containers(self) -> bool:
        return any(name.startswith(_CONTAINER_LIBRARIES) for name in self.module.imported.values())

    def _check(self, name: str, value: ast.expr, reported: ast.expr | ast.keyword) -> None:
        if name in _PRIVILEGES or name == "add":
            self._check_privileges(value)
        elif name in ("volumes", "binds", "mounts"):
            self._check_mounts(value)
        else:
            message = _option_message(name, is_true(value), literal(self.module, value))
            if message is not None:
                self.report(self.module.span(reported), message)

    def _check_privileges(self, value: ast.expr) -> None:
        for part in _parts(value):
            if isinstance(part, ast.Constant) and part.value in _UNRESTRICTED:
                message = f"{part.value} gives the container the privileges of its host; remove it"
                self.report(self.module.span(part), message)

    def _check_mounts(self, value: ast.expr) -> None:
        for part in _parts(value):
            if isinstance(part, ast.Constant) and _SOCKET in str(part.value):
                message = "a mounted Docker socket gives root on the host; do not mount it"
                self.report(self.module.span(part), message)
                return


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the items of a list or the keys of a dict, one level down too."""
    if isinstance(node, ast.Dict):
        yield from (key for key in node.keys if key is not None)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for element in node.elts:
            yield element
            yield from (k for k in getattr(element, "args", []) if isinstance(k, ast.Constant))
    elif isinstance(node, ast.Call):
        for keyword in node.keywords:
            yield from _parts(keyword.value)


def _option_message(name: str, is_on: bool, value: object) -> str | None:
    """Return the message for an option that removes the isolation of a container."""
    if name in _SWITCHES and (is_on or value is True):
        return f"{name} gives the container the privileges of its host; remove it"
    if name in _MODES and value == "host":
        return f"{name} shares the host's namespace with the container; remove it"
    if name == "base_url" and str(value).startswith("tcp://") and str(value).endswith(":2375"):
        return "port 2375 accepts commands without TLS or authentication; use port 2376 with TLS"
    return None
