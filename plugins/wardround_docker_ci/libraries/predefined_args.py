"""Names of arguments that Docker sets."""

from __future__ import annotations

PLATFORM_ARGUMENTS = frozenset(
    f"{side}{part}"
    for side in ("TARGET", "BUILD")
    for part in ("PLATFORM", "OS", "OSVERSION", "ARCH", "VARIANT")
) | {"TARGETSTAGE"}
"""Arguments available in every FROM line, and in every stage that declares them."""

ARGUMENTS = frozenset(
    name
    for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY", "ALL_PROXY")
    for name in (proxy, proxy.lower())
) | {
    "BUILDKIT_CACHE_MOUNT_NS", "BUILDKIT_CONTEXT_KEEP_GIT_DIR", "BUILDKIT_INLINE_CACHE",
    "BUILDKIT_MULTI_PLATFORM", "BUILDKIT_SANDBOX_HOSTNAME", "BUILDKIT_SYNTAX", "BUILDKIT_DOCKERFILE_CHECK",
    "SOURCE_DATE_EPOCH",
}  # fmt: skip
"""Arguments of a build that need no declaration."""

PLAIN_SYSTEMS = frozenset(
    {
        "scratch", "alpine", "busybox", "debian", "ubuntu", "centos", "fedora", "rockylinux", "almalinux",
        "amazonlinux", "archlinux", "bitnami/minideb",
    }
)  # fmt: skip
"""Images whose environment contains only PATH."""
