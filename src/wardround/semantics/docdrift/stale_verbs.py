"""Messages and names that state an action after a change replaced it with another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.comment_lines import CommentedSource, CommentSyntax
from wardround.semantics.docdrift.stale_comments import StalePhrase, comment_lines, is_historical, phrase_at
from wardround.semantics.semdiff.replacements import Replacement, SwapKind, changed_lines
from wardround.text.tokens import QUOTED, parts

_DEEDS = {
    "delete": "delete del remove rm rmdir destroy drop erase purge unlink rmtree truncate expunge zrem hdel",
    "update": "update set patch modify save edit touch change",
    "insert": "insert create add append push post make build new register enqueue",
    "archive": "archive hide retire deactivate disable suspend",
    "send": "send sendmail deliver publish emit notify dispatch enqueue queue schedule mail",
    "move": "move rename",
    "copy": "copy copyfile copytree copy2 clone duplicate",
    "upload": "upload put store",
    "download": "download fetch load pull get",
    "skip": "skip ignore",
    "retry": "retry",
    "cancel": "cancel abort revoke void",
    "refund": "refund",
    "charge": "charge capture bill",
    "merge": "merge",
    "replace": "replace overwrite swap",
    "restart": "restart reload",
    "stop": "stop halt kill terminate shutdown",
    "encrypt": "encrypt",
    "hash": "hash",
    "compress": "compress gzip zip",
}
"""An action in prose, and the names of the functions that perform it."""
_SAID = {
    "delete": (
        "delete",
        "deletes",
        "deleted",
        "deleting",
        "remove",
        "removes",
        "removed",
        "removing",
        "purged",
        "erased",
    ),
    "move": ("move", "moves", "moved", "moving"),
    "copy": ("copy", "copies", "copied", "copying"),
    "refund": ("refund", "refunds", "refunded", "refunding"),
    "charge": ("charge", "charges", "charged", "charging"),
    "cancel": ("cancel", "cancels", "cancelled", "canceled", "cancelling", "canceling"),
    "archive": ("archive", "archives", "archived", "archiving"),
    "merge": ("merge", "merges", "merged", "merging"),
    "upload": ("upload", "uploads", "uploaded", "uploading"),
    "download": ("download", "downloads", "downloaded", "downloading"),
    "send": ("sends", "sent", "sending"),
    "encrypt": ("encrypt", "encrypts", "encrypted", "encrypting"),
    "hash": ("hashes", "hashed", "hashing"),
    "compress": ("compress", "compresses", "compressed", "compressing", "gzipped", "zipped"),
    "insert": ("insert", "inserts", "inserted", "inserting", "created", "creates", "creating"),
    "stop": ("stops", "stopped", "stopping", "killed", "terminated"),
    "restart": ("restart", "restarts", "restarted", "restarting"),
}
_LOUD = frozenset(_SAID)
"""The actions whose words are ambiguous unless used in this exact sense."""
_CALLED = LazyPattern(r"(?:\.|\b)([A-Za-z_]\w*)\s*\(|\b(DELETE|INSERT|UPDATE|TRUNCATE)\b")
_ASKED = LazyPattern(
    r"(?:await |return |yield |[\w., ]{1,40} = (?:await )?)*+([A-Za-z_$][\w$.]*)\.([A-Za-z_]\w*)\("
)
_TELLS = LazyPattern(
    r"(?i)\blog\w*\.|\blogger|\bprint|\bconsole\.|\becho|messages?\.|\bflash|\btoast|\bmsg\b|notif"
    r"|\.write\(|\bRAISE\b|Response|message|detail|description|\bhelp\b|summary"
)
_CHANGED_AT_MOST = 40
_UNDONE = LazyPattern(r"(?i)\b(?:not|never|no|could|cannot|can't|fail\w*|unable|instead of|without|won't)\b")


def stale_verbs(
    base: str, text: str, marks: CommentSyntax, is_added: Callable[[int], bool]
) -> list[StalePhrase]:
    """Return the messages and comments about an action that the change replaced in their function."""
    before, after = changed_lines(base, text)
    if not before or not after or len(before) + len(after) > _CHANGED_AT_MOST:
        return []
    gone = _deeds_of(line for _, line in before)
    come = _deeds_of(line for _, line in after)
    left = {deed for deed in gone if deed in _LOUD and deed not in come}
    if left and not set(come) - set(gone):
        come = _instead(before, after)
    if not left or not set(come) - set(gone):
        return []
    lines = comment_lines(text, marks)
    found: list[StalePhrase] = []
    functions = {one for number, line in after if _called_in(line) and (one := lines.function(number))}
    for function in sorted(functions):
        found += _in_function(lines, function, {deed: gone[deed] for deed in left}, come, is_added)
    if not functions:
        found += _beside(lines, after, {deed: gone[deed] for deed in left}, come, is_added)
    return found


def _called_in(line: str) -> bool:
    return _CALLED.search(QUOTED.sub('""', line)) is not None


def _instead(before: Sequence[tuple[int, str]], after: Sequence[tuple[int, str]]) -> dict[str, str]:
    """Return the call on an object for which a removed line has another call: ``job.pause()``."""
    had = {match[1]: match[2] for _, line in before if (match := _ASKED.match(line))}
    found: dict[str, str] = {}
    for _, line in after:
        match = _ASKED.match(line)
        if match and had.get(match[1], match[2]) != match[2]:
            found[match[2]] = match[2]
    return found


def _beside(
    lines: CommentedSource,
    after: Sequence[tuple[int, str]],
    left: dict[str, str],
    come: dict[str, str],
    is_added: Callable[[int], bool],
) -> Iterator[StalePhrase]:
    """Return the comments above a statement outside of any function."""
    new = sorted(set(come) - set(left))
    does = _deeds_of([lines.code[number - 1] for number, _ in after])
    for number, line in after:
        for deed in left if _called_in(line) and new else ():
            for place in lines.adjacent_comments(number):
                prose = lines.words[place - 1]
                match = _said(deed).search(prose)
                if match and deed not in does and not is_added(place) and not _UNDONE.search(prose):
                    start, end = match.span()
                    swap = Replacement(SwapKind.NAME, left[deed], come[new[0]], number, "", "")
                    yield StalePhrase(place, start + 1, end + 1, phrase_at(prose, start, end), swap)
                    return


def _in_function(
    lines: CommentedSource,
    function: tuple[int, str],
    left: dict[str, str],
    come: dict[str, str],
    is_added: Callable[[int], bool],
) -> Iterator[StalePhrase]:
    body = [n for n in lines.body(function[0]) if lines.code[n - 1].strip()]
    does = _deeds_of(lines.code[n - 1] for n in body)
    named = {word for n in body for word in _words_in(lines.code[n - 1])}
    new = sorted(set(come) - set(left))
    for deed, was in left.items():
        if deed in does or not new or named & set(_SAID[deed]):
            continue
        swap = Replacement(SwapKind.NAME, was, come[new[0]], function[0], "", "")
        for number, column, prose in _telling(lines, function, body):
            match = _said(deed).search(prose)
            is_history = not lines.code[number - 1].strip() and is_historical(prose)
            if match and not is_added(number) and not is_history and not _UNDONE.search(prose):
                start, end = match.span()
                yield StalePhrase(
                    number, column + start + 1, column + end + 1, phrase_at(prose, start, end), swap
                )
                break


def _telling(
    lines: CommentedSource, function: tuple[int, str], body: list[int]
) -> Iterator[tuple[int, int, str]]:
    """Return line, column and text of the messages of a function, and of its comments."""
    for number in body:
        code = lines.code[number - 1]
        above = lines.code[number - 2] if number > 1 else ""
        if _TELLS.search(code) or _TELLS.search(above):
            for match in QUOTED.finditer(code):
                if " " in match["text"].strip():
                    yield number, match.start("text"), match["text"]
    for number in lines.documentation(function[0]):
        yield number, 0, lines.words[number - 1]


def _deeds_of(code: Iterator[str] | list[str]) -> dict[str, str]:
    """Return the actions that lines of code perform, each with the name of its call."""
    found: dict[str, str] = {}
    for line in code:
        for name, statement in _CALLED.findall(QUOTED.sub('""', line)):
            for word in parts(name or statement):
                for deed in _by_name().get(word, ()):
                    found.setdefault(deed, name or statement)
    return found


def _words_in(code: str) -> list[str]:
    return [word for name in re.findall(r"[A-Za-z_]\w*", QUOTED.sub('""', code)) for word in parts(name)]


@lru_cache(maxsize=1)
def _by_name() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for deed, names in _DEEDS.items():
        for name in names.split():
            found[name] = (*found.get(name, ()), deed)
    return found


@lru_cache(maxsize=32)
def _said(deed: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)\b(?:{'|'.join(_SAID[deed])})\b")
