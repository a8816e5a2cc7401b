from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from tests.workflows.test.tiny_project import tree
from wardround.workflows.test.plans.groups import groups_of
from wardround.workflows.test.plans.plan import Cause, SelectedTest, TestPlan
from wardround.workflows.test.plans.planning import PlannedTests
from wardround.workflows.test.project.projects import Fact, detect_projects


def package(framework: str, script: str = "", **keys: object) -> str:
    scripts = {"test": script} if script else {}
    return json.dumps({"scripts": scripts, "devDependencies": {framework: "1"}, **keys})


def run_from(files: Mapping[str, str]) -> dict[str, tuple[str, Fact] | None]:
    found = detect_projects(list(files), files.get)
    return {
        item.root: None
        if item.run_from is None or item.run_from_source is None
        else (item.run_from, item.run_from_source)
        for item in found
    }


def workspace(name: str, text: str, member: str = "") -> dict[str, str]:
    own = member or package("vitest", "vitest run")
    return {
        "package.json": package("vitest", "vitest run"),
        name: text,
        "packages/a/package.json": own,
        "packages/a/vitest.config.ts": "",
        "tools/b/package.json": own,
    }


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("vitest.config.ts", "export default defineConfig({ test: { projects: ['packages/*'] } })",
         "projects"),
        ("vite.config.js", "const projects = ['packages/a'];\nexport default { test: { projects } }",
         "projects"),
        ("vitest.config.mjs", "export default { test: { workspace: ['packages/*/vitest.config.{ts,js}'] } }",
         "workspace"),
        ("vitest.workspace.ts", "export default defineWorkspace(['./packages/*', '!packages/c'])", ""),
        ("vitest.workspace.json", '["packages/*"]', ""),
        ("vitest.config.cts", "export default { test: { projects: [{ test: { root: './packages/a' } }] } }",
         "projects"),
    ],
)  # fmt: skip
def test_the_tests_of_a_listed_member_run_from_the_folder_above(name: str, text: str, key: str) -> None:
    found = run_from(workspace(name, text))

    assert found == {"": None, "packages/a": ("", Fact("", name, key)), "tools/b": None}


@pytest.mark.parametrize(
    "text",
    [
        "export default { test: { projects: ['packages/*', '!packages/a'] } }",
        "export default { test: { projects: folders() } }",
        "export default { test: { include: ['packages/*'] } }",
        "export default {{{",
    ],
)
def test_a_member_that_is_not_listed_runs_its_own_tests(text: str) -> None:
    assert run_from(workspace("vitest.config.ts", text))["packages/a"] is None


def test_a_member_with_another_framework_runs_its_own_tests() -> None:
    files = workspace("vitest.workspace.json", '["packages/*"]', package("jest", "jest"))

    files.pop("packages/a/vitest.config.ts")
    assert run_from(files)["packages/a"] is None


def test_a_member_runs_its_own_tests_if_only_it_has_a_script() -> None:
    files = workspace("vitest.workspace.json", '["packages/*"]')

    assert run_from({**files, "package.json": package("vitest")})["packages/a"] is None


def test_projects_of_jest_are_read_from_its_key_and_its_file() -> None:
    member = {"packages/a/package.json": package("jest", "jest")}
    listed = {"projects": ["<rootDir>/packages/*"]}

    by_key = run_from({"package.json": package("jest", "jest", jest=listed), **member})
    by_file = run_from({
        "package.json": package("jest", "jest"),
        "jest.config.js": f"module.exports = {json.dumps(listed)};",
        **member,
    })  # fmt: skip

    assert by_key["packages/a"] == ("", Fact("", "package.json", "projects"))
    assert by_file["packages/a"] == ("", Fact("", "jest.config.js", "projects"))


def test_listed_members_and_the_folder_above_are_one_group() -> None:
    tests = ("a.test.ts", "packages/a/a.test.ts", "tools/b/b.test.ts")
    files = {
        **workspace("vitest.workspace.json", '["packages/*"]'),
        **dict.fromkeys(tests, ""),
    }
    selected = tuple(SelectedTest(item, Cause.ALL, "all tests are requested") for item in tests)
    projects = detect_projects(list(files), files.get)

    groups = groups_of(PlannedTests("c", tree(files), None, projects, TestPlan(selected)))

    assert {item.root: [each.id for each in item.tests] for item in groups} == {
        "": ["a.test.ts", "packages/a/a.test.ts"], "tools/b": ["tools/b/b.test.ts"],
    }  # fmt: skip
