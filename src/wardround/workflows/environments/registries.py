"""The locations from which packages come: registries, and git repositories that the settings name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.sandbox.http_messages import Address, address_of
from wardround.sandbox.registry_access import RegistryCredential, credential_in
from wardround.semantics.supply_chain.urls import SAME_HOSTS, USUAL_HOSTS, strip_credentials
from wardround.workflows.environments.conditions import BuildConditions
from wardround.workflows.environments.requirements import name_of

_INDEX_VARIABLES = (
    "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "npm_config_registry",
    "NPM_CONFIG_REGISTRY", "YARN_REGISTRY", "YARN_NPM_REGISTRY_SERVER",
)  # fmt: skip
_GIT = LazyPattern(
    r"(?i)^(?:git\+\w{1,10}://|git://|git\+file:|ssh://|git@|(?:github|gitlab|bitbucket|gist):|https?://[^#?]{1,1000}\.git(?:[#?@]|$)"
    r"|[A-Za-z0-9][\w.-]{0,100}/[\w.-]{1,100}(?:#.*)?$)"
)
"""The forms in which package managers name a git repository; the last one is that of npm for GitHub."""
_ARCHIVES_OF_GIT = ("codeload.github.com",)
_SHORT = {
    "github": "https://github.com/",
    "gitlab": "https://gitlab.com/",
    "bitbucket": "https://bitbucket.org/",
}
_REGISTRY_LINE = LazyPattern(r"^\s*((?:@[\w.-]+:)?registry)\s*=\s*[\"']?(https?://[^\s\"']+)")
_WEB = ("https://", "http://")
_SCHEME = LazyPattern(r"^([A-Za-z][A-Za-z0-9+.-]{1,20}):")
_NAMING = frozenset({"catalog", "jsr", "npm", "patch", "workspace"})
"""Schemes by which package managers name a package of a registry or of the repository."""
_PATH = LazyPattern(r"[/\\:]|^\.")
"""A part of a requirement that is neither a name nor a version."""
_PLAIN = LazyPattern(r"^(?!.*\.\.)[\w+:/@.~#=&?-]+\Z")
_INDEX_OPTION = LazyPattern(r"^--(?:extra-)?index-url (https?://\S+)$")


class Registries(msgspec.Struct, frozen=True):
    """The addresses to which the download of a build may connect."""

    addresses: frozenset[Address]
    git_sources: tuple[str, ...] = ()
    credentials: tuple[RegistryCredential, ...] = ()
    missing: tuple[str, ...] = ()
    """The variables of tokens that are not set."""

    def require(self, url: str, package: str, file: str) -> None:
        """Refuse a place from which no package is taken.

        Args:
            url: a URL, or another form in which a package manager names a location.

        Raises:
            EnvironmentUnavailable: it is a git repository, a file of this machine, or a host that is no
                registry.
        """
        shown = strip_credentials(url)
        if self.is_git(url):
            if self._is_allowed(url):
                return
            raise EnvironmentUnavailable(
                f"{file} takes {package} from git ({shown}), not from a registry; use a release, or "
                "name the beginning of the address in sandbox.git-sources at the base"
            )
        found = _SCHEME.search(url)
        scheme = found[1].lower() if found else ""
        if scheme == "file":
            raise EnvironmentUnavailable(
                f"{file} takes {package} from a file of this machine ({shown}); use a release"
            )
        is_known = f"{scheme}://" in _WEB and address_of(scheme + url[len(scheme) :]) in self.addresses
        if scheme and scheme not in _NAMING and not is_known:
            raise EnvironmentUnavailable(
                f"{file} takes {package} from {shown}, which is on no registry; use one, or name the host "
                "in sandbox.registries at the base"
            )

    def is_git(self, url: str) -> bool:
        """Return True for the URL of a git repository, or of an archive that its host creates from it."""
        address = address_of(url) if url.lower().startswith(_WEB) else None
        return _GIT.search(url) is not None or (address is not None and address.host in _ARCHIVES_OF_GIT)

    def _is_allowed(self, url: str) -> bool:
        if not _PLAIN.search(url):  # git resolves .. and escapes before it connects
            return False
        return _host_and_path(url).startswith(tuple(map(_host_and_path, self.git_sources)) or ("\0",))


def registries_of(conditions: BuildConditions, indexes: Iterable[str] = ()) -> Registries:
    """Return the registries of the caller, of the settings, and the public ones.

    Args:
        indexes: addresses of further registries that the caller configured, passwords included.
    """
    environ = conditions.environ
    private = conditions.private_registries
    own = [url for name in _INDEX_VARIABLES for url in environ.get(name, "").split()]
    named = [*USUAL_HOSTS, *SAME_HOSTS, *conditions.registries, *indexes, *own]
    named += [registry.url for registry in private]
    named += [url for _, url in npm_registries(environ)]
    for source in conditions.git_sources:
        named += _addresses_of_git(source)
    with_token = [registry for registry in private if environ.get(registry.token)]
    tokens = [
        RegistryCredential(registry.url, environ[registry.token], registry.user) for registry in with_token
    ]
    return Registries(
        frozenset(filter(None, map(_address, named))),
        conditions.git_sources,
        (*tokens, *filter(None, map(credential_in, (*own, *indexes)))),
        tuple(registry.token for registry in private if registry not in with_token),
    )


def _addresses_of_git(source: str) -> list[str]:
    """Return the address of a repository, and those of its archives."""
    address = _host_and_path(source)
    return [address, *(_ARCHIVES_OF_GIT if "github.com/" in address else ())]


def require_registry(line: str, file: str, registries: Registries) -> None:
    """Reject a requirement from a location other than a registry.

    Args:
        line: a requirement, or an option that names an index.

    Raises:
        EnvironmentUnavailable: its place is a git repository, a file of this machine or another host, or it
            is an option of another kind: ``--no-binary`` would run code of a package.
    """
    index = _INDEX_OPTION.search(line)
    if index is not None:
        registries.require(index[1], "packages", file)
    elif line.lstrip().startswith("-") or len(line.splitlines()) > 1:
        raise EnvironmentUnavailable(f"{file} has the requirement {line!r}, which is an option; remove it")
    elif location := requirement_location(line):
        is_address = _SCHEME.search(location) is not None or location.startswith("git@")
        registries.require(location if is_address else f"file:{location}", name_of(line), file)


def requirement_location(line: str) -> str:
    """Return the place that a requirement of Python names, an address or a path; empty if any registry."""
    head = line.partition(" ;")[0].partition(" --")[0].strip()
    name, has_place, location = head.partition("@")
    if has_place and not _PATH.search(name):
        return location.split()[0] if location.strip() else ""
    head = head.partition(";")[0]
    return head if _PATH.search(head) else ""


def npm_registries(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the registries that the caller's own ``.npmrc`` sets, without the passwords in it."""
    path = Path(environ.get("HOME") or Path.home(), ".npmrc")
    with suppress(OSError, ValueError):
        for line in path.read_text("utf-8").splitlines():
            if found := _REGISTRY_LINE.search(os.path.expandvars(line) if "${" not in line else ""):
                yield found[1], strip_credentials(found[2])


def _address(text: str) -> Address | None:
    return None if text.startswith("/") else address_of(text)


def _host_and_path(url: str) -> str:
    """Return the address of a git repository as host and path, whatever form names it."""
    kind, _, rest = url.partition(":")
    if kind in _SHORT and not rest.startswith("//"):
        url = _SHORT[kind] + rest
    elif "://" not in url and not url.startswith("git@") and url.count("/") == 1:
        url = _SHORT["github"] + url
    url = (
        url.removeprefix("git@").replace(":", "/", 1) if url.startswith("git@") else url.rpartition("://")[2]
    )
    return url.rpartition("@")[2] if "@" in url.partition("/")[0] else url
