"""The repository of wardround from which hooks and pipelines install it, and the revision that they pin."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from wardround import __version__
from wardround.lazy import LazyPattern

NO_SOURCE = "it is not known where wardround is; run wardround init --source ADDRESS of its repository"
_GITHUB = LazyPattern(r"(?:https://github\.com/|git@github\.com:)([\w.-]+/[\w.-]+?)(?:\.git)?/?")
_CREDENTIALS = re.compile(r"(?i)^(https?://)[^/@]*@")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class WardroundSource(msgspec.Struct, frozen=True):
    """Where to install from.

    Attributes:
        address: what git clones; empty if it is not known.
        revision: the tag of this version, or the commit from which it is installed.
    """

    address: str
    revision: str = f"v{__version__}"

    @property
    def github_name(self) -> str:
        """``owner/name`` on GitHub; empty for another host."""
        found = _GITHUB.fullmatch(self.address)
        return "" if found is None else found[1]

    @property
    def host(self) -> str:
        """The host name of its server; empty for a folder."""
        return host_of(self.address)

    @property
    def project(self) -> str:
        """The path on its server, as ``group/name``."""
        address = self.address
        path = urlsplit(address).path if "://" in address else address.partition(":")[2]
        return path.strip("/").removesuffix(".git")

    @property
    def is_local(self) -> bool:
        """True for a folder of this machine."""
        return self.address.startswith(("/", ".", "~", "file:"))

    @property
    def comment(self) -> str:
        """The version, as a comment after a commit; a tag needs none."""
        return f"  # v{__version__}" if _COMMIT.fullmatch(self.revision) else ""


def host_of(address: str) -> str:
    """Return the host name in an address that git clones, in lower case; empty for a folder."""
    if "://" in address:
        return (urlsplit(address).hostname or "").lower()
    server, colon, _ = address.partition(":")
    return server.rpartition("@")[2].lower() if colon and "/" not in server else ""


def installed_source() -> WardroundSource:
    """Return the source of this installation by the record of its installer; the address may be empty.

    Source: "Recording the Direct URL Origin of installed distributions", packaging.python.org.
    """
    from importlib.metadata import distribution  # slow to import

    record = json.loads(distribution("wardround").read_text("direct_url.json") or "{}")
    address = record.get("url", "")
    commit = record.get("vcs_info", {}).get("commit_id", "")
    if commit:
        return WardroundSource(without_credentials(address), commit)
    folder = Path(unquote(urlsplit(address).path)) if address.startswith("file:") else None
    if folder is None or not (folder / ".git").exists():
        return WardroundSource("")
    return _checkout_source(folder)


def _checkout_source(folder: Path) -> WardroundSource:
    """Return the origin and commit of a checkout, or the checkout itself if it has no origin."""
    from wardround.change.repository import Repository

    with Repository(folder) as repository:
        head = repository.head()
        address = without_credentials(repository.origin()) or str(repository.root)
    return WardroundSource(address, head) if head else WardroundSource(address)


def without_credentials(address: str) -> str:
    """Return an address for a file that others read: without user and password of an HTTP address."""
    return _CREDENTIALS.sub(r"\1", address)
