"""Private parts of the interpreter are only used on tested versions."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from wardround.languages.yaml import tree as yaml_tree
from wardround.storage import cpython

ROOT = Path(__file__).parents[2]
PRIVATE = re.compile(
    r"\b_sre\b|\bre\._|from re import _|import_module\(\"(?:re)?[._]|\b_sha(?:2|256)\b|getattr\(re, \"_"
)


def test_the_tested_versions_are_those_of_continuous_integration() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text()
    matrix = re.search(r"python: \[([^\]]*)\]", workflow)
    assert matrix is not None
    versions = {tuple(map(int, item.split("."))) for item in re.findall(r'"([\d.]+)"', matrix[1])}
    assert versions == cpython.TESTED_VERSIONS


def test_this_interpreter_is_tested() -> None:
    assert cpython.is_tested()


@pytest.mark.parametrize(
    ("implementation", "version"), [("cpython", (3, 14)), ("cpython", (3, 10)), ("pypy", (3, 11))]
)
def test_other_interpreters_are_not(
    monkeypatch: pytest.MonkeyPatch, implementation: str, version: tuple[int, int]
) -> None:
    monkeypatch.setattr(sys, "version_info", (*version, 0, "final", 0))
    monkeypatch.setattr(sys.implementation, "name", implementation)
    assert not cpython.is_tested()


def test_a_digest_is_that_of_the_public_module() -> None:
    assert cpython.sha256(b"content").digest() == hashlib.sha256(b"content").digest()


def test_a_compiled_pattern_is_found_by_the_public_function() -> None:
    pattern = re.compile("provided (once)?")
    cpython.provide_compiled(pattern, "another text")
    try:
        assert re.compile("another text") is pattern
    finally:
        re.purge()


def test_an_untested_interpreter_gets_no_pattern_of_another_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    cpython.provide_compiled(re.compile("one"), "another text entirely")
    assert re.compile("another text entirely").pattern == "another text entirely"


def test_yaml_is_read_on_an_untested_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    monkeypatch.delitem(sys.modules, "yaml", raising=False)
    (document,) = yaml_tree.documents("a: 1\n")
    root: Any = document
    assert root.text("a") == "1"


def test_no_other_module_uses_private_parts() -> None:
    folders = (ROOT / "src/wardround", *sorted((ROOT / "plugins").iterdir()))
    users = {
        file.name for folder in folders for file in folder.rglob("*.py") if PRIVATE.search(file.read_text())
    }
    in_sandbox = {"compiled.py"}  # runs on any interpreter of a project, and makes no samples without them
    assert users == {"cpython.py"} | in_sandbox
