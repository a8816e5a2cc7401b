"""Source distributions of packages that have no wheel for this machine, downloaded without running them."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urljoin, urlsplit

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.workflows.environments.download import Downloads, own_python, remove
from wardround.workflows.environments.requirements import normal
from wardround.workflows.inner_program import PACKAGE

_JSON = "application/vnd.pypi.simple.v1+json"
_ENDING = ".tar.gz"
_LARGEST_BYTES = 256 * 1024 * 1024
_FETCH = PACKAGE / "builds" / "fetch.py"
_FINAL = LazyPattern(r"-(\d{1,8}(?:-\d{1,8}){0,5})$")
"""The version at the end of a normal file name, whose dots are dashes."""


class Sdist(msgspec.Struct, frozen=True):
    """A source distribution.

    Attributes:
        sha256: empty if nothing states it.
    """

    url: str
    sha256: str = ""


class Archive(msgspec.Struct, frozen=True):
    """A source distribution that was downloaded.

    Attributes:
        content: the compressed archive.
        manifest: its ``pyproject.toml``; empty if it has none.
    """

    content: bytes
    manifest: Mapping[str, object]


class _IndexFile(msgspec.Struct):
    filename: str
    url: str
    hashes: dict[str, str] = {}
    upload_time: str = msgspec.field(name="upload-time", default="")


class _IndexPage(msgspec.Struct):
    files: list[_IndexFile]


def locked_sdist(lock: Mapping[str, object], name: str, version: str) -> Sdist | None:
    """Return the source distribution of a package in ``uv.lock``; None if there is none."""
    packages = lock.get("package")
    for package in packages if isinstance(packages, list) else ():
        if (
            isinstance(package, dict)
            and normal(str(package.get("name"))) == name
            and package.get("version") == version
        ):
            with suppress(msgspec.ValidationError):
                found = msgspec.convert(package.get("sdist"), dict[str, object])
                return Sdist(str(found.get("url")), str(found.get("hash", "")).removeprefix("sha256:"))
    return None


def registries_in(lock: Mapping[str, object]) -> set[str]:
    """Return the addresses of the indexes in ``uv.lock``."""
    packages = lock.get("package")
    sources = (
        [package.get("source") for package in packages if isinstance(package, dict)]
        if isinstance(packages, list)
        else []
    )
    urls = (source.get("registry") for source in sources if isinstance(source, dict))
    return {url for url in urls if isinstance(url, str)}


def indexed_sdist(downloads: Downloads, index: str, name: str, version: str, day: str = "") -> Sdist | None:
    """Return the source distribution of a package in an index; None if there is none.

    Args:
        version: empty for the newest release.
        day: the last day of releases; empty for all.

    Raises:
        EnvironmentUnavailable: the index cannot be read.
    """
    page = f"{index.rstrip('/')}/{name}/"
    try:
        files = msgspec.json.decode(
            _download_content(downloads, page, _JSON, "page.json"), type=_IndexPage
        ).files
    except msgspec.MsgspecError as cause:
        raise EnvironmentUnavailable(
            f"{page} is not an index page in JSON ({cause}); use another index"
        ) from cause
    sdists = {
        normal(file.filename.removesuffix(_ENDING)): file
        for file in files
        if file.filename.endswith(_ENDING) and _is_released(file, day)
    }
    stem = normal(f"{name}-{version}") if version else max(sdists, key=_release, default="")
    found = sdists.get(stem)
    return None if found is None else Sdist(urljoin(page, found.url), found.hashes.get("sha256", ""))


def _is_released(file: _IndexFile, day: str) -> bool:
    """Return True if a file existed on a day; one without a date counts as newer."""
    return not day or "" < file.upload_time[: len(day)] <= day


def _release(stem: str) -> tuple[int, ...]:
    """Return the numbers of a final release in a normal file name; nothing for another version."""
    found = _FINAL.search(stem)
    return tuple(map(int, found[1].split("-"))) if found else ()


def download(downloads: Downloads, sdist: Sdist) -> Archive:
    """Download a source distribution.

    Raises:
        EnvironmentUnavailable: it cannot be read, or is not the file that was named.
    """
    name = urlsplit(sdist.url).path.rpartition("/")[2]
    if not name.endswith(_ENDING):
        raise EnvironmentUnavailable(f"{sdist.url} is not a {_ENDING} file, which no build here can read")
    content = _download_content(downloads, sdist.url, "*/*", "sdist.tar.gz")
    if sdist.sha256 and hashlib.sha256(content).hexdigest() != sdist.sha256:
        raise EnvironmentUnavailable(
            f"{sdist.url} does not have the digest that is named for it; nothing was built"
        )
    manifest = downloads.folder.read("sdist.tar.gz.toml") or b""
    try:
        return Archive(content, tomllib.loads(manifest.decode("utf-8")))
    except (ValueError, RecursionError) as cause:
        raise EnvironmentUnavailable(f"the source distribution cannot be read: {cause}") from cause


def _download_content(downloads: Downloads, url: str, accepted: str, name: str) -> bytes:
    """Return a file of a registry, downloaded by a program in the sandbox."""
    for earlier in (name, f"{name}.toml"):
        remove(downloads.folder.root / earlier)
    arguments = ["-I", "-S", "-c", _FETCH.read_text("utf-8"), url, accepted, name, str(_LARGEST_BYTES)]
    downloads.run(own_python(), arguments, f"download {url}")
    content = downloads.folder.read(name, _LARGEST_BYTES)
    if content is None:
        raise EnvironmentUnavailable(f"{url} cannot be downloaded: nothing was written")
    return content
