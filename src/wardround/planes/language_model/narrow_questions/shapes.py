"""Shapes of a change in any language: parts removed, made concurrent, widened, or changed at one position.

They are determined from lines, and only select questions for a model: they may match too often.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from wardround.lazy import LazyPattern
from wardround.planes.language_model.hunks import RemovedLine, SentHunk
from wardround.planes.language_model.narrow_questions.line_pairs import (
    Block,
    LinePair,
    blocks,
    pairs,
    tokens,
    unpaired_lines,
)

Shape = Callable[[SentHunk], Iterator[tuple[int, str]]]
"""Yields the line at the head and the text of each changed line that has the shape."""

_GUARD = LazyPattern(
    r"^\s*(?:\}?\s*(?:else\s+)?if\b|elif\b|assert\b|unless\b|guard\b|require\w*\(|invariant\("
    r"|\[\[?\s.*\]\]?\s*(?:\|\||&&))"
)
_CONJUNCTION = LazyPattern(r"&&|\|\||\b(?:and|or|AND|OR)\b")
_CALL = LazyPattern(r"([\w.$]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_ARGUMENT_LINE = LazyPattern(
    r"^\s+(?:\w+\s*=\s*[^=>\s].*|[\w'\"-]+:\s.*|\w+|--[\w-]+.*),\s*$|^\s+--?[\w-]+.*\\\s*$"
)
_AWAIT = LazyPattern(r"\bawait\s+([\w.$]+)\s*[(<]")
_LISTENER = LazyPattern(
    r"\b(?:add|remove)(?:Event)?Listener\b|\.(?:on|off|once)\(|[sS]ubscribe\b|\bdisconnect\(|\bobserve\("
    r"|\bclear(?:Interval|Timeout)\(|\.abort\(|\badd_(?:listener|handler|signal_handler|done_callback)\("
    r"|\.connect\(|\bregister\(|\batexit\b|^\s*trap\s|\bLISTEN\b|\bCREATE\s+(?:OR\s+REPLACE\s+)?TRIGGER\b"
)
_STATEMENT = LazyPattern(
    r"^\s*(?:(?:await|return|SELECT|PERFORM|CALL|RUN|-\s+run:)\s+)?([\w.$]+)\(.*\)?[;,]?\s*$"
    r"|^\s*(?:RUN|-\s+run:)\s+(\w[\w./-]*)"
)
_OUTPUT = LazyPattern(r"^(?:print|console\.\w+|log(?:ger|ging)?\.\w+|echo|if|for|while|switch|catch|super)$")
_CONCURRENT = LazyPattern(
    r"\bPromise\.(?:all|allSettled|any|race)\b|\basyncio\.(?:gather|create_task|as_completed|TaskGroup|wait)\b"
    r"|\b(?:ThreadPool|ProcessPool)Executor\b|\b(?:Thread|Pool)\("
    r"|\.(?:create_task|start_soon|submit|imap_unordered)\(|\bxargs\b.*\s-P|\bparallel\b|\bmax-parallel:\s*\d+"
    r"|\s-n\s*auto\b|[^&>]&\s*$|\bgo func\b"
    r"|--maxWorkers\S*|--jobs\S*"
)
_HANDLER = LazyPattern(r"\bexcept\b|\bcatch\b|\bWHEN\s+\w+.*\bTHEN\b|\bsuppress\(|\brescue\b")
_WIDE = LazyPattern(
    r"\bexcept\s*:|\b(?:Base)?Exception\b|\bOTHERS\b|\bThrowable\b|\bOSError\b"
    r"|\bcatch\s*(?:\{|\(\s*\w*\s*(?::\s*\w+\s*)?\))"
)
_RETHROW = LazyPattern(r"\b(?:throw|raise|RAISE)\b")
_IGNORED_FAILURE = LazyPattern(
    r"\|\|\s*(?:true|:)|\bcontinue-on-error:\s*true|\ballow_failure:\s*true|\bset \+e\b"
)
_DEFAULT = LazyPattern(
    r"\b([\w.-]+)[\"']?(?:\s*:\s*[\w\[\]|. ]+)?\s*(?:=|:-|:|\?\?|\|\||,\s*|\bDEFAULT\b|default=)\s*"
    r"(-?\d[\w.]*|\"[^\"]*\"|'[^']*'|[Tt]rue|[Ff]alse|TRUE|FALSE|None|null|NULL|now\(\)|\[\]|\{\}|(?<=:-)[^}]+)"
)
_DECLARES_DEFAULT = LazyPattern(
    r"\b(?:def|function|fn|lambda|constructor|async)\b|=>|\bdefault\b|\bDEFAULT\b|\?\?|:-|\|\||environ|\.get\("
    r"|\bconst\s*\{|\bARG\b|\bENV\b|^\s*(?:export\s+)?(?:const\s+|static\s+)?[A-Z][A-Z0-9_]+\b\s*(?::[^=]*)?="
    r"|^\s+\w+\s*:\s*[\w\[\]| ]+=|^\s*(?:[\w-]+:)\s"
)
_LEAST_TOKENS = 5
"""The tokens of a line that can be a mirrored one: shorter ones are equal by chance."""
_LEAST_EQUAL = 0.6


def _removed_guard(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    for block in blocks(hunk):
        found = pairs(block)
        for line in unpaired_lines(block, found):
            if _GUARD.search(line.text) and not _is_moved_line(line, hunk):
                yield line.next, line.text
        for pair in found:
            if _GUARD.search(pair.removed.text) and _is_weaker(pair):
                yield pair.number, pair.removed.text


def _is_weaker(pair: LinePair) -> bool:
    """Return True if a condition lost a part, or its line has none in the new version."""
    before, after = pair.removed.text, pair.added
    return len(_CONJUNCTION.findall(after)) < len(_CONJUNCTION.findall(before)) or not _GUARD.search(after)


def _is_moved_line(line: RemovedLine, hunk: SentHunk) -> bool:
    """Return True if an added line has the tokens of a removed one in the same order."""
    text = " ".join(tokens(line.text))
    return any(text in " ".join(tokens(added)) for added in hunk.added.values())


def _removed_argument(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    for block in blocks(hunk):
        found = pairs(block)
        for pair in found:
            if _lost_argument(pair):
                yield pair.number, pair.removed.text
        for line in unpaired_lines(block, found):
            if _ARGUMENT_LINE.search(line.text) and not _is_moved_line(line, hunk):
                yield line.next, line.text


def _lost_argument(pair: LinePair) -> bool:
    after = {name: _arguments(text) for name, text in _CALL.findall(pair.added)}
    before = ((name, _arguments(text)) for name, text in _CALL.findall(pair.removed.text))
    return any(name in after and len(after[name]) < len(arguments) for name, arguments in before)


def _arguments(text: str) -> list[str]:
    """Return the arguments of a call, split at the commas that are in no brackets."""
    flat = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}", "_", text)
    return [argument for argument in flat.split(",") if argument.strip()]


def _removed_await(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    for block in blocks(hunk):
        added = "\n".join(block.added.values())
        for line in block.removed:
            for name in _AWAIT.findall(line.text):
                if re.search(rf"(?<!await )(?<![\w.$]){re.escape(name)}\s*[(<]", added):
                    yield line.next, line.text


def _removed_listener(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    for line in hunk.removed:
        if _LISTENER.search(line.text) and not _is_moved_line(line, hunk):
            yield line.next, line.text


def _removed_call(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    added = "\n".join(hunk.added.values())
    for line in hunk.removed:
        found = _STATEMENT.search(line.text)
        name = "" if found is None else found[1] or found[2]
        if not name or _OUTPUT.search(name) or _LISTENER.search(line.text):
            continue
        if not re.search(rf"(?<![\w.$]){re.escape(name)}\b", added):
            yield line.next, line.text


def _concurrent_changes(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    before = "\n".join(line.text for line in hunk.removed)
    for number, text in hunk.added.items():
        found = _CONCURRENT.search(text)
        if found is not None and before and found[0].strip() not in before:
            yield number, text


def _wider_handler(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    for block in blocks(hunk):
        before = "\n".join(line.text for line in block.removed)
        for number, text in block.added.items():
            if _catches_more(before, text, block) or _ignores_failure(before, text):
                yield number, text


def _catches_more(before: str, after: str, block: Block) -> bool:
    is_handler = _HANDLER.search(after) and _HANDLER.search(before)
    return bool(is_handler) and (_is_wider(before, after) or _lost_rethrow(before, block))


def _ignores_failure(before: str, after: str) -> bool:
    return bool(_IGNORED_FAILURE.search(after)) and not _IGNORED_FAILURE.search(before)


def _lost_rethrow(before: str, block: Block) -> bool:
    return bool(_RETHROW.search(before)) and not any(_RETHROW.search(text) for text in block.added.values())


def _is_wider(before: str, after: str) -> bool:
    if _WIDE.search(after) and not _WIDE.search(before):
        return True
    return len(tokens(after)) > len(tokens(before)) and after.count(",") > before.count(",")


def _changed_default(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    for block in blocks(hunk):
        for pair in pairs(block):
            before, after = _DEFAULT.findall(pair.removed.text), dict(_DEFAULT.findall(pair.added))
            is_changed = any(name in after and after[name] != value for name, value in before)
            if is_changed and _DECLARES_DEFAULT.search(pair.added):
                yield pair.number, pair.added


def _mirrored_changes(hunk: SentHunk) -> Iterator[tuple[int, str]]:
    others = [found for text in hunk.unchanged.values() if len(found := tokens(text)) >= _LEAST_TOKENS]
    for block in blocks(hunk):
        for pair in pairs(block):
            before = tokens(pair.removed.text)
            if before != tokens(pair.added) and any(_is_mirrored(before, other) for other in others):
                yield pair.number, pair.added


def _is_mirrored(line: list[str], other: list[str]) -> bool:
    """Return True if two lines have the same form and different names."""
    if len(line) != len(other) or line == other:
        return False
    equal = sum(first == second for first, second in zip(line, other, strict=True))
    return equal >= _LEAST_EQUAL * len(line)


SHAPES: Mapping[str, Shape] = {
    "removed-guard": _removed_guard,
    "removed-argument": _removed_argument,
    "removed-await": _removed_await,
    "removed-listener": _removed_listener,
    "removed-call": _removed_call,
    "made-concurrent": _concurrent_changes,
    "wider-handler": _wider_handler,
    "changed-default": _changed_default,
    "mirrored-place": _mirrored_changes,
}
"""Name -> the shape."""
