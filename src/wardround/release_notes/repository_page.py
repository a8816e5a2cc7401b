"""The page of a repository on a host whose links are known, from the URL of its remote; without network."""

from __future__ import annotations

from wardround.lazy import LazyPattern

_REMOTE = LazyPattern(
    r"(?:https?://(?:[^/@\s]{1,200}@)?|ssh://git@|git://"
    r"|git@)(?P<host>github\.com)[:/](?P<path>[\w.-]+/[\w.-]+?)(?:\.git)?/?$"
)


def repository_page(remote: str) -> str:
    """Return ``https://github.com/owner/name``; empty for another host."""
    match = _REMOTE.match(remote)
    return f"https://{match['host']}/{match['path']}" if match else ""
