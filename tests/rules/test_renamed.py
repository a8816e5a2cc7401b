"""Former names of rules keep working in suppressions and ``wardround explain``."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.rules.renamed import former_names, renaming_note

CATALOGUE = host.load().catalogue
DURATIONS = """\
from datetime import datetime


def f(start):
    took = (datetime.now() - start).seconds  # wardround: ignore[part-of-duration] less than a day
    return took


def g(start):
    took = (datetime.now() - start).seconds  # wardround: ignore[part-of-duration] less than a day
    return took
"""


@pytest.mark.parametrize("name", sorted(former_names()))
def test_a_former_name_resolves_to_its_rules_and_to_nothing_else(name: str) -> None:
    assert sorted(rule.id for rule in CATALOGUE.resolve(name)) == sorted(former_names()[name])


def test_no_rule_has_the_former_name_of_another() -> None:
    listed = CATALOGUE.all_rules()
    assert [r.id for r in listed if r.id not in former_names().get(r.name, (r.id,))] == []
    assert not former_names().keys() & {rule.id for rule in listed}


@pytest.mark.parametrize("key", ["docker-ci/DC054", "zizmor/secrets-inherit"])
def test_a_configuration_may_name_a_removed_rule_by_its_id(repo: GitRepository, key: str) -> None:
    job = "jobs:\n  a:\n    uses: o/r/.github/workflows/b.yml@v1\n    secrets: inherit\n"
    text = f"on: push\npermissions: {{}}\n{job}"
    repo.stage({".wardround.toml": f'[rules]\n"{key}" = "error"\n', ".github/workflows/a.yml": text})
    report = repo.report("--staged", "--exit-zero")
    found = [f["severity"] for f in report["findings"] if f["rule"] == "zizmor/secrets-inherit"]
    assert found == ["error"]
    expected = ["renamed rules: docker-ci/DC054 is now called zizmor/secrets-inherit"]
    assert report.get("notes", []) == (expected if key.startswith("docker-ci") else [])


def test_a_suppression_by_a_former_name_waives_and_one_note_per_run_gives_the_new_name(
    repo: GitRepository,
) -> None:
    repo.stage({"a.py": DURATIONS, "b.py": DURATIONS})
    report = repo.report("--filter-mode", "nofilter")
    found = [(f["line"], f["rule"], f["status"]) for f in report["findings"]]
    assert found == [(5, "python/PY053", "suppressed"), (10, "python/PY053", "suppressed")] * 2
    assert report["notes"] == [
        "renamed rules: part-of-duration is now called timedelta-seconds-instead-of-total"
    ]


def test_a_suppression_by_the_present_name_brings_no_note(repo: GitRepository) -> None:
    text = DURATIONS.replace("part-of-duration", "timedelta-seconds-instead-of-total")
    repo.stage({"a.py": text})
    report = repo.report("--filter-mode", "nofilter")
    assert {f["status"] for f in report["findings"]} == {"suppressed"}
    assert "notes" not in report


def test_explain_finds_a_rule_by_its_former_name_and_gives_the_new_one(repo: GitRepository) -> None:
    done = repo.wardround("explain", "part-of-duration")
    assert done.returncode == 0
    assert done.stdout.startswith("python/PY053  timedelta-seconds-instead-of-total\n")
    assert (
        done.stderr
        == "note: renamed rules: part-of-duration is now called timedelta-seconds-instead-of-total\n"
    )


def test_the_note_lists_every_former_name_once() -> None:
    names = ("part-of-duration", "file-work-in-async")
    assert renaming_note({name: CATALOGUE.resolve(name) for name in names}) == (
        "renamed rules: file-work-in-async is now called file-io-in-async; "
        "part-of-duration is now called timedelta-seconds-instead-of-total"
    )
