"""The filters that ``.gitattributes`` declare, and the content that they leave in the repository.

Attributes are read as text; no filter is ever started.

Source: gitattributes(5), git 2.50.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

import msgspec

from wardround.change.change_source import decode_text, is_lfs_pointer

_NAME = ".gitattributes"
_ENCRYPTING = ("git-crypt", "crypt", "git-agecrypt", "agecrypt")
"""Names of filters that encrypt, or their beginnings up to a hyphen: ``git-crypt-KEY``."""
_LFS = "lfs"
_MACRO = "[attr]"
_FORMATS = {
    b"\0GITCRYPT\0": rb"(?s:.*)",
    b"U2FsdGVkX1": rb"[A-Za-z0-9+/=\s]*",  # transcrypt: "Salted__" and the rest in base64
    b"$ANSIBLE_VAULT;": rb"\$ANSIBLE_VAULT;[\d.]+;\w+[^\n]*\n[0-9a-f\s]+",
    b"-----BEGIN ": (
        rb"-----BEGIN (PGP MESSAGE|AGE ENCRYPTED FILE)-----\r?\n(?:[\w-]+: [^\n]*\n)*[A-Za-z0-9+/=\s]*"
        rb"-----END \1-----\s*"
    ),
}
"""The beginning of a file -> the pattern that the complete file must match."""
_BINARY = (b"Salted__", b"age-encryption.org/v1\n-> ")


def is_ciphertext(content: bytes) -> bool:
    """Return True if a file is nothing but encrypted text, in the format of a usual program."""
    if content.startswith(_BINARY):
        return decode_text(content) is None
    forms = (form for begin, form in _FORMATS.items() if content.startswith(begin))
    return any(re.fullmatch(form, content) for form in forms)


class Filter(msgspec.Struct, frozen=True):
    """The filter of a path.

    Attributes:
        name: as ``filter=NAME`` declares it.
        file: the path of the ``.gitattributes`` with the declaration.
    """

    name: str
    file: str

    @property
    def encrypts(self) -> bool:
        return any(self.name == name or self.name.startswith(f"{name}-") for name in _ENCRYPTING)

    @property
    def is_known(self) -> bool:
        return self.encrypts or self.name == _LFS

    def is_replacement(self, content: bytes) -> bool:
        """Return True if content is what this filter stores in the repository instead of a file."""
        return is_ciphertext(content) if self.encrypts else self.name == _LFS and is_lfs_pointer(content)

    def is_missed(self, content: bytes) -> bool:
        """Return True if this filter should have replaced the content but did not; it ignores empty files."""
        return self.is_known and bool(content) and not self.is_replacement(content)


class Filters:
    """The filters of the paths of one revision.

    Args:
        read: path -> the content of a file of the revision; None if it does not exist.
    """

    def __init__(self, read: Callable[[str], bytes | str | None]) -> None:
        self._read = read
        self._rules: dict[str, tuple[_Rule, ...]] = {}
        self._macros = {rule.macro: rule.filter for rule in self._rules_of_folder("") if rule.macro}

    def of(self, path: str) -> Filter | None:
        """Return the filter of a path; None if there is none. The last fitting line of the nearest file
        counts.
        """
        parts = path.split("/")
        for depth in range(len(parts) - 1, -1, -1):
            folder = "".join(f"{part}/" for part in parts[:depth])
            for rule in reversed(self._rules_of_folder(folder)):
                name = self._filter(rule) if rule.fits(path[len(folder) :]) else None
                if name is not None:
                    return Filter(name, folder + _NAME) if name else None
        return None

    def _filter(self, rule: _Rule) -> str | None:
        """Return the filter that a line declares: its name, empty for none, None if the line is about
        something else.
        """
        macros = (self._macros[name] for name in rule.attributes if name in self._macros)
        return rule.filter if rule.filter is not None else next(macros, None)

    def _rules_of_folder(self, folder: str) -> tuple[_Rule, ...]:
        if folder not in self._rules:
            content = self._read(folder + _NAME) or ""
            text = content if isinstance(content, str) else decode_text(content) or ""
            self._rules[folder] = tuple(_rules(text))
        return self._rules[folder]


class _Rule(msgspec.Struct, frozen=True):
    """One line of the file; a line that defines a macro fits no path."""

    pattern: str
    attributes: tuple[str, ...]

    @property
    def macro(self) -> str:
        return self.pattern.removeprefix(_MACRO) if self.pattern.startswith(_MACRO) else ""

    @property
    def filter(self) -> str | None:
        names = [_filter_of(attribute) for attribute in self.attributes]
        return next((name for name in reversed(names) if name is not None), None)

    def fits(self, path: str) -> bool:
        """Return True if the pattern matches a path, relative to the folder of the file."""
        if self.macro:
            return False
        in_any_folder = "/" not in self.pattern.rstrip("/")
        name = path.rpartition("/")[2] if in_any_folder else path
        return _expression(self.pattern.removeprefix("/")).fullmatch(name) is not None


def _rules(text: str) -> Iterator[_Rule]:
    for line in text.split("\n"):
        pattern, *attributes = re.findall(_QUOTED_OR_PLAIN, line.strip()) or [""]
        if pattern and not pattern.startswith(("#", "!")):
            yield _Rule(pattern.strip('"'), tuple(attributes))


_QUOTED_OR_PLAIN = r'"[^"]*"|\S+'
_UNSET = ("-filter", "!filter", "filter=")


def _filter_of(attribute: str) -> str | None:
    if attribute in _UNSET:
        return ""
    return attribute.removeprefix("filter=") if attribute.startswith("filter=") else None


_TRANSLATIONS = (("/**/", "/(?:.*/)?"), ("**/", "(?:.*/)?"), ("/**", "/.*"), ("*", "[^/]*"), ("?", "[^/]"))


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern of ``.gitignore``; a folder pattern matches no file."""
    out, position = "", 0
    while position < len(pattern):
        rest = pattern[position:]
        group = re.match(r"\[[!^]?\]?[^\]/]*\]", rest)
        known = next((pair for pair in _TRANSLATIONS if rest.startswith(pair[0])), None)
        if group:
            out += re.sub(r"^\[[!^]", "[^", group[0])
            position += group.end()
        elif known:
            out += known[1]
            position += len(known[0])
        else:
            out += re.escape(rest[0])
            position += 1
    return re.compile(out)
