"""Review cases in batch, each as ``wardround review`` would."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import ReviewContext, build_context
from wardround.config import loader
from wardround.config.request import ReviewRequest
from wardround.config.schema import OWN_FILE, Config
from wardround.errors import PLUGIN_EXCEPTIONS, UsageError, WardroundError
from wardround.execution.resources import Resources
from wardround.execution.review_run import RawReview, ReviewRun, SideRequests
from wardround.findings import INTRODUCED, UNPARSED, Finding, Unreviewed
from wardround.host import PluginHost
from wardround.pipeline_inputs import pipeline_inputs
from wardround.processors import pipeline
from wardround.rules.catalogue import Catalogue
from wardround.rules.maturity import Maturity
from wardround.rules.model import Rule
from wardround.tools.tool import Profile
from wardround_lab.evaluation.case_builder import CaseChange, InvalidCase, build_change, resolve_positions
from wardround_lab.evaluation.case_source import CaseChangeSource
from wardround_lab.evaluation.cases import Case, Expected
from wardround_lab.evaluation.fragments import CaseFragment
from wardround_lab.evaluation.shared_runner import SharedRunner, SideRequest

_CASES_PER_RUN = 50
_CHARACTERS_PER_RUN = 2 * 1024 * 1024
"""Maximum total size of the texts of one run, in characters; the run needs about fifty times that in
memory.
"""
_NOTHING: Callable[[str], None] = lambda text: None  # noqa: E731


class CaseFinding(msgspec.Struct, frozen=True):
    """One finding in a case.

    Attributes:
        held_back: why a user would not see it: its status, or ``unproven`` in a fragment; empty if shown.
    """

    file: str
    line: int
    end_line: int
    rule: str
    sources: tuple[str, ...]
    defect_class: str
    specialist: str
    severity: str
    message: str
    held_back: str = ""


class NotReviewed(msgspec.Struct, frozen=True):
    """A requested part of a review that did not happen."""

    file: str
    tool: str
    reason: str


class ExpectedPosition(msgspec.Struct, frozen=True):
    """An expected position of a finding."""

    file: str
    line: int
    last_line: int
    category: str
    rule: str = ""
    severity: str = ""
    how: str = ""


class CaseOutcome(msgspec.Struct, frozen=True):
    """Result of one case.

    Attributes:
        set: the set to which it belongs.
        expected: the expected positions; empty for a clean case.
        added_lines: in files that were reviewed.
        unusable: the reason why the case cannot be scored; empty if it can.
        crashed: an internal error of wardround; empty if there was none.
        seconds: its share of the duration of its run.
    """

    id: str
    place: str
    set: str
    language: str
    expected: tuple[ExpectedPosition, ...] = ()
    said: tuple[CaseFinding, ...] = ()
    unreviewed: tuple[NotReviewed, ...] = ()
    added_lines: int = 0
    unusable: str = ""
    crashed: str = ""
    seconds: float = 0.0

    @property
    def shown(self) -> tuple[CaseFinding, ...]:
        return tuple(finding for finding in self.said if not finding.held_back)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a review of cases."""

    profile: Profile = Profile.COMMIT
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    jobs: int = 2
    all_rules: bool = False
    preview: bool = False
    set_key: str = "set"

    def identity(self) -> str:
        """Return the inputs of an outcome besides the case and the reviewers."""
        return repr((self.profile.value, self.only, self.skip, self.all_rules, self.preview, self.set_key))


class EveryRule(PluginHost):
    """The same reviewers with all rules enabled, including those that are off by default or not selected."""

    requests_all = True

    @cached_property
    def catalogue(self) -> Catalogue:
        """The catalogue with every rule on."""
        usual = super().catalogue
        return _Switched(usual)


class _Switched(Catalogue):
    def __init__(self, usual: Catalogue) -> None:
        super().__init__((), {})
        self._usual = usual

    def rule(self, rule_id: str) -> Rule:
        return _switched_on(self._usual.rule(rule_id))

    def resolve(self, name: str) -> list[Rule]:
        return self._usual.resolve(name)

    def all_rules(self) -> Sequence[Rule]:
        return [_switched_on(rule) for rule in self._usual.all_rules()]


def _switched_on(rule: Rule) -> Rule:
    return msgspec.structs.replace(rule, disabled_reason="", maturity=Maturity.STABLE)


@dataclass(slots=True)
class _Running:
    """A case under review."""

    case: Case
    known: CaseChange
    origin: CaseChangeSource
    review: ChangeUnderReview
    context: ReviewContext
    steps: SideRequests
    asked: SideRequest | None
    reviewed: RawReview | None = None


class CaseBatch:
    """Reviews cases in batches.

    Raises:
        UsageError: ``only`` or ``skip`` names an unknown specialist.
    """

    def __init__(
        self, host: PluginHost, settings: Settings, progress: Callable[[str], None] = _NOTHING
    ) -> None:
        self._host = EveryRule(host.specialists, host.plugins) if settings.all_rules else host
        self._settings = settings
        self._progress = progress
        self._request = ReviewRequest(
            profile=settings.profile,
            only=settings.only,
            skip=settings.skip,
            use_baseline=False,
            show_all=True,
        )
        self._config = _defaults(self._host, self._request, settings.preview)
        self._scopes = {
            tool.name: tool.scope for s in host.specialists for tool in (*s.tools, *s.borrowed_tools)
        }
        self._whole = {f"{s.name}/{check.ID}" for s in host.specialists for check in s.change_checks}

    def review(self, cases: Sequence[Case], default_set: str) -> Iterator[CaseOutcome]:
        """Yield the outcomes of the cases in order, one run at a time."""
        done = 0
        for chunk in chunks(cases):
            self._progress(f"case {done + 1} of {len(cases)}")
            yield from self._run(chunk, default_set)
            done += len(chunk)

    def _run(self, cases: Sequence[Case], default_set: str) -> list[CaseOutcome]:
        started = time.monotonic()
        found: dict[str, CaseOutcome] = {}
        running = []
        with SharedRunner(self._host, self._settings.profile, self._settings.jobs, self._progress) as bench:
            for number, case in enumerate(cases):
                blank = _blank(case, self._settings.set_key, default_set)
                try:
                    running.append(self._begin(number, case))
                except InvalidCase as reason:
                    found[case.place] = msgspec.structs.replace(blank, unusable=str(reason))
                else:
                    found[case.place] = blank
            while requested := [review.asked for review in running if review.asked is not None]:
                for name in sorted({request.side.name for request in requested}):
                    bench.run([request for request in requested if request.side.name == name])
                for review in running:
                    _continue_after(review)
        for review in running:
            found[review.case.place] = self._outcome(review, found[review.case.place])
        share = (time.monotonic() - started) / len(cases)
        return [msgspec.structs.replace(found[case.place], seconds=round(share, 4)) for case in cases]

    def _begin(self, number: int, case: Case) -> _Running:
        known = build_change(case)
        origin = CaseChangeSource(known, case.messages)
        review = ChangeUnderReview(origin, known.change, self._host, self._request, self._config)
        context = build_context(review)
        steps = ReviewRun(review, context, Resources()).side_requests()
        side, units = next(steps)
        return _Running(case, known, origin, review, context, steps, SideRequest(number, origin, side, units))

    def _outcome(self, item: _Running, blank: CaseOutcome) -> CaseOutcome:
        assert item.reviewed is not None
        expected = tuple(_expected_position(e) for e in resolve_positions(item.case, item.known))
        try:
            processed = pipeline.process(pipeline_inputs(item.review, item.context, item.reviewed))
        except WardroundError as trouble:
            return msgspec.structs.replace(blank, expected=expected, unusable=str(trouble))
        except PLUGIN_EXCEPTIONS as crash:  # one case must not end the measurement of the others
            reason = f"{type(crash).__name__}: {crash}"
            return msgspec.structs.replace(blank, expected=expected, crashed=reason)
        fragments = {k.file.path: k.fragment for k in item.known.files if k.fragment is not None}
        return msgspec.structs.replace(
            blank,
            expected=expected,
            said=tuple(
                self._case_finding(finding, fragments.get(finding.file)) for finding in processed.findings
            ),
            unreviewed=_unreviewed_paths(processed.unreviewed, processed.findings, fragments),
            added_lines=_reviewed_lines(item),
        )

    def _case_finding(self, finding: Finding, fragment: CaseFragment | None) -> CaseFinding:
        held = "" if finding.status in INTRODUCED else finding.status.value
        scope = self._scopes.get(finding.rule.partition("/")[0])
        complete = finding.rule in self._whole
        if not held and fragment is not None and not fragment.proves(finding, scope, whole_change=complete):
            held = "unproven"
        return CaseFinding(
            finding.file, finding.span.line, finding.span.end_line, finding.rule, finding.sources,
            finding.defect_class, finding.specialist, finding.severity.label, finding.message, held,
        )  # fmt: skip


def _defaults(host: PluginHost, request: ReviewRequest, preview: bool) -> Config:
    """Return the configuration of a project that sets ``preview`` at most."""
    names = sorted(s.name for s in host.specialists)
    for requested in (*request.only, *request.skip):
        if requested not in names:
            raise UsageError(f"unknown specialist {requested!r}; choose one of {', '.join(names)}")
    settings = (OWN_FILE, b"preview = true") if preview else None
    return loader.read(lambda path: None, (), host.specialists, settings)


def _continue_after(item: _Running) -> None:
    if item.asked is None:
        return
    results, number = item.asked.results, item.asked.number
    item.asked = None
    try:
        side, units = item.steps.send(results)
    except StopIteration as done:
        item.reviewed = done.value
    else:
        item.asked = SideRequest(number, item.origin, side, units)


def chunks(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Split cases into runs bounded by their number and by the size of their texts."""
    chunk: list[Case] = []
    size = 0
    for case in cases:
        chunk.append(case)
        size += case.size
        if len(chunk) == _CASES_PER_RUN or size > _CHARACTERS_PER_RUN:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _blank(case: Case, set_key: str, default_set: str) -> CaseOutcome:
    named = case.meta.get(set_key)
    name = str(named) if isinstance(named, (str, int)) and named != "" else default_set
    expected = tuple(_expected_position(position) for position in case.expected)
    return CaseOutcome(case.id, case.place, name, case.language, expected)


def _expected_position(item: Expected) -> ExpectedPosition:
    return ExpectedPosition(
        item.file, item.line, item.last_line, item.category, item.rule, item.severity, item.how
    )


def _unreviewed_paths(
    unreviewed: Sequence[Unreviewed], findings: Sequence[Finding], fragments: Mapping[str, CaseFragment]
) -> tuple[NotReviewed, ...]:
    found = {NotReviewed(gap.file, gap.tool, gap.reason) for gap in unreviewed}
    broken = {f.file for f in findings if f.defect_class in UNPARSED}
    for path, fragment in fragments.items():
        if path in broken or fragment.unparsed:
            reason = "the part in the diff cannot be parsed alone; add 'before' or 'after'"
            found.add(NotReviewed(path, "fragment", reason))
    return tuple(sorted(found, key=lambda gap: (gap.file, gap.tool, gap.reason)))


def _reviewed_lines(item: _Running) -> int:
    """Return the number of lines that the change adds to reviewed files."""
    assert item.reviewed is not None
    claimed = item.reviewed.claimed
    return sum(known.file.added_lines for known in item.known.files if known.file.path in claimed)


def digest_of(case: Case, settings: Settings, reviewers: str) -> str:
    """Return a digest of the inputs of an outcome."""
    parts = (repr(case).replace(case.place, "", 1), settings.identity(), reviewers)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
