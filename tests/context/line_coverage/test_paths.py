"""The paths of a coverage file that was written on any machine, in any folder."""

from __future__ import annotations

import pytest

from wardround.context.line_coverage.model import MeasuredLines
from wardround.context.line_coverage.paths import measured_paths

TRACKED = ("src/shop/cart.py", "src/shop/__init__.py", "web/src/cart.ts", "lib/__init__.py")


@pytest.mark.parametrize(
    ("written", "roots", "folder", "path"),
    [
        ("src/shop/cart.py", (), "", "src/shop/cart.py"),
        ("./src/shop/cart.py", (), "", "src/shop/cart.py"),
        ("src\\shop\\cart.py", (), "", "src/shop/cart.py"),
        ("/repo/src/shop/cart.py", (), "", "src/shop/cart.py"),
        ("/other/machine/src/shop/cart.py", (), "", "src/shop/cart.py"),
        ("cart.py", ("/repo/src/shop",), "", "src/shop/cart.py"),
        ("shop/__init__.py", ("src",), "", "src/shop/__init__.py"),
        ("../src/cart.ts", (), "web/coverage", "web/src/cart.ts"),
        ("cart.py", (), "", "src/shop/cart.py"),
        ("__init__.py", (), "", ""),
        ("/elsewhere/__init__.py", (), "", ""),
        ("/venv/site-packages/shop.py", (), "", ""),
        ("../../etc/passwd", (), "", ""),
    ],
)
def test_a_path_means_the_one_file_it_can_mean(
    written: str, roots: tuple[str, ...], folder: str, path: str
) -> None:
    found = measured_paths(MeasuredLines({written: {}}, roots), "/repo", folder, TRACKED)
    assert found == ({path: written} if path else {})


def test_two_paths_that_mean_one_file_mean_none() -> None:
    measured = MeasuredLines({"src/shop/cart.py": {1: True}, "/build/src/shop/cart.py": {1: False}})
    assert measured_paths(measured, "/repo", "", TRACKED) == {}


@pytest.mark.parametrize(
    ("written", "paths"),
    [
        (("src/index.ts", "src/own.ts"), {"packages/foo/src/index.ts", "packages/foo/src/own.ts"}),
        (("src/index.ts", "src/top.ts"), {"src/index.ts", "src/top.ts"}),
        (("packages/foo/src/index.ts",), {"packages/foo/src/index.ts"}),
        (("../src/index.ts",), {"packages/foo/src/index.ts"}),
        (("src\\index.ts",), {"packages/foo/src/index.ts"}),
    ],
)
def test_paths_are_relative_to_the_folder_above_the_report_in_which_they_exist(
    written: tuple[str, ...], paths: set[str]
) -> None:
    tracked = (
        "src/index.ts", "src/top.ts", "packages/foo/src/index.ts", "packages/foo/src/own.ts",
        "packages/bar/src/index.ts", "packages/bar/src/own.ts",
    )  # fmt: skip
    measured = MeasuredLines({path: {} for path in written})

    assert set(measured_paths(measured, "/repo", "packages/foo/coverage/unit", tracked)) == paths
