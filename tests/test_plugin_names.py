"""The engine knows no plugin by name: no tool, and no id of a rule that a plugin or a tool reports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import wardround
from wardround import host
from wardround.config.config_files import tools_for

ENGINE = Path(wardround.__file__).parent
LOADED = host.load()
TOOLS = sorted({tool.name for tool in tools_for(LOADED.specialists)})
_OWN = ("wardround/", "run/", "language-model/")
"""Prefixes of the rules of the engine itself."""
RULES = frozenset(rule.id for rule in LOADED.catalogue.all_rules() if not rule.id.startswith(_OWN))
CODES = frozenset(
    check.ID
    for specialist in LOADED.specialists
    for checks in (specialist.checks, specialist.change_checks)
    for check in checks
) | {rule.code for rule in LOADED.catalogue.all_rules() if rule.id.startswith("ast-grep/")}

EXCEPTIONS = {
    "tools/ast_grep.py": "the engine of declarative rules, which the plugins of several languages share",
    "analyses/stated_intent/scope.py": "words by which commit messages name linters and formatters",
    "analyses/stated_intent/stated_kind.py": "words by which commit messages name formatters",
    "release_notes/history/path_class.py": "names of settings of linters",
    "release_notes/statements/subject_words.py": "words by which commit messages name linters and formatters",
    "workflows/environments/build_code.py": "tables of pyproject.toml that no build reads, of any program",
    "workflows/test/python_code/file_roles.py": "names of settings that no test reads, of any program",
    "workflows/test/plans/settings_tables.py": "tables of pyproject.toml that no test reads, of any program",
}
"""File -> the reason why it names a tool that is also one of ours."""
_NAME = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, TOOLS))})(?![\w-])")


def code_texts(source: str) -> Iterator[str]:
    """Yield the strings of a module that are not documentation, and its identifiers."""
    tree = ast.parse(source)
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
    }  # docstrings, of attributes too
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in documentation:
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name


def named(file: Path) -> set[str]:
    """Return the tools and rules that a file of the engine names."""
    text = file.read_text(encoding="utf-8")
    texts = code_texts(text) if file.suffix == ".py" else [text]
    found = set()
    for item in texts:
        found |= set(_NAME.findall(item))
        found |= RULES.intersection(re.findall(r"[\w@-]+/[\w@/-]+", item))
        found |= CODES.intersection(re.findall(r"\b[A-Z]{2}[0-9]{3}\b", item))
    return found


def engine_files() -> dict[str, Path]:
    files = (file for file in ENGINE.rglob("*") if file.suffix in (".py", ".yml", ".json", ".cjs", ".mjs"))
    return {file.relative_to(ENGINE).as_posix(): file for file in sorted(files)}


def test_the_engine_names_no_tool_and_no_rule_of_a_plugin() -> None:
    found = {path: sorted(names) for path, file in engine_files().items() if (names := named(file))}
    assert {path: names for path, names in found.items() if path not in EXCEPTIONS} == {}
    assert not EXCEPTIONS.keys() - found.keys(), "an exception is not needed any more"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('TOOLS = {"ruff"}', {"ruff"}),
        ('RULES = ("tests/TE201",)', {"tests/TE201", "TE201"}),
        ("from wardround_sql.tools import squawk", {"squawk"}),
        ('PATTERN = r"#\\s*zizmor:"', {"zizmor"}),
        ('"""Such as ruff."""\nNAME = ""\n"""Of python/PY001."""', set()),
        ("x = 1  # noqa: S603", set()),
    ],
)
def test_names_are_found(tmp_path: Path, source: str, expected: set[str]) -> None:
    file = tmp_path / "a.py"
    file.write_text(source, encoding="utf-8")
    assert named(file) == expected


def test_the_names_are_known() -> None:
    assert {"ruff", "ast-grep", "zizmor"} <= set(TOOLS)
    assert {"TE201", "CT009", "PY104"} <= CODES
    assert len(RULES) > 1000
