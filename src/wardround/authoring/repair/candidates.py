"""The candidate edits of an instance, the most probable first.

The score of a candidate is P(line) x P(operator | failure) / its place among the edits that the operator
proposes at the site. Operators are called only when one of their edits is the next in order.
"""

from __future__ import annotations

import ast
import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from wardround.authoring.repair.edit_syntax import edited_function, is_python
from wardround.authoring.repair.failure_kind import first_failure, kind_of
from wardround.authoring.repair.localization import MODULE
from wardround.authoring.repair.model import Candidate, Failure, Observation, SuspiciousFunction
from wardround.authoring.repair.module_code import FunctionCode
from wardround.authoring.repair.operator_weights import weight_of
from wardround.authoring.repair.operators.equal_sites import edits_everywhere
from wardround.authoring.repair.operators.family import Operator
from wardround.authoring.repair.operators.registry import BY_KIND
from wardround.authoring.repair.operators.site import Edit, Site
from wardround.authoring.repair.project_code import ProjectCode

MOST_CANDIDATES = 30_000
MOST_FUNCTIONS = 30
RANK_POWER = 1.0
"""The probability of a function falls with this power of its rank."""
SIZE_POWER = 0.5
"""The probability of a line falls with this power of the number of executed lines of its function."""
EVERYWHERE = "-everywhere"
EVERYWHERE_FACTOR = 0.5
"""How much less probable than one edit the same edit of all equal expressions is."""
FRAME_FACTOR = 2.0
"""How much more probable a line of the traceback is than others."""


def candidates_of(
    functions: Sequence[SuspiciousFunction],
    observation: Observation,
    read: Callable[[str], str | None],
    most: int = MOST_CANDIDATES,
) -> Iterator[Candidate]:
    """Yield the candidates of the first functions in the order of their scores, none twice.

    Args:
        functions: as the localization has them, the most suspicious first.
        read: the text of a file of the base; None if there is none.
    """
    first = [function for function in functions if function.symbol != MODULE][:MOST_FUNCTIONS]
    project = ProjectCode.of(dict.fromkeys(function.path for function in functions), read)
    search = CandidateSearch(project, first_failure(observation))
    for rank, function in enumerate(first):
        search.add(function, 1 / (rank + 1) ** RANK_POWER)
    return itertools.islice(search.candidates(), most)


class _Alternatives:
    """The remaining edits of one operator at one site, with the score of the next."""

    def __init__(self, operator: str, site: Site, edits: Iterator[Edit], score: float) -> None:
        self.operator = operator
        self.site = site
        self.edits = edits
        self._score = score
        self._place = 1

    @property
    def score(self) -> float:
        return self._score / self._place

    def advance(self) -> None:
        """Lower the score of the edits that follow."""
        self._place += 1


class CandidateSearch:
    """The functions of an instance, and the edits of them that have not been yielded."""

    def __init__(self, project: ProjectCode, failure: Failure | None) -> None:
        self._project = project
        self._exception = failure.exception if failure is not None else ""
        self._kind = kind_of(failure)
        self._frames = (
            frozenset((frame.path, frame.line) for frame in failure.frames) if failure else frozenset()
        )
        self._heap: list[tuple[float, int, Site | _Alternatives]] = []
        self._order = itertools.count()
        self._known: set[tuple[int, str]] = set()

    def add(self, suspicious: SuspiciousFunction, probability: float) -> None:
        """Add the sites of a function; code outside of functions has none."""
        function = self._project.function(suspicious.path, suspicious.first_line)
        if function is None:
            return
        self._known.add(
            (id(function), edited_function(function, Edit(function.span[0], function.span[0], "")))
        )
        for site, share in self._sites(function, suspicious):
            bound = max(
                weight_of(operator.name, self._kind, self._exception) for operator in _operators(site)
            )
            site.probability = probability * share
            self._push(site.probability * bound, site)

    def _sites(self, function: FunctionCode, suspicious: SuspiciousFunction) -> Iterator[tuple[Site, float]]:
        """Yield the sites that a failing test executed, with the probability of their lines."""
        weights = self._line_weights(function, suspicious)
        size = sum(weights.values()) ** SIZE_POWER
        for node in function.nodes:
            site = Site(function, node, self._project, self._exception)
            weight = max((weights.get(line, 0.0) for line in _lines(site)), default=0.0)
            if weight > 0 and type(node) in BY_KIND:
                yield site, weight / size

    def _line_weights(self, function: FunctionCode, suspicious: SuspiciousFunction) -> dict[int, float]:
        best = max(suspicious.lines.values(), default=1.0)
        path = function.module.path
        return {
            line: score / best * (FRAME_FACTOR if (path, line) in self._frames else 1.0)
            for line, score in suspicious.lines.items()
        }

    def candidates(self) -> Iterator[Candidate]:
        """Yield the candidates in order, until no operator has another edit."""
        while self._heap:
            _, _, entry = heapq.heappop(self._heap)
            match entry:
                case Site():
                    self._expand(entry)
                case _Alternatives():
                    yield from self._next_candidate(entry)

    def _expand(self, site: Site) -> None:
        for operator in _operators(site):
            score = site.probability * weight_of(operator.name, self._kind, self._exception)
            self._push(score, _Alternatives(operator.name, site, operator.edits(site), score))

    def _next_candidate(self, alternatives: _Alternatives) -> Iterator[Candidate]:
        """Yield the operator's next new edit, and put what follows into the order."""
        for edit in alternatives.edits:
            if self._is_new(alternatives.site, edit):
                yield _candidate(alternatives, edit)
                self._push_everywhere(alternatives, edit)
                alternatives.advance()
                self._push(alternatives.score, alternatives)
                return

    def _push_everywhere(self, alternatives: _Alternatives, edit: Edit) -> None:
        """Put the same edit of all equal expressions into the order, after that of the one."""
        edits = list(edits_everywhere(alternatives.site, edit))
        if edits and not alternatives.operator.endswith(EVERYWHERE):
            score = alternatives.score * EVERYWHERE_FACTOR
            name = f"{alternatives.operator}{EVERYWHERE}"
            self._push(score, _Alternatives(name, alternatives.site, iter(edits), score))

    def _is_new(self, site: Site, edit: Edit) -> bool:
        """Return True for the first edit with its result, if that is Python."""
        text = edited_function(site.function, edit)
        key = id(site.function), text
        if key in self._known:
            return False
        self._known.add(key)
        return is_python(site.function, site.statement, edit)

    def _push(self, score: float, entry: Site | _Alternatives) -> None:
        heapq.heappush(self._heap, (-score, next(self._order), entry))


def _operators(site: Site) -> Sequence[Operator]:
    return BY_KIND.get(type(site.node), ())


def _lines(site: Site) -> Iterable[int]:
    """Return the lines of a node, or the first one of a statement with blocks."""
    node = site.node if hasattr(site.node, "lineno") else site.statement
    first = getattr(node, "lineno", 0)
    body = getattr(node, "body", None)
    has_block = isinstance(body, list) and isinstance(node, ast.stmt | ast.ExceptHandler)
    last = first if has_block else getattr(node, "end_lineno", first)
    return range(first, last + 1) if has_block or first != last else (first, site.statement.lineno)


def _candidate(alternatives: _Alternatives, edit: Edit) -> Candidate:
    function = alternatives.site.function
    return Candidate(
        function.module.path, function.symbol, edit.start, edit.end, edit.replacement,
        alternatives.operator, alternatives.score,
    )  # fmt: skip
