"""A suppression or configuration that names a removed rule gets one note, and no error."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.rules.removed import is_removed, removal_note, removed_rules

CATALOGUE = host.load().catalogue
SUPPRESSED = """\
def load(rows):
    rows.sort()  # wardround: ignore[python/PY055] the caller knows
    return rows  # wardround: ignore[retry-without-limit, aliased-list] bounded
"""


@pytest.mark.parametrize("rule_id", sorted(removed_rules()))
def test_no_rule_has_the_id_of_a_removed_one(rule_id: str) -> None:
    assert CATALOGUE.resolve(rule_id) == []
    assert is_removed(rule_id)


def test_suppressions_and_settings_of_removed_rules_are_one_note(repo: GitRepository) -> None:
    settings = '[rules]\n"python/PY017" = "error"\n"templates/TP001" = "off"\n'
    repo.stage({".wardround.toml": settings, "a.py": SUPPRESSED, "b.py": SUPPRESSED})
    report = repo.report("--staged")
    assert report["notes"] == [
        "removed rules, which nothing reports any more: aliased-list (python/PY055), python/PY017, "
        "python/PY055, retry-without-limit (python/PY017), templates/TP001"
    ]
    assert report["findings"] == []
    assert report["gate"]["outcome"] == "pass"


def test_a_suppression_of_a_removed_and_of_a_present_rule_waives_the_present_one(repo: GitRepository) -> None:
    text = "def f(text):\n    return eval(text)  # wardround: ignore[python/PY055, ruff/S307] our own table\n"
    repo.stage({"a.py": text})
    report = repo.report("--staged")
    assert [(f["rule"], f["status"]) for f in report["findings"]] == [("ruff/S307", "suppressed")]
    assert report["notes"] == ["removed rules, which nothing reports any more: python/PY055"]


def test_explain_states_that_a_rule_was_removed(repo: GitRepository) -> None:
    done = repo.wardround("explain", "PY017")
    assert (done.returncode, done.stdout) == (2, "")
    assert removal_note(["PY017"]) == "removed rules, which nothing reports any more: PY017 (python/PY017)"
    assert removal_note(["PY017"]) in done.stderr


def test_a_key_that_no_rule_ever_had_stays_an_error(repo: GitRepository) -> None:
    repo.stage({".wardround.toml": '[rules]\n"python/PY999" = "off"\n', "a.py": "a = 1\n"})
    done = repo.wardround("review", "--staged")
    assert done.returncode == 2
    assert "matches no known rule" in done.stderr
