"""Notices: findings about the review itself, such as a suppression without a reason."""

from __future__ import annotations

from msgspec.structs import replace

from wardround.findings import Finding, RawFinding, Span, Status
from wardround.processors.classify import new_finding
from wardround.processors.fingerprint import fingerprints
from wardround.processors.model import PipelineInputs
from wardround.specialists import Specialist


def new_notice(
    inputs: PipelineInputs,
    code: str,
    path: str,
    position: tuple[int, int],
    message: str,
    specialist: Specialist | None = None,
) -> Finding:
    """Return a finding of one of wardround's own rules, with its fingerprint.

    Args:
        code: code of the rule, without ``wardround/``.
        position: (line, column), 1-based.
        specialist: the reviewer of the file, where the notice is about a comment or text of it.
    """
    rule = inputs.catalogue.rule(f"wardround/{code}")
    line, column = position
    status = Status.NEW if inputs.files[path].is_added_line(line) else Status.EXISTING
    result = RawFinding(code, path, Span(line, column, line, column), message)
    name = "wardround" if specialist is None else specialist.name
    finding = new_finding(result, rule, name, rule.severity, status)
    (fingerprint,) = fingerprints([(rule.defect_class, path, f"{message} {line}")])
    return replace(finding, fingerprint=fingerprint)
