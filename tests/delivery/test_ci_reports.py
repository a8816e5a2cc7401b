"""A CI run writes the default reports and the requested ones, each to a file of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from wardround.builtin import FORMATS
from wardround.delivery.ci_reports import CI_REPORTS, RECORD, CiReport, ci_reports
from wardround.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import GitRepository

pytestmark = pytest.mark.usefixtures("without_slow_tools")

DEFAULT = [
    "report.json", "report.sarif", "report.txt", "report.md", "report.html", "planes.xml", "issues.json",
]  # fmt: skip


def files(*requests: str) -> list[str]:
    return [report.file for report in ci_reports(requests)]


def test_every_format_has_one_usual_file() -> None:
    assert sorted(report.format for report in CI_REPORTS) == sorted(FORMATS)
    names = [RECORD, *(report.file for report in CI_REPORTS)]
    assert len(set(names)) == len(names)


def test_a_request_adds_a_report() -> None:
    assert files() == DEFAULT
    assert files("gitlab", "checkstyle=style.xml") == [*DEFAULT, "gitlab.json", "style.xml"]


def test_a_default_report_is_not_written_twice_and_may_have_a_copy() -> None:
    assert files("junit", "junit=planes.xml", "gitlab", "gitlab") == [*DEFAULT, "gitlab.json"]
    assert ci_reports(["junit=copy.xml"])[-1] == CiReport("junit", "copy.xml")


@pytest.mark.parametrize(
    ("requests", "message"),
    [
        (["rows"], "--report rows: unknown format; choose from text, json, "),
        (
            ["gitlab=../x"],
            "--report gitlab=../x: the file lies in --reports-dir; give a name without a folder",
        ),
        (["gitlab=.."], "--report gitlab=..: the file lies in --reports-dir; give a name without a folder"),
        (
            ["gitlab=report.json"],
            "--report gitlab=report.json: report.json is another report; give another file",
        ),
        ([f"json={RECORD}"], f"--report json={RECORD}: {RECORD} is another report; give another file"),
        (["json=a", "sarif=a"], "--report sarif=a: a is another report; give another file"),
    ],
)
def test_a_wrong_request_is_one_sentence(requests: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ci_reports(requests)
    assert str(caught.value).startswith(message)


def test_a_run_writes_them_all(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit()
    repo.commit({"a.py": "import os\n"})
    folder = tmp_path / "reports"
    command = (
        "ci",
        "--provider",
        "jenkins",
        "--base-ref",
        "HEAD~1",
        "--no-fetch",
        "--reports-dir",
        str(folder),
    )
    requests = ("--report", "gitlab", "--report", "rdjsonl=review.jsonl")
    done = repo.wardround(*command, *requests)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = [*DEFAULT, "gitlab.json", "review.jsonl", RECORD]
    assert sorted(path.name for path in folder.iterdir()) == sorted(expected)
    assert ET.parse(folder / "planes.xml").getroot().tag == "testsuites"
    fingerprints = {
        finding["fingerprint"] for finding in json.loads((folder / "report.json").read_text())["findings"]
    }
    assert fingerprints == {
        issue["fingerprint"] for issue in json.loads((folder / "gitlab.json").read_text())
    }
    assert fingerprints == {
        i["fingerprint"] for i in json.loads((folder / "issues.json").read_text())["issues"]
    }


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--report=rows", "--report rows: unknown format; choose from text, "),
        ("--sign-with=env:KEY_OF_CI", "the environment variable KEY_OF_CI has no private key; set it to a "),
    ],
)
def test_a_wrong_request_stops_before_the_review(
    repo: GitRepository, tmp_path: Path, option: str, message: str
) -> None:
    repo.commit()
    repo.commit({"a.py": "import os\n"})
    folder = tmp_path / "reports"
    done = repo.wardround(
        "ci", "--provider=jenkins", "--base-ref=HEAD~1", f"--reports-dir={folder}", option,
        env={"KEY_OF_CI": ""},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"wardround: {message}")
    assert not list(folder.glob("*"))
