"""Every case a rule carries, run by the real check or tool and held to the exact place."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
import wardround_rules

from wardround import host
from wardround.checks.base import ChangeCheck, Check, RuleDoc
from wardround.checks.cases import ChangeCase, Invalid, Valid
from wardround.fixes.edits import apply
from wardround.rules.declarative import DeclarativeRule, load_declarative
from wardround.specialists import Specialist
from wardround.testing import (
    change_cases,
    change_results,
    invalid_cases,
    reported_positions,
    results,
    valid_cases,
)
from wardround.tools.ast_grep import ast_grep
from wardround.tools.process import Processes, find_program, minimal_env
from wardround.tools.semgrep import semgrep
from wardround.tools.tool import Columns, Invocation, Tool

SPECIALISTS = host.load().specialists


def _named(value: object) -> str | None:
    return value.ID if isinstance(value, type) and issubclass(value, RuleDoc) else ""


@pytest.mark.parametrize(("specialist", "check", "case"), invalid_cases(SPECIALISTS), ids=_named)
def test_check_reports_the_exact_place(specialist: Specialist, check: type[Check], case: Invalid) -> None:
    assert reported_positions(specialist, check, case) == [(case.line, case.column)]


@pytest.mark.parametrize(("specialist", "check", "case"), valid_cases(SPECIALISTS), ids=_named)
def test_check_is_silent(specialist: Specialist, check: type[Check], case: str | Valid) -> None:
    assert reported_positions(specialist, check, case) == []


@pytest.mark.parametrize(
    ("specialist", "check", "case"),
    [entry for entry in invalid_cases(SPECIALISTS) if entry[2].fixed is not None],
    ids=_named,
)
def test_fix_gives_the_expected_text(specialist: Specialist, check: type[Check], case: Invalid) -> None:
    (result,) = results(specialist, check, case)
    assert result.fix is not None
    fixed = apply(case.source, result.fix.edits)
    assert fixed == case.fixed
    assert specialist.syntax_error_of(fixed) is None


@pytest.mark.parametrize("check", [c for s in SPECIALISTS for c in s.checks], ids=_named)
def test_check_is_documented_and_has_cases(check: type[Check]) -> None:
    title, _, why = (check.__doc__ or "").partition("\n")
    assert title
    assert why.strip()
    assert len(check.VALID) >= 3
    assert len(check.INVALID) >= 3


@pytest.mark.parametrize(("specialist", "check", "case"), change_cases(SPECIALISTS), ids=_named)
def test_check_of_the_whole_change_reports_the_exact_place(
    specialist: Specialist, check: type[ChangeCheck], case: ChangeCase
) -> None:
    found = [(r.file, *r.span.start) for r in change_results(specialist, check, case)]
    assert found == ([] if case.place is None else [case.place])


@pytest.mark.parametrize("check", [c for s in SPECIALISTS for c in s.change_checks], ids=_named)
def test_check_of_the_whole_change_is_documented_and_has_cases(check: type[ChangeCheck]) -> None:
    title, _, why = (check.__doc__ or "").partition("\n")
    assert title
    assert why.strip()
    assert len(check.VALID) >= 3
    assert len(check.INVALID) >= 2
    assert all(case.place is None for case in check.VALID)
    assert all(case.place is not None for case in check.INVALID)


RULES = Path(wardround_rules.__file__).parent
ENGINES = {"ast-grep": ast_grep, "semgrep": semgrep}
DECLARED = sorted(
    (folder.parent.name, folder.name) for engine in ENGINES for folder in RULES.glob(f"*/{engine}")
)


def _said(tool: Tool, sources: dict[str, str], folder: Path) -> dict[str, list[tuple[str, int, int]]]:
    """What a tool says about small files, by file, all of them in one run."""
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
    found: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for result in tool.parse(output, run):
        found[result.file].append((result.code, *result.span.start))
    return found


def _mistakes(rules: list[DeclarativeRule], tool: Tool, folder: Path) -> list[str]:
    """Each case whose rule says something else than the case demands."""
    assert tool.columns in (Columns.CODE_POINTS, Columns.UTF8)
    wanted: dict[str, tuple[str, str, list[tuple[int, int]]]] = {}
    for rule in rules:
        name = rule.metadata.path or "case.py"
        for number, valid in enumerate(rule.metadata.valid):
            wanted[f"{rule.id}-valid{number}/{name}"] = (rule.id, valid, [])
        for number, case in enumerate(rule.metadata.invalid):
            wanted[f"{rule.id}-invalid{number}/{name}"] = (rule.id, case.source, [(case.line, case.column)])
    said = _said(tool, {name: source for name, (_, source, _) in wanted.items()}, folder)
    mistakes = []
    for name, (rule_id, source, places_wanted) in wanted.items():
        places_said = [(line, column) for code, line, column in said.get(name, []) if code == rule_id]
        if places_said != places_wanted:
            mistakes.append(f"{name}: wanted {places_wanted}, got {places_said}\n{source}")
    return mistakes


@pytest.mark.parametrize(("kind", "engine"), DECLARED)
def test_declared_rules_report_the_exact_place(kind: str, engine: str, tmp_path: Path) -> None:
    rules = load_declarative(kind, engine)
    assert rules
    assert _mistakes(rules, ENGINES[engine](kind), tmp_path) == []


@pytest.mark.parametrize("kind", [kind for kind, engine in DECLARED if engine == "ast-grep"])
def test_what_a_rule_needs_stands_in_every_case_it_reports(kind: str) -> None:
    cases = [(rule, case) for rule in load_declarative(kind, "ast-grep") for case in rule.metadata.invalid]
    assert cases
    assert [r.id for r, case in cases if not any(word in case.source for word in r.metadata.needs)] == []


@pytest.mark.parametrize(("kind", "engine"), DECLARED)
def test_declared_rules_have_cases_of_both_kinds(kind: str, engine: str) -> None:
    rules = [rule.metadata for rule in load_declarative(kind, engine)]
    assert rules
    assert [r.name for r in rules if len(r.valid) < 2 or len(r.invalid) < 2] == []
