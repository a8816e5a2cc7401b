"""The training task of the TypeScript specialist: the code that a comment is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround.retrieval.lexical_features import OVERLAP_NAMES, lexical_features
from wardround.training_tasks import Choice, History, Task
from wardround_lab.tasks.comment_code_pairs import CommentCodePair, mine_pair_choices

_PATTERNS = ("*.ts", "*.tsx", "*.js", "*.jsx", "*.mts", "*.cts")
_COMMENT = LazyPattern(
    r"^[ \t]*(?:/\*\*?(?P<block>(?s:.*?))\*/|(?P<lines>(?://[^\n]*\n[ \t]*)*//[^\n]*))[ \t]*\n", re.MULTILINE
)
_SIGN = re.compile(r"^[ \t]*(?:\*+|//+)[ \t]?", re.MULTILINE)
_TAG = LazyPattern(r"^\s*@\w+.*$", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z]{2,}\b")
_NOT_ABOUT_CODE = re.compile(
    r"(?i)eslint|prettier|biome-ignore|oxlint|@ts-|istanbul|c8 ignore|copyright|licen[cs]e|webpack|#region"
)
_CODE_LIKE = LazyPattern(
    r"[;{}]\s*$|^\s*(?:const|let|var|import|export|return|if|await|<\w)\b|=>", re.MULTILINE
)
_FEWEST_WORDS = 4
_LINES_OF_CODE = 12


def tasks() -> list[Task]:
    """Return the tasks of this plugin."""
    return [
        Task(
            name="comment-code",
            specialist="typescript",
            title="which code is this comment about",
            mine=_mine,
            features=lexical_features,
            feature_names=OVERLAP_NAMES,
        )
    ]


def _mine(history: History) -> Iterator[Choice]:
    return mine_pair_choices(history, _PATTERNS, _pairs)


def _pairs(path: str, text: str) -> list[CommentCodePair]:
    """Yield comments on lines of their own, JSDoc without its tags, each with the code below it."""
    if path.endswith((".min.js", ".d.ts")):
        return []
    found = []
    for match in _COMMENT.finditer(text):
        words = _words(match["block"] if match["block"] is not None else match["lines"])
        if words:
            found.append(CommentCodePair(words, _code_below(text, match.end())))
    return found


def _words(comment: str) -> str:
    """Return the text of a comment; empty if it is not prose about code."""
    plain = _TAG.sub("", _SIGN.sub("", comment))
    if _NOT_ABOUT_CODE.search(plain) or _CODE_LIKE.search(plain):
        return ""
    words = " ".join(plain.split())
    return words if len(_WORD.findall(words)) >= _FEWEST_WORDS else ""


def _code_below(text: str, start: int) -> str:
    """Return the lines up to the next empty line or comment."""
    remaining = []
    for line in text[start : start + 4_000].split("\n")[:_LINES_OF_CODE]:
        if not line.strip() or line.lstrip().startswith(("//", "/*", "*")):
            break
        remaining.append(line)
    return "\n".join(remaining)
