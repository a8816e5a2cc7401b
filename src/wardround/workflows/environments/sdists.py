"""Source distributions of packages that have no wheel for this machine, downloaded without running them."""

from __future__ import annotations

import hashlib
import http.client
import tarfile
import tomllib
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.errors import EnvironmentUnavailable
from wardround.workflows.environments.requirements import normal

_JSON = "application/vnd.pypi.simple.v1+json"
_ENDING = ".tar.gz"
_LARGEST_BYTES = 256 * 1024 * 1024
_LARGEST_MANIFEST = 1024 * 1024
_ANSWER_S = 60
_FINAL = LazyPattern(r"-(\d{1,8}(?:-\d{1,8}){0,5})$")
"""The version at the end of a normal file name, whose dots are dashes."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Sdist(msgspec.Struct, frozen=True):
    """A source distribution.

    Attributes:
        sha256: empty if nothing states it.
    """

    url: str
    sha256: str = ""


class _IndexFile(msgspec.Struct):
    filename: str
    url: str
    hashes: dict[str, str] = {}


class _IndexPage(msgspec.Struct):
    files: list[_IndexFile]


def locked_sdist(lock: Mapping[str, object], name: str, version: str) -> Sdist | None:
    """Return the source distribution of a package in ``uv.lock``; None without one."""
    packages = lock.get("package")
    for one in packages if isinstance(packages, list) else ():
        if isinstance(one, dict) and normal(str(one.get("name"))) == name and one.get("version") == version:
            with suppress(msgspec.ValidationError):
                found = msgspec.convert(one.get("sdist"), dict[str, object])
                return Sdist(str(found.get("url")), str(found.get("hash", "")).removeprefix("sha256:"))
    return None


def indexed_sdist(index: str, name: str, version: str) -> Sdist | None:
    """Return the source distribution of a package in an index; None without one.

    Args:
        version: empty for the newest release.

    Raises:
        EnvironmentUnavailable: the index cannot be read.
    """
    page = f"{index.rstrip('/')}/{name}/"
    try:
        files = msgspec.json.decode(_content(page, _JSON), type=_IndexPage).files
    except msgspec.MsgspecError as cause:
        raise EnvironmentUnavailable(
            f"{page} is not an index page in JSON ({cause}); use another index"
        ) from cause
    sdists = {
        normal(one.filename.removesuffix(_ENDING)): one for one in files if one.filename.endswith(_ENDING)
    }
    stem = normal(f"{name}-{version}") if version else max(sdists, key=_release, default="")
    found = sdists.get(stem)
    return None if found is None else Sdist(urljoin(page, found.url), found.hashes.get("sha256", ""))


def _release(stem: str) -> tuple[int, ...]:
    """Return the numbers of a final release in a normal file name; nothing for another version."""
    found = _FINAL.search(stem)
    return tuple(map(int, found[1].split("-"))) if found else ()


def download(sdist: Sdist, folder: Path) -> Path:
    """Write a source distribution into a folder.

    Raises:
        EnvironmentUnavailable: it cannot be read, or is not the file that was named.
    """
    content = _content(sdist.url, "*/*")
    name = urlsplit(sdist.url).path.rpartition("/")[2]
    if not name.endswith(_ENDING):
        raise EnvironmentUnavailable(f"{sdist.url} is not a {_ENDING} file, which no build here can read")
    if sdist.sha256 and hashlib.sha256(content).hexdigest() != sdist.sha256:
        raise EnvironmentUnavailable(
            f"{sdist.url} does not have the digest that is named for it; nothing was built"
        )
    folder.mkdir(exist_ok=True)
    (folder / "sdist.tar.gz").write_bytes(content)
    return folder / "sdist.tar.gz"


def manifest(archive: Path) -> Mapping[str, object]:
    """Return ``pyproject.toml`` of a source distribution; empty if it has none."""
    try:
        with tarfile.open(archive) as found:
            for member in found:
                parts = member.name.split("/")
                if len(parts) == 2 and parts[1] == "pyproject.toml" and member.isreg():
                    file = found.extractfile(member)
                    content = file.read(_LARGEST_MANIFEST) if file is not None else b""
                    return tomllib.loads(content.decode("utf-8"))
    except (tarfile.TarError, OSError, EOFError, ValueError, RecursionError) as cause:
        raise EnvironmentUnavailable(f"the source distribution cannot be read: {cause}") from cause
    return {}


def _content(url: str, accepted: str) -> bytes:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise EnvironmentUnavailable(f"{url} is not an https address, so it is not downloaded")
    request = urllib.request.Request(url, headers={"Accept": accepted})  # noqa: S310  (https by the line above)
    try:
        with urllib.request.urlopen(request, timeout=_ANSWER_S) as answer:  # noqa: S310
            content: bytes = answer.read(_LARGEST_BYTES + 1)
    except (OSError, urllib.error.URLError, http.client.HTTPException) as cause:
        raise EnvironmentUnavailable(f"{url} cannot be downloaded: {cause}") from cause
    if len(content) > _LARGEST_BYTES:
        raise EnvironmentUnavailable(f"{url} is larger than {_LARGEST_BYTES} bytes; it was not downloaded")
    return content
