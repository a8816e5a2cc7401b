"""Checks of wardround and of plugins: the code that detects one rule.

A check is one class in one file: its docstring describes the defect and why it matters, ``VALID`` and
``INVALID`` are its cases, ``run`` is the detection. ``wardround.testing`` runs the cases.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from wardround.checks.source import ChangeView, SourceFile
from wardround.findings import Plane, RawFinding, Severity, Span, SuggestedFix
from wardround.rules.cases import Case, ChangeCase, Invalid, MarkedChange, MarkedCode, Valid
from wardround.rules.maturity import Maturity
from wardround.rules.model import Rule


class RuleDoc(ABC):
    """The documentation of a rule, as every check holds it.

    The first line of the docstring describes the defect, the rest why it matters and what to do instead.

    Attributes:
        ID: short and stable, as suppressions name it: ``ACME001``.
        NAME: the rule's name, in kebab case.
        DEFECT_CLASS: the defect, whichever tool reports it; the same class at the same position is one
            finding.
        MASKED: it finds secrets, so the source of its findings is never printed.
        OFF: why it is not shown unless a project requests it; empty if it is.
        MATURITY: a preview rule runs where the configuration sets ``preview`` or names the rule.
        INFERS_COVERAGE: it infers which changed lines tests run; a run that shows them replaces its findings.
        PREFILTER: ``module:name`` of a cheap test of a file, which selects the check before it is imported.
        CASE_PATH: the path of the file in a case that names none.
        VALID: two cases at most that are not reported; further cases live with the tests.
        INVALID: two cases at most that are reported.
    """

    ID: ClassVar[str]
    NAME: ClassVar[str]
    PLANE: ClassVar[Plane] = Plane.SEMANTIC
    SEVERITY: ClassVar[Severity] = Severity.WARN
    DEFECT_CLASS: ClassVar[str | None] = None
    URL: ClassVar[str | None] = None
    MASKED: ClassVar[bool] = False
    OFF: ClassVar[str] = ""
    MATURITY: ClassVar[Maturity] = Maturity.STABLE
    INFERS_COVERAGE: ClassVar[bool] = False
    PREFILTER: ClassVar[str] = ""
    CASE_PATH: ClassVar[str] = "case.py"
    VALID: ClassVar[Sequence[Case]] = ()
    INVALID: ClassVar[Sequence[Case]] = ()

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        """Return the kinds of files and the words by which an index selects it; see ``index.CheckEntry``."""
        return (), ()

    @classmethod
    def rule(cls, specialist: str) -> Rule:
        """Return the check as an entry of the catalogue."""
        import inspect  # only the catalogue needs it

        title, _, why = inspect.cleandoc(cls.__doc__ or "").partition("\n")
        return Rule(
            id=f"{specialist}/{cls.ID}",
            name=cls.NAME,
            plane=cls.PLANE,
            severity=cls.SEVERITY,
            defect_class=cls.DEFECT_CLASS or cls.NAME,
            why="\n".join(part for part in (title, why.strip()) if part),
            url=cls.URL,
            masked=cls.MASKED,
            disabled_reason=cls.OFF,
            maturity=cls.MATURITY,
            infers_coverage=cls.INFERS_COVERAGE,
            valid=tuple(cls.VALID),
            invalid=tuple(cls.INVALID),
            case_path=cls.CASE_PATH,
            reported_by=(specialist,),
        )


class Check(RuleDoc):
    """Detects one rule in one file. Created for each file; ``VALID`` and ``INVALID`` are its cases."""

    VALID: ClassVar[Sequence[str | Valid | MarkedCode]] = ()
    INVALID: ClassVar[Sequence[Invalid | MarkedCode]] = ()

    def __init__(self, source: SourceFile) -> None:
        if source.budget is not None:
            source.budget.require()
        self.source = source
        self.results: list[RawFinding] = []

    @abstractmethod
    def run(self) -> None:
        """Inspect ``self.source`` and call ``report`` for each defect."""

    def report(
        self,
        span: Span,
        message: str,
        fix: SuggestedFix | None = None,
        severity: Severity | None = None,
        confidence: float = 1.0,
    ) -> None:
        """Report a defect at a span, in one line.

        Args:
            severity: overrides that of the rule.
            confidence: the probability that the finding is true, 0 to 1, if a model estimates it.
        """
        _require_span(span)
        self.results.append(
            RawFinding(self.ID, self.source.path, span, message, self.URL, fix, confidence, severity)
        )


class ChangeCheck(RuleDoc):
    """Detects one rule in the change as such. Created for each review.

    ``VALID`` and ``INVALID`` are complete changes. It runs on every review, uncached: begin with a cheap
    test.

    Attributes:
        PATHS: parts of paths, in lower case; the path of every file that the check can report on contains
            one.
            None: any file.
        WORDS: such a file contains one of them, before or after the change; none: any content.
    """

    PLANE: ClassVar[Plane] = Plane.TESTS
    PATHS: ClassVar[tuple[str, ...]] = ()
    WORDS: ClassVar[tuple[str, ...]] = ()
    VALID: ClassVar[Sequence[ChangeCase | MarkedChange]] = ()
    INVALID: ClassVar[Sequence[ChangeCase | MarkedChange]] = ()

    def __init__(self, change: ChangeView) -> None:
        self.change = change
        self.results: list[RawFinding] = []

    @abstractmethod
    def run(self) -> None:
        """Inspect ``self.change`` and call ``report`` for each defect."""

    def report(self, path: str, span: Span, message: str, severity: Severity | None = None) -> None:
        """Report a defect at a span, in one line; a deleted file has line 1 only."""
        _require_span(span)
        self.results.append(RawFinding(self.ID, path, span, message, self.URL, severity=severity))

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return cls.PATHS, cls.WORDS


def _require_span(span: Span) -> None:
    """Reject a wrong argument where the check passes it; later its author is unknown."""
    if not isinstance(span, Span):
        raise TypeError(f"report() takes a wardround.findings.Span, not {type(span).__name__}")


def run_sequentially(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run checks one after another: the runner of specialists whose checks share no state."""
    for check_type in checks:
        yield from results_of(check_type, source)


def results_of(
    check_type: type[Check], source: SourceFile, make: Callable[[], Check] | None = None
) -> Sequence[RawFinding]:
    """Return the results of one check; none if it crashes where that is recorded.

    Args:
        make: creates the check, if it takes more than the source.
    """
    with source.isolate(check_type.ID):
        check = make() if make is not None else check_type(source)
        check.run()
        return check.results
    return []
