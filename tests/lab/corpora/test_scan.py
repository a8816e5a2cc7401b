"""Chunks and conventions of a repository, from a commit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from wardround.cli.commands import invoke

SHOP = '''\
"""The shop."""

import os
from shop.prices import Price


class Basket:
    """Holds prices.

    Args:
        prices: what is in it.
    """

    def total(self) -> int:
        """The sum.

        Returns:
            The sum of all.
        """
        return 0


@property
def empty_basket() -> Basket:
    return Basket()
'''
WIDGET = """\
import { sum } from './sum';
import React from "react";

/**
 * Shows the basket.
 * @param props what to show
 */
export function BasketView(props: Props) {
  return <div>{sum(props.items)}</div>;
}

export interface Props {
  items: number[];
}

// Adds numbers up.
export const addUp = (xs: number[]) => {
  return 0;
};
"""
BASKET_TEST = "from shop.basket import Basket\n\ndef test_total():\n    assert Basket().total() == 0\n"
VIEW_TEST = "import { BasketView } from './BasketView';\ntest('shows', () => { BasketView({}); });\n"
ORDERS = "-- What was ordered.\nCREATE TABLE orders (id int);\n\nCREATE INDEX by_id ON orders (id);\n"
FILES = {
    "src/shop/basket.py": SHOP,
    "src/shop/other.py": "def lonely(): ...\n",
    "tests/test_basket.py": BASKET_TEST,
    "tests/test_other_things.py": "def test_total(): ...\n",
    "web/BasketView.tsx": WIDGET,
    "web/BasketView.test.tsx": VIEW_TEST,
    "db/001.sql": ORDERS,
    "Dockerfile": "ARG VERSION=1\nFROM python:3.12 AS build\nRUN make\n\nFROM scratch\nCOPY . .\n",
    ".github/workflows/ci.yml": "on: push\n",
    "vendor/lib.py": "def vendored(): ...\n",
    "broken.py": "def broken(:\n",
    ".gitignore": "ignored.py\n",
}


def _rows(text: str) -> tuple[list[dict[str, Any]], dict[tuple[str, str], dict[str, Any]]]:
    """The conventions, and the chunks by path and symbol."""
    rows = [json.loads(line) for line in text.splitlines()]
    chunks = {(row["path"], row["symbol"]): row for row in rows if row["record"] == "chunk"}
    return [row for row in rows if row["record"] == "conventions"], chunks


@pytest.fixture
def scanned(repo: GitRepository, capfd: pytest.CaptureFixture[str]) -> tuple[Any, Any]:
    repo.commit(FILES)
    repo.write("ignored.py", "def ignored(): ...\n")
    repo.write("untracked.py", "def untracked(): ...\n")
    assert invoke(["data", "scan", str(repo.root)]) == 0
    return _rows(capfd.readouterr().out)


def test_only_tracked_hand_written_files_are_included(scanned: tuple[Any, Any]) -> None:
    paths = {path for path, _ in scanned[1]}
    assert paths == set(FILES) - {".gitignore", "vendor/lib.py"}


def test_python_is_cut_by_its_syntax(scanned: tuple[Any, Any]) -> None:
    chunks = scanned[1]
    total = chunks["src/shop/basket.py", "Basket.total"]
    assert (total["kind"], total["line"], total["end_line"]) == ("method", 14, 20)
    assert total["text"].startswith("    def total(self)")
    assert total["doc"].startswith("The sum.")
    assert total["imports"] == ["os", "shop.prices", "shop.prices.Price"]
    assert total["tests"] == ["tests/test_basket.py"]
    decorated = chunks["src/shop/basket.py", "empty_basket"]
    assert (decorated["kind"], decorated["line"], decorated["tests"]) == ("function", 23, [])
    assert chunks["broken.py", "broken.py"]["kind"] == "file"


def test_scripts_statements_and_stages(scanned: tuple[Any, Any]) -> None:
    chunks = scanned[1]
    view = chunks["web/BasketView.tsx", "BasketView"]
    assert (view["kind"], view["line"], view["end_line"]) == ("component", 8, 10)
    assert view["doc"].startswith("Shows the basket.\n@param props")
    assert (view["imports"], view["tests"]) == (["./sum", "react"], ["web/BasketView.test.tsx"])
    assert chunks["web/BasketView.tsx", "Props"]["kind"] == "type"
    assert chunks["web/BasketView.tsx", "addUp"]["doc"] == "Adds numbers up."
    assert chunks["db/001.sql", "orders"]["doc"] == "What was ordered."
    assert (chunks["Dockerfile", "build"]["line"], chunks["Dockerfile", "build"]["end_line"]) == (1, 3)
    assert chunks["Dockerfile", "scratch"]["text"] == "FROM scratch\nCOPY . ."
    assert chunks[".github/workflows/ci.yml", ".github/workflows/ci.yml"]["kind"] == "file"


def test_conventions_by_language(scanned: tuple[Any, Any]) -> None:
    by_language = {row["language"]: row for row in scanned[0]}
    python = by_language["python"]
    assert python["naming"] == {"class": "PascalCase", "function": "snake_case"}
    assert (python["docs"], python["documented"]) == ("google", 0.5)
    assert (python["tests"], python["test_names"]) == ("apart", "test_*.py")
    typescript = by_language["typescript"]
    assert (typescript["docs"], typescript["tests"], typescript["test_names"]) == (
        "jsdoc",
        "beside",
        "*.test.*",
    )


def test_the_same_commit_gives_the_same_lines_also_from_a_bare_clone(
    repo: GitRepository, tmp_path: Path
) -> None:
    repo.commit(FILES)
    repo.git("clone", "--quiet", "--bare", repo.root, tmp_path / "bare.git")
    for folder, out in ((repo.root, "a"), (tmp_path / "bare.git", "b")):
        assert invoke(["data", "scan", str(folder), "--out", str(tmp_path / out), "--exclude", "web/*"]) == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert b"BasketView" not in (tmp_path / "a").read_bytes()


def test_links_out_of_the_repository_are_not_followed(
    repo: GitRepository, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outside.py").write_text("def outside(): ...\n", encoding="utf-8")
    repo.write("a.py", "def inside(): ...\n")
    (repo.root / "link.py").symlink_to(tmp_path / "outside.py")
    repo.commit()
    assert invoke(["data", "scan", str(repo.root)]) == 0
    assert {symbol for _, symbol in _rows(capfd.readouterr().out)[1]} == {"inside"}
