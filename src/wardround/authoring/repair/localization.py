"""The functions that probably have to change so that failing tests pass: coverage, words and traceback."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from wardround.authoring.repair.model import Observation, ObservedTest, SuspiciousFunction
from wardround.authoring.repair.module_code import FunctionCode, ModuleCode
from wardround.languages.python.module import is_test_path
from wardround.languages.python.tree import UNREADABLE
from wardround.retrieval import bm25
from wardround.retrieval.rank_fusion import standardise
from wardround.text.search_terms import count_words

Read = Callable[[str], str | None]

COVERAGE, WORDS, NAMES, FRAMES = 1.0, 0.6, 0.4, 0.5
"""The weight of each ranker, in standard deviations."""


class ExecutedFunction:
    """A function with the suspiciousness of those of its lines that a failing test executed."""

    def __init__(self, code: FunctionCode, lines: Mapping[int, float]) -> None:
        self.code = code
        self.lines = lines

    @property
    def suspiciousness(self) -> float:
        """The maximum over its lines."""
        return max(self.lines.values())


def suspicious_functions(
    observation: Observation, read: Read, test_source: str
) -> tuple[SuspiciousFunction, ...]:
    """Return the functions and methods that failing tests executed, the most suspicious first.

    Tests and their configuration are excluded.

    Args:
        read: the text of a file of the base; None if there is none.
        test_source: the source of the failing tests, as ``failing_source`` returns it.
    """
    functions = list(_executed_functions(observation, read))
    scores = _fused_scores(functions, observation.failing, test_source)
    order = sorted(range(len(functions)), key=lambda at: (-scores[at], _position(functions[at].code)))
    return tuple(_suspicious(functions[at], scores[at]) for at in order)


def _position(code: FunctionCode) -> tuple[str, int]:
    return code.module.path, code.first_line


def _suspicious(function: ExecutedFunction, score: float) -> SuspiciousFunction:
    code = function.code
    return SuspiciousFunction(
        code.module.path, code.symbol, code.first_line, code.last_line, score, dict(function.lines)
    )


def line_scores(observation: Observation) -> dict[str, dict[int, float]]:
    """Return the Ochiai coefficient of each line of the code that a failing test executed, by path.

    Source: R. Abreu et al., "On the Accuracy of Spectrum-based Fault Localization", 2007.
    """
    failed, passed = _executions(observation.failing), _executions(observation.passing)
    scores: dict[str, dict[int, float]] = {}
    for (path, line), times in failed.items():
        if not is_test_path(path):
            coefficient = times / math.sqrt(len(observation.failing) * (times + passed[path, line]))
            scores.setdefault(path, {})[line] = coefficient
    return scores


def _executions(tests: Iterable[ObservedTest]) -> Counter[tuple[str, int]]:
    """Return by how many tests each line was executed."""
    return Counter((path, line) for test in tests for path, lines in test.lines.items() for line in lines)


def _executed_functions(observation: Observation, read: Read) -> Iterable[ExecutedFunction]:
    for path, scores in sorted(line_scores(observation).items()):
        module = _module(path, read(path))
        for code in module.functions if module is not None else ():
            body = range(code.node.body[0].lineno, code.last_line + 1)
            lines = {line: scores[line] for line in body if line in scores}
            if lines:
                yield ExecutedFunction(code, lines)


def _module(path: str, text: str | None) -> ModuleCode | None:
    if text is None:
        return None
    try:
        return ModuleCode(path, text)
    except UNREADABLE:
        return None


def _fused_scores(
    functions: Sequence[ExecutedFunction], failing: Sequence[ObservedTest], test_source: str
) -> list[float]:
    """Return the weighted sum of the standardised scores of all rankers."""
    query = count_words(test_source)
    texts = [count_words(f"{function.code.symbol}\n{function.code.text}") for function in functions]
    names = [count_words(function.code.symbol) for function in functions]
    columns = (
        (COVERAGE, [function.suspiciousness for function in functions]),
        (WORDS, bm25.scores(query, texts)),
        (NAMES, bm25.scores(query, names)),
        (FRAMES, _frame_scores(functions, failing)),
    )
    weighted = [[weight * score for score in standardise(scores)] for weight, scores in columns]
    return [math.fsum(column) for column in zip(*weighted, strict=True)]


def _frame_scores(functions: Sequence[ExecutedFunction], failing: Sequence[ObservedTest]) -> list[float]:
    """Return for each function 1 if an exception was raised in it, less for its callers, 0 for all others."""
    depths: dict[tuple[str, int], float] = {}
    for test in failing:
        frames = test.failure.frames if test.failure is not None else ()
        for depth, frame in enumerate(reversed(frames)):
            place = frame.path, frame.line
            depths[place] = max(depths.get(place, 0.0), 1 / (depth + 1))
    return [_frame_score(function.code, depths) for function in functions]


def _frame_score(code: FunctionCode, depths: Mapping[tuple[str, int], float]) -> float:
    lines = range(code.first_line, code.last_line + 1)
    return max((depths.get((code.module.path, line), 0.0) for line in lines), default=0.0)
