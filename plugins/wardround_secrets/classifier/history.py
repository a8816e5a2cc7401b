"""Ambiguous literals from the history of repositories: training and evaluation data of the model.

A repository is read at several commits; a literal is dated by the first of them that contains it. The label
of such a literal is unknown: it is presumed harmless, and a figure that depends on it needs manual judgement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wardround.lazy import LazyPattern
from wardround.training_tasks import History
from wardround_secrets.classifier.candidates import CandidateLiteral, ambiguous_literals, is_ambiguous
from wardround_secrets.classifier.features import LiteralContext, features
from wardround_secrets.detection.positions import is_generated
from wardround_secrets.detection.scanner import ScannedText

_ENDINGS = (
    "py ts tsx js jsx mjs go rs java rb vue php kt cs yml yaml json toml ini cfg conf properties env sh bash "
    "tf sql xml md rst"
)
PATTERNS = (
    *(f"*.{ending}" for ending in _ENDINGS.split()),
    ".env*",
    "*/.env*",
    "*Dockerfile*",
    "*Makefile",
    "*Jenkinsfile*",
)
AROUND = 6
"""Lines before and after a literal that are stored, for judgement by context."""
_ANY = LazyPattern(
    r"(?P<name>[A-Za-z_$][\w.$-]{1,60})[\"']?\]?[ ]{0,3}(?:=>|:=|=|:)[ ]{0,3}"
    r"(?P<quote>[\"'`])(?P<value>[^\"'`\n\r\\]{6,200})(?P=quote)"
)
_NAME = LazyPattern(r"[A-Za-z][A-Za-z_]{2,29}")
_DIGIT_OR_SYMBOLS = LazyPattern(r"\d|[^\w\s].*[^\w\s]")
_PER_NAME, _PER_FILE = 12, 40


@dataclass(frozen=True, slots=True)
class HistoricalLiteral:
    """A literal in the history of a repository.

    Attributes:
        time: seconds since 1970, of the first commit that contains it.
        before, line, behind: the lines around it, and its own.
        column: 0-based, where the value begins in its line.
        is_named: True if a review would classify it; otherwise it is a literal of any name.
    """

    repository: str
    time: int
    path: str
    before: tuple[str, ...]
    line: str
    behind: tuple[str, ...]
    column: int
    name: str
    value: str
    place: str
    is_example: bool
    is_named: bool

    def holding(self, value: str) -> HistoricalLiteral:
        """Return a copy with another value in the same line."""
        end = self.column + len(self.value)
        return replace(self, value=value, line=self.line[: self.column] + value + self.line[end:])

    @property
    def row(self) -> tuple[float, ...]:
        """The features of the literal."""
        literal = CandidateLiteral(
            self.name, self.value, self.column, self.column + len(self.value), self.place
        )
        return features(literal, LiteralContext(self.path, self.is_example, self.line))


def found_in(
    history: History, commits: Sequence[tuple[int, str]], *, broadly: bool = False
) -> Iterator[HistoricalLiteral]:
    """Yield the literals of some commits, oldest first; each name with each value once.

    Args:
        commits: (time, id), ascending.
        broadly: include literals of any name in addition to those that a review classifies.
    """
    blobs: set[str] = set()
    seen: set[tuple[str, str]] = set()
    per_name: Counter[str] = Counter()
    for time, commit in commits:
        for path, blob in history.tree(commit, PATTERNS):
            is_new = blob not in blobs and not is_generated(path)
            blobs.add(blob)
            text = history.text(blob) if is_new else None
            if text is None:
                continue
            for literal in _limit_examples(_hits_in_text(history.repository, time, path, text, broadly)):
                key = (literal.name, literal.value)
                if key not in seen and per_name[literal.name] < _PER_NAME * 10:
                    seen.add(key)
                    per_name[literal.name] += 1
                    yield literal


def _limit_examples(found: Iterator[HistoricalLiteral]) -> Iterator[HistoricalLiteral]:
    """Limit the literals per file and per name in it: a table of data counts as one example."""
    per_name: Counter[tuple[str, bool]] = Counter()
    count = Counter[bool]()
    for literal in found:
        per_name[literal.name, literal.is_named] += 1
        count[literal.is_named] += 1
        if per_name[literal.name, literal.is_named] <= _PER_NAME and count[literal.is_named] <= _PER_FILE:
            yield literal


def review_literals(repository: str, time: int, path: str, content: str) -> Iterator[HistoricalLiteral]:
    """Yield the literals of a file that a review would classify, on all lines."""
    if not is_generated(path):
        found = _hits_in_text(repository, time, path, content, broadly=False)
        yield from (literal for literal in found if not literal.is_example)


def _hits_in_text(
    repository: str, time: int, path: str, content: str, broadly: bool
) -> Iterator[HistoricalLiteral]:
    text = ScannedText(path, content)
    lines = content.split("\n")
    used = set()
    for literal in ambiguous_literals(text):
        used.add(literal.start)
        yield _historical_literal(repository, time, text, lines, literal, is_named=True)
    for match in _ANY.finditer(content) if broadly else ():
        if match.start("value") in used or not _DIGIT_OR_SYMBOLS.search(match["value"]):
            continue
        if is_ambiguous(match["name"], match["value"]):
            literal = CandidateLiteral(match["name"], match["value"], *match.span("value"))
            yield _historical_literal(repository, time, text, lines, literal, is_named=False)


def _historical_literal(
    repository: str,
    time: int,
    text: ScannedText,
    lines: Sequence[str],
    literal: CandidateLiteral,
    *,
    is_named: bool,
) -> HistoricalLiteral:
    line, column = text.position_of(literal.start)
    at = line - 1
    return HistoricalLiteral(
        repository, time, text.path, tuple(lines[max(0, at - AROUND) : at]), lines[at],
        tuple(lines[at + 1 : at + 1 + AROUND]), column - 1, literal.name, literal.value, literal.place,
        text.is_example(literal.start), is_named,
    )  # fmt: skip


def names_in(history: History, commit: str, most_files: int = 800) -> Counter[str]:
    """Count the files in which each name and word of a commit occurs, over an even sample of files."""
    entries = [(path, blob) for path, blob in history.tree(commit, PATTERNS) if not is_generated(path)]
    found: Counter[str] = Counter()
    for _, blob in entries[:: 1 + len(entries) // most_files]:
        found.update(set(_NAME.findall(history.text(blob) or "")))
    return found
