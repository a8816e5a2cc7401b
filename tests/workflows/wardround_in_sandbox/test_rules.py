"""The rules of the programs that run in the sandbox: old Python, and few imports."""

import ast
import sys
from pathlib import Path

import pytest

from wardround.workflows.inner_program import PACKAGE

_MODULES = sorted(str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py"))
_OLDEST = {"behaviour": (3, 9), "candidates": (3, 9)}
_OF_THE_ENVIRONMENT = {
    "": {"pytest"},
    "sessions": {"pytest", "coverage"},
    "mutants": {"pytest"},
    "behaviour": {"pytest", "cloudpickle"},
    "builds": set[str](),
    "candidates": {"pytest", "_pytest"},
}


def _program(module: str) -> str:
    return module.rpartition("/")[0]


def _tree(module: str) -> ast.Module:
    return ast.parse(
        (PACKAGE / module).read_text("utf-8"), feature_version=_OLDEST.get(_program(module), (3, 8))
    )


def test_every_program_is_known() -> None:
    assert {_program(module) for module in _MODULES} == set(_OF_THE_ENVIRONMENT)


@pytest.mark.parametrize("module", _MODULES)
def test_a_module_is_of_the_oldest_grammar_and_postpones_annotations(module: str) -> None:
    body = [item for item in _tree(module).body if not isinstance(item, ast.Expr)]  # without the docstring
    if body:
        assert ast.unparse(body[0]) == "from __future__ import annotations"


@pytest.mark.parametrize("module", _MODULES)
def test_a_module_imports_the_standard_library_its_package_and_what_its_program_may(module: str) -> None:
    names: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(str(node.module).partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            assert _exists(module, node), ast.unparse(node)
    assert names - sys.stdlib_module_names <= _OF_THE_ENVIRONMENT[_program(module)]


def _exists(module: str, node: ast.ImportFrom) -> bool:
    """Return True for a relative import of a module of the package that is shared or of the same program."""
    folder = Path(module).parents[node.level - 1]
    return (PACKAGE / folder / f"{node.module}.py").is_file()


def test_wardround_imports_none_of_them() -> None:
    engine = PACKAGE.parent.parent
    assert [
        str(path)
        for path in engine.rglob("*.py")
        if PACKAGE not in path.parents and f"workflows.{PACKAGE.name}" in path.read_text("utf-8")
    ] == []
