from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from tests.workflows.test.tiny_project import tree
from wardround.workflows.test.plans.script_patterns import (
    framework_arguments,
    runnable_framework,
    script_test_files,
)
from wardround.workflows.test.project.projects import detect_projects


def found(files: Mapping[str, str]) -> tuple[str, ...]:
    return script_test_files(detect_projects(tuple(files), files.get), tree(files))


def package(framework: str, script: str) -> str:
    return json.dumps({"scripts": {"test": script}, "devDependencies": {framework: "1"}})


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "package.json": package("vitest", "vitest"),
                "src/a.test.ts": "",
                "src/a.ts": "",
                "b.test-d.ts": "",
            },
            ("src/a.test.ts",),
        ),
        (
            {
                "package.json": package("jest", "jest"),
                "__tests__/a.js": "",
                "a.spec.tsx": "",
                "test/b.js": "",
            },
            ("__tests__/a.js", "a.spec.tsx"),
        ),
        (
            {
                "package.json": package("mocha", "mocha"),
                "test/a.js": "",
                "test/deep/b.js": "",
                "c.test.js": "",
            },
            ("test/a.js",),
        ),
        (
            {"package.json": package("mocha", "mocha 'test/**/*.{js,ts}'"), "test/deep/b.ts": "", "a.js": ""},
            ("test/deep/b.ts",),
        ),
        (
            {
                "package.json": package("mocha", "mocha"),
                ".mocharc.json": '{"spec": "spec/*.js"}',
                "spec/a.js": "",
            },
            ("spec/a.js",),
        ),
        (
            {
                "package.json": package("tsx", "node --test"),
                "test/a.js": "",
                "b.test.mjs": "",
                "test/c.txt": "",
            },
            ("b.test.mjs", "test/a.js"),
        ),
        (
            {
                "package.json": package("vitest", "vitest"),
                "vitest.config.ts": "export default { test: { include: ['tests/*.ts', 'src/**'] } }",
                "tests/a.ts": "",
                "src/b.ts": "",
            },
            ("tests/a.ts",),
        ),
        (
            {"package.json": package("@playwright/test", "playwright test"), "e2e/a.spec.ts": ""},
            (),
        ),
        ({"package.json": "{}", "a.test.js": ""}, ()),
    ],
)
def test_files_of_tests_are_those_of_the_framework_and_of_its_configuration(
    files: dict[str, str], expected: tuple[str, ...]
) -> None:
    files = {**files, "package-lock.json": "{}"}
    assert found(files) == expected


def test_the_files_of_a_workspace_belong_to_its_own_framework() -> None:
    files = {
        "package.json": json.dumps({"workspaces": ["packages/*"], "devDependencies": {"jest": "1"}}),
        "package-lock.json": "{}",
        "packages/a/package.json": package("mocha", "mocha"),
        "packages/a/test/a.js": "",
        "packages/a/b.test.js": "",
        "packages/c/c.test.js": "",
    }

    assert found(files) == ("packages/a/test/a.js", "packages/c/c.test.js")


def test_the_arguments_come_from_the_shortest_script_that_starts_the_framework() -> None:
    scripts = {"test": "jest --config unit.json", "test:all": "jest --runInBand"}
    files = {"package.json": json.dumps({"scripts": scripts, "devDependencies": {"jest": "1"}})}
    (project,) = detect_projects(tuple(files), files.get)
    framework = runnable_framework(project)
    assert framework is not None

    assert framework_arguments(framework, tree(files)).options == ("--config", "unit.json")
