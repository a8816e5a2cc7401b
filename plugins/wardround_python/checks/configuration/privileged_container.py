"""PY364."""

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
_RIGHTS = frozenset({"cap_add", "capabilities", "security_opt"})
_WIDE = frozenset(
    {
        "ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "DAC_READ_SEARCH", "CAP_SYS_ADMIN", "CAP_ALL",
        "CAP_SYS_PTRACE", "seccomp=unconfined", "apparmor=unconfined", "apparmor:unconfined",
        "seccomp:unconfined",
    }
)  # fmt: skip
_SOCKET = "docker.sock"
_HOSTS = (
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
    """A container is started with the rights of the machine it runs on.

    Privileged, with the host's processes or network, with ``SYS_ADMIN`` or with Docker's own socket
    inside, whatever runs in it owns the host. Give it the one capability or device that it needs.
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
            for one in node.keywords:
                if one.arg is not None:
                    self._look_at(one.arg, one.value, one)

    def visit_Dict(self, node: ast.Dict) -> None:
        if self._starts_containers:
            for name, value in entries(node).items():
                self._look_at(name, value, value)

    @property
    def _starts_containers(self) -> bool:
        return any(name.startswith(_HOSTS) for name in self.module.imported.values())

    def _look_at(self, name: str, value: ast.expr, place: ast.expr | ast.keyword) -> None:
        value_there = literal(self.module, value)
        if name in _SWITCHES and (is_true(value) or value_there is True):
            self.report(self.module.span(place), f"{name} gives the container the rights of its host")
        elif name in _MODES and value_there == "host":
            self.report(self.module.span(place), f"{name}: the container shares the host's own")
        elif name in _RIGHTS or name == "add":
            for one in _parts(value):
                if isinstance(one, ast.Constant) and one.value in _WIDE:
                    self.report(self.module.span(one), f"{one.value} is as good as the rights of the host")
        elif name in ("volumes", "binds", "mounts"):
            for one in _parts(value):
                if isinstance(one, ast.Constant) and _SOCKET in str(one.value):
                    self.report(self.module.span(one), "who holds Docker's socket starts containers as root")
                    return
        elif (
            name == "base_url"
            and str(value_there).startswith("tcp://")
            and str(value_there).endswith(":2375")
        ):
            self.report(self.module.span(place), "port 2375 takes orders from anybody, without TLS")


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """The items of a list, the keys of a dict, one level down too."""
    if isinstance(node, ast.Dict):
        yield from (key for key in node.keys if key is not None)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for one in node.elts:
            yield one
            yield from (k for k in getattr(one, "args", []) if isinstance(k, ast.Constant))
    elif isinstance(node, ast.Call):
        for keyword in node.keywords:
            yield from _parts(keyword.value)
