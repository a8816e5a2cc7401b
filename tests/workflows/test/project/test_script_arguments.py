from __future__ import annotations

import pytest

from wardround.workflows.test.project.script_arguments import ScriptArguments, script_arguments
from wardround.workflows.test.runs.script_commands import script_commands


@pytest.mark.parametrize(
    ("framework", "script", "expected"),
    [
        ("vitest", "vitest", ScriptArguments("vitest")),
        ("vitest", "pnpm lint && vitest run --typecheck", ScriptArguments("vitest")),
        (
            "vitest",
            "cross-env TZ=UTC vitest run --config ./unit.config.ts --coverage.enabled --reporter=dot",
            ScriptArguments("vitest", ("--config", "./unit.config.ts"), (), (("TZ", "UTC"),)),
        ),
        ("jest", "jest --coverage --watch --env=jsdom", ScriptArguments("jest", ("--env=jsdom",))),
        (
            "jest",
            "node_modules/.bin/jest -c jest.json src",
            ScriptArguments("jest", ("-c", "jest.json"), ("src",)),
        ),
        (
            "mocha",
            "nyc mocha --require ts-node/register -R dot 'test/**/*.ts' --exit",
            ScriptArguments("mocha", ("--require", "ts-node/register"), ("test/**/*.ts",)),
        ),
        (
            "node:test",
            "node --import tsx --test --test-reporter=spec test/*.ts",
            ScriptArguments("node", ("--import", "tsx"), ("test/*.ts",)),
        ),
        ("node:test", "tsx --test", ScriptArguments("tsx")),
        ("jest", "echo 'unclosed", ScriptArguments("jest")),
        ("jest", "", ScriptArguments("jest")),
    ],
)
def test_the_options_of_a_script_are_retained_without_reports_and_other_ways_to_run(
    framework: str, script: str, expected: ScriptArguments
) -> None:
    assert script_arguments(framework, script) == expected


def test_a_recorded_run_of_vitest_isolates_files_and_uses_the_recorder() -> None:
    (command,) = script_commands(
        "vitest", ScriptArguments("vitest"), ["a.test.ts"], "/tree/.run", root="/tree", is_recorded=True
    )

    assert "--isolate" in command.arguments
    assert command.arguments[-1] == "a.test.ts"
    assert dict(command.variables)["NODE_OPTIONS"] == "--require /tree/.run/recorder.cjs"


def test_options_of_node_from_the_script_are_retained_with_the_recorder() -> None:
    found = ScriptArguments("jest", (), (), (("NODE_OPTIONS", "--experimental-vm-modules"),))

    (command,) = script_commands("jest", found, [], "/tree/.run", root="/tree", is_recorded=True)

    options = dict(command.variables)["NODE_OPTIONS"]
    assert options == "--experimental-vm-modules --require /tree/.run/recorder.cjs"


def test_mocha_is_recorded_with_one_process_for_each_file() -> None:
    tests = ["test/a.js", "test/b.js"]
    start = ScriptArguments("mocha", ("--ui", "tdd"))

    recorded = script_commands(
        "mocha", start, tests, "/tree/.run", root="/tree", project="lib", is_recorded=True
    )
    plain = script_commands(
        "mocha", start, tests, "/tree/.run", root="/tree", project="lib", is_recorded=False
    )

    assert [dict(item.variables)["WARDROUND_TEST"] for item in recorded] == [
        "/tree/lib/test/a.js",
        "/tree/lib/test/b.js",
    ]
    assert len(plain) == 1
    assert "NODE_OPTIONS" not in dict(plain[0].variables)


def test_without_planned_files_the_patterns_of_the_script_choose_the_tests() -> None:
    found = ScriptArguments("node", (), ("test/*.mjs",))

    (command,) = script_commands("node:test", found, [], "/tree/.run", root="/tree", is_recorded=False)

    assert command.arguments[-1] == "test/*.mjs"
