"""Tags that name a version: ``v1.2.3``, ``release-1.2.3``, ``rel_1_4_0``, ``pkg@1.2.3``, ``pkg/v1.2.3``."""

from __future__ import annotations

import msgspec

from wardround.lazy import LazyPattern

_TAG = LazyPattern(
    r"(?P<package>(?:@?[\w.+-]{1,80}/){0,5}@?[\w.+-]{0,80}?)(?P<separator>[@/_-]?)"
    r"(?P<v>[vV]\.?)?(?P<version>\d{1,20}(?:[._]\d{1,20}){0,8}(?:[.+_-]?[0-9A-Za-z][0-9A-Za-z.+-]{0,80})?)"
)
_SEMANTIC = LazyPattern(r"\d+\.\d+\.\d+-[0-9A-Za-z][0-9A-Za-z.-]*(?:\+[0-9A-Za-z.-]+)?")
"""A pre-release of semantic versioning, which PEP 440 may not know."""
_LONGEST = 200
_WORDS = frozenset({"release", "rel", "version", "ver", "v", "r", "tag", "tags", "releases"})
"""Words before a version that name no package."""


class TagVersion(msgspec.Struct, frozen=True):
    """A tag that names a version.

    Attributes:
        package: of a repository with several packages; empty for the whole repository.
        version: as PEP 440 or semantic versioning writes it, without a prefix.
    """

    tag: str
    package: str
    version: str

    @property
    def is_prerelease(self) -> bool:
        """True for a release candidate, an alpha, a beta or a development version."""
        from packaging.version import Version  # only where tags are read

        return bool(_SEMANTIC.fullmatch(self.version)) or Version(self.version).is_prerelease


def version_of_tag(tag: str) -> TagVersion | None:
    """Return the version that a tag names; None if it names none, or only a number such as ``build-7``."""
    match = _TAG.fullmatch(tag) if len(tag) <= _LONGEST else None
    if match is None:
        return None
    package = match["package"].rstrip("/")
    is_apart = bool(match["separator"]) or match["package"].endswith("/")
    version = match["version"].replace("_", ".")
    if (package and not is_apart) or not _is_version(version, is_marked=bool(match["v"])):
        return None
    return TagVersion(tag, "" if package.lower() in _WORDS else package, version)


def _is_version(version: str, *, is_marked: bool) -> bool:
    """Return True for a version of PEP 440 or of semantic versioning; a single number needs a ``v``."""
    from packaging.version import InvalidVersion, Version  # only where tags are read

    if _SEMANTIC.fullmatch(version):
        return True
    try:
        parsed = Version(version)
    except InvalidVersion:
        return False
    return is_marked or len(parsed.release) > 1
