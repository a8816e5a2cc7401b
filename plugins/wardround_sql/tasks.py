"""Training tasks of the SQL specialist's model: choose the statement that a comment or a name describes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround.retrieval.lexical_features import OVERLAP_NAMES, lexical_features
from wardround.text.search_terms import parts
from wardround.training_tasks import Choice, History, Task
from wardround_lab.tasks.comment_code_pairs import CommentCodePair, mine_pair_choices
from wardround_sql.parsing.jinja import is_template, replace_jinja
from wardround_sql.parsing.splitter import SqlComment, cut
from wardround_sql.project.migration_files import is_down, is_migration, is_non_production

_PATTERNS = ("*.sql",)
_SIGN = LazyPattern(r"^\s*(?:--+|/\*+|\*+/?|#+)\s?|\s*\*+/\s*$", re.MULTILINE)
_PROSE = re.compile(r"[A-Za-z]{2,}")
_STATEMENT = re.compile(
    r"(?i)^\s*(?:select|insert|update|delete|create|alter|drop|grant|revoke|begin|commit|set|with|from|where|and|or)\b"
)
_REMARK = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBERED = re.compile(r"^[VUR]?[\d._-]*(?:__)?")
_FILLER = re.compile(r"\bjx{3,}\b|[ \t]{2,}")
_FEWEST_WORDS = 3
_FEWEST_NAME_WORDS = 2
_CANDIDATES = 8
_FEWEST_CANDIDATES = 3
_LONGEST_TEXT = 2_000


def tasks() -> list[Task]:
    """Return the tasks of this plugin."""
    return [
        Task(
            name="statement-words",
            specialist="sql",
            title="which statement does this comment or migration name describe",
            mine=_mine,
            features=lexical_features,
            feature_names=OVERLAP_NAMES,
        )
    ]


def _mine(history: History) -> Iterator[Choice]:
    yield from mine_pair_choices(history, _PATTERNS, _pairs)
    yield from _named_migrations(history)


def _named_migrations(history: History) -> Iterator[Choice]:
    """Yield each migration's unique name with its statements and those of adjacent migrations."""
    added = list(_added_migrations(history))
    times_used = Counter(words for _, _, words, _ in added)
    named = [
        item for item in added if times_used[item[2]] == 1 and len(item[2].split()) >= _FEWEST_NAME_WORDS
    ]
    for position, (time, path, words, text) in enumerate(named):
        start = max(0, min(position - _CANDIDATES // 2, len(named) - _CANDIDATES))
        near = dict.fromkeys(other for *_, other in named[start : start + _CANDIDATES])
        order = sorted(near, key=lambda other: hashlib.sha256(f"{path}\0{other}".encode()).digest())
        if len(order) >= _FEWEST_CANDIDATES:
            yield Choice(history.repository, time, path, words, tuple(order), (order.index(text),))


def _added_migrations(history: History) -> Iterator[tuple[int, str, str, str]]:
    """Yield time, path, words of the name, and statements of each migration that a commit adds."""
    for commit in history.commits(_PATTERNS):
        for change in commit.changes:
            if change.base_blob is None and is_migration(change.path) and not is_down(change.path):
                text = _strip_comments(history.text(change.blob))
                if text:
                    yield commit.time, change.path, _path_words(change.path), text


def _path_words(path: str) -> str:
    """Return the words in the name of a migration's file or folder, without its number."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".sql")
    if stem.lower() in ("migration", "up", "migrate", "index"):
        stem = folder.rpartition("/")[2]
    return " ".join(part for part in parts(_NUMBERED.sub("", stem)) if part.isalpha() and part != "up")


def _strip_comments(text: str | None) -> str:
    """Return the statements of a migration without comments, which could contain its name."""
    if text is None:
        return ""
    pieces, _ = cut(text)
    return ";\n".join(_strip_remarks(piece.text) for piece in pieces)[:_LONGEST_TEXT]


def _strip_remarks(statement: str) -> str:
    return _REMARK.sub("", statement).strip()


def _pairs(path: str, text: str) -> list[CommentCodePair]:
    """Yield the comments of a file, each with the statement that follows it on the next line."""
    if is_non_production(path):
        return []
    plain = replace_jinja(text) if is_template(text) else text
    pieces, remarks = cut(plain)
    starts = {piece.offset: piece for piece in pieces}
    result = []
    for words, end in _blocks(plain, remarks):
        start = _next_word(plain, end)
        piece = starts.get(start)
        if piece is not None and plain.count("\n", end, start) <= 1 and _is_prose(words):
            result.append(CommentCodePair(words, _FILLER.sub(" ", piece.text)))
    return result


def _blocks(text: str, remarks: list[SqlComment]) -> Iterator[tuple[str, int]]:
    """Yield comments on lines of their own, consecutive ones joined: (words, end offset)."""
    lines: list[str] = []
    end = -1
    for remark in remarks:
        if text[: remark.offset].rpartition("\n")[2].strip():
            continue
        between = text[end : remark.offset] if end >= 0 else ""
        if lines and (between.strip() or between.count("\n") > 1):
            yield " ".join(lines), end
            lines = []
        lines.append(" ".join(_SIGN.sub("", remark.text).split()))
        end = remark.offset + len(remark.text)
    if lines:
        yield " ".join(lines), end


def _next_word(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _is_prose(words: str) -> bool:
    """Return True if a comment is prose, not a commented-out statement."""
    return len(_PROSE.findall(words)) >= _FEWEST_WORDS and not _STATEMENT.match(words)
