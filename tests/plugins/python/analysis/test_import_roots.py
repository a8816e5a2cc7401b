"""The folders where imports start, by the settings of a repository."""

from __future__ import annotations

import pytest
from wardround_python.analysis.import_roots import ImportRoots
from wardround_python.analysis.import_users import ImportUsers

from wardround.change.repository_view import InMemoryRepository

PROJECT = '[project]\nname = "one"\n'
WORKSPACE = '[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n'


@pytest.mark.parametrize(
    ("name", "text", "root"),
    [
        ("pyproject.toml", PROJECT, "a/src"),
        ("pyproject.toml", '[tool.poetry]\nname = "one"\n', "a"),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["code"]\n', "a/code"),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = "code more"\n', "a/more"),
        ("pyproject.toml", '[tool.pyright]\nextraPaths = ["code", "../b"]\n', "b"),
        ("pyproject.toml", '[[tool.pyright.executionEnvironments]]\nroot = "code"\n', "a/code"),
        ("pyproject.toml", '[tool.mypy]\nmypy_path = "$MYPY_CONFIG_FILE_DIR/code:x"\n', "a/code"),
        ("pyproject.toml", '[tool.mypy]\nmypy_path = ["code"]\n', "a/code"),
        ("pyproject.toml", '[tool.setuptools.package-dir]\n"" = "code"\n', "a/code"),
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["code"]\n', "a/code"),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["code/one"]\n', "a/code"),
        ("pyproject.toml", '[tool.poetry]\npackages = [{include = "one", from = "code"}]\n', "a/code"),
        ("pyproject.toml", '[tool.ty.environment]\nextra-paths = ["code"]\n', "a/code"),
        ("pyrightconfig.json", '{"extraPaths": ["code"]} // so', "a/code"),
        ("pytest.ini", "[pytest]\npythonpath = code\n", "a/code"),
        ("setup.cfg", "[options]\npackage_dir =\n  = code\n", "a/code"),
        ("setup.cfg", "[options.packages.find]\nwhere = code\n", "a/code"),
        ("setup.py", "setup()\n", "a/src"),
        ("mypy.ini", "[mypy]\nmypy_path = code,x\n", "a/code"),
    ],
)
def test_settings_declare_where_imports_start(name: str, text: str, root: str) -> None:
    roots = ImportRoots(InMemoryRepository({f"a/{name}": text}))
    assert roots.may_import_from("a/tests/test_x.py", root)
    assert not roots.may_import_from("a/tests/test_x.py", f"{root}/other")


@pytest.mark.parametrize("text", ["[tool", "[]\n", "[tool]\nmypy = 1\n[project]\nname = 3\n"])
def test_settings_that_cannot_be_read_declare_nothing_else(text: str) -> None:
    names = ("pyproject.toml", "setup.cfg", "pytest.ini", "pyrightconfig.json")
    roots = ImportRoots(InMemoryRepository(dict.fromkeys(names, text)))
    assert not roots.may_import_from("x.py", "code")


@pytest.mark.parametrize(
    ("importer", "expected"),
    [
        ("packages/two/src/two/main.py", True),  # another member of the workspace
        ("scripts/run.py", True),  # above of the distribution
        ("packages/old/x.py", False),  # left out of the workspace: a published version
        ("plugin/x.py", True),  # by path
        ("example/x.py", False),
    ],
)
def test_a_distribution_is_imported_where_its_sources_are_installed(importer: str, expected: bool) -> None:
    two = '[project]\nname = "two"\ndependencies = ["one==1.0"]\n'
    roots = ImportRoots(
        InMemoryRepository(
            {
                "pyproject.toml": WORKSPACE,
                "packages/one/pyproject.toml": PROJECT,
                "packages/two/pyproject.toml": two,
                "packages/old/pyproject.toml": two,
                "plugin/pyproject.toml": f'{two}[tool.uv.sources]\none = {{path = "../packages/one"}}\n',
                "example/pyproject.toml": two,
            }
        )
    )
    assert roots.may_import_from(importer, "packages/one/src") is expected


@pytest.mark.parametrize(
    "also", [{}, {"inner/__init__.py": "", "inner/core/__init__.py": ""}, {"docs/core/conf.py": ""}]
)
def test_names_of_a_top_level_package_are_used_across_a_workspace(also: dict[str, str]) -> None:
    files = {
        "pyproject.toml": WORKSPACE,
        "packages/one/pyproject.toml": PROJECT,
        "packages/one/src/core/__init__.py": "",
        "packages/two/pyproject.toml": '[project]\nname = "two"\n',
        "packages/two/src/two/__init__.py": "",
        "packages/two/src/two/main.py": "from core import add\n",
        **also,
    }
    (use,) = ImportUsers("packages/one/src/core/__init__.py", ["add"], InMemoryRepository(files)).uses()
    assert (use.path, use.line, use.name) == ("packages/two/src/two/main.py", 1, "add")


def test_two_top_level_packages_of_one_name_are_not_told_apart() -> None:
    files = {
        "pyproject.toml": WORKSPACE,
        **{f"packages/{name}/pyproject.toml": PROJECT for name in ("one", "two", "three")},
        "packages/one/src/core/__init__.py": "",
        "packages/three/src/core/__init__.py": "",
        "packages/two/src/two.py": "from core import add\n",
    }
    assert ImportUsers("packages/one/src/core/__init__.py", ["add"], InMemoryRepository(files)).uses() == []
