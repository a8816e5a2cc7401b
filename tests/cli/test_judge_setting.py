"""The setting ``judge`` of a repository: the shipped judge, none, or a file of the trusted side."""

from __future__ import annotations

import json

import pytest

from tests.conftest import GitRepository
from tests.processors.judge_factory import judge
from wardround.processors.judge.model import default_judge, judge_content

UNUSED = "import os\n"
"""An unused import, which the judge of the tests finds worth raising."""
DEFAULT = "def f(a, b=[]):\n    return a, b\n"
"""A mutable default, which it finds wrong."""
TEAM = "team/judge.json"


@pytest.fixture
def team(repo: GitRepository) -> GitRepository:
    content = judge_content(judge().file).decode()
    repo.commit({".wardround.toml": f'judge = "{TEAM}"\n', TEAM: content})
    return repo


def test_a_report_names_the_judge_and_the_readings(repo: GitRepository) -> None:
    repo.stage({"a.py": UNUSED})
    report = repo.report()
    assert report["judge"] == default_judge().id
    (found,) = report["findings"]
    assert found["estimate"]["derivation"].startswith("ruff/F401: ")
    assert found["confidence"] == pytest.approx(1 - found["estimate"]["wrong"])


def test_without_findings_no_judge_is_named(repo: GitRepository) -> None:
    repo.stage({"a.py": "A = 1\n"})
    assert "judge" not in repo.report()


def test_sarif_names_the_judge_and_ranks(team: GitRepository) -> None:
    team.stage({"a.py": DEFAULT})
    (run,) = json.loads(team.wardround("review", "--format", "sarif").stdout)["runs"]
    assert run["properties"]["judge"].startswith(f"{TEAM}@sha256:")
    (result,) = run["results"]
    assert result["rank"] == pytest.approx(100 * result["properties"]["estimate"]["worth"])


def test_a_team_uses_its_own(team: GitRepository) -> None:
    team.stage({"a.py": UNUSED, "b.py": DEFAULT})
    printed = team.wardround("review").stdout
    assert "1:8 warn" in printed
    assert "1 less likely (ruff/B006): --all shows it" in printed
    assert "1 folded" in printed
    assert "[ruff/B006]" in team.wardround("review", "--all").stdout


def test_the_one_of_the_base_applies_to_a_change_that_is_not_trusted(team: GitRepository) -> None:
    base = team.git("rev-parse", "HEAD").strip()
    team.commit({".wardround.toml": 'judge = "off"\n', TEAM: "{}", "a.py": UNUSED})
    report = team.report("--base", base, "--config-from", "base")
    assert report["judge"].startswith(f"{TEAM}@sha256:")


def test_off_leaves_severities_as_the_rules_have_them(repo: GitRepository) -> None:
    repo.stage({".wardround.toml": 'judge = "off"\n', "a.py": UNUSED})
    report = repo.report()
    assert "judge" not in report
    (found,) = report["findings"]
    assert (found["severity"], found["confidence"]) == ("warn", 1.0)
    assert "estimate" not in found


def test_the_verdict_does_not_follow_from_estimates(repo: GitRepository) -> None:
    content = judge_content(judge().file).decode().replace("38,0]", "1,0]")
    repo.commit({".wardround.toml": f'judge = "{TEAM}"\n', TEAM: content})
    repo.stage({"a.py": UNUSED})
    report = repo.report()
    (found,) = report["findings"]
    assert (found["severity"], found["estimate"]["lowered"]) == ("info", True)
    (signal,) = [item for item in report["signals"] if found["fingerprint"] in item["findings"]]
    assert signal["severity"] == "warn"


@pytest.mark.parametrize(
    ("setting", "files", "message"),
    [
        ("none", {}, "judge: 'none' is none of on, off and a JSON file of the repository"),
        (TEAM, {}, f"judge: {TEAM} does not exist on the trusted side; add it there first"),
        (TEAM, {TEAM: "{}\n"}, f"{TEAM} is not a judge: "),
        (TEAM, {TEAM: "\x00"}, f"{TEAM} is not a judge: "),
    ],
)
def test_a_judge_that_cannot_be_read_is_a_configuration_error(
    repo: GitRepository, setting: str, files: dict[str, str], message: str
) -> None:
    repo.stage({".wardround.toml": f'judge = "{setting}"\n', "a.py": DEFAULT, **files})
    done = repo.wardround("review")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "comment", ["# this is safe, ignore", "# worth nothing: reviewed and approved", "# false positive"]
)
def test_no_comment_persuades_the_judge(repo: GitRepository, comment: str) -> None:
    plain = "import os\n\n\ndef f(a, b=[]):\n    b.append(a)\n    return eval(a), b\n"
    flattering = plain.replace("b=[]):\n", f"b=[]):  {comment}\n").replace("(a), b\n", f"(a), b  {comment}\n")
    outcomes = []
    for source in (plain, flattering):
        repo.stage({"a.py": source})
        report = repo.report()
        outcomes.append(
            [
                (finding["rule"], finding["line"], finding["estimate"]["wrong"])
                for finding in report["findings"]
            ]
        )
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0]) > 2


def test_doctor_shows_the_judge(repo: GitRepository) -> None:
    printed = repo.wardround("doctor").stdout
    section = printed.split("\njudge\n")[1].split("\n\n")[0]
    counts = default_judge().file.rates.all
    assert f"default                  {counts.read} judged findings of " in section
    assert default_judge().digest[:12] in section
    repo.stage({".wardround.toml": 'judge = "off"\n'})
    assert "\njudge\n  off: findings keep their severity" in repo.wardround("doctor").stdout
