"""A team's own judge: it needs enough judgements, and is used only if it is better than the shipped one."""

from __future__ import annotations

import datetime
import random
from pathlib import Path

import pytest

from tests.processors.judge_factory import BAD, GOOD, NOISY, judge
from wardround.errors import ConfigError, TrainingError
from wardround.findings import Plane, Severity
from wardround.processors.judge.facts import FindingFacts
from wardround.processors.judge.model import JudgeFile
from wardround.rules.file_kinds import FileKind
from wardround.rules.judgements import FindingKey, Verdict, key_id
from wardround_lab.evaluation.judging.facts_table import (
    FACTS,
    JudgedFacts,
    ReadFinding,
    read_facts,
    read_findings,
    write_facts,
)
from wardround_lab.training.judge.adapt import FEWEST, adapt
from wardround_lab.training.judge.fit import fit_judge, held_out

TODAY = datetime.date(2026, 11, 27)
RULES = (GOOD, NOISY, BAD)


def facts(rule: str) -> FindingFacts:
    return FindingFacts(
        rule=rule, defect_class="c", specialist="python", plane=Plane.SEMANTIC, severity=Severity.WARN,
        confidence=1.0, sources=1, has_fix=False, is_caused=False, kind=FileKind.SOURCE, is_added_file=False,
        lines=100, in_file=2, same_in_file=1, same_in_repository=1, in_change=2, same_in_change=1,
        changed_files=1, added_lines=9, function_lines=None,
    )  # fmt: skip


def read(rule: str, verdict: Verdict, number: int) -> ReadFinding:
    return ReadFinding(f"{number:016x}", f"o/r{number % 10}", f"{number:040x}", 20_000, facts(rule), verdict)


def verdicts(share: dict[str, tuple[float, float]], count: int = 300) -> list[ReadFinding]:
    """Return findings of the rules with these shares of worth and of wrong, in turn."""
    chance, found = random.Random(0), []
    for number in range(count):
        rule, drawn = RULES[number % 3], chance.random()
        worth, wrong = share[rule]
        verdict = Verdict.WORTH if drawn < worth else Verdict.WRONG if drawn < worth + wrong else Verdict.TRUE
        found.append(read(rule, verdict, number))
    return found


AS_SHIPPED = verdicts({GOOD: (0.95, 0.0), NOISY: (0.1, 0.0), BAD: (0.0, 0.95)})
OTHER = verdicts({GOOD: (0.05, 0.9), NOISY: (0.9, 0.0), BAD: (0.9, 0.05)})


class TestAdapt:
    def test_a_team_with_other_verdicts_gets_its_own(self) -> None:
        found = adapt(judge().file, OTHER, TODAY)
        assert found.is_better
        shipped, own = (probabilities(item) for item in (judge().file, found.file))
        assert shipped[GOOD] > own[GOOD]
        assert shipped[BAD] < own[BAD]
        assert found.file.rates.all.read == judge().file.rates.all.read + len(OTHER)

    def test_a_team_with_verdicts_drawn_at_random_does_not(self) -> None:
        names = {item.id: item for item in AS_SHIPPED}
        mixed = list(names)
        random.Random(3).shuffle(mixed)
        shuffled = [
            read(item.facts.rule, names[other].verdict, number)
            for number, (item, other) in enumerate(zip(AS_SHIPPED, mixed, strict=True))
        ]
        base = fit_judge(shuffled, TODAY)
        assert not adapt(base, shuffled[:150], TODAY).is_better

    def test_few_judgements_are_not_enough(self) -> None:
        with pytest.raises(TrainingError, match=f"{FEWEST} are needed: judge more with wardround eval judge"):
            adapt(judge().file, OTHER[: FEWEST - 1], TODAY)

    def test_judgements_of_few_commits_are_not_enough(self) -> None:
        same = [ReadFinding(item.id, "o/r", "0" * 40, 20_000, item.facts, item.verdict) for item in OTHER]
        with pytest.raises(TrainingError, match="are of 1 commits; 8 are needed"):
            adapt(judge().file, same, TODAY)

    def test_judgements_that_all_agree_teach_nothing(self) -> None:
        same = [read(GOOD, Verdict.WORTH, number) for number in range(200)]
        with pytest.raises(TrainingError, match="every or no judged finding is worth"):
            adapt(judge().file, same, TODAY)


class TestFit:
    def test_probabilities_follow_the_shares_of_other_repositories(self) -> None:
        found = held_out(AS_SHIPPED)
        of_rule = {
            rule: [
                float(value)
                for item, value in zip(AS_SHIPPED, found[Verdict.WORTH], strict=True)
                if item.facts.rule == rule
            ]
            for rule in RULES
        }
        assert min(of_rule[GOOD]) > max(of_rule[NOISY])
        assert min(of_rule[GOOD]) > max(of_rule[BAD])

    def test_the_same_findings_give_the_same_judge(self) -> None:
        assert fit_judge(AS_SHIPPED, TODAY, ["a/*"]) == fit_judge(AS_SHIPPED, TODAY, ["a/*"])


class TestTable:
    def test_what_was_written_is_read(self, tmp_path: Path) -> None:
        rows = [JudgedFacts(item.id, item.day, item.facts) for item in OTHER]
        write_facts(tmp_path, rows)
        assert read_facts(tmp_path) == rows

    def test_a_finding_without_a_clear_verdict_is_excluded(self) -> None:
        keys = [FindingKey("o/r", "0" * 40, "a.py", line, GOOD) for line in (1, 2, 3)]
        rows = [JudgedFacts(key_id(key), 1, facts(GOOD)) for key in keys]
        known = {keys[0]: Verdict.WORTH, keys[1]: Verdict.UNCLEAR}
        assert [finding.id for finding in read_findings(rows, known)] == [key_id(keys[0])]

    @pytest.mark.parametrize("content", [None, "id,day\n1,2\n", "id,day,rule\nx,y,z\n", "\x00"])
    def test_another_table_is_a_configuration_error(self, tmp_path: Path, content: str | None) -> None:
        if content is not None:
            (tmp_path / FACTS).write_text(content)
        with pytest.raises(ConfigError, match=r"facts\.csv"):
            read_facts(tmp_path)


def probabilities(file: JudgeFile) -> dict[str, float]:
    """Return the probability of worth of each rule."""
    from wardround.processors.judge.model import Judge

    by = Judge("team", "0" * 64, file)
    return {rule: by.probabilities(facts(rule))[0] for rule in RULES}
