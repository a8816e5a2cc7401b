"""Links of a page: to pages of the site, to files next to them, and to files of the repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

_FENCE = re.compile(r"^(?P<fence>```+|~~~+)[^\n]*\n.*?^(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL)
_CODE_OR_LINK = re.compile(r"(?P<code>`+[^`]+`+)|(?P<text>!?\[[^\]]*\])\((?P<target>[^()\s]+)\)")
_ADDRESS = re.compile(r"[a-z][a-z+.-]*:|//|#", re.IGNORECASE)


class BrokenLink(Exception):
    """A link of a page that leads to no file of the repository."""

    def __init__(self, page: str, target: str) -> None:
        super().__init__(f"{page}: the link {target} leads to no file of the repository; correct the link")


class Publication(msgspec.Struct, frozen=True):
    """The part of a repository that becomes the site.

    Attributes:
        root: the root of the repository.
        folder: the folder whose files the site has at its root, such as ``docs``.
        pages: path of a page in the repository -> its path in the site.
        repository_url: address at which a forge shows the repository; without it, a link to a file
            that is not in the site becomes the text of the link.
    """

    root: Path
    folder: str
    pages: Mapping[str, str]
    repository_url: str = ""

    def page(self, path: str) -> str:
        """Return the text of a page with the links that the site needs.

        Raises:
            BrokenLink: a relative link leads to no file of the repository.
        """
        text = (self.root / path).read_text("utf-8")
        parts: list[str] = []
        end = 0
        for fence in _FENCE.finditer(text):
            parts += [self._prose(text[end : fence.start()], path), fence[0]]
            end = fence.end()
        return "".join([*parts, self._prose(text[end:], path)])

    def _prose(self, text: str, path: str) -> str:
        return _CODE_OR_LINK.sub(lambda match: self._link(match, path), text)

    def _link(self, match: re.Match[str], path: str) -> str:
        target = match["target"]
        if match["code"] or _ADDRESS.match(target):
            return match[0]
        file, _, anchor = target.partition("#")
        linked = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        if not (self.root / linked).exists():
            raise BrokenLink(path, target)
        published = self._published(linked)
        if published is not None:
            relative = posixpath.relpath(published, posixpath.dirname(self.pages[path]) or ".")
            return f"{match['text']}({relative}{'#' + anchor if anchor else ''})"
        if not self.repository_url:
            return match["text"].strip("[]")
        return f"{match['text']}({self._repository_link(linked, anchor)})"

    def _published(self, path: str) -> str | None:
        """Return the path of a file in the site; None if the site does not have it."""
        if path in self.pages:
            return self.pages[path]
        inside = path.removeprefix(f"{self.folder}/")
        return inside if inside != path and (self.root / path).is_file() else None

    def _repository_link(self, path: str, anchor: str) -> str:
        kind = "tree" if (self.root / path).is_dir() else "blob"
        link = f"{self.repository_url.rstrip('/')}/{kind}/HEAD/{path}"
        return f"{link}#{anchor}" if anchor else link
