"""Every case of a rule, run by the real check or tool and compared with the exact span."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
import wardround_rules

from tests.rule_cases import RULE_CASES
from wardround import host
from wardround.checks.base import ChangeCheck, Check, RuleDoc
from wardround.checks.case_files import load_cases
from wardround.findings import Span
from wardround.fixes.edits import apply
from wardround.rules.cases import ChangeCase, Invalid, Valid
from wardround.rules.declarative import DeclarativeRule, load_declarative
from wardround.specialists import Specialist
from wardround.testing import (
    cases_of_change_check,
    cases_of_check,
    change_cases,
    change_results,
    invalid_cases,
    reported_positions,
    results,
    valid_cases,
)
from wardround.tools.ast_grep import AstGrep
from wardround.tools.process import Processes, find_program, minimal_env
from wardround.tools.tool import Columns, Invocation, Tool

SPECIALISTS = host.load().specialists
INVALID = invalid_cases(SPECIALISTS, RULE_CASES)


def _named(value: object) -> str | None:
    return value.ID if isinstance(value, type) and issubclass(value, RuleDoc) else ""


@pytest.mark.parametrize(("specialist", "check", "case"), INVALID, ids=_named)
def test_check_reports_the_exact_span(specialist: Specialist, check: type[Check], case: Invalid) -> None:
    spans = [result.span for result in results(specialist, check, case)]
    assert [(span.start, (span.end_line, span.end_column)) for span in spans] == [
        ((case.line, case.column), case.end)
    ]


@pytest.mark.parametrize(("specialist", "check", "case"), valid_cases(SPECIALISTS, RULE_CASES), ids=_named)
def test_check_reports_nothing(specialist: Specialist, check: type[Check], case: Valid) -> None:
    assert reported_positions(specialist, check, case) == []


@pytest.mark.parametrize(
    ("specialist", "check", "case"),
    [entry for entry in INVALID if entry[2].fixed is not None],
    ids=_named,
)
def test_fix_gives_the_expected_text(specialist: Specialist, check: type[Check], case: Invalid) -> None:
    (result,) = results(specialist, check, case)
    assert result.fix is not None
    fixed = apply(case.source, result.fix.edits)
    assert fixed == case.fixed
    syntax_check = specialist.syntax_check(case.path or check.CASE_PATH, case.source)
    assert syntax_check is None or syntax_check(fixed) is None


@pytest.mark.parametrize("check", [c for s in SPECIALISTS for c in s.checks], ids=_named)
def test_check_is_documented_and_has_cases(check: type[Check]) -> None:
    title, _, why = (check.__doc__ or "").partition("\n")
    assert title
    assert why.strip()
    valid, invalid = cases_of_check(check, RULE_CASES)
    assert len(valid) >= 3
    assert len(invalid) >= 3
    assert 1 <= len(check.VALID) <= 2
    assert 1 <= len(check.INVALID) <= 2


@pytest.mark.parametrize(("specialist", "check", "case"), change_cases(SPECIALISTS, RULE_CASES), ids=_named)
def test_check_of_changes_reports_the_exact_span(
    specialist: Specialist, check: type[ChangeCheck], case: ChangeCase
) -> None:
    found = [
        ((r.file, *r.span.start), (r.span.end_line, r.span.end_column))
        for r in change_results(specialist, check, case)
    ]
    assert found == ([] if case.place is None else [(case.place, case.end)])


@pytest.mark.parametrize("check", [c for s in SPECIALISTS for c in s.change_checks], ids=_named)
def test_check_of_changes_is_documented_and_has_cases(check: type[ChangeCheck]) -> None:
    title, _, why = (check.__doc__ or "").partition("\n")
    assert title
    assert why.strip()
    valid, invalid = cases_of_change_check(check, RULE_CASES)
    assert len(valid) >= 3
    assert len(invalid) >= 2
    assert all(case.place is None for case in valid)
    assert all(case.place is not None for case in invalid)
    assert 1 <= len(check.VALID) <= 2
    assert 1 <= len(check.INVALID) <= 2


RULES = Path(wardround_rules.__file__).parent
ENGINES = {"ast-grep": AstGrep}
DECLARED = sorted(
    (folder.parent.name, folder.name) for engine in ENGINES for folder in RULES.glob(f"*/{engine}")
)


def test_every_file_of_further_cases_belongs_to_a_rule() -> None:
    checks = {c.ID for s in SPECIALISTS for c in (*s.checks, *s.change_checks)}
    declared = {rule.id for kind, engine in DECLARED for rule in load_declarative(kind, engine)}
    assert {file.stem for file in RULE_CASES.glob("*.yml")} <= checks | declared


def _reported(tool: Tool, sources: dict[str, str], folder: Path) -> dict[str, list[tuple[str, Span]]]:
    """Return the reports of a tool for small files, by file, all of them in one run."""
    program = find_program(tool.program)
    assert program is not None, f"{tool.name} is missing: {tool.install}"
    root = folder / "root"
    for name, text in sources.items():
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(text, encoding="utf-8")
    run = Invocation(program, root, tuple(sources), None, folder)
    output = Processes().run(
        tool.command(run), cwd=root, timeout_s=120, clean=tool.success_codes,
        env=minimal_env(program, folder, tool.variables),
    )  # fmt: skip
    found: dict[str, list[tuple[str, Span]]] = defaultdict(list)
    for result in tool.parse(output, run):
        found[result.file].append((result.code, result.span))
    return found


def _cases(rule: DeclarativeRule) -> tuple[list[Valid], list[Invalid]]:
    """Return the cases of a declarative rule, those that must not be reported and those that must."""
    valid, invalid = load_cases(RULE_CASES, rule.id, rule.metadata.case_path)
    own = [case for case in rule.metadata.invalid_cases() if isinstance(case, Invalid)]
    assert len(own) == len(rule.metadata.invalid), f"{rule.id}: a case has no marks"
    return [Valid(source, rule.metadata.case_path) for source in rule.metadata.valid] + valid, own + invalid


def _mistakes(rules: list[DeclarativeRule], tool: Tool, folder: Path) -> list[str]:
    """Return each case for which its rule reports something else than the case states."""
    assert tool.columns in (Columns.CODE_POINTS, Columns.UTF8)
    expected: dict[str, tuple[str, str, list[Span]]] = {}
    for rule in rules:
        valid, invalid = _cases(rule)
        for number, good in enumerate(valid):
            expected[f"{rule.id}-valid{number}/{good.path}"] = (rule.id, good.source, [])
        for number, bad in enumerate(invalid):
            assert bad.end is not None
            span = Span(bad.line, bad.column, *bad.end)
            expected[f"{rule.id}-invalid{number}/{bad.path}"] = (rule.id, bad.source, [span])
    found = _reported(tool, {name: source for name, (_, source, _) in expected.items()}, folder)
    mistakes = []
    for name, (rule_id, source, spans) in expected.items():
        reported = [span for code, span in found.get(name, []) if code == rule_id]
        if reported != spans:
            mistakes.append(f"{name}: expected {spans}, got {reported}\n{source}")
    return mistakes


@pytest.mark.parametrize(("kind", "engine"), DECLARED)
def test_declared_rules_report_the_exact_span(kind: str, engine: str, tmp_path: Path) -> None:
    rules = load_declarative(kind, engine)
    assert rules
    assert _mistakes(rules, ENGINES[engine](kind), tmp_path) == []


@pytest.mark.parametrize("kind", [kind for kind, engine in DECLARED if engine == "ast-grep"])
def test_what_a_rule_needs_is_in_every_case_it_reports(kind: str) -> None:
    cases = [(rule, case) for rule in load_declarative(kind, "ast-grep") for case in _cases(rule)[1]]
    assert cases
    assert [r.id for r, case in cases if not any(word in case.source for word in r.metadata.needs)] == []


@pytest.mark.parametrize(("kind", "engine"), DECLARED)
def test_declared_rules_have_cases_of_both_kinds(kind: str, engine: str) -> None:
    rules = load_declarative(kind, engine)
    assert rules
    assert [rule.id for rule in rules if min(map(len, _cases(rule))) < 2] == []
    own = [len(cases) for rule in rules for cases in (rule.metadata.valid, rule.metadata.invalid)]
    assert set(own) <= {1, 2}
