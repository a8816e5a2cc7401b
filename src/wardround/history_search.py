"""Secrets that a commit of the reviewed range adds and a later one removes.

They are in no file of the change, and everyone who has the commits has them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from wardround.assignment.readability import MAX_SOURCE_BYTES
from wardround.change.change_source import GitChangeSource, decode_any_encoding, decode_text
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.withdrawn_lines import CommitFile
from wardround.checks.source import Budget, SourceFile
from wardround.errors import PLUGIN_EXCEPTIONS, OverBudget
from wardround.execution.model import PartialReview, Results
from wardround.findings import Finding, RawFinding, Span
from wardround.processors import pipeline
from wardround.processors.model import PipelineInputs, SideResults
from wardround.processors.withdrawn_secrets import WithdrawnSecrets
from wardround.specialists import Specialist

_MODE = "100644"
_BUDGET_S = 10.0
"""Seconds of processor time for all commits of a range."""


def search_history(
    source: GitChangeSource, inputs: PipelineInputs, readers: Sequence[Specialist]
) -> WithdrawnSecrets:
    """Review the commits of a range for secrets that the range as a whole does not add.

    Args:
        readers: the specialists whose checks find secrets.
    """
    return _HistorySearch(source, inputs, readers).search() if readers else WithdrawnSecrets()


class _HistorySearch:
    """The search through the commits of one range."""

    def __init__(
        self, source: GitChangeSource, inputs: PipelineInputs, readers: Sequence[Specialist]
    ) -> None:
        self._source = source
        self._inputs = inputs
        self._readers = readers
        self._remaining = _added_lines(inputs)
        self._known: set[str] = set()
        self._budget = Budget(_BUDGET_S)
        self._result = WithdrawnSecrets()

    def search(self) -> WithdrawnSecrets:
        history = self._source.repository.withdrawn_lines(self._inputs.change, self._remaining)
        if history.left_out:
            self._leave_out(f"{history.left_out} were not searched for secrets that a later commit removes")
        settings = self._inputs.config
        files = [file for file in history.files if not settings.for_file(file.path).excluded]
        self._source.repository.blobs.fetch(file.blob for file in files)
        try:
            for commit, of_commit in groupby(files, key=lambda file: file.commit):
                self._add(commit, list(of_commit))
        except OverBudget:
            self._leave_out(f"the search of its commits for secrets took longer than {_BUDGET_S:g} s")
        return self._result

    def _leave_out(self, reason: str) -> None:
        self._result.partial += [PartialReview(reader.name, reason) for reader in self._readers]

    def _add(self, commit: str, files: Sequence[CommitFile]) -> None:
        """Add the findings about one commit, each secret once."""
        contents: dict[str, bytes] = {}
        results = Results()
        for file in files:
            content = self._source.repository.blobs.get(file.blob)
            if content is None or len(content) > MAX_SOURCE_BYTES:
                continue
            for reader in self._readers:
                found = self._secrets(reader, file, decode_any_encoding(content) or "")
                if found:
                    contents[file.path] = content
                    results.by_file[reader, file.path] = found
        texts = _CommitTexts(contents)
        for finding, name in _findings(self._inputs, commit, texts, results):
            secret = _source_of_span(finding.span, (texts.readable(finding.file) or "").split("\n"))
            if secret not in self._known:
                self._known.add(secret)
                self._result.found.append((finding, name))

    def _secrets(self, reader: Specialist, file: CommitFile, text: str) -> list[RawFinding]:
        """Return the results about secrets that the range does not add."""
        self._budget.require()
        checks = [check for check in reader.checks if check.MASKED]
        source = SourceFile(file.path, text, is_added=file.lines.__contains__, budget=self._budget)
        try:
            results = list(reader.run_checks(checks, source))
        except OverBudget:
            raise
        except PLUGIN_EXCEPTIONS as cause:
            self._leave_out(f"a check crashed on {file.path} at {file.commit[:7]}: {type(cause).__name__}")
            return []
        return [result for result in results if self._is_withdrawn(result.span, file, source.lines)]

    def _is_withdrawn(self, span: Span, file: CommitFile, lines: Sequence[str]) -> bool:
        """Return True if the commit adds a secret, and no line that the range adds contains it."""
        if file.lines.isdisjoint(range(span.line, span.end_line + 1)):
            return False
        parts = [
            part.strip().encode("utf-8", "surrogateescape")
            for part in _source_of_span(span, lines).split("\n")
        ]
        return not all(any(part in line for line in self._remaining) for part in parts if part)


def _source_of_span(span: Span, lines: Sequence[str]) -> str:
    """Return the text of a span."""
    inside = list(lines[span.line - 1 : span.end_line])
    if inside:
        inside[-1] = inside[-1][: span.end_column - 1]
        inside[0] = inside[0][span.column - 1 :]
    return "\n".join(inside)


def _added_lines(inputs: PipelineInputs) -> Collection[bytes]:
    """Return the stripped lines that the change adds."""
    texts: set[bytes] = set()
    for file in inputs.change.files:
        content = inputs.texts.head_bytes(file.path) if file.status is not FileStatus.DELETED else None
        lines = (content or b"").split(b"\n")
        texts.update(lines[number - 1].strip() for number in file.added_line_numbers(len(lines)))
    return texts


class _CommitTexts:
    """The contents of files at a commit; their old versions are ignored."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self.contents = contents

    def head(self, path: str) -> str | None:
        content = self.head_bytes(path)
        return None if content is None else decode_text(content)

    def readable(self, path: str, *, base: bool = False) -> str | None:
        content = None if base else self.head_bytes(path)
        return None if content is None else decode_any_encoding(content)

    def head_bytes(self, path: str) -> bytes | None:
        return self.contents.get(path)

    def base_bytes(self, path: str) -> bytes | None:
        return None


def _findings(
    inputs: PipelineInputs, commit: str, texts: _CommitTexts, results: Results
) -> Iterator[tuple[Finding, str]]:
    """Yield the findings that the pipeline derives from the results about a commit; suppressions and accepted
    entries apply.
    """
    if not texts.contents:
        return
    paths = sorted(texts.contents)
    files = tuple(ChangedFile(path, None, FileStatus.ADDED, _MODE) for path in paths)
    at_commit = replace(
        inputs,
        change=Change(inputs.change.base, commit, files),
        results=SideResults(results, Results()),
        unwaived_results=SideResults(Results(), Results()),
        reviewers={path: [reader for reader, of in results.by_file if of == path] for path in paths},
        unreviewed=(),
        texts=texts,
        model_results=(),
        run_results=(),
        run_covered=frozenset(),
        ranks=False,
    )
    review = pipeline.process(at_commit)
    names = {reader.name for reader, _ in results.by_file}
    history = f"added in {commit[:7]}, removed later: it stays in the history"
    for finding, name in zip(review.findings, review.content_names, strict=True):
        if finding.specialist in names:
            message = f"{finding.message}; {history}"
            yield replace(finding, message=message, suggested_fix=None, commit=commit), name
