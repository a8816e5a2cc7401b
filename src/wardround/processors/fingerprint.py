"""Fingerprints: the identity of a finding across moved lines, reformatting and renamed files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from msgspec.structs import replace

from wardround.findings import LANGUAGE_MODEL, RUN, Finding
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.storage.digest import sha256


class FingerprintFindings:
    """Give every finding its fingerprint."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        parts = [
            (f.defect_class, inputs.files[f.file].base_path or f.file, _statement(f, inputs))
            for f in review.findings
        ]
        names = _open_first(parts, review.findings)
        findings = (replace(f, fingerprint=n) for f, n in zip(review.findings, names, strict=True))
        return replace(review, findings=tuple(findings))


class NameByContent:
    """Sort findings and notices together, and name each only by its content, for renamed files."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        findings = sorted((*review.findings, *review.notices), key=lambda f: f.sort_key)
        names: list[str] = []
        for _, of_file in groupby(findings, key=lambda f: f.file):
            some = list(of_file)
            names += _open_first([(f.defect_class, "", _statement(f, inputs)) for f in some], some)
        return replace(review, findings=tuple(findings), notices=(), content_names=tuple(names))


def _open_first(parts: Sequence[tuple[str, str, str]], findings: Sequence[Finding]) -> Sequence[str]:
    """Return the fingerprints of findings, whose names do not depend on what the change silences."""
    order = sorted(range(len(findings)), key=lambda index: findings[index].is_silenced)
    names = dict(zip(order, fingerprints(parts[index] for index in order), strict=True))
    return [names[index] for index in range(len(findings))]


def _statement(finding: Finding, inputs: PipelineInputs) -> str:
    """The statement a finding is about; of one in a file that its specialist did not review, the message."""
    reviewers = inputs.reviewers.get(finding.file, ())
    specialist = next((s for s in reviewers if s.name == finding.specialist), None)
    if finding.specialist in (LANGUAGE_MODEL, RUN):  # their messages differ from run to run
        specialist = min(reviewers, key=lambda s: s.reviews_all_text, default=None)
    if specialist is None:
        return finding.message
    return inputs.statements.of(specialist, finding.file, base=False).statement_at(finding.span.line)


def fingerprints(parts: Iterable[tuple[str, str, str]]) -> Sequence[str]:
    """Name findings so that the names survive moved lines and reformatting.

    Args:
        parts: (defect class, path, statement) of each finding of a file, sorted by position. The
            path is the base's where the change renames the file.

    Returns:
        16 hexadecimal digits for each; findings alike in all parts differ by their order.
    """
    occurrences: Counter[tuple[str, str, str]] = Counter()
    names = []
    for part in parts:
        text = "\0".join((*part, str(occurrences[part])))
        occurrences[part] += 1
        names.append(sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16])
    return names
