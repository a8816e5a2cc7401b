"""The part of a project that a file belongs to."""

from __future__ import annotations

import pytest

from wardround.release_notes.history.path_class import PathClass, class_of_path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/shop/cart.py", PathClass.PRODUCT),
        ("action.yml", PathClass.PRODUCT),
        ("src/shop/release.py", PathClass.PRODUCT),
        ("docs/cart.md", PathClass.DOCUMENTATION),
        ("README.md", PathClass.DOCUMENTATION),
        ("examples/run.py", PathClass.DOCUMENTATION),
        ("CHANGES.rst", PathClass.CHANGELOG),
        ("newsfragments/12.feature.rst", PathClass.CHANGELOG),
        ("tests/test_cart.py", PathClass.TESTS),
        ("src/cart.test.ts", PathClass.TESTS),
        (".github/workflows/ci.yml", PathClass.TOOLING),
        ("tox.ini", PathClass.TOOLING),
        ("requirements/dev.txt", PathClass.TOOLING),
        ("pyproject.toml", PathClass.MANIFEST),
        ("web/package.json", PathClass.MANIFEST),
        ("uv.lock", PathClass.MANIFEST),
        ("requirements.txt", PathClass.MANIFEST),
    ],
)
def test_a_path_has_a_class(path: str, expected: PathClass) -> None:
    assert class_of_path(path) is expected
