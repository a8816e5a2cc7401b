"""The results of one tool for one file at the head, paired with those at the base."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from wardround.change.diff import ChangedFile
from wardround.execution.model import Results, ResultSource, reviewers_of
from wardround.findings import SYNTAX_ERROR, RawFinding, Severity
from wardround.processors.model import PipelineInputs, SideResults
from wardround.processors.statements import StatementIndex
from wardround.specialists import Specialist


class ResultPair(msgspec.Struct, frozen=True):
    """The results of one tool for one file at base and head.

    Attributes:
        base: None where the base could not be reviewed, so that nothing off the added lines is caused.
    """

    file: ChangedFile
    head: Sequence[RawFinding]
    base: Sequence[RawFinding] | None
    head_statements: StatementIndex
    base_statements: StatementIndex | None


ResultPairs = Mapping[tuple[str, str], Sequence[ResultPair]]
"""(specialist, tool or specialist) -> its results, a pair for each file."""


class ResultPairing:
    """Pairs the results of base and head of a change.

    Args:
        unwaived: the results are those of copies without the ignore comments of changed code.
    """

    def __init__(self, inputs: PipelineInputs, results: SideResults, *, unwaived: bool) -> None:
        self._inputs = inputs
        self._results = results
        self._unwaived = unwaived

    def pairs(self) -> ResultPairs:
        """Return the pairs of every file with results at the head, files in the order of their paths."""
        pairs: dict[tuple[str, str], list[ResultPair]] = defaultdict(list)
        for path, specialists in sorted(self._inputs.reviewers.items()):
            for specialist, source, results in self._owned_results(path, specialists):
                pair = self._pair(self._inputs.files[path], specialist, source, results)
                pairs[specialist.name, source.name].append(pair)
        return {
            key: [*of_source, *self._move_sources(key, {pair.file.path for pair in of_source})]
            for key, of_source in pairs.items()
        }

    def _move_sources(self, key: tuple[str, str], paired: Collection[str]) -> Iterator[ResultPair]:
        """Yield the pairs of files with results only at the base: code may have been moved from them."""
        name, source_name = key
        specialist = next(reader for reader in self._inputs.specialists if reader.name == name)
        unpaired = [file for path, file in sorted(self._inputs.files.items()) if path not in paired]
        for source in reviewers_of(specialist):
            if source.name != source_name:
                continue
            for file in unpaired:
                if file.base_path is not None and self._base_results(file.base_path, source):
                    yield self._pair(file, specialist, source, ())

    def _owned_results(
        self, path: str, specialists: Sequence[Specialist]
    ) -> Iterator[tuple[Specialist, ResultSource, list[RawFinding]]]:
        """Yield the results for a file at the head, by the specialist that reports them and their source."""
        for specialist in specialists:
            for source in reviewers_of(specialist):
                results = [
                    result
                    for result in self._results.head.get(source, path) or ()
                    if self._owning_specialist(source, result, specialists) is specialist
                ]
                if results:
                    yield specialist, source, results

    def _owning_specialist(
        self, source: ResultSource, result: RawFinding, specialists: Sequence[Specialist]
    ) -> Specialist | None:
        """The specialist that reports a result: the one its rule names, else the one that owns the tool."""
        named = self._inputs.catalogue.rule(f"{source.name}/{result.code}").specialist
        using = [s for s in specialists if source in reviewers_of(s)]
        owning = [s for s in using if source not in s.borrowed_tools]
        return next((s for s in using if s.name == named), owning[0] if owning else None)

    def _pair(
        self, file: ChangedFile, specialist: Specialist, source: ResultSource, results: Sequence[RawFinding]
    ) -> ResultPair:
        base: Sequence[RawFinding] | None = []
        base_statements = None
        file = file.as_added() if specialist.name in file.first_for else file
        if file.base_path is not None:
            base = self._base_results(file.base_path, source)
            base_statements = self._statements(specialist, file.path, base=True)
        ordered = sorted(results, key=lambda r: (r.span, r.code, r.message))
        head_statements = self._statements(specialist, file.path, base=False)
        return ResultPair(file, ordered, base, head_statements, base_statements)

    def _statements(self, specialist: Specialist, path: str, *, base: bool) -> StatementIndex:
        return self._inputs.statements.of(specialist, path, base=base, unwaived=self._unwaived)

    def _base_results(self, path: str, source: ResultSource) -> Sequence[RawFinding] | None:
        """Return the results for an old version; None where it was not reviewed or could not be parsed."""
        results = self._enabled_results(path, source, self._results.base)
        if results and any(self._is_syntax_error(source.name, result) for result in results):
            return None
        return results

    def _enabled_results(self, path: str, source: ResultSource, side: Results) -> Sequence[RawFinding] | None:
        """Return the results whose rule is enabled at a path: nobody has seen the others."""
        results = side.get(source, path)
        settings = self._inputs.config.for_file(path)
        if results is None or not settings.severities:
            return results
        codes = {result.code for result in results}
        off = {c for c in codes if settings.severity(f"{source.name}/{c}", Severity.INFO) is None}
        return _drop_codes(results, off)

    def _is_syntax_error(self, tool: str, result: RawFinding) -> bool:
        return self._inputs.catalogue.rule(f"{tool}/{result.code}").defect_class == SYNTAX_ERROR


def _drop_codes(results: Sequence[RawFinding], codes: Collection[str]) -> list[RawFinding]:
    return [result for result in results if result.code not in codes]
