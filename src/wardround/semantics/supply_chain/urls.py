"""URLs of packages: their host, and their form without credentials."""

from __future__ import annotations

from wardround.lazy import LazyPattern

_CREDENTIALS = LazyPattern(r"(://)[^/\s@'\"]{1,300}@")
_HOST = LazyPattern(r"([a-z][a-z0-9+.-]{0,30})://(?:[^/\s@]{1,300}@)?([^/\s:?#]{1,300})")
_SCP_HOST = LazyPattern(r"(?:ssh://)?git@([\w.-]{1,300})[:/]")
SAME_HOSTS = {
    "registry.yarnpkg.com": "registry.npmjs.org",
    "registry.npmjs.com": "registry.npmjs.org",
    "pypi.python.org": "pypi.org",
    "files.pythonhosted.org": "pypi.org",
}
"""Host -> the registry that it serves."""

USUAL_HOSTS = frozenset({"registry.npmjs.org", "pypi.org"})


def strip_credentials(text: str) -> str:
    """Return a text without the user part of each URL in it."""
    return _CREDENTIALS.sub(r"\1", text)


def host_of(url: str) -> str:
    """Return the registry or host of a URL, in lower case; empty for another text."""
    found = _HOST.match(url.strip().lower())
    if found is None:
        scp = _SCP_HOST.match(url.strip().lower())
        return scp[1] if scp else ""
    return SAME_HOSTS.get(found[2], found[2])


def is_plain_http(url: str) -> bool:
    """Return True for a URL without TLS to another machine."""
    lower = url.lower()
    return lower.startswith(("http://", "git://", "git+http://")) and host_of(lower) not in (
        "localhost", "127.0.0.1", "[",
    )  # fmt: skip
