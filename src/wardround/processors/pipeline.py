"""From results to findings: rules, severities, what is new, what is the same, what is waived."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial
from itertools import groupby

from msgspec.structs import replace

from wardround.change.change_source import (
    NOT_UTF8,
    ChangeSource,
    FileTexts,
    bytes_outside_utf8,
    in_any_encoding,
)
from wardround.change.diff import Change, ChangedFile
from wardround.change.encoding import with_lower_suffix
from wardround.change.repository_view import RepositoryView
from wardround.change.trees import paths_overlap
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context import added_ignores
from wardround.context.config_files import config_file_names, settings_differ, tools_for
from wardround.context.test_data import TestData, is_broken_data
from wardround.execution.model import Results, ResultSource, reviewers_of
from wardround.execution.review_run import RawReview
from wardround.findings import (
    MERGE_CONFLICT,
    PARSE_FAILURE_PREFIX,
    SYNTAX_ERROR,
    UNPARSED,
    Finding,
    Plane,
    RawFinding,
    Severity,
    Span,
    Status,
    Unreviewed,
)
from wardround.host import PluginHost
from wardround.processors import baseline as baselines
from wardround.processors import dismissals, suppressions, tool_suppressions
from wardround.processors.baseline import Baseline
from wardround.processors.classify import ResultPair, classify
from wardround.processors.deduplicate import deduplicate
from wardround.processors.dismissals import DismissalMatcher, Dismissals
from wardround.processors.fingerprint import StatementIndex, fingerprints
from wardround.processors.intent_comments import is_stated_as_intended
from wardround.processors.mask_secrets import SecretMasker
from wardround.processors.normalize_message import normalize, redact_tokens
from wardround.processors.suppressions import Suppression
from wardround.rules.model import Rule
from wardround.rules.renamed import is_former_name, renaming_note
from wardround.specialists import Specialist, leader_comments

_MARKERS = ("<<<<<<< ", "=======", ">>>>>>> ", "||||||| ")


class FindingPipeline:
    """Turns what was said about the two sides of a change into its findings."""

    def __init__(
        self,
        origin: ChangeSource,
        change: Change,
        host: PluginHost,
        config: Config,
        request: ReviewRequest,
        reviewed: RawReview,
    ) -> None:
        self._origin = origin
        self._change = change
        self._host = host
        self._config = config
        self._request = request
        self._reviewed = reviewed
        self._texts = FileTexts(origin, change)
        self._others = RepositoryView(origin, "head").read
        self._test_data = TestData(RepositoryView(origin, request.trusted_side).read)
        self._broken_data: set[str] = set()
        self._files = {file.path: file for file in change.files}
        self._anchor_memo: dict[tuple[str, str, bool, bool], StatementIndex] = {}
        self._waivers: dict[str, Counter[tuple[tuple[str, ...], str]]] = {}
        self._masking = SecretMasker((), host.specialists, self._texts.head)
        self._renamed: dict[str, list[Rule]] = {}

    def findings(self) -> list[tuple[Finding, str]]:
        """All findings, each with a name that leaves out its file, in order.

        Raises:
            ConfigError: the baseline or the dismissals cannot be read.
        """
        found = self._classify(self._reviewed.head, self._reviewed.base)
        found += self._hidden(found)
        looking = {s for specialists in self._reviewed.claimed.values() for s in specialists}
        tools = [r.name for s in sorted(looking, key=lambda s: s.name) for r in reviewers_of(s)]
        found = self._intended(self._without_echoes_of_conflicts(deduplicate(found, tools)))
        self._masking = self._masks(found)
        found = self._fingerprint([self._masking.finding(f) for f in found])
        found, notes = self._suppressed(found, self._reviewed.head)
        notes += [*self._config_changes(), *self._waivers_added()]
        if notes:
            self._masking = self._masks([*found, *notes])
        named = self._with_content_names([*found, *map(self._masking.finding, notes)])
        return self._apply_baseline(self._dismissed(named))

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for people that are not findings, complete once ``findings`` has run."""
        return (renaming_note(self._renamed),) if self._renamed else ()

    def _without_echoes_of_conflicts(self, findings: Sequence[Finding]) -> list[Finding]:
        """Leave out what parsers and linters make of the markers of a merge conflict that is reported."""
        conflicts: dict[str, Severity] = {}
        for one in findings:
            if one.defect_class == MERGE_CONFLICT and one.status in (Status.NEW, Status.CAUSED):
                conflicts[one.file] = max(one.severity, conflicts.get(one.file, one.severity))
        return [f for f in findings if not (f.file in conflicts and self._is_echo(f, conflicts[f.file]))]

    def _is_echo(self, finding: Finding, severity: Severity) -> bool:
        if finding.masked or finding.defect_class == MERGE_CONFLICT or finding.severity > severity:
            return False
        lines = (self._texts.readable(finding.file) or "").split("\n")[finding.span.line - 1 :]
        on_marker = bool(lines) and lines[0].startswith(_MARKERS)
        return finding.defect_class == SYNTAX_ERROR or on_marker

    def _intended(self, findings: Sequence[Finding]) -> list[Finding]:
        """Lower warnings to notes where a comment next to them states that the code is meant so.

        Not where warnings block a change that is not trusted: its own comments would let it pass.
        """
        level = self._request.fail_level or self._config.root.fail_level
        if self._request.trusted_side != "head" and level in ("info", "warn"):
            return list(findings)
        return [replace(f, severity=Severity.INFO) if self._is_intended(f) else f for f in findings]

    def _is_intended(self, finding: Finding) -> bool:
        if finding.severity is not Severity.WARN or finding.plane is Plane.SECURITY:
            return False
        text = self._texts.head(finding.file)
        return text is not None and is_stated_as_intended(text.split("\n"), finding.span)

    def _masks(self, findings: Sequence[Finding]) -> SecretMasker:
        """What hides the secrets of the findings that may be printed."""
        mode = self._request.filter_mode or self._config.root.filter_mode
        printed = (Status.NEW, Status.CAUSED) if mode == "added" else tuple(Status)
        return SecretMasker(findings, self._host.specialists, self._texts.head, printed)

    def unreviewed(self, findings: Sequence[Finding]) -> tuple[Unreviewed, ...]:
        """What was not reviewed, but for files that could not be parsed and have a finding that says so."""
        broken = {f.file for f in findings if f.defect_class in UNPARSED} | self._broken_data
        told = {u for u in self._reviewed.unreviewed if u.file in broken and _is_for_its_syntax(u)}
        left = set(self._reviewed.unreviewed) - told
        return tuple(sorted({replace(u, reason=normalize(self._masking.text(u.reason))) for u in left}))

    # Rules, statuses, identities

    def _classify(self, head: Results, base: Results, *, unwaived: bool = False) -> list[Finding]:
        """Weigh every result: its rule, its severity here, and what it has to do with the change."""
        compared: dict[tuple[str, str], list[ResultPair]] = defaultdict(list)
        for path, specialists in sorted(self._reviewed.claimed.items()):
            file = self._files[path]
            for specialist in specialists:
                for reviewer in reviewers_of(specialist):
                    said = [
                        result
                        for result in head.get(reviewer, path) or ()
                        if self._owning_specialist(reviewer, result, specialists) is specialist
                    ]
                    if said:
                        compared[specialist.name, reviewer.name].append(
                            self._compared(file, specialist, reviewer, said, base, unwaived)
                        )
        findings = []
        for (specialist_name, tool), pairs in sorted(compared.items(), key=lambda entry: entry[0]):
            for pair, row in zip(pairs, classify(pairs), strict=True):
                settings = self._config.for_file(pair.file.path)
                for result, status in zip(pair.head, row, strict=True):
                    rule = self._host.catalogue.rule(f"{tool}/{result.code}")
                    usual = None if rule.disabled_reason else result.severity or rule.severity
                    severity = settings.severity(rule.id, usual)
                    if severity is None or self._is_of_test_data(rule, result, pair):
                        continue
                    if result.only_caused and status is not Status.CAUSED:
                        continue
                    if not self._is_refuted(specialist_name, rule, result):
                        findings.append(_finding(result, rule, specialist_name, severity, status))
        return findings

    def _hidden(self, known: Sequence[Finding]) -> list[Finding]:
        """What would block the change but for ignore comments of tools that it adds itself."""
        level = self._request.fail_level or self._config.root.fail_level
        least = Severity.ERROR if level == "none" else Severity.named(level)
        seen = {(f.file, f.rule, f.span) for f in known}
        return [
            f
            for f in self._classify(self._reviewed.unwaived_head, self._reviewed.unwaived_base, unwaived=True)
            if f.severity >= least
            and f.status in (Status.NEW, Status.CAUSED)
            and (f.file, f.rule, f.span) not in seen
        ]

    def _is_of_test_data(self, rule: Rule, result: RawFinding, pair: ResultPair) -> bool:
        """Return True for a finding in data of tests that is there for it; security findings are kept."""
        if rule.plane == Plane.SECURITY or not self._test_data.is_data(result.file):
            return False
        is_syntax = rule.defect_class == SYNTAX_ERROR
        was_broken = pair.base is None  # it could not be parsed before the change either
        if self._test_data.is_left_out(result.file) or (
            is_syntax and (was_broken or is_broken_data(result.file))
        ):
            if is_syntax:
                self._broken_data.add(result.file)
            return True
        return False

    def _is_refuted(self, speaking: str, rule: Rule, result: RawFinding) -> bool:
        """Whether a specialist of the file knows that there is nothing to what another, or a tool, said."""
        if result.explicitly_enabled:
            return False
        teller = rule.id.partition("/")[0]
        claiming = self._reviewed.claimed[result.file]
        asked = [s.refutes for s in claiming if s.refutes and not (s.name == speaking == teller)]
        text = self._texts.head(result.file) if asked else None
        kind = with_lower_suffix(result.file)
        return text is not None and any(
            refutes(kind, text, rule.defect_class, result.span, self._others) for refutes in asked
        )

    def _owning_specialist(
        self, reviewer: ResultSource, result: RawFinding, specialists: Sequence[Specialist]
    ) -> Specialist | None:
        """Who of a file's specialists speaks for a result: whom the rule names, else who brings the tool."""
        named = self._host.catalogue.rule(f"{reviewer.name}/{result.code}").specialist
        hearing = [s for s in specialists if reviewer in reviewers_of(s)]
        bringing = [s for s in hearing if reviewer not in s.borrowed_tools]
        return next((s for s in hearing if s.name == named), bringing[0] if bringing else None)

    def _compared(
        self, file: ChangedFile, specialist: Specialist, reviewer: ResultSource, said: Sequence[RawFinding],
        base: Results, unwaived: bool,
    ) -> ResultPair:  # fmt: skip
        before: Sequence[RawFinding] | None = []
        base_anchors = None
        file = file.as_added() if specialist.name in file.first_for else file
        if file.base_path is not None:
            before = self._reported_at(file.base_path, reviewer, base.get(reviewer, file.base_path))
            if before and any(self._is_syntax_error(reviewer.name, result) for result in before):
                before = None  # it could not be understood, so nothing can be said about what it held
            base_anchors = self._anchors(specialist, file.path, base=True, unwaived=unwaived)
        anchors = self._anchors(specialist, file.path, base=False, unwaived=unwaived)
        ordered = sorted(said, key=lambda r: (r.span, r.code, r.message))
        return ResultPair(file, ordered, before, anchors, base_anchors)

    def _reported_at(
        self, path: str, reviewer: ResultSource, results: Sequence[RawFinding] | None
    ) -> Sequence[RawFinding] | None:
        """The results whose rule is on at a path: of those that are off there, nobody heard."""
        settings = self._config.for_file(path)
        if results is None or not settings.severities:
            return results
        ids = {result.code: f"{reviewer.name}/{result.code}" for result in results}
        off = {code for code, rule in ids.items() if settings.severity(rule, Severity.INFO) is None}
        return [result for result in results if result.code not in off]

    def _is_syntax_error(self, tool: str, result: RawFinding) -> bool:
        return self._host.catalogue.rule(f"{tool}/{result.code}").defect_class == SYNTAX_ERROR

    def _anchors(
        self, specialist: Specialist, path: str, *, base: bool, unwaived: bool = False
    ) -> StatementIndex:
        """What identifies the places of a file; ``unwaived``, without the ignore comments of tools."""
        where = (specialist.name, path, base, unwaived)
        if where not in self._anchor_memo:
            text = self._texts.readable(path, base=base) or ""
            text = added_ignores.cut(text) if unwaived else text
            self._anchor_memo[where] = StatementIndex(text, specialist.statement_locator(text))
        return self._anchor_memo[where]

    def _fingerprint(self, findings: Sequence[Finding]) -> list[Finding]:
        """Give every finding its fingerprint."""
        parts = [(f.defect_class, self._files[f.file].base_path or f.file, self._anchor(f)) for f in findings]
        return [replace(f, fingerprint=n) for f, n in zip(findings, fingerprints(parts), strict=True)]

    def _anchor(self, finding: Finding) -> str:
        specialist = next(
            (s for s in self._reviewed.claimed.get(finding.file, ()) if s.name == finding.specialist), None
        )
        if specialist is None:
            return finding.message
        return self._anchors(specialist, finding.file, base=False).statement_at(finding.span.line)

    def _with_content_names(self, findings: Sequence[Finding]) -> list[tuple[Finding, str]]:
        """Name every finding without its file too, for the baseline's renamed files."""
        named: list[tuple[Finding, str]] = []
        for _, group in groupby(sorted(findings, key=lambda f: f.sort_key), key=lambda f: f.file):
            inside = list(group)
            names = fingerprints([(f.defect_class, "", self._anchor(f)) for f in inside])
            named += zip(inside, names, strict=True)
        return named

    # Suppressions, changed rules, dismissals, baseline

    def _suppressed(self, findings: Sequence[Finding], head: Results) -> tuple[list[Finding], list[Finding]]:
        """Waive what suppressions cover; what is wrong with a suppression is a finding of its own."""
        out = list(findings)
        notes = list(self._outside_utf8())
        for path, specialists in sorted(self._reviewed.claimed.items()):
            content = self._origin.content(self._files[path])
            if content is None or b"wardround:" not in content:
                continue
            specialist = _reader(specialists)
            found, unreadable = suppressions.read(specialist.comments(in_any_encoding(content) or ""))
            for bad in unreadable:
                text = "this is not a suppression, so it waives nothing; write wardround: ignore[RULE] reason"
                place = Suppression(bad.line, bad.column, (), "")
                notes.append(self._note("invalid-suppression", path, specialist, place, text))
            for one in found:
                out, note = self._apply(path, specialist, one, out, head)
                notes += note
        return out, notes

    def _outside_utf8(self) -> Iterator[Finding]:
        """Where a file that its language reads as UTF-8 is none: on an added line if there is one."""
        unread = {(u.file, u.specialist) for u in self._reviewed.unreviewed if u.reason == NOT_UTF8}
        readers = {s.name: s for s in self._host.specialists if s.needs_utf8 is not None}
        for path, name in sorted(pair for pair in unread if pair[1] in readers):
            needs, content = readers[name].needs_utf8, self._origin.content(self._files[path])
            if needs is None or content is None or not needs(content):
                continue
            places = list(bytes_outside_utf8(content))
            added = [place for place in places if self._files[path].is_added_line(place[0])]
            line, column, byte = (added or places)[0]
            text = (
                f"byte 0x{byte:02x} is not UTF-8, and no other encoding is declared; save the file as UTF-8"
            )
            yield self._note("not-utf8", path, readers[name], Suppression(line, column, (), ""), text)

    def _apply(
        self, path: str, specialist: Specialist, one: Suppression, findings: list[Finding], head: Results
    ) -> tuple[list[Finding], list[Finding]]:
        resolved = {name: self._host.catalogue.resolve(name) for name in one.rules}
        self._renamed |= {n: rules for n, rules in resolved.items() if rules and is_former_name(n, rules)}
        wanted = {rule.id for rules in resolved.values() for rule in rules}
        unknown = [repr(redact_tokens(name)) for name, rules in resolved.items() if not rules]
        notes = []
        if unknown:
            text = f"suppression names no known rule: {', '.join(unknown)}; wardround rules lists them"
            notes.append(self._note("invalid-suppression", path, specialist, one, text))
        if not one.reason:
            text = "this suppression gives no reason, so it waives nothing; write one behind the bracket"
            return findings, [*notes, self._note("suppression-without-reason", path, specialist, one, text)]
        hits = [
            f
            for f in findings
            if f.file == path and one.covers(f.span.line) and wanted & {f.rule, *f.sources}
        ]
        waived = [f for f in hits if self._is_trusted(path, one, f)]
        if hits:
            out = [replace(f, status=Status.SUPPRESSED) if f in waived else f for f in findings]
            return out, notes if waived == hits else [*notes, self._not_counted(path, specialist, one)]
        if not any(head.named(rule.partition("/")[0], path) for rule in wanted):
            return findings, notes  # what it waives was not looked for in this profile
        text = f"nothing here breaks {', '.join(one.rules)}; remove the suppression"
        return findings, [*notes, self._note("unused-suppression", path, specialist, one, text)]

    def _is_trusted(self, path: str, one: Suppression, finding: Finding) -> bool:
        """Whether a suppression counts: with the target's configuration, only for what the base has it for.

        The base, not the target, since a comment waives the code it stands beside, and the old code is there.
        That is code of the base under a comment of the base. Where both were moved, what is found there was
        found before, and each suppression of the base stands for one such finding.
        """
        file = self._files[path]
        if self._request.trusted_side == "head":
            return True
        if not file.is_added_line(one.line) and not file.is_added_line(finding.span.line):
            return True
        if path not in self._waivers:
            specialist = _reader(self._reviewed.claimed[path])
            known, _ = suppressions.read(specialist.comments(self._base_text(path)))
            self._waivers[path] = Counter((k.rules, k.reason) for k in known)
        left = self._waivers[path]
        left[one.rules, one.reason] -= finding.status is Status.EXISTING
        return finding.status is Status.EXISTING and left[one.rules, one.reason] >= 0

    def _base_text(self, path: str) -> str:
        """The text of a file before the change; empty if there was none."""
        return self._texts.readable(path, base=True) or ""

    def _not_counted(self, path: str, specialist: Specialist, one: Suppression) -> Finding:
        is_added = self._files[path].is_added_line(one.line)
        what = "a suppression" if is_added else "code to a suppression"
        text = f"this change adds {what} of {', '.join(one.rules)}, which does not count here"
        return replace(self._note("config-changed", path, specialist, one, text), status=Status.NEW)

    def _note(
        self, code: str, path: str, specialist: Specialist | None, one: Suppression, text: str
    ) -> Finding:
        rule = self._host.catalogue.rule(f"wardround/{code}")
        status = Status.NEW if self._files[path].is_added_line(one.line) else Status.EXISTING
        span = Span(one.line, one.column, one.line, one.column)
        result = RawFinding(code, path, span, text)
        note = _finding(result, rule, specialist.name if specialist else "wardround", rule.severity, status)
        (name,) = fingerprints([(rule.defect_class, path, f"{text} {one.line}")])
        return replace(note, fingerprint=name)

    def _config_changes(self) -> list[Finding]:
        """Where the target's configuration counts, a change to what judges it is a finding.

        A change is what differs from the merge base: what the target branch did since is not its doing.
        """
        if self._request.trusted_side == "head":
            return []
        tools = tools_for(self._host.specialists)
        names = {tool.name for tool in tools}
        watched = config_file_names(tools)
        at_root = {name for tool in tools if tool.config_at_root for name in tool.config_names}
        places = set(self._reviewed.head.tampered_paths)
        found = []
        for file in self._change.files:
            paths = {file.path, file.base_path or file.path}
            steers = paths & at_root or {path.rpartition("/")[2] for path in paths} & watched
            is_record = bool({self._config.root.baseline, self._dismissals_name} & paths)
            entered = {place for place in places if any(paths_overlap(place, path) for path in paths)}
            places -= entered
            if not is_record and not entered and not (steers and self._settings_differ(file, names)):
                continue
            line = next((h.head_start for h in file.hunks if h.head_length), 1)
            text = f"{file.path} steers this review; the target branch's version was used"
            if entered:
                text = f"{file.path} steers this review; what it brings was not used"
            found.append(self._note("config-changed", file.path, None, Suppression(line, 1, (), ""), text))
        return [replace(f, status=Status.NEW) for f in found]

    def _waivers_added(self) -> list[Finding]:
        """Where the base's configuration counts, a comment that switches a tool off is a finding."""
        if self._request.trusted_side == "head":
            return []
        usual = self._host.catalogue.rule("wardround/waiver-added")
        found = []
        for path in sorted(self._reviewed.claimed):
            severity = self._config.for_file(path).severity(usual.id, usual.severity)
            after = self._texts.readable(path) if severity is not None else None
            if severity is None or after is None:
                continue
            before = partial(self._base_text, path)
            for one in tool_suppressions.added_tool_suppressions(self._files[path], before, after):
                text = f"{one.marker!r} switches a tool off here, which this change cannot decide alone"
                text += f"; {one.more} more below" if one.more else ""
                place = Suppression(one.line, one.column, (), "")
                found.append(replace(self._note("waiver-added", path, None, place, text), severity=severity))
        return found

    def _settings_differ(self, file: ChangedFile, tools: Collection[str]) -> bool:
        """Whether a configuration file says something else to wardround or its tools than before."""
        before = self._origin.content(file, base=True) if file.base_path else None
        after = self._origin.content(file)
        if file.base_path in (None, file.path):
            return settings_differ(file.path, before, after, tools)
        return settings_differ(file.base_path, before, None, tools) or settings_differ(
            file.path, None, after, tools
        )

    @property
    def _dismissals_name(self) -> str:
        return dismissals.path_for(self._config.root.baseline)

    @cached_property
    def dismissals(self) -> Dismissals:
        """What is dismissed on the trusted side."""
        name = self._dismissals_name
        return dismissals.load(self._origin.read(name, self._request.trusted_side), name)

    @cached_property
    def baseline(self) -> Baseline:
        """What is accepted on the trusted side; nothing where the baseline does not count."""
        name = self._config.root.baseline
        content = self._origin.read(name, self._request.trusted_side) if self._request.use_baseline else None
        return baselines.load(content, name)

    def _dismissed(self, named: list[tuple[Finding, str]]) -> list[tuple[Finding, str]]:
        """Waive single findings that people have put aside."""
        if not self.dismissals.dismissed:
            return named
        dismissing = DismissalMatcher(self.dismissals, self._origin.tracked())
        out = []
        for finding, content in named:
            is_open = finding.status is not Status.SUPPRESSED
            reason = dismissing.reason(finding, content) if is_open else None
            waived = (
                finding
                if reason is None
                else replace(finding, status=Status.SUPPRESSED, dismissal_reason=reason)
            )
            out.append((waived, content))
        return out

    def _apply_baseline(self, named: list[tuple[Finding, str]]) -> list[tuple[Finding, str]]:
        if not self.baseline.findings:
            return named
        acceptance = baselines.Acceptance(self.baseline, self._origin.tracked())
        return [
            (replace(finding, status=Status.EXISTING), content)
            if finding.status in (Status.NEW, Status.CAUSED) and acceptance.matches(finding, content)
            else (finding, content)
            for finding, content in named
        ]


def _is_for_its_syntax(unreviewed: Unreviewed) -> bool:
    return unreviewed.tool == unreviewed.specialist or unreviewed.reason.startswith(PARSE_FAILURE_PREFIX)


def _reader(specialists: Sequence[Specialist]) -> Specialist:
    """Who reads the comments of a file: whoever knows its language."""
    return min(specialists, key=lambda s: (s.reviews_all_text, s.comments is leader_comments))


def _finding(result: RawFinding, rule: Rule, specialist: str, severity: Severity, status: Status) -> Finding:
    return Finding(
        fingerprint="",
        rule=rule.id,
        defect_class=rule.defect_class,
        plane=Plane(rule.plane),
        specialist=specialist,
        severity=severity,
        file=result.file,
        span=result.span,
        message=result.message,
        rationale=rule.why,
        status=status,
        confidence=result.confidence,
        sources=(rule.id,),
        url=result.url or rule.url,
        suggested_fix=result.fix,
        masked=rule.masked,
    )
