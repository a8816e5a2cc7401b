"""A review in CI compares a change with its message; the notes are reported, recorded and never block."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository

pytestmark = pytest.mark.usefixtures("without_slow_tools")

MODULE = "def rate(order):\n    return order.country.rate\n"
GUARD = MODULE.replace("    return", "    if order.is_export:\n        return order.export.rate\n    return")
CI = ("--base", "HEAD~1", "--profile", "ci")


@pytest.fixture
def documented(repo: GitRepository) -> GitRepository:
    """A commit that states documentation and changes code."""
    repo.commit({"shop/tax.py": MODULE, "README.md": "# Shop\n"}, "Shop")
    repo.commit({"shop/tax.py": GUARD, "README.md": "# Shop\n\nRates.\n"}, "docs: describe rates")
    return repo


def intent(report: dict[str, Any]) -> dict[str, Any]:
    return next(signal for signal in report["signals"] if signal["plane"] == "intent")


def test_code_under_a_message_about_documentation_is_noted(documented: GitRepository) -> None:
    report = documented.report(*CI)

    assert [(note["file"], note["line"], note["stated"]) for note in report["kind"]] == [
        ("shop/tax.py", 2, "documentation")
    ]
    assert intent(report)["severity"] == "none"
    assert report["gate"]["outcome"] == documented.report("--base", "HEAD~1")["gate"]["outcome"]


def test_the_text_report_has_the_note(documented: GitRepository) -> None:
    lines = documented.wardround("review", *CI).stdout

    assert "note: shop/tax.py:2 is more than the message states, documentation" in lines


def test_a_foreign_hunk_is_noted(repo: GitRepository) -> None:
    repo.commit({"billing/upload.py": "def upload(store, invoice):\n    return store(invoice)\n"}, "Billing")
    style = (
        ".sidebar-badge { background: crimson; border-radius: 4px; letter-spacing: 2px; font-weight: bold }\n"
    )
    repo.commit(
        {
            "billing/upload.py": "def upload(store, invoice):\n    return store(invoice, tries=2)\n",
            "billing/retries.py": "def tries(invoice):\n    return invoice.retries\n",
            "frontend/palette.css": style,
        },
        "Retry failed uploads of invoices",
    )

    assert [note["file"] for note in repo.report(*CI)["scope"]] == ["frontend/palette.css"]


def test_a_file_that_such_changes_usually_include_is_listed(repo: GitRepository) -> None:
    for number in range(7):
        repo.commit(
            {"api/schema.py": f"x = {number}\n", "web/types.ts": f"export const x = {number}\n"}, "Fields"
        )
    repo.commit({"api/schema.py": "x = 9\n"}, "Another field")

    assert repo.report(*CI)["related"]["companions"] == [
        {
            "file": "web/types.ts",
            "reason": "7 of 7 earlier commits that changed api/schema.py changed it too",
        }
    ]
    assert "read also: web/types.ts: 7 of 7" in repo.wardround("review", *CI).stdout


def test_a_report_without_notes_has_none_of_the_keys(repo: GitRepository) -> None:
    repo.commit({"shop/tax.py": MODULE}, "Shop")
    repo.commit({"shop/tax.py": GUARD}, "Exports have a rate of zero")

    assert not {"scope", "kind", "related"} & repo.report(*CI).keys()


def test_at_commit_nothing_is_compared(documented: GitRepository) -> None:
    assert "kind" not in documented.report("--base", "HEAD~1", "--profile", "commit")


def test_a_replay_derives_the_signal_with_its_notes_again(documented: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    assert documented.wardround("review", *CI, "--record", record).returncode == 0
    done = documented.wardround("replay", record)

    assert done.returncode == 0, done.stdout + done.stderr
    line = record.read_text().splitlines()[0]
    payload = base64.b64decode(json.loads(line)["payload"])
    assert b"shop/tax.py:2: not only documentation" in payload
