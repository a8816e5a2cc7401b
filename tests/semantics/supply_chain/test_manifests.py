"""Manifests of all formats: names, scopes, sources and lines of dependencies."""

from __future__ import annotations

import pytest

from wardround.semantics.supply_chain.manifests import is_manifest, read_manifest

PYPROJECT = """[project]
dependencies = [
    "Flask_Login>=1",
    "six @ git+https://host.example/six@v1",
]
[project.optional-dependencies]
fast = ["numpy; python_version > '3'"]
[dependency-groups]
dev = ["pytest==9.0.3", {include-group = "other"}]
[build-system]
requires = ["hatchling"]
"""


def rows(path: str, text: str) -> list[tuple[str, str, str, int]]:
    """Name, scope, source and line of each dependency."""
    return [
        (dependency.name, dependency.scope.value, dependency.source, dependency.line)
        for dependency in read_manifest(path, text).dependencies
    ]


def test_pyproject() -> None:
    assert sorted(rows("pyproject.toml", PYPROJECT)) == [
        ("flask-login", "runtime", "", 3),
        ("hatchling", "build", "", 11),
        ("numpy", "optional", "", 7),
        ("pytest", "dev", "", 9),
        ("six", "runtime", "git", 4),
    ]


def test_poetry() -> None:
    text = (
        '[tool.poetry.dependencies]\npython = "^3.11"\nsix = "^1"\na = { git = "https://host.example/a" }\n'
    )
    text += '[tool.poetry.group.dev.dependencies]\npytest = "*"\n'
    assert rows("pyproject.toml", text) == [
        ("six", "runtime", "", 3),
        ("a", "runtime", "git", 4),
        ("pytest", "dev", "", 6),
    ]


def test_requirements() -> None:
    text = "# pins\n-r base.txt\n-e git+https://host.example/b.git#egg=b\n"
    text += "six==1 \\\n    --hash=sha256:aa\nflask  # web\n"
    assert rows("requirements.txt", text) == [
        ("b", "runtime", "git", 3),
        ("six", "runtime", "", 4),
        ("flask", "runtime", "", 6),
    ]


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("requirements.txt", "runtime"),
        ("requirements-dev.txt", "dev"),
        ("requirements/test.txt", "dev"),
        ("requirements/prod.txt", "runtime"),
        ("constraints.txt", "constraint"),
    ],
)
def test_the_scope_of_a_requirements_file_follows_from_its_name(path: str, scope: str) -> None:
    assert [row[1] for row in rows(path, "six\n")] == [scope]


def test_setup_cfg_and_pipfile() -> None:
    text = "[options]\ninstall_requires =\n    six>=1\n[options.extras_require]\nfast =\n    numpy\n"
    assert rows("setup.cfg", text) == [("six", "runtime", "", 3), ("numpy", "optional", "", 6)]
    text = '[[source]]\nname = "pypi"\nurl = "https://pypi.org/simple"\n'
    text += '[packages]\nsix = "*"\n[dev-packages]\na = {path = "."}\n'
    assert rows("Pipfile", text) == [
        ("pypi", "index", "", 3),
        ("six", "runtime", "", 5),
        ("a", "dev", "path", 7),
    ]


def test_package_json() -> None:
    text = """{
  "dependencies": {"a": "^1", "b": "workspace:*", "c": "owner/c", "d": "npm:e@1.0.0"},
  "peerDependencies": {"react": ">=18"},
  "overrides": {"f": {"g": "1.0.0"}},
  "packageManager": "pnpm@9.0.0"
}
"""
    assert rows("package.json", text) == [
        ("a", "runtime", "", 2),
        ("b", "runtime", "workspace", 2),
        ("c", "runtime", "git", 2),
        ("d", "runtime", "", 2),
        ("react", "peer", "", 3),
        ("f>g", "constraint", "", 4),
        ("pnpm", "tool", "", 5),
    ]


def test_a_catalog_of_pnpm() -> None:
    assert rows("pnpm-workspace.yaml", "packages: [a]\ncatalog:\n  react: ^19.0.0\n") == [
        ("react", "catalog", "", 3)
    ]


def test_images_and_actions() -> None:
    text = "FROM --platform=linux/amd64 host.example/a:1 AS build\nFROM build\n"
    text += "COPY --from=ghcr.io/b:2 /x /x\nFROM $BASE\nARG TAG=3\nFROM c:${TAG}-slim\n"
    assert rows("docker/Dockerfile.web", text) == [
        ("host.example/a", "image", "", 1),
        ("ghcr.io/b", "image", "", 3),
        ("c", "image", "", 6),
    ]
    text = "# check=skip=all\n# Syntax = host.example/frontend:1 --x\nFROM a:1\n"
    assert rows("Dockerfile", text) == [("host.example/frontend", "image", "", 2), ("a", "image", "", 3)]
    text = "steps:\n  - uses: actions/checkout@v4 # newest\n  - uses: ./local\n  - uses: docker://a:1\n"
    assert rows(".github/workflows/ci.yml", text) == [("actions/checkout", "action", "", 2)]


@pytest.mark.parametrize(
    "path", ["package.json", "pyproject.toml", "Pipfile", "setup.cfg", "pnpm-workspace.yaml"]
)
def test_a_broken_manifest_has_a_problem(path: str) -> None:
    assert read_manifest(path, "[broken").problem


@pytest.mark.parametrize(
    "path", ["a/node_modules/b/package.json", "tests/fixtures/package.json", "a.txt", "notes.in"]
)
def test_other_files_are_not_manifests(path: str) -> None:
    assert not is_manifest(path)
