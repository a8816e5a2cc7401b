"""Dependencies of base and head are compared by name, in any order and file."""

from __future__ import annotations

import json

import pytest

from tests.semantics.supply_chain.sides import found, notes_between


def npm(**tables: object) -> str:
    return json.dumps(tables)


def test_a_dependency_that_moves_to_another_file_is_not_new() -> None:
    base = {"requirements.txt": "six>=1\nflask\n", "pyproject.toml": "[project]\nname='a'\n"}
    head = {"requirements.txt": "flask\n", "pyproject.toml": "[project]\nname='a'\ndependencies=['six>=1']\n"}
    assert not found(notes_between(base, head))


def test_a_dependency_that_loses_its_pin_as_it_moves_is_noted() -> None:
    base = {"requirements.txt": "six==1\n", "setup.cfg": "[options]\n"}
    head = {"requirements.txt": "", "setup.cfg": "[options]\ninstall_requires =\n    six\n"}
    assert found(notes_between(base, head)) == {("dependency", "unpinned", "six")}


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({"a": "^1.0.0", "b": "1.0.0"}, {"b": "1.0.0", "a": "^1.0.0"}),
        ({"a": "^1.0.0"}, {"a": "^2.0.0"}),
        ({"a": "1.0.0"}, {"a": "1.0.1"}),
        ({"a": "^1.0.0"}, {"a": "1.2.3"}),
        ({"a": "^1.0.0"}, {"a": "catalog:"}),
        ({"a": "workspace:*"}, {"a": "workspace:^"}),
        ({"a": "file:../a"}, {"a": "^1.0.0"}),
    ],
)
def test_an_update_or_another_order_is_not_a_loosening(base: dict[str, str], head: dict[str, str]) -> None:
    sides = [{"package.json": npm(dependencies=item)} for item in (base, head)]
    assert not found(notes_between(*sides))


def test_a_removed_dependency_has_the_line_of_the_base() -> None:
    notes = notes_between({"requirements.txt": "a\nb\n"}, {"requirements.txt": "a\n"})
    assert [
        (dependency.change.value, dependency.name, dependency.line) for dependency in notes.dependencies
    ] == [("removed", "b", 2)]


def test_a_development_tool_that_is_also_a_peer_is_not_moved_to_runtime() -> None:
    base = {"package.json": npm(devDependencies={"react": "19.0.0"})}
    head = {"package.json": npm(devDependencies={"react": "19.0.0"}, peerDependencies={"react": ">=18"})}
    assert not found(notes_between(base, head))


def test_requirements_for_several_versions_of_python_are_compared_by_condition() -> None:
    base = "six==1; python_version < '3'\nsix==2; python_version >= '3'\n"
    notes = notes_between({"requirements.txt": base}, {"requirements.txt": base.replace("==2", ">=2")})
    assert [(dependency.change.value, dependency.line) for dependency in notes.dependencies] == [
        ("unpinned", 2)
    ]


def test_two_stages_with_the_same_image_are_compared_in_order() -> None:
    base = "FROM node:20.1.0 AS a\nFROM node:22.1.0\n"
    assert not found(notes_between({"Dockerfile": base}, {"Dockerfile": base.replace("22.1.0", "24.1.0")}))
    notes = notes_between({"Dockerfile": base}, {"Dockerfile": base.replace("22.1.0", "22")})
    assert [(dependency.change.value, dependency.line) for dependency in notes.dependencies] == [
        ("unpinned", 2)
    ]


def test_one_of_several_uses_of_an_action_that_loses_its_commit_is_noted() -> None:
    uses = f"      - uses: a/b@{'c' * 40}\n"
    path, base = ".github/workflows/ci.yml", uses * 3
    notes = notes_between({path: base}, {path: uses + uses.replace("c" * 40, "v1") + uses})
    assert [(dependency.change.value, dependency.line) for dependency in notes.dependencies] == [
        ("unpinned", 2)
    ]
    notes = notes_between({path: base}, {path: base + uses.replace("c" * 40, "v1")})
    assert [(dependency.change.value, dependency.line) for dependency in notes.dependencies] == [
        ("unpinned", 4)
    ]


def test_an_override_of_a_workspace_replaces_the_requirements_of_its_projects() -> None:
    lock = "overrides:\n  '@a/b@^1': 2.0.0\n  c>d: 1.0.0\n\nimporters:\n\n  web:\n    dependencies:\n"
    lock += "      '@a/b':\n        specifier: 2.0.0\n        version: 2.0.0\n"
    path = "web/package.json"
    sides = [{path: npm(dependencies={"@a/b": item})} for item in ("^1.0.0", "^1.1.0")]
    assert not found(notes_between(*sides, {"pnpm-lock.yaml": lock}))


def test_a_second_requirement_from_git_is_another_source() -> None:
    base = '[tool.poetry.dependencies]\nsix = "^1.0"\n'
    dev = '[tool.poetry.group.dev.dependencies]\nsix = { git = "https://host.example/six" }\n'
    notes = notes_between({"pyproject.toml": base}, {"pyproject.toml": base + dev})
    assert found(notes) == {("dependency", "source", "six")}
