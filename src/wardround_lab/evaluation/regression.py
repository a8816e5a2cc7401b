"""Regression cases: the findings must equal the expected ones exactly.

An expected position is matched by a finding on its file and line; if it has a ``rule``, by one that has the
rule as a source, and if it has a ``severity``, by one of that severity. ``meta.profile`` is the profile of
the review, ``commit`` unless it is ``ci``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wardround.errors import UsageError
from wardround.host import PluginHost
from wardround.text.escaping import one_line
from wardround.tools.tool import Profile
from wardround_lab.evaluation.batch import CaseBatch, CaseFinding, CaseOutcome, ExpectedPosition, Settings
from wardround_lab.evaluation.cases import Case, read_cases

FOLDER = Path("evals") / "reviewer_regression"


@dataclass(frozen=True, slots=True)
class RegressionDiff:
    """One case with its missing and its unexpected findings."""

    outcome: CaseOutcome
    missing: tuple[ExpectedPosition, ...]
    unexpected: tuple[CaseFinding, ...]

    @property
    def inconclusive(self) -> bool:
        return bool(self.outcome.unreviewed)

    @property
    def wrong(self) -> bool:
        """Return True if the reviewers, and not a missing tool, cause the difference."""
        if self.outcome.unusable or self.outcome.crashed:
            return True
        return bool(self.unexpected) or (bool(self.missing) and not self.inconclusive)


def case_files(folder: Path) -> list[Path]:
    """Return the case files below a directory, sorted.

    Raises:
        UsageError: there is no such directory, or no case file in it.
    """
    if folder.is_file():
        return [folder]
    found = sorted(folder.rglob("*.jsonl"))
    if not found:
        what = "no case file in it" if folder.is_dir() else "no such folder"
        raise UsageError(f"{folder}: {what}; pass a directory with *.jsonl files, such as {FOLDER}")
    return found


def default_folder(start: Path) -> Path:
    """Return the directory of regression cases of the current repository.

    Raises:
        UsageError: there is none.
    """
    for folder in (start, *start.parents):
        if (folder / FOLDER).is_dir():
            return folder / FOLDER
    raise UsageError(f"there is no {FOLDER} here or above; pass a directory of cases")


def compare_cases(
    files: Sequence[Path],
    host: PluginHost,
    settings: Settings,
    profiles: Sequence[Profile] = tuple(Profile),
    progress: Callable[[str], None] = lambda text: None,
) -> list[RegressionDiff]:
    """Review the cases of some files and compare findings with expectations.

    Raises:
        UsageError: a file is not a case file, or a case names an unknown profile.
    """
    cases = [case for path in files for case in read_cases(path).cases]
    found = []
    for profile in profiles:
        chosen = [case for case in cases if _profile(case) is profile]
        batch = CaseBatch(host, replace(settings, profile=profile, preview=True), progress)
        found += [_compare_outcome(outcome) for outcome in batch.review(chosen, "regression")]
    order = {case.place: number for number, case in enumerate(cases)}
    return sorted(found, key=lambda diff: order[diff.outcome.place])


def _profile(case: Case) -> Profile:
    name = case.meta.get("profile", Profile.COMMIT.value)
    if name not in [profile.value for profile in Profile]:
        raise UsageError(f"{case.place}: meta.profile is {name!r}; write commit or ci")
    return Profile(name)


def _compare_outcome(outcome: CaseOutcome) -> RegressionDiff:
    left = list(outcome.shown)
    missing = []
    for location in sorted(
        outcome.expected, key=lambda position: (position.rule == "", position.severity == "")
    ):
        met = next((reported for reported in left if _meets_expectation(reported, location)), None)
        if met is None:
            missing.append(location)
        else:
            left.remove(met)
    missing.sort(key=lambda finding: (finding.file, finding.line))
    return RegressionDiff(outcome, tuple(missing), tuple(left))


def _meets_expectation(said: CaseFinding, place: ExpectedPosition) -> bool:
    return (
        (said.file, said.line) == (place.file, place.line)
        and place.rule in ("", said.rule, *said.sources)
        and place.severity in ("", said.severity)
    )


def render(found: Sequence[RegressionDiff]) -> str:
    """Return the differences and the counts as text."""
    lines = []
    for diff in found:
        outcome = diff.outcome
        troubles = [
            *([f"cannot be used: {outcome.unusable}"] if outcome.unusable else []),
            *([f"crashed: {outcome.crashed}"] if outcome.crashed else []),
            *(_describe_position(location, diff.inconclusive) for location in diff.missing),
            *(_unexpected_line(reported) for reported in diff.unexpected),
            *(f"not reviewed  {u.file}: {u.tool}: {u.reason}" for u in outcome.unreviewed),
        ]
        if troubles:
            lines += [outcome.place, *(f"  {trouble}" for trouble in troubles)]
    wrong = [diff for diff in found if diff.wrong]
    unsure = [diff for diff in found if diff.inconclusive and not diff.wrong]
    locations = sum(len(diff.outcome.expected) for diff in found)
    right = len(found) - len(wrong) - len(unsure)
    lines.append(
        f"{len(found)} cases, {locations} expected findings: {right} as expected, {len(wrong)} not, "
        f"{len(unsure)} inconclusive"
    )
    return "\n".join(map(one_line, lines)) + "\n"


def _describe_position(place: ExpectedPosition, inconclusive: bool) -> str:
    expected = " ".join(part for part in (place.severity, place.rule or place.category) if part)
    reported = "missing, possibly because of a missing tool" if inconclusive else "missing"
    return f"{reported}  {place.file}:{place.line} {expected}".rstrip()


def _unexpected_line(said: CaseFinding) -> str:
    return f"unexpected  {said.file}:{said.line} {said.severity} {said.rule}: {said.message}"


def update(files: Iterable[Path], found: Sequence[RegressionDiff]) -> list[Path]:
    """Write the findings into the case files instead of the expectations; return the changed files.

    Positions that were met keep their form, and so does the rest of every case. Cases that were not fully
    reviewed are not changed.
    """
    by_id = {
        diff.outcome.place: diff for diff in found if not diff.inconclusive and not diff.outcome.unusable
    }
    changed = []
    for path in files:
        lines = path.read_text("utf-8").split("\n")
        written = [_update_line(line, f"{path}:{n}", by_id) for n, line in enumerate(lines, 1)]
        if written != lines:
            path.write_text("\n".join(written), "utf-8")
            changed.append(path)
    return changed


def _update_line(line: str, place: str, found: Mapping[str, RegressionDiff]) -> str:
    if not line.strip():
        return line
    values = json.loads(line)
    item = found.get(f"{place} ({str(values['id'])[:60]})")
    if item is None or not (item.missing or item.unexpected):
        return line
    removed = {(p.file, p.line, p.rule, p.severity, p.category) for p in item.missing}
    retained: list[dict[str, Any]] = [e for e in values.get("expected") or [] if _key(e) not in removed]
    retained += [
        {"file": s.file, "line": s.line, "category": s.defect_class, "rule": s.rule, "severity": s.severity}
        for s in item.unexpected
    ]
    values["expected"] = sorted(retained, key=lambda e: (e.get("file") or e.get("path"), e["line"]))
    return json.dumps(values, ensure_ascii=False)


def _key(value: Mapping[str, Any]) -> tuple[str, int, str, str, str]:
    file = value.get("file") or value.get("path") or ""
    rest = (value.get("rule") or "", value.get("severity") or "", str(value.get("category") or ""))
    return (file, value["line"], *rest)
