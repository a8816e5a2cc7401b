"""The Python versions a project supports, by every declaration, and what depends on them."""

from __future__ import annotations

import time

import pytest
from wardround_python.target_version import PythonTarget, bounds, read_note, required_version, target_of

from tests.conftest import GitRepository

NEWER = 'def name(d: dict[str, str]) -> str:\n    return f"{d["name"]}"\n'
"""An f-string of Python 3.12."""

DECLARED = {
    "requires-python": ({"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.9"\n'}, 9, None),
    "requires-python with a bound": (
        {"pyproject.toml": "[project]\nrequires-python = '>=3.9,<3.13'\n"}, 9, 12,
    ),
    "ruff": ({"pyproject.toml": '[tool.ruff]\nline-length = 90\ntarget-version = "py310"\n'}, 10, None),
    "ruff.toml": ({"ruff.toml": 'target-version = "py311"\n'}, 11, None),
    "mypy": ({"pyproject.toml": '[tool.mypy]\npython_version = "3.12"\n'}, 12, None),
    "mypy.ini": ({"mypy.ini": "[mypy]\npython_version = 3.8\n"}, 8, None),
    "pyright": ({"pyrightconfig.json": '{\n  "pythonVersion": "3.10"\n}\n'}, 10, None),
    "black": ({"pyproject.toml": "[tool.black]\ntarget-version = ['py39', 'py311']\n"}, 9, None),
    "setup.cfg": ({"setup.cfg": "[metadata]\nname = x\n[options]\npython_requires = >=3.8, <3.12\n"}, 8, 11),
    "setup.py": (
        {"setup.py": "from setuptools import setup\nsetup(\n    python_requires='~=3.10',\n)\n"}, 10, None,
    ),
    "poetry": ({"pyproject.toml": '[tool.poetry.dependencies]\na = "*"\npython = "^3.11"\n'}, 11, None),
    ".python-version": ({".python-version": "3.11.4\n"}, 11, 11),
    ".python-version of several": ({".python-version": "3.12.1\n3.9.18\npypy3.8\n"}, 9, 12),
    "runtime.txt": ({"runtime.txt": "python-3.10.2\n"}, 10, 10),
    "uv.lock": ({"uv.lock": 'version = 1\nrevision = 3\nrequires-python = ">=3.12"\n'}, 12, None),
    "poetry.lock": (
        {"poetry.lock": '[[package]]\npython-versions = ">=3.6"\n[metadata]\npython-versions = "~3.11"\n'},
        11, 11,
    ),
    "Pipfile": ({"Pipfile": '[requires]\npython_version = "3.9"\n'}, 9, 9),
    "workflow": ({".github/workflows/ci.yml": "      python-version: ['3.10', \"3.11\"]\n"}, 10, None),
    "workflow, a list": ({".github/workflows/test.yml": "  python:\n    - 3.12\n    - '3.13'\n"}, 12, None),
    "tox": ({"tox.ini": "[tox]\nenvlist = py{39,310}, lint\n"}, 9, None),
    "tox, in lines": ({"tox.ini": "[tox]\nenv_list =\n    py3{11,12}-django\n"}, 11, None),
    "GitLab": ({".gitlab-ci.yml": "image: python:3.10-slim\n"}, 10, None),
    "Dockerfile": (
        {"Dockerfile": "FROM --platform=linux/amd64 docker.io/library/python:3.12 AS base\n"}, 12, None,
    ),
    "classifiers": (
        {"setup.cfg": "classifiers =\n  Programming Language :: Python :: 3\n"
                      "  Programming Language :: Python :: 3.10\n  Programming Language :: Python :: 3.9\n"},
        9, None,
    ),
    "nothing": ({"README.md": "python 3.4\n"}, None, None),
    "unreadable": ({"pyproject.toml": "[project\nrequires-python = 3\n"}, None, None),
}  # fmt: skip


@pytest.mark.parametrize(("files", "oldest", "newest"), DECLARED.values(), ids=DECLARED.keys())
def test_versions_are_read_from_what_a_project_declares(
    files: dict[str, str], oldest: int | None, newest: int | None
) -> None:
    found = target_of(files.get)
    assert (found.oldest, found.newest) == (oldest, newest)
    assert bool(found.source) == (oldest is not None or newest is not None)


def test_the_first_source_that_names_a_version_decides() -> None:
    files = {
        "pyproject.toml": '[project]\nname = "x"\nclassifiers = ["Programming Language :: Python :: 3.8"]\n',
        ".python-version": "3.13\n",
        "Dockerfile": "FROM python:3.9\n",
    }
    assert target_of(files.get) == PythonTarget(13, 13, ".python-version")


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        (">=3.9", (9, None)), (">3.8", (8, None)), ("~=3.9", (9, None)),
        ("~=3.9.1", (9, 9)), ("==3.11.*", (11, 11)), ("<3.13,>=3.9", (9, 12)),
        ("<=3.12", (None, 12)), ("^3.9", (9, None)), ("~3.9", (9, 9)),
        ("*", (None, None)), (">=3.9,<4", (9, None)), ("^3.9 || ^3.11", (9, None)),
        (">=2.7, !=3.0.*", (None, None)), ("<3.12.4", (None, 12)), ("", (None, None)),
        ("3.11", (11, 11)), (">= 3.10, < 3.12.0", (10, 11)), ("nonsense", (None, None)),
    ],
)  # fmt: skip
def test_bounds_of_a_specifier(specifier: str, expected: tuple[int | None, int | None]) -> None:
    assert bounds(specifier) == expected


@pytest.mark.parametrize(
    "target",
    [PythonTarget(), PythonTarget(9, None, "requires-python in pyproject.toml"), PythonTarget(9, 12, "x")],
)
def test_a_note_is_read_as_written(target: PythonTarget) -> None:
    found = read_note(target.note() + "[lint]\n")
    assert found[:2] == target[:2]


@pytest.mark.parametrize(
    ("message", "needed"),
    [
        ("Cannot use t-strings on Python 3.9 (syntax was added in Python 3.14)", 14),
        ("Type alias statement requires Python 3.12 or newer", 12),
        ("Multiple exception types must be parenthesized prior to Python 3.14", 14),
        ("Expected an expression", None),
    ],
)
def test_the_version_a_message_names(message: str, needed: int | None) -> None:
    assert required_version(message) == needed


@pytest.mark.parametrize(
    "unit", ["[project]\n", "[tool.ruff]\nx\n", "-", " - python", "py{", "\n- 3.9", "=", "python:\n"]
)
def test_long_files_take_linear_time(unit: str) -> None:
    text = unit * 20_000
    started = time.process_time()
    target_of(lambda path: text)
    assert time.process_time() - started < 10


class TestReview:
    """Reviews of syntax that is newer than some supported version, or than the interpreter."""

    def _syntax(
        self, repo: GitRepository, files: dict[str, str], *options: str
    ) -> list[tuple[str, str, int]]:
        repo.commit(files)
        repo.stage({"a.py": NEWER})
        report = repo.report("--staged", *options)
        assert report["unreviewed"] == []
        return [
            (found["rule"], found["severity"], found["line"])
            for found in report["findings"]
            if "syntax" in found["defect_class"]
        ]

    def test_without_a_declared_version_the_newest_is_assumed(self, repo: GitRepository) -> None:
        assert self._syntax(repo, {"README": ""}) == []

    def test_an_older_supported_version_is_a_warning(self, repo: GitRepository) -> None:
        found = self._syntax(repo, {"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.9"\n'})
        assert found == [("ruff/invalid-syntax", "warn", 2)]

    @pytest.mark.parametrize(
        "files",
        [
            {"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.9,<3.12"\n'},
            {".python-version": "3.11\n"},
            {"ruff.toml": 'target-version = "py311"\n'},
        ],
        ids=["upper bound", "pinned", "ruff's own"],
    )
    def test_where_no_supported_version_reads_it_that_is_an_error(
        self, repo: GitRepository, files: dict[str, str]
    ) -> None:
        assert self._syntax(repo, files) == [("ruff/invalid-syntax", "error", 2)]
