"""Findings of oxlint that the packages, the kind of file or the code around them show to be wrong."""

from __future__ import annotations

import pytest
from wardround_typescript.tools.oxlint import OXLINT

from tests.plugins.typescript.conftest import Reviewed


def _rules(reviewed: Reviewed, files: dict[str, str]) -> list[str]:
    """Return the reported codes, those in preview included: which codes are shown follows from readings."""
    found = [f.rule for f in reviewed({".wardround.toml": "preview = true\n", **files}, OXLINT).open_findings]
    return [rule.removeprefix("oxlint/") for rule in found if rule.startswith("oxlint/")]


def _package(**dependencies: str) -> str:
    listed = ", ".join(f'"{name.replace("_", "-")}": "{version}"' for name, version in dependencies.items())
    return f'{{"dependencies": {{{listed}}}}}\n'


DESTROYED = "<script>\nexport default {\n  destroyed() { stop(this.timer) },\n}\n</script>\n"


@pytest.mark.parametrize(
    ("version", "rules"),
    [
        ("^2.7.16", []),
        ("~2.6", []),
        ("^3.4.0", ["vue/no-deprecated-destroyed-lifecycle"]),
        ("latest", ["vue/no-deprecated-destroyed-lifecycle"]),
    ],
)
def test_what_vue_3_removed_is_right_in_vue_2(reviewed: Reviewed, version: str, rules: list[str]) -> None:
    files = {"web/src/Clock.vue": DESTROYED, "web/package.json": _package(vue=version)}
    assert _rules(reviewed, files) == rules


CONDITIONAL_HOOK = """\
import { useStore } from './store'
export function Panel(props) {
  const open = props.open ? useStore(props.store) : null
  return <p>{open}</p>
}
"""


@pytest.mark.parametrize(
    ("dependencies", "rules"),
    [
        ({"solid_js": "^1.9.0"}, []),
        ({"solid_js": "^1.9.0", "react": "^19.0.0"}, ["react-hooks/rules-of-hooks"]),
        ({"react": "^19.0.0"}, ["react-hooks/rules-of-hooks"]),
        ({}, ["react-hooks/rules-of-hooks"]),
    ],
)
def test_nearest_package_names_the_framework(
    reviewed: Reviewed, dependencies: dict[str, str], rules: list[str]
) -> None:
    files = {
        "panel/src/Panel.tsx": CONDITIONAL_HOOK,
        "panel/package.json": _package(**dependencies),
        "package.json": _package(react="^19.0.0"),
    }
    assert _rules(reviewed, files) == rules


def test_import_of_react_decides_before_the_package(reviewed: Reviewed) -> None:
    text = "import { useId } from 'react'\n" + CONDITIONAL_HOOK
    files = {"Panel.tsx": text, "package.json": _package(solid_js="1.9.0")}
    assert "react-hooks/rules-of-hooks" in _rules(reviewed, files)


RETHROWN = (
    "export function read(text: string) {\n  try {\n    return parse(text)\n  } catch (error) {\n"
    "    throw new Error('no rows')\n  }\n}\n"
)


@pytest.mark.parametrize(
    ("settings", "rules"),
    [
        ('{"compilerOptions": {"target": "es2018"}}', []),
        ('{"compilerOptions": {"target": "es2018", "lib": ["es2022"]}}', ["preserve-caught-error"]),
        ('{"compilerOptions": {"target": "es2022"}}', ["preserve-caught-error"]),
        ('{"extends": "../tsconfig.json"}', ["preserve-caught-error"]),
    ],
)
def test_cause_of_an_error_needs_es2022(reviewed: Reviewed, settings: str, rules: list[str]) -> None:
    assert _rules(reviewed, {"src/rows.ts": RETHROWN, "src/tsconfig.json": settings}) == rules


ASYNC_SUITE = "describe('rows', async () => {\n  it('has rows', () => { expect(rows()).toBe(1) })\n})\n"


@pytest.mark.parametrize(
    ("dependencies", "rules"),
    [
        ({"vitest": "^3.0.0"}, []),
        ({"jest": "^29.0.0"}, ["jest/valid-describe-callback"]),
        ({"vitest": "^3.0.0", "jest": "^29.0.0"}, ["jest/valid-describe-callback"]),
    ],
)
def test_vitest_awaits_the_callback_of_a_suite(
    reviewed: Reviewed, dependencies: dict[str, str], rules: list[str]
) -> None:
    files = {"rows.test.ts": ASYNC_SUITE, "package.json": _package(**dependencies)}
    assert _rules(reviewed, files) == rules


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        (
            "describe('rows', suite)\nfunction suite() {\n  it('a', () => { expect(a()).toBe(1) })\n}\n",
            [],
        ),
        ("describe('rows', 3)\n", ["jest/valid-describe-callback"]),
        (
            "it('fails', async () => {\n  const late = expect(load()).rejects.toThrow('no')\n"
            "  advance()\n  await late\n})\n",
            [],
        ),
        (
            "it('fails', async () => {\n  const late = expect(load()).rejects.toThrow('no')\n"
            "  advance(late)\n})\n",
            ["jest/valid-expect"],
        ),
        ("afterEach(() => { close() })\njest.setTimeout(10000)\n", []),
        (
            "it('a', () => {\n  jest.setTimeout(10000)\n  expect(a()).toBe(1)\n})\n",
            ["jest/no-confusing-set-timeout"],
        ),
        (
            "it('shows rows', () => {\n  mount({\n    setup() {\n      expect(rows()).toBe(1)\n    },\n"
            "  })\n})\n",
            [],
        ),
        ("it('takes rows', () => {\n  // @ts-expect-error a row is no text\n  rows('a')\n})\n", []),
        ("it('shows rows', () => {\n  testRows(3)\n})\n", []),
        ("it('shows rows', () => {\n  showRows(3)\n})\n", ["jest/expect-expect"]),
        ("it('shows rows', () => {\n  strictEqual(rows(), 3)\n})\n", []),
        ("it('shows rows', () => {\n  shop.equal(rows(), 3)\n})\n", ["jest/expect-expect"]),
        (
            "it('counts', () => {\n  cy.get('li').then((rows) => {\n    expect(rows.length).to.equal(2)\n"
            "  })\n})\n",
            [],
        ),
        (
            "it('counts', () => {\n  load().then((rows) => {\n    expect(rows.length).toBe(2)\n  })\n})\n",
            ["jest/valid-expect-in-promise"],
        ),
    ],
)
def test_valid_tests_are_not_reported(reviewed: Reviewed, source: str, rules: list[str]) -> None:
    assert _rules(reviewed, {"rows.test.ts": source}) == rules


def test_tests_of_types_need_no_assertion(reviewed: Reviewed) -> None:
    source = "it('infers rows', () => {\n  const one: Row = rows()\n  use(one)\n})\n"
    assert _rules(reviewed, {"rows.test-d.ts": source}) == []


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ("export const wait = (hook, a, b) => hook?.finally?.(a, b)\n", []),
        ("export const wait = (work, a, b) => work.finally(a, b)\n", ["promise/valid-params"]),
        ("import * as s from './shapes'\nexport const a = s.catch(shape, (e) => e.text)\n", []),
        ("import { s } from './shapes'\nexport const a = s.catch(s.text(), (e) => e.text)\n", []),
        ("export const a = (bus, run) => bus.catch('closed', run)\n", []),
        ("import { s } from './shapes'\nexport const a = s.catch((e) => 1, 2)\n", ["promise/valid-params"]),
        ("export const wait = (work, log) => work.catch(log('a'), 2)\n", ["promise/valid-params"]),
        ("export type Whole =\n  | Date\n  | RegExp\n  | String\n", []),
        ("export type Name =\n  | String\n  | null\n", ["typescript/no-wrapper-object-types"]),
        ("export const f = (name: String) => name\n", ["typescript/no-wrapper-object-types"]),
        (
            "table.columns().every(function (index) {\n  this.visible(index > 2)\n})\n",
            [],
        ),
        (
            "export const all = rows.every(function (row) {\n  check(row)\n})\n",
            ["array-callback-return"],
        ),
        ("export const marks = /['\\u0300-\\u036f]/g\n", []),
        ("export const marks = /[a\\u0300]/g\n", ["no-misleading-character-class"]),
        ("export const one = shelf\n  .open?.(key)\n  ['first'].read()\n", []),
        ("export const one = shelf\n[key].read()\n", ["no-unexpected-multiline"]),
        ("export function* rows() {\n  throw new Error('not implemented')\n}\n", []),
        ("export function* rows() {\n  return load()\n}\n", ["require-yield"]),
        ("watchEffect(() => {\n  rows.value\n  total.value++\n})\n", []),
        ("export function touch(store) {\n  store.epoch // touch it for tracking\n}\n", []),
        ("export function touch(store) {\n  store.epoch\n}\n", ["no-unused-expressions"]),
    ],
)
def test_code_around_a_finding_decides(reviewed: Reviewed, source: str, rules: list[str]) -> None:
    assert _rules(reviewed, {"a.ts": source}) == rules


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ("import { Text } from './text'\nexport const P = () => <Text style='full' />\n", []),
        ("export const P = () => <p style='full' />\n", ["react/style-prop-object"]),
        (
            "import { useState } from 'react'\nexport function unstable_useRows() {\n"
            "  return useState(0)\n}\n",
            [],
        ),
        (
            "import { useState } from 'react'\nexport function reuse() {\n  return useState(0)\n}\n",
            ["react-hooks/rules-of-hooks"],
        ),
        (
            "import * as React from 'react'\nexport function Rows() {\n"
            "  React.useEffectEvent?.(() => {})\n  return null\n}\n",
            [],
        ),
        (
            "import * as React from 'react'\nimport { useEffectEvent } from './events'\n"
            "export function useRows() {\n  const close = useEffectEvent(() => {})\n"
            "  return React.useMemo(() => ({ close }), [close])\n}\n",
            [],
        ),
        (
            "import { useEffectEvent, useMemo } from 'react'\nexport function useRows() {\n"
            "  const close = useEffectEvent(() => {})\n  return useMemo(() => ({ close }), [close])\n}\n",
            ["react-hooks/rules-of-hooks", "react-hooks/exhaustive-deps", "react-hooks/rules-of-hooks"],
        ),
        (
            "import * as React from 'react'\nexport function Rows() {\n"
            "  send(React.useEffectEvent?.(() => {}))\n  return null\n}\n",
            ["react-hooks/rules-of-hooks"],
        ),
    ],
)
def test_components_and_hooks_of_a_project(reviewed: Reviewed, source: str, rules: list[str]) -> None:
    assert _rules(reviewed, {"examples/a.tsx": source}) == rules


def test_mock_instead_of_a_hook_is_not_a_hook(reviewed: Reviewed) -> None:
    source = (
        "import { useClient } from 'react-client'\nvi.mock('react-client')\nconst client = useClient()\n"
        "it('loads', () => { expect(client).toBe(1) })\n"
    )
    assert _rules(reviewed, {"client.test.ts": source}) == []
    assert _rules(reviewed, {"client.ts": source.replace("vi.mock('react-client')\n", "")}) == [
        "react-hooks/rules-of-hooks"
    ]


@pytest.mark.parametrize("path", ["test/browser/links.ts", "links.test.ts"])
def test_address_with_a_script_is_an_input_of_tests(reviewed: Reviewed, path: str) -> None:
    source = "export const bad = 'javascript:alert(1)'\n"
    assert _rules(reviewed, {path: source}) == []
    assert _rules(reviewed, {"src/links.ts": source}) == ["no-script-url"]


@pytest.mark.parametrize(
    "source",
    [
        "{% if debug %}\nvar level = 1\n{% else %}\nvar level = 2\n{% endif %}\n",
        "<% unless admin? %>\nvar level = 1\n<% end %>\n",
    ],
)
def test_template_of_a_script_is_unreviewed_and_not_a_syntax_error(reviewed: Reviewed, source: str) -> None:
    for _ in range(2):  # it is not in the cache as reviewed
        done = reviewed({"app/templates/level.js": source}, OXLINT)
        assert done.visible == ()
        assert [(item.file, item.tool, item.reason.partition(",")[0]) for item in done.unreviewed] == [
            ("app/templates/level.js", "oxlint", "a script in it has tags of a template")
        ]


def test_other_scripts_of_a_file_with_a_template_are_linted(reviewed: Reviewed) -> None:
    source = "<script>\ndebugger\n</script>\n<script setup>\nconst a = {% raw %};\n</script>\n<template />\n"

    done = reviewed({"a.vue": source, "b.vue": "<script>\n// {% if a %}\ndebugger\n</script>\n"}, OXLINT)

    assert [(item.file, item.span.line) for item in done.visible] == [("a.vue", 2), ("b.vue", 3)]
    assert [item.file for item in done.unreviewed] == ["a.vue"]


def test_unparsable_script_without_template_tags_is_a_syntax_error(reviewed: Reviewed) -> None:
    assert _rules(reviewed, {"app/templates/level.js": "{ % if }\n"}) == ["syntax-error"]


EMITTED = "'use strict'\nObject.defineProperty(exports, '__esModule', { value: true })\ndebugger\n"


@pytest.mark.parametrize(
    ("path", "text", "rules"),
    [
        ("dist/index.js", EMITTED, []),
        ("dist/index.js", "debugger\n", ["no-debugger"]),
        ("dist/index.js", f"{EMITTED}eval(location.hash)\n", ["no-eval"]),
        ("src/index.js", EMITTED, ["no-debugger"]),
        ("web/dist/main-Q2W3E4R5.js", "debugger\n", []),
        ("web/src/main-Q2W3E4R5.js", "debugger\n", ["no-debugger"]),
        ("web/app.js", "debugger;" + "a(b),c=d(e);" * 500, []),
        (".yarn/sdks/typescript/lib/tsserver.js", "debugger\n", []),
    ],
)
def test_files_that_tools_write_are_not_linted(
    reviewed: Reviewed, path: str, text: str, rules: list[str]
) -> None:
    assert _rules(reviewed, {path: text}) == rules


def test_script_under_the_name_of_declarations_is_left_to_its_package_manager(reviewed: Reviewed) -> None:
    path = ".yarn/sdks/eslint/lib/types/index.d.ts"
    assert _rules(reviewed, {path: "module.exports = wrap(load())\n"}) == []
