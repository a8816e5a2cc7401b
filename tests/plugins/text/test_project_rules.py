"""The project's own semgrep rules, run by the real semgrep."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import GitRepository

RULES = """\
rules:
- id: acme.no-eval
  languages: [python]
  severity: ERROR
  message: parse the value instead
  pattern: eval(...)
- {id: no-fixme, languages: [generic], severity: INFO, message: name a ticket, pattern: FIXME}
"""
WEB_RULES = """\
rules:
- {id: no-document-write, languages: [javascript, typescript], severity: WARNING, message: "render it",
   pattern: document.write(...)}
"""
CHANGE = {
    "app.py": 'total = eval("1 + 1")\n',
    "web/app.ts": 'document.write("a");\n',
    "notes.txt": "FIXME later\n",
    "deploy.sh": "#!/bin/sh\necho FIXME\n",
}


def _own(report: dict[str, Any]) -> set[tuple[str, str, int, str]]:
    return {
        (found["rule"], found["file"], found["line"], found["severity"])
        for found in report["findings"]
        if found["rule"].startswith("semgrep/")
    }


def _review(repo: GitRepository, *options: str) -> dict[str, Any]:
    return repo.report("--base", "HEAD~1", "--profile", "ci", "--only", "project-rules", *options)


def test_rules_of_the_base_review_files_of_every_language(repo: GitRepository) -> None:
    repo.commit(
        {".semgrep.yml": RULES, ".semgrep/web/scripts.yaml": WEB_RULES, ".semgrep/README.md": "ours\n"}
    )
    repo.commit(CHANGE)
    report = _review(repo)
    assert report["unreviewed"] == []
    assert _own(report) == {
        ("semgrep/acme.no-eval", "app.py", 1, "error"),
        ("semgrep/no-document-write", "web/app.ts", 1, "warn"),
        ("semgrep/no-fixme", "notes.txt", 1, "info"),
        ("semgrep/no-fixme", "deploy.sh", 2, "info"),
    }
    assert report["gate"]["outcome"] == "blocked"


def test_the_configuration_decides_about_a_rule_of_the_project(repo: GitRepository) -> None:
    settings = '[rules]\n"semgrep/acme.no-eval" = "info"\n"semgrep/no-*" = "off"\n'
    repo.commit({".semgrep.yml": RULES, ".wardround.toml": settings})
    repo.commit(CHANGE)
    assert _own(_review(repo)) == {("semgrep/acme.no-eval", "app.py", 1, "info")}


def test_a_change_cannot_weaken_or_add_rules(repo: GitRepository) -> None:
    repo.commit({".semgrep.yml": RULES})
    extra = {".semgrepignore": "*\n", ".semgrep/README.md": "ours\n"}
    weak = {".semgrep.yml": RULES.replace("eval(...)", "never(...)"), ".semgrep/more.yml": WEB_RULES}
    repo.commit({**CHANGE, **weak, **extra})
    report = _review(repo, "--config-from", "base")
    assert {rule for rule, *_ in _own(report)} == {"semgrep/acme.no-eval", "semgrep/no-fixme"}
    changed = {f["file"] for f in report["findings"] if f["rule"] == "wardround/config-changed"}
    assert changed == {".semgrep.yml", ".semgrep/more.yml"}


def test_without_rules_semgrep_does_not_run(repo: GitRepository) -> None:
    repo.commit({".semgrep/settings.yml": "anonymous_user_id: a\n", "a.txt": "b\n"})
    repo.commit(CHANGE)
    assert [run for run in _review(repo)["runs"] if run["tool"] == "semgrep"] == []


def test_semgrep_does_not_run_at_commit(repo: GitRepository) -> None:
    repo.commit({".semgrep.yml": RULES})
    repo.commit({"more.py": "a = 1\n"})
    plain = repo.report("--base", "HEAD~1", "--only", "project-rules", "--profile", "commit")
    assert [run for run in plain["runs"] if run["tool"] == "semgrep"] == []


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (
            "rules:\n- {id: x, languages: [python], severity: ERROR, message: m, pattern: 'def ('}\n",
            "Invalid pattern for Python",
        ),
        ("rules: [\n", ".semgrep.yml is not valid YAML"),
        (
            "rules:\n- {id: x, languages: [python], severity: ERROR, message: m, mode: join,\n"
            "   join: {refs: [{rule: p/python, as: a}], on: ['a.$X == a.$Y']}}\n",
            "mode join",
        ),
    ],
    ids=["pattern", "yaml", "registry"],
)
def test_rules_that_cannot_be_used_leave_files_unreviewed(
    repo: GitRepository, rules: str, reason: str
) -> None:
    repo.commit({".semgrep.yml": rules})
    repo.commit({"app.py": "a = 1\n"})
    report = _review(repo)
    assert [item["file"] for item in report["unreviewed"]] == ["app.py"]
    assert reason in report["unreviewed"][0]["reason"]
    assert report["gate"]["outcome"] == "inconclusive"
