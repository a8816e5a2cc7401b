"""The functions that probably have to change so that failing tests pass: coverage, words and traceback."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.authoring.repair.model import Observation, ObservedTest, SuspiciousFunction
from wardround.authoring.repair.module_code import FunctionCode, ModuleCode, read_module
from wardround.languages.python.module import is_test_path, last_name, targets_of
from wardround.retrieval import bm25
from wardround.retrieval.rank_fusion import standardise
from wardround.retrieval.test_discovery import imports
from wardround.text.search_terms import count_words

Read = Callable[[str], str | None]

MODULE = "<module>"
_SOURCE_FOLDER = "src/"
COVERAGE, WORDS, NAMES, FRAMES, FUNCTION = 1.0, 0.5, 0.2, 0.5, 0.5
"""The weight of each ranker, in standard deviations."""


class SuspiciousCode(msgspec.Struct, frozen=True):
    """A function, or a statement outside of functions, with the suspiciousness of its lines."""

    path: str
    symbol: str
    first_line: int
    last_line: int
    text: str
    lines: Mapping[int, float]

    @property
    def suspiciousness(self) -> float:
        """The maximum over the lines."""
        return max(self.lines.values())

    def with_score(self, score: float) -> SuspiciousFunction:
        return SuspiciousFunction(
            self.path, self.symbol, self.first_line, self.last_line, score, dict(self.lines)
        )


def suspicious_functions(
    observation: Observation, read: Read, test_source: str
) -> tuple[SuspiciousFunction, ...]:
    """Return the code that failing tests executed, the most suspicious first.

    These are functions and methods, and the assignments outside of functions whose names they read. Tests and
    their configuration are excluded.

    Args:
        read: the text of a file of the base; None if there is none.
        test_source: the source of the failing tests, as ``failing_source`` returns it.
    """
    found = list(_executed_code(observation, read))
    scores = _fused_scores(found, observation.failing, test_source)
    order = sorted(range(len(found)), key=lambda at: (-scores[at], found[at].path, found[at].first_line))
    return tuple(found[at].with_score(scores[at]) for at in order)


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


def _executed_code(observation: Observation, read: Read) -> Iterator[SuspiciousCode]:
    scores = line_scores(observation)
    modules = {path: read_module(path, read(path)) for path in sorted(scores)}
    executed = [module for module in modules.values() if module is not None]
    names: dict[str, float] = {}
    for module in executed:
        for function, lines in _executed_functions(module, scores[module.path]):
            yield _function(function, lines)
            _record_names(names, function, max(lines.values()))
    others = [path for path in _imported_paths(executed) if path not in modules]
    constants = (read_module(path, read(path)) for path in others)
    for module in (*executed, *filter(None, constants)):
        yield from _assignments(module, names)


def _executed_functions(
    module: ModuleCode, scores: Mapping[int, float]
) -> Iterator[tuple[FunctionCode, Mapping[int, float]]]:
    """Yield the functions with an executed line in their body, with the scores of these lines."""
    for function in module.functions:
        body = range(function.node.body[0].lineno, function.last_line + 1)
        lines = {line: scores[line] for line in body if line in scores}
        if lines:
            yield function, lines


def _imported_paths(modules: Iterable[ModuleCode]) -> Sequence[str]:
    """Return the paths at which the modules that others import could be; most of them do not exist."""
    found: dict[str, None] = {}
    for module in modules:
        for imported in imports(module.path, module.text):
            name = imported.module.replace(".", "/").strip("/")
            inner = [f"{name}/{part}.py" for part in sorted(imported.names)]
            folder = _SOURCE_FOLDER if module.path.startswith(_SOURCE_FOLDER) else ""
            found |= dict.fromkeys(_below(folder, path) for path in (f"{name}.py", *inner))
    return list(found)


def _below(folder: str, path: str) -> str:
    return path if path.startswith(folder) else folder + path


def _function(function: FunctionCode, lines: Mapping[int, float]) -> SuspiciousCode:
    text = f"{function.symbol}\n{function.text}"
    path = function.module.path
    return SuspiciousCode(path, function.symbol, function.first_line, function.last_line, text, lines)


def _record_names(names: dict[str, float], function: FunctionCode, score: float) -> None:
    """Record the score of a function for the names and attributes that it reads."""
    for node in function.nodes:
        name = last_name(node)
        if name:
            names[name] = max(names.get(name, 0.0), score)


def _assignments(module: ModuleCode, names: Mapping[str, float]) -> Iterator[SuspiciousCode]:
    """Yield the assignments outside of functions whose names an executed function reads."""
    for statement in statements_outside_functions(module.tree):
        score = max((names.get(last_name(target), 0.0) for target in targets_of(statement)), default=0.0)
        if score > 0:
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            lines = dict.fromkeys(range(first, last + 1), score)
            yield SuspiciousCode(module.path, MODULE, first, last, module.source(statement), lines)


def statements_outside_functions(node: ast.Module | ast.ClassDef) -> Iterator[ast.stmt]:
    """Yield the statements at the top of a module and of its classes."""
    for statement in node.body:
        if isinstance(statement, ast.ClassDef):
            yield from statements_outside_functions(statement)
        else:
            yield statement


def _fused_scores(
    found: Sequence[SuspiciousCode], failing: Sequence[ObservedTest], test_source: str
) -> list[float]:
    """Return the weighted sum of the standardised scores of all rankers."""
    query = count_words(test_source)
    columns = (
        (COVERAGE, [code.suspiciousness for code in found]),
        (WORDS, bm25.scores(query, [count_words(code.text) for code in found])),
        (NAMES, bm25.scores(query, [count_words(code.symbol) for code in found])),
        (FRAMES, _frame_scores(found, failing)),
        (FUNCTION, [float(code.symbol != MODULE) for code in found]),
    )
    weighted = [[weight * score for score in standardise(scores)] for weight, scores in columns]
    return [math.fsum(column) for column in zip(*weighted, strict=True)]


def _frame_scores(found: Sequence[SuspiciousCode], failing: Sequence[ObservedTest]) -> list[float]:
    """Return for each function 1 if an exception was raised in it, less for its callers, 0 for all others."""
    depths: dict[tuple[str, int], float] = {}
    for test in failing:
        frames = test.failure.frames if test.failure is not None else ()
        for depth, frame in enumerate(reversed(frames)):
            place = frame.path, frame.line
            depths[place] = max(depths.get(place, 0.0), 1 / (depth + 1))
    return [_frame_score(code, depths) for code in found]


def _frame_score(code: SuspiciousCode, depths: Mapping[tuple[str, int], float]) -> float:
    lines = range(code.first_line, code.last_line + 1)
    return max((depths.get((code.path, line), 0.0) for line in lines), default=0.0)
