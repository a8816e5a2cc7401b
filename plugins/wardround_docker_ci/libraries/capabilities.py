"""What single capabilities and security options let a container do to its host."""

from __future__ import annotations

import re

from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity

NEARLY_ALL = frozenset({"ALL", "SYS_ADMIN"})
_SINGLE = {
    "SYS_MODULE": (Severity.WARN, "loads code into the kernel of the host"),
    "SYS_RAWIO": (Severity.WARN, "reads and writes the host's memory and disks"),
    "DAC_READ_SEARCH": (Severity.WARN, "opens files of the host that no mount gives it"),
    "SYS_PTRACE": (Severity.INFO, "reads the memory of every process it can see"),
    "BPF": (Severity.INFO, "watches what the kernel does for everybody"),
    "NET_ADMIN": (Severity.INFO, "changes addresses, routes and the firewall"),
    "SYS_BOOT": (Severity.INFO, "restarts the host"),
    "SYS_TIME": (Severity.INFO, "sets the clock of the host"),
}
BUILT_FOR_IT = LazyPattern(
    r"vpn|wireguard|\bwg\b|tailscale|zerotier|netbird|gluetun|strongswan|pi-?hole|adguard|dns|dhcp|keepalived"
    r"|metallb|calico|cilium|flannel|weave|antrea|istio|kube-proxy|fail2ban|firewall|iptables|router|network|cni"
    r"|ntp|chrony|falco|tetragon|pyroscope|parca|bpf|netdata|datadog|agent|profiler|debug|strace|gdb|delve",
    re.IGNORECASE,
)
"""Images that work on the network or the processes of others."""
OPENS = LazyPattern(
    r"(?:seccomp|apparmor|systempaths)[:=]\s*unconfined|label[:=]\s*disable|no-new-privileges[:=]\s*false"
)
"""Security options of Docker that take away what keeps a container in."""


def of_capability(name: str, image: str) -> tuple[Severity | None, str] | None:
    """How bad it is that a container is given a capability, and why; None if it is not, or is meant."""
    plain = name.upper().removeprefix("CAP_")
    if plain in NEARLY_ALL:
        return None, f"{name} is nearly every right of the host"
    severity, said = _SINGLE.get(plain, (None, ""))
    is_meant = BUILT_FOR_IT.search(image) is not None
    if severity is None or (severity is Severity.INFO and is_meant):
        return None
    return Severity.INFO if is_meant else severity, f"with {name} the container {said}"
