"""One finding as a reader sees it: rule, message, hunk and code, and nothing about scores."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from wardround.change.repository import Repository
from wardround.processors.mask_secrets import SecretMasker
from wardround.rules.judgements import ReasonCode, Verdict, reasons_for
from wardround.rules.model import Rule
from wardround.specialists import Specialist
from wardround_lab.evaluation.judging.hits import Hit

_AROUND = 15
_NEIGHBOURS = 40
_MOST_LINES = 60
_WIDTH = 160
_HIDDEN = "(a line with a secret; read it in the repository)"


@dataclass(frozen=True, slots=True)
class Sides:
    """The lines of the file of a finding, before and after the commit."""

    base: tuple[str, ...]
    head: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """One finding for a reader.

    Attributes:
        why: the first paragraph of the documentation of the rule.
        hunk: the changed lines around the finding, as a unified diff.
        code: the lines around the finding, numbered; its own are marked.
        neighbours: more of those lines.
        diff: the change of the file.
    """

    title: str
    message: str
    why: str
    hunk: tuple[str, ...]
    code: tuple[str, ...]
    neighbours: tuple[str, ...]
    diff: tuple[str, ...]


def screen(
    hit: Hit, base: str, repository: Repository, rule: Rule, specialists: Sequence[Specialist]
) -> Screen:
    """Read the code of a finding and lay it out, without the secrets in it.

    Args:
        specialists: their checks find the secrets.
    """
    sides = _sides_of_hit(hit, base, repository, specialists)
    return Screen(
        title=f"{hit.repository} {hit.commit[:12]} {hit.path}:{hit.line}:{hit.column}  {hit.rule}",
        message=hit.message,
        why=" ".join(rule.why.split("\n\n")[0].split()),
        hunk=tuple(_hunk(sides, hit)),
        code=tuple(_numbered_lines(sides.head, hit, _AROUND)),
        neighbours=tuple(_numbered_lines(sides.head, hit, _NEIGHBOURS)),
        diff=tuple(difflib.unified_diff(sides.base, sides.head, "before", "after", lineterm="")),
    )


def _sides_of_hit(hit: Hit, base: str, repository: Repository, specialists: Sequence[Specialist]) -> Sides:
    change = repository.range(base, hit.commit)
    named = next((file for file in change.files if file.path == hit.path), None)
    old = repository.revision(base).read(named.base_path) if named and named.base_path else None
    new = repository.revision(hit.commit).read(hit.path)
    reported = set(range(hit.line, hit.end_line + 1)) if hit.masked else set()
    before = _hide_secrets(_decode_content(old), hit.path, set(), specialists)
    after = _hide_secrets(_decode_content(new), hit.path, reported, specialists)
    return Sides(_hide_replaced_lines(before, after), after)


def _hide_replaced_lines(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Hide the lines before a change that lines with a secret replace: they may have the former secret."""
    hidden: set[int] = set()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        if _HIDDEN in after[j1:j2]:
            hidden.update(range(i1, i2))
    return tuple(_HIDDEN if number in hidden else line for number, line in enumerate(before))


def _decode_content(content: bytes | None) -> str:
    return "" if content is None else os.fsdecode(content).removesuffix("\n")


def _hide_secrets(
    text: str, path: str, reported: Collection[int], specialists: Sequence[Specialist]
) -> tuple[str, ...]:
    """Return the lines of a text; one with a secret is replaced, and a long one is truncated."""
    masker = SecretMasker((), specialists, lambda _: text, paths=(path,))
    return tuple(
        _HIDDEN if number in reported or masker.has_secret(path, number) else masker.mask_known(line)[:_WIDTH]
        for number, line in enumerate(text.split("\n"), 1)
    )


def _hunk(sides: Sides, hit: Hit) -> list[str]:
    """Return the hunk nearest to the finding, cut to the lines around it."""
    matcher = difflib.SequenceMatcher(None, sides.base, sides.head, autojunk=False)
    groups = [group for group in matcher.get_grouped_opcodes(2) if group]
    if not groups:
        return []
    near = min(groups, key=lambda group: _distance(group[0][3] + 1, group[-1][4], hit.line))
    rows: list[tuple[int, str]] = []
    for kind, i1, i2, j1, j2 in near:
        if kind != "equal":
            rows += [(j1 + 1, f"-{line}") for line in sides.base[i1:i2]]
        mark = " " if kind == "equal" else "+"
        rows += [(j1 + n + 1, f"{mark}{line}") for n, line in enumerate(sides.head[j1:j2])]
    return _clip_rows(rows, hit.line)


def _clip_rows(rows: Sequence[tuple[int, str]], line: int) -> list[str]:
    """Return at most a screen of rows around a line."""
    if len(rows) <= _MOST_LINES:
        return [text for _, text in rows]
    at = min(range(len(rows)), key=lambda n: abs(rows[n][0] - line))
    first = max(0, min(at - _MOST_LINES // 2, len(rows) - _MOST_LINES))
    cut = [text for _, text in rows[first : first + _MOST_LINES]]
    return [f"({len(rows)} lines, {len(cut)} of them shown)", *cut]


def _distance(first: int, last: int, line: int) -> int:
    return max(first - line, line - last, 0)


def _numbered_lines(lines: Sequence[str], hit: Hit, around: int) -> list[str]:
    first = max(1, hit.line - around)
    last = min(len(lines), min(hit.end_line, hit.line + _MOST_LINES) + around)
    rows: list[str] = []
    for number in range(first, last + 1):
        mark = ">" if hit.line <= number <= hit.end_line else " "
        rows.append(f"{mark}{number:6} {lines[number - 1]}")
        if number == hit.line and 1 < hit.column <= len(lines[number - 1]):
            rows.append(" " * (7 + hit.column) + "^")
    return rows


def render(shown: Screen, number: int, of: int) -> str:
    """Return the text of one screen."""
    parts = [f"[{number} of {of}] {shown.title}", "", shown.message, "", shown.why, "", *shown.hunk]
    return "\n".join([*parts, "", *shown.code, ""]) + "\n"


def verdict_help() -> str:
    """Return the verdicts and the reasons that fit each, for the prompt and for readers of a file."""
    lines = []
    for verdict in Verdict:
        codes = "; ".join(f"{code} ({code.meaning})" for code in reasons_for(verdict))
        lines.append(f"{verdict}: {codes}")
    return "\n".join(lines)


def parse_answer(text: str) -> tuple[Verdict, ReasonCode] | None:
    """Return the verdict and the reason of an answer such as ``worth defect``; None if it is neither.

    Both may be shortened to an unambiguous prefix; ``x`` means ``wrong``.
    """
    words = text.split()
    if len(words) != 2:
        return None
    verdicts = [
        verdict for verdict in Verdict if verdict.startswith("wrong" if words[0] == "x" else words[0])
    ]
    if len(verdicts) != 1:
        return None
    reasons = [code for code in reasons_for(verdicts[0]) if code.startswith(words[1])]
    return (verdicts[0], reasons[0]) if len(reasons) == 1 else None
