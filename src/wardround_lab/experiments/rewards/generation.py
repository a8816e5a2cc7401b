"""Rewards of a generated patch: hidden tests, coverage of the answer by proposed tests, and its edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from wardround.authoring.stages import PatchedFile
from wardround.context.line_coverage.python_statements import executable_lines
from wardround.context.run_evidence import TestOutcome
from wardround.text.tokens import TOKEN

_PASSES = (TestOutcome.PASSED, TestOutcome.FLAKY)
_PYTHON = ".py"
_MOST_TOKENS = 5000
"""Tokens of the edits of one file that are compared, in quadratic time."""


def passed_share(outcomes: Mapping[str, TestOutcome], tests: Sequence[str]) -> float:
    """Return the share of tests that pass; one without an outcome does not, and no tests are all passed.

    Args:
        outcomes: id of a test, with its parameters -> outcome.
        tests: ids; those without parameters denote all tests of a function, which must all pass.
    """
    return sum(_is_passing(outcomes, test) for test in tests) / len(tests) if tests else 1.0


def passes_all(outcomes: Mapping[str, TestOutcome], tests: Sequence[str]) -> bool:
    """Return True if each of the tests passes."""
    return passed_share(outcomes, tests) == 1.0


def _is_passing(outcomes: Mapping[str, TestOutcome], test: str) -> bool:
    own = [outcome for name, outcome in outcomes.items() if name == test or name.startswith(f"{test}[")]
    return bool(own) and all(outcome in _PASSES for outcome in own)


def covered_share(
    texts: Mapping[str, str], gold: Mapping[str, frozenset[int]], executed: Mapping[str, frozenset[int]]
) -> float | None:
    """Return the share of the answer's statements that tests execute; None if it has no statement.

    Args:
        texts: path -> the file with the answer.
        gold: path -> the lines that the answer adds or changes, as the file with the answer has them.
        executed: path -> the lines that the proposed tests execute there.
    """
    ran: list[bool] = []
    for path, lines in gold.items():
        statements = _statements(path, texts.get(path, ""), executed.get(path, frozenset()))
        ran += [statements[line] for line in statements.keys() & lines]
    return sum(ran) / len(ran) if ran else None


def _statements(path: str, text: str, executed: Iterable[int]) -> Mapping[int, bool]:
    """Return the first line of each statement, True if it was executed; none of other languages."""
    if not path.endswith(_PYTHON):
        return {}
    return executable_lines(text, dict.fromkeys(executed, True)) or {}


def edit_similarity(
    patch: Iterable[PatchedFile], gold: Iterable[PatchedFile], base: Mapping[str, str]
) -> float:
    """Return the similarity of the edits of two patches, 0 to 1; layout and place have no effect.

    An edit is the removed and the added lines of a file as tokens. Compared is by ``difflib``: twice the
    number of tokens in matching blocks, divided by all tokens of both, so that a file that only one of them
    edits counts with all its tokens.

    Args:
        base: path -> the text that both start from; a file that is missing there is new.
    """
    edits, answers = _edits(patch, base), _edits(gold, base)
    total = sum(map(len, (*edits.values(), *answers.values())))
    matching = sum(_matching(edits[path], answers[path]) for path in edits.keys() & answers.keys())
    return 2 * matching / total if total else 1.0


def _edits(files: Iterable[PatchedFile], base: Mapping[str, str]) -> dict[str, list[str]]:
    return {file.path: list(_tokens(base.get(file.path, ""), file.text or "")) for file in files}


def _tokens(before: str, after: str) -> Iterator[str]:
    """Yield the tokens of the removed and the added lines, each with its sign."""
    old, new = before.split("\n"), after.split("\n")
    for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from _signed_tokens("-", old[first:last])
            yield from _signed_tokens("+", new[start:end])


def _signed_tokens(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for match in TOKEN.finditer("\n".join(lines)):
        yield f"{sign}{match[0]}"


def _matching(edit: Sequence[str], answer: Sequence[str]) -> int:
    matcher = SequenceMatcher(None, edit[:_MOST_TOKENS], answer[:_MOST_TOKENS], autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())
