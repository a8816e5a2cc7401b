"""Announcements of changes to users: changelog, version, commit message."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.context.surface.model import COMMIT_MESSAGE, SurfaceChange
from wardround.context.surface.packages import is_in, table, toml
from wardround.context.surface.sides import Sides
from wardround.languages.jsonc import loads
from wardround.lazy import LazyPattern

_CHANGELOG = LazyPattern(
    r"(?i)(?:^|/)(?:(?:change[-_]?logs?|changes|history|news|release[-_ ]?notes|releases|what[-_]?s[-_]?new"
    r"|migrat(?:ion|ing)|upgrad(?:e|ing)|breaking)[\w.-]*\.(?:md|mdx|rst|txt|adoc)|changelog|changes|news)$"
    r"|(?:^|/)(?:changes|changelog(?:\.d)?|changelogs|news(?:fragments?|\.d)?|release[-_]?notes|\.changes(?:et)?"
    r"|\.beachball|\.chloggen|\.release-notes)/(?:[\w.+-]+/)*[\w.+-]+\.(?:md|mdx|rst|txt|ya?ml|json|adoc|\w{1,12})$"
)
"""Files of release notes, and fragments of them."""
_BREAKING_WORD = LazyPattern(
    r"(?i)\b(?:break(?:s|ing)?|remov(?:e[sd]?|al|ing)|drop(?:s|ped|ping)?|renam(?:e[sd]?|ing)|no longer"
    r"|delet(?:e[sd]?|ion)|incompatib\w+|backwards?[- ]|requires?|replac(?:e[sd]?|ing)|major|private)\b"
)
_MAJOR_CHANGESET = LazyPattern(r"(?m)^['\"]?[@\w./-]+['\"]?\s*:\s*major\b")
_SUBJECT = LazyPattern(r"[a-z]+(?:\([^)\n]*\))?!:")
_FOOTER = LazyPattern(r"(?m)^BREAKING[ -]CHANGE\b|^#+ *breaking changes?\b", re.IGNORECASE)
_VERSION = LazyPattern(r"(?m)^\s*(?:__version__|version|VERSION)\s*(?::\s*\w+\s*)?=\s*['\"]v?(\d+(?:\.\d+)+)")
_VERSION_FILES = frozenset(
    {"__init__.py", "__about__.py", "_version.py", "version.py", "setup.py", "__version__.py"}
)
_HEADING = LazyPattern(r"#+ |\*\*\w|[A-Z][\w ]{2,40}:?$")
_MOST_HEADINGS = 1
_LEAST_WORD = 3
_QUOTED = LazyPattern(r"`([A-Za-z_][\w.-]*)`")
_COMMON_NAMES = {"requires-python": r"python", "engines.node": r"node(?:\.?js)?"}
"""The words for a requirement in release notes, as patterns."""


@dataclass(frozen=True)
class Notice:
    """A text that a change adds for users.

    Attributes:
        source: its name in a report.
        text: the added lines; empty if the notice covers every change.
        folder: the changes below it are those that the notice covers.
    """

    source: str
    text: str
    folder: str


def is_changelog(path: str) -> bool:
    """Return True for a file of release notes, and for a fragment of one."""
    return _CHANGELOG.search(path) is not None


def announcing_source(change: SurfaceChange, notices: Sequence[Notice]) -> str | None:
    """Return the source of the first notice that covers a change that breaks users; None if none does."""
    if not change.is_breaking:
        return None
    return next(
        (
            notice.source
            for notice in notices
            if is_in(change.path, notice.folder) and _covers_change(notice, change)
        ),
        None,
    )


def _covers_change(notice: Notice, change: SurfaceChange) -> bool:
    if not notice.text:
        return True
    return has_mention(notice.text, change.name, change.detail) or has_breaking_word(notice.text)


def has_breaking_word(text: str) -> bool:
    """Return True if release notes use a word for changes that break users, such as ``remove``."""
    return _BREAKING_WORD.search(text) is not None


def has_mention(text: str, name: str, detail: str = "") -> bool:
    """Return True if release notes contain the name of a symbol, or a name in the detail of its change."""
    common = _COMMON_NAMES.get(name)
    if common is not None and re.search(rf"(?i)\b{common}\b", text):
        return True
    return any(_has_word(text, word) for word in (_last_name(name), *_QUOTED.findall(detail)))


def _has_word(text: str, word: str) -> bool:
    return len(word) >= _LEAST_WORD and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _last_name(name: str) -> str:
    """Return the part of a name that a changelog has: ``get`` of ``api.Client.get``; of a route its path."""
    quoted = re.search(r"`([^`]+)`", name)
    own = quoted[1] if quoted else name.rpartition(" ")[2]
    return own if own.startswith(("/", "-", ".")) else own.rpartition(".")[2]


def notices_of(sides: Sides, messages: Sequence[str]) -> list[Notice]:
    """Return the notices of a change: what its users see, changelogs and versions, and then messages."""
    return [*_changelogs(sides), *_versions(sides), *_messages(messages)]


def _changelogs(sides: Sides) -> Iterator[Notice]:
    for base, head in sides.files:
        if head is None or not is_changelog(head):
            continue
        text = sides.head.read(head) or ""
        added = _added_lines(text, "" if base is None else sides.base.read(base) or "")
        if added:
            covers_all = bool(_MAJOR_CHANGESET.search(added)) and ".changeset/" in head
            yield Notice(head, "" if covers_all else added, _audience(sides, head))


def _added_lines(text: str, before: str) -> str:
    """Return the lines that a text adds, each block of them after the headings above it."""
    known = set(before.split("\n"))
    found, headings, shown = [], [], 0
    for line in text.split("\n"):
        if _HEADING.match(line):
            headings.append(line)
        elif line.strip() and line not in known:
            found += [*headings[shown:][-_MOST_HEADINGS:], line]
            shown = len(headings)
    return "\n".join(found)


def _audience(sides: Sides, path: str) -> str:
    """Return the folder that a changelog is about: that of an adjacent manifest, or the repository root."""
    folder = posixpath.dirname(path)
    manifests = ("package.json", "pyproject.toml", "setup.py", "setup.cfg")
    has_manifest = any(sides.head.has(posixpath.join(folder, name)) for name in manifests)
    return folder if has_manifest else ""


def _messages(messages: Sequence[str]) -> Iterator[Notice]:
    for message in messages:
        if _SUBJECT.match(message) or _FOOTER.search(message):
            yield Notice(COMMIT_MESSAGE, "", "")
            return


def _versions(sides: Sides) -> Iterator[Notice]:
    """Yield the versions that a change raises in the first number, or in the second if the first is 0."""
    for base, head in sides.files:
        if base is None or head is None:
            continue
        before, after = _version(base, sides.base.read(base)), _version(head, sides.head.read(head))
        if before and after and _is_raised(before, after):
            shown = ".".join(map(str, after))
            yield Notice(
                f"version {shown} in {head}", "", posixpath.dirname(head) if _is_manifest(head) else ""
            )


def _is_manifest(path: str) -> bool:
    return posixpath.basename(path) in ("package.json", "pyproject.toml")


def _version(path: str, text: str | None) -> tuple[int, ...]:
    name = posixpath.basename(path)
    if text is None:
        return ()
    if name == "package.json":
        found = (loads(text) or {}).get("version")
    elif name == "pyproject.toml":
        document = toml(text)
        found = table(document, "project").get("version") or table(document, "tool", "poetry").get("version")
    elif name in _VERSION_FILES:
        match = _VERSION.search(text)
        found = match[1] if match else None
    else:
        return ()
    numbers = re.match(r"v?(\d+)\.(\d+)", found) if isinstance(found, str) else None
    return (int(numbers[1]), int(numbers[2])) if numbers else ()


def _is_raised(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    return after[0] > before[0] or (after[0] == before[0] == 0 and after[1] > before[1])
