"""Criteria about containers, workflows and other configuration, judged by the settings that a change adds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from wardround.analyses.criterion.added_code import AddedCode, Language, LiveLine
from wardround.analyses.criterion.demand import Demand, Literal, covered_words, stems
from wardround.analyses.criterion.literal_search import locate_literals, nearest
from wardround.analyses.criterion.results import Judgement, met_judgement, not_met, spans_of

_CUES = (
    (r"\bhealth ?checks?\b", r"^\s*healthcheck\b(?!\s+none\b)"),
    (r"\bexpos\w+\b|\bports?\b", r"^\s*expose\b|\bports?:|^\s*-\s*\"?\d+:\d+|\bcontainerport\b"),
    (
        r"\b(?:as|by|with) (?:the |a )?(?:non-root )?user\b|\bnon-root\b",
        r"^\s*user\b|\brunasuser\b|\brunasnonroot\b|\buser:",
    ),
    (r"\b(?:based on|base image|uses? the image)\b", r"^\s*from\b|\bimage:"),
    (r"\b(?:every day|daily|nightly|weekly|every week|every hour|hourly|schedule[sd]?)\b", r"\bcron\b"),
    (r"\bneeds|depends on|after the job\b", r"\bneeds:|\bdepends_on:"),
    (r"\bpermissions?\b", r"\bpermissions:|^\s*[\w-]+:\s*(?:read|write|none)\b"),
    (r"\bcache[sd]?\b", r"\bcache@|/cache\b|\bcache\w*:|type=cache|cache-(?:from|to)"),
    (r"\btim(?:es|e)[ -]?out\b", r"\btimeout"),
    (r"\bsecrets?\b", r"\bsecrets?\b"),
    (r"\benv(?:ironment)? variables?\b", r"^\s*env\b|\benvironment\b|^\s*-?\s*[a-z_]+\s*[:=]|\benv:"),
    (r"\bvolumes?\b", r"\bvolumes?\b"),
    (r"\bconcurren\w+\b", r"\bconcurrency:"),
    (r"\bpull requests?\b", r"\bpull_request\b"),
    (r"\btags?\b", r"\btags?\b"),
    (r"\brestarts?\b", r"\brestart"),
    (r"\bentry ?point\b", r"^\s*entrypoint\b|\bentrypoint:"),
    (r"\bcontinue|failure[s]?\b", r"\bcontinue-on-error|\bfail-fast|\balways\(\)|\bif:"),
)
"""Cues of a criterion, and what the settings must have then."""
_ABOUT = frozenset(
    stems(
        "container image workflow job step run runs every day daily pipeline docker compose build file "
        "action configuration "
        "setting variable environment port health check user base based permission cache need release "
        "service utc"
    )
)
_OF_VALUE = tuple(
    need for cue, need in _CUES if any(f"\\s*{clause}" in need for clause in ("user", "from", "expose"))
)
"""Settings whose value is on their line."""
_REPLACED = re.compile(r"\s*(user|cmd|entrypoint|from)\s")
_STAGE = re.compile(r"\bstages?\b|\bbuild", re.IGNORECASE)
_REACH = 40
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_CALLED = r"\b(?:jobs?|services?) [`\"']?{0}\b|\b{0}[`\"']? (?:job|service)\b"
"""Words by which a criterion refers to a job or a service."""
_LIST_OF_JOBS = re.compile(r"\s*(?:jobs|services):\s*$")
_DISABLED = re.compile(r"\bif:\s*(?:\$\{\{\s*)?false\b|\bcontinue-on-error:\s*true")


def judge_config(demand: Demand, codes: Sequence[AddedCode]) -> Judgement | None:
    """Judge a criterion by the files of configuration; None if they do not decide it."""
    files = [code for code in codes if code.language is Language.CONFIG and code.effective]
    cues = [need for cue, need in _CUES if re.search(cue, demand.text.lower())]
    if not files or not (demand.literals or cues):
        return None
    for code in files:
        lines = _evidence(demand, code, cues)
        if lines and any(_DISABLED.search(line.code) for line in code.effective):
            return not_met("the added setting is switched off")
        if lines and not demand.is_negative:
            spans = spans_of(code.source.path, (line.number for line in lines))
            return met_judgement("an added setting states it", spans)
    if all(code.language is Language.CONFIG for code in codes if code.effective):
        return _judge_missing(demand, files, cues)
    return None


def _evidence(demand: Demand, code: AddedCode, cues: Sequence[str]) -> list[LiveLine]:
    """Return the lines with all literals and all cues of a criterion; empty if one is missing."""
    found = locate_literals(demand, code)
    if len(found) < len(demand.literals) or demand.bounds:
        return []
    lines = _effective_lines(code, names_stage=_STAGE.search(demand.text) is not None)
    by_cue = {need: [line for line in lines if re.search(need, line.code)] for need in cues}
    found = {text: [line for line in some if line in lines] for text, some in found.items()}
    if not all(by_cue.values()) or not all(found.values()) or not (by_cue or _is_about(demand, code)):
        return []
    if any(need in _OF_VALUE and not _has_literal_on_line(some, found) for need, some in by_cue.items()):
        return []
    chosen = _nearest_in_scope(demand, code, {**found, **by_cue})
    if chosen is None or (
        len(demand.literals) == 1 and not cues and len(demand.words) > 2 and not _is_about(demand, code)
    ):
        return []
    return chosen if _words_match(demand, code) else []


def _nearest_in_scope(
    demand: Demand, code: AddedCode, found: Mapping[str, Sequence[LiveLine]]
) -> list[LiveLine] | None:
    """Return one line for each, all in the block of a job or service that the criterion names, if it
    names one.
    """
    scopes = list(_scopes(demand, code))
    if not scopes:
        return nearest(found, reach=_reach(demand, found))
    for name, block in scopes:
        inside = {key: [line for line in lines if line in block] for key, lines in found.items()}
        inside[name] = [block[0]]
        if all(inside.values()) and (chosen := nearest(inside)):
            return chosen
    return None


def _reach(demand: Demand, found: Mapping[str, Sequence[LiveLine]]) -> int:
    """Return the number of lines allowed between evidence; 0 for a variable with its value on the line."""
    variables = [literal.text for literal in demand.literals if _VARIABLE.fullmatch(literal.text)]
    if len(demand.literals) != 2 or len(variables) != 1:
        return _REACH
    value = re.compile(rf"\b{variables[0].lower()}[\"']?\s*[=:]\s*\S")
    return 0 if any(value.search(line.code) for line in found[variables[0]]) else 1


def _scopes(demand: Demand, code: AddedCode) -> Iterator[tuple[str, list[LiveLine]]]:
    """Yield each job or service that the criterion names, with the lines of its key and of its value."""
    lines = list(code.effective)
    for literal in demand.literals:
        name = literal.text.lower()
        keys = (f"{name}:", f'"{name}":', f"'{name}':")
        is_called = re.search(_CALLED.format(re.escape(literal.text)), demand.text, re.IGNORECASE)
        for at, line in enumerate(lines):
            if line.code.strip() in keys and (is_called or _LIST_OF_JOBS.match(_parent_line(at, lines))):
                yield literal.text, [line, *_deeper(at, lines)]
                break


def _deeper(at: int, lines: Sequence[LiveLine]) -> list[LiveLine]:
    """Return the lines of the value of a key."""
    indent = _indent_width(lines[at])
    return list(takewhile(lambda line: _indent_width(line) > indent, lines[at + 1 :]))


def _parent_line(at: int, lines: Sequence[LiveLine]) -> str:
    """Return the line of the key that contains the key of a line."""
    above = (line.code for line in reversed(lines[:at]) if _indent_width(line) < _indent_width(lines[at]))
    return next(above, "")


def _indent_width(line: LiveLine) -> int:
    return len(line.code) - len(line.code.lstrip())


def _has_literal_on_line(lines: Sequence[LiveLine], found: Mapping[str, Sequence[LiveLine]]) -> bool:
    """Return True if a line of a cue has a literal, or no literal is demanded."""
    return not found or any(line in some for line in lines for some in found.values())


def _effective_lines(code: AddedCode, *, names_stage: bool) -> list[LiveLine]:
    """Return the lines without a ``FROM``, ``USER``, ``CMD`` or ``ENTRYPOINT`` that a later one replaces.

    Args:
        names_stage: a criterion about a stage counts the ``FROM`` of each.
    """
    last = {match[1]: line.number for line in code.effective if (match := _REPLACED.match(line.code))}
    return [
        line
        for line in code.effective
        if not (match := _REPLACED.match(line.code))
        or last[match[1]] == line.number
        or (names_stage and match[1] == "from")
    ]


def _words_match(demand: Demand, code: AddedCode) -> bool:
    words = demand.words - _ABOUT
    return len(covered_words(words, code.stems_with_path)) * 2 >= len(words)


def _is_about(demand: Demand, code: AddedCode) -> bool:
    words = demand.words - _ABOUT
    return bool(demand.literals) and len(covered_words(words, code.stems_with_path)) * 2 >= len(words)


def _judge_missing(demand: Demand, files: Sequence[AddedCode], cues: Sequence[str]) -> Judgement | None:
    found = {text for code in files for text in locate_literals(demand, code)}
    missing: list[Literal] = [literal for literal in demand.literals if literal.text not in found]
    if missing:
        return not_met(f"no added setting has {missing[0].text!r}")
    lines = [line for code in files for line in code.effective]
    if any(not any(re.search(need, line.code) for line in lines) for need in cues):
        return not_met("no added setting is about it")
    return None
