"""Kinds of files."""

from __future__ import annotations

import pytest

from wardround.rules.file_kinds import kind_of_file


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/a.py", "source"), ("tests/test_a.py", "tests"), ("web/a.test.tsx", "tests"),
        ("a/migrations/0001_a.py", "migrations"), (".github/workflows/ci.yml", "ci"),
        ("app/Dockerfile", "ci"), ("docker-compose.yml", "ci"), ("docs/conf.py", "examples"),
        ("scripts/a.sh", "scripts"), ("pyproject.toml", "settings"),
    ],
)  # fmt: skip
def test_a_path_determines_the_kind_of_a_file(path: str, kind: str) -> None:
    assert kind_of_file(path) == kind
