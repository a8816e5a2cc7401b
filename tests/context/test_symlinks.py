"""A symbolic link out of the repository is reported: its target is not under review."""

from __future__ import annotations

import pytest

from wardround.context.symlinks import leaves_repository


@pytest.mark.parametrize(
    ("path", "target", "expected"),
    [
        ("a", "b", False),
        ("pkg/a", "../b", False),
        ("pkg/a", "../../b", True),
        ("a", "..", True),
        ("a", "/etc/passwd", True),
        ("pkg/a", "../pkg/../..", True),
        ("a", "..b", False),
    ],
)
def test_the_target_decides(path: str, target: str, *, expected: bool) -> None:
    assert leaves_repository(path, target) is expected
