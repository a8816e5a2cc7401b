"""The access to the host that single capabilities and security options give a container."""

from __future__ import annotations

import re

from wardround.findings import Severity
from wardround.lazy import LazyPattern

NEARLY_ALL = frozenset({"ALL", "SYS_ADMIN"})
_SINGLE = {
    "SYS_MODULE": (Severity.WARN, "can load code into the kernel of the host"),
    "SYS_RAWIO": (Severity.WARN, "can read and write the host's memory and disks"),
    "DAC_READ_SEARCH": (Severity.WARN, "can open files of the host without a mount"),
    "SYS_PTRACE": (Severity.INFO, "can read the memory of every visible process"),
    "BPF": (Severity.INFO, "can trace the kernel for all processes"),
    "NET_ADMIN": (Severity.INFO, "can change addresses, routes and the firewall"),
    "SYS_BOOT": (Severity.INFO, "can restart the host"),
    "SYS_TIME": (Severity.INFO, "can set the clock of the host"),
}
BUILT_FOR_IT = LazyPattern(
    r"vpn|wireguard|\bwg\b|tailscale|zerotier|netbird|gluetun|strongswan|pi-?hole|adguard|dns|dhcp|keepalived"
    r"|metallb|calico|cilium|flannel|weave|antrea|istio|kube-proxy|fail2ban|firewall|iptables|router|network|cni"
    r"|ntp|chrony|falco|tetragon|pyroscope|parca|bpf|netdata|datadog|agent|profiler|debug|strace|gdb|delve",
    re.IGNORECASE,
)
"""Images whose purpose is to manage networks or to inspect processes."""
OPENS = LazyPattern(
    r"(?:seccomp|apparmor|systempaths)[:=]\s*unconfined|label[:=]\s*disable|no-new-privileges[:=]\s*false"
)
"""Docker's security options that disable a sandbox of the container."""


def judge_capability(name: str, image: str) -> tuple[Severity | None, str] | None:
    """Return the severity and message of an added capability; None if it is harmless or expected."""
    plain = name.upper().removeprefix("CAP_")
    if plain in NEARLY_ALL:
        return None, f"{name} is equivalent to root on the host; add only the required capabilities"
    severity, effect = _SINGLE.get(plain, (None, ""))
    is_expected = BUILT_FOR_IT.search(image) is not None
    if severity is None or (severity is Severity.INFO and is_expected):
        return None
    return Severity.INFO if is_expected else severity, f"with {name} the container {effect}"
