"""Reviews of changes that break uses in files they do not touch."""

from __future__ import annotations

from typing import Any

import pytest
from wardround_contract.checks.definitions.call_no_longer_fits import CallNoLongerFits
from wardround_contract.specialist import ContractSpecialist

from tests.conftest import GitRepository
from wardround.findings import Severity
from wardround.rules.cases import ChangeCase
from wardround.testing import change_results

pytestmark = pytest.mark.usefixtures("without_slow_tools")

_BOX = "class Box:\n    def send_all(self): ...\n\n    def close(self): ...\n"
_RENAMED = _BOX.replace("send_all", "post_all")
_APP = "from mail.box import Box\n\nBox().send_all()\n"


@pytest.fixture
def mail(repo: GitRepository) -> GitRepository:
    repo.commit(
        {
            "pyproject.toml": "[tool.wardround]\npreview = true\n",
            "mail/__init__.py": "",
            "mail/box.py": _BOX,
            "app.py": _APP,
        }
    )
    return repo


def contract(report: dict[str, Any]) -> list[tuple[str, str, int]]:
    found = [item for item in report["findings"] if item["specialist"] == "contract"]
    return [(item["rule"], item["file"], item["line"]) for item in found]


@pytest.mark.parametrize("profile", ["commit", "ci"])
def test_a_renamed_method_that_another_file_calls_is_reported_where_it_is_renamed(
    mail: GitRepository, profile: str
) -> None:
    mail.commit({"mail/box.py": _RENAMED})
    report = mail.report("--base", "HEAD~1", "--profile", profile, "--only", "contract")
    assert contract(report) == [("contract/CT001", "mail/box.py", 2)]
    (finding,) = report["findings"]
    assert finding["plane"] == "contract"
    assert finding["message"] == "`Box.send_all` is renamed to `post_all`; 1 file still uses it: app.py:3"


def test_a_staged_change_is_compared_with_the_files_it_does_not_touch(mail: GitRepository) -> None:
    mail.write("mail/box.py", _RENAMED)
    mail.git("add", "-A")
    report = mail.report("--staged", "--only", "contract")
    assert contract(report) == [("contract/CT001", "mail/box.py", 2)]


def test_a_change_that_renames_the_uses_too_is_not_reported(mail: GitRepository) -> None:
    mail.commit({"mail/box.py": _RENAMED, "app.py": _APP.replace("send_all", "post_all")})
    assert contract(mail.report("--base", "HEAD~1", "--only", "contract")) == []


def test_a_use_in_a_changed_file_is_reported_at_the_use(mail: GitRepository) -> None:
    mail.commit({"mail/box.py": _RENAMED, "app.py": f"import os\n{_APP}"})
    found = contract(mail.report("--base", "HEAD~1", "--only", "contract"))
    assert found == [("contract/CT001", "app.py", 4)]


def test_a_diff_without_a_repository_is_reviewed_without_graphs(mail: GitRepository) -> None:
    mail.commit({"mail/box.py": _RENAMED})
    diff = mail.git("diff", "HEAD~1")
    mail.write("change.diff", diff)
    report = mail.report("--diff-file", "change.diff", "--only", "contract")
    assert report["gate"]["outcome"] == "pass"


def test_a_changed_image_that_a_workflow_names_is_not_removed(repo: GitRepository) -> None:
    repo.commit({"data/box.tgz": b"\x00\x01", ".github/workflows/a.yml": "run: sha256sum data/box.tgz\n"})
    repo.commit({"data/box.tgz": b"\x00\x02"})
    assert contract(repo.report("--base", "HEAD~1", "--only", "contract")) == []


def test_uses_by_name_are_listed_next_to_certain_ones(mail: GitRepository) -> None:
    mail.commit({"other.py": "from mail.box import Box\n\ndef f(x):\n    x.inner.send_all()\n"})
    mail.commit({"mail/box.py": _RENAMED})
    (finding,) = mail.report("--base", "HEAD~1", "--only", "contract")["findings"]
    assert finding["message"].endswith("2 files still use it: app.py:3, other.py:4")


def test_an_unannounced_break_of_a_published_package_is_reported_in_ci_alone(repo: GitRepository) -> None:
    manifest = '[build-system]\nrequires = []\n[project]\nname = "mail"\n[tool.wardround]\npreview = true\n'
    repo.commit(
        {"pyproject.toml": manifest, "CHANGELOG.md": "# 1.0\n", "mail/__init__.py": _BOX},
    )
    repo.commit({"mail/__init__.py": _RENAMED})
    found = [
        item for item in contract(repo.report("--base", "HEAD~1", "--profile", "ci")) if item[0].endswith("9")
    ]
    assert found == [("contract/CT009", "mail/__init__.py", 2)]
    report = repo.report("--base", "HEAD~1", "--profile", "commit")
    assert "contract/CT009" not in {item["rule"] for item in report["findings"]}


@pytest.mark.parametrize(
    ("after", "use", "severity"),
    [
        ("def send(to, text):\n    return to, 1", "send('a')", Severity.ERROR),
        ("def send(to):\n    return to, 1, 2", "name, count = send('a')", Severity.WARN),
    ],
)
def test_a_call_that_raises_type_error_is_an_error(after: str, use: str, severity: Severity) -> None:
    before = "def send(to):\n    return to, 1\n"
    case = ChangeCase(
        {"box.py": (before, f"{after}\n")}, others={"app.py": f"from box import send\n\n{use}\n"}
    )
    specialist = ContractSpecialist()
    (found,) = change_results(specialist, CallNoLongerFits, case)
    assert found.severity is severity
