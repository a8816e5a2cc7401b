"""No secret of a change is sent, wherever it occurs in the change."""

from __future__ import annotations

import pytest

from wardround import host
from wardround.findings import Finding, Plane, Severity, Span, Status
from wardround.planes.language_model.redaction import Redactor

GITHUB = "ghp_" + "a1B2c3D4e5F6" * 3
KEY = "endpoint-key"
HEAD = f'import os\nTOKEN = "{GITHUB}"\nPIN = "7391"\nprint("{GITHUB}")\n'
BASE = 'password = "old-Secret-99"\nx = 1\n'


def redactor(*reported: Finding) -> Redactor:
    return Redactor(
        ("app.py",), host.load().specialists, reported, {"app.py": HEAD}.get, {"app.py": BASE}.get, KEY
    )


def reported(line: int) -> Finding:
    """A finding of a tool at a secret that no check of ours knows."""
    return Finding(
        "f", "gitleaks/generic", "hardcoded-secret", Plane.SECURITY, "secrets", Severity.ERROR, "app.py",
        Span(line, 1, line, 13), "secret", "", Status.NEW, masked=True,
    )  # fmt: skip


def test_lines_have_no_secret_and_stay_where_they_are() -> None:
    lines = redactor().lines("app.py", HEAD)
    assert len(lines) == len(HEAD.split("\n"))
    assert lines[0] == "import os"
    assert GITHUB not in "\n".join(lines)
    assert lines[3].startswith("print(")


def test_a_line_with_a_secret_of_a_tool_is_masked_even_if_it_is_short() -> None:
    assert redactor().lines("app.py", HEAD)[2] == 'PIN = "7391"'
    assert redactor(reported(3)).lines("app.py", HEAD)[2] == "***"


def test_removed_secrets_are_masked_too() -> None:
    found = redactor()
    assert "old-Secret-99" not in "\n".join(found.lines("app.py", BASE, base=True))
    assert "old-Secret-99" not in found.text("Replace old-Secret-99 by a variable")


@pytest.mark.parametrize("secret", [GITHUB, KEY, "AKIAIOSFODNN7EXAMPLE"])
def test_a_message_has_no_secret(secret: str) -> None:
    shown = redactor().text(f"Use {secret} in tests")
    assert secret not in shown
    assert shown.startswith("Use ")


def test_not_even_the_beginning_of_a_known_secret_is_shown() -> None:
    assert "gh***" not in redactor().text(f"see {GITHUB}")


def test_without_a_check_for_secrets_redaction_is_incomplete() -> None:
    assert redactor().is_complete
    assert not Redactor(("app.py",), (), (), {"app.py": HEAD}.get, {"app.py": BASE}.get, "").is_complete


def test_secrets_of_a_file_that_was_not_announced_are_removed_from_its_lines() -> None:
    other = f'PASSWORD = "Tr0ub4dor-and-3"\nuse("Tr0ub4dor-and-3", "{GITHUB[::-1]}", "{KEY}")\nx = 1\n'
    lines = redactor().lines("other.py", other)
    assert "Tr0ub4dor-and-3" not in "\n".join(lines)
    assert GITHUB[::-1] not in "\n".join(lines)
    assert KEY not in "\n".join(lines)
    assert lines[2] == "x = 1"
    assert len(lines) == len(other.split("\n"))
