"""Findings of oxlint: rules, positions and messages in the report."""

from __future__ import annotations

import json

import pytest
from wardround_typescript.tools.oxlint import OXLINT
from wardround_typescript.tools.oxlint_config import selection

from tests.conftest import GitRepository
from tests.plugins.typescript.conftest import Reviewed
from wardround.findings import Finding, Severity, Status
from wardround.policy.gate import GateOutcome
from wardround.rules.tool_map import load_tool_map

MAP = load_tool_map("oxlint")
PREVIEW = {".wardround.toml": "preview = true\n"}
"""Default codes follow from readings."""


def _told(finding: Finding) -> tuple[str, int, int, int, Severity]:
    span = finding.span
    return finding.rule, span.line, span.column, span.end_column, finding.severity


@pytest.mark.parametrize(
    ("path", "source", "rule", "line", "column", "end"),
    [
        ("a.ts", "/* é🦉 */ export const o = { a: 1, a: 2 };\n", "no-dupe-keys", 1, 35, 36),
        ("a.ts", "/*\r\né🦉 */ export const o = { a: 1,\r\n a: 2 };\r\n", "no-dupe-keys", 3, 2, 3),
        ("a.ts", "\ufeffexport const o = { a: 1, a: 2 };\n", "no-dupe-keys", 1, 26, 27),
        ("a.vue", "<template/>\n<script>debugger</script>\n", "no-debugger", 2, 9, 17),
        ("a.svelte", "<p>é</p>\n<script lang='ts'>\ndebugger\n</script>\n", "no-debugger", 3, 1, 9),
        ("a.ts", "export const bad = ;\n", "syntax-error", 1, 20, 21),
        ("a.ts", "let x = 1; let x = 2; export { x }\n", "syntax-error", 1, 16, 17),
        ("a.js", "export const f = (x) => x === NaN;\n", "use-isnan", 1, 31, 34),
        ("a.tsx", "export const l = (xs) => xs.map((x) => <b>{x}</b>);\n", "react/jsx-key", 1, 41, 42),
    ],
)
def test_spans_are_lines_and_code_points(
    reviewed: Reviewed, path: str, source: str, rule: str, line: int, column: int, end: int
) -> None:
    done = reviewed({path: source}, OXLINT)

    assert done.unreviewed == ()
    assert [_told(f)[:4] for f in done.visible] == [(f"oxlint/{rule}", line, column, end)]


def test_script_without_suffix_is_linted(reviewed: Reviewed, repo: GitRepository) -> None:
    done = reviewed({"bin/tool": "#!/usr/bin/env node\ndebugger;\n"}, OXLINT)

    assert [(f.file, f.span.line) for f in done.visible] == [("bin/tool", 2)]


def test_unparsable_file_is_an_error(reviewed: Reviewed) -> None:
    done = reviewed({"a.ts": "export const = 1\n"}, OXLINT)

    (finding,) = done.visible
    assert (finding.defect_class, finding.severity) == ("syntax-error", Severity.ERROR)
    assert done.gate.outcome is GateOutcome.BLOCKED


def test_declarations_of_several_modules_in_one_file_are_not_a_syntax_error(reviewed: Reviewed) -> None:
    modules = "// a.d.ts\nexport declare const a: 1;\n// b.d.ts\nexport declare const a: 2;\n"
    done = reviewed({"__snapshots__/index.d.ts": modules}, OXLINT)
    assert (done.visible, done.gate.outcome) == ((), GateOutcome.PASS)


def test_unparsable_declaration_file_is_an_error(reviewed: Reviewed) -> None:
    done = reviewed({"index.d.ts": "export declare const = 1;\n"}, OXLINT)
    assert [finding.defect_class for finding in done.visible] == ["syntax-error"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("index.d.ts", "export function start(text: string) {\n  return eval(text);\n}\n"),
        ("index.d.ts", "eval(location.hash);\n"),
        (
            "web/a.ts",
            "export class A {\n  constructor(public public a: string) {}\n}\neval(location.hash);\n",
        ),
        ("web/a.js", "// {% load static %}\nexport const a = 010;\neval(location.hash);\n"),
        ("web/a.js", "const tag = '{% load static %}';\nexport const a = 010;\neval(location.hash);\n"),
    ],
)
def test_code_is_read_whatever_its_name_and_its_texts_are(reviewed: Reviewed, path: str, text: str) -> None:
    assert "oxlint/syntax-error" in {finding.rule for finding in reviewed({path: text}, OXLINT).visible}


HOOK = """\
import { useEffect } from '%s'
export function Panel(props) {
  if (props.open) {
    useEffect(() => {})
  }
  return null
}
"""


def test_react_hook_rules_apply_only_to_react_files(reviewed: Reviewed) -> None:
    assert [f.rule for f in reviewed({"a.ts": HOOK % "react"}, OXLINT).visible] == [
        "oxlint/react-hooks/rules-of-hooks"
    ]
    assert reviewed({"a.ts": "", "b.tsx": HOOK % "vue"}, OXLINT).visible == ()


TOAST = """\
import { useToast } from './toast'
export function Panel(props) {
  if (props.open) {
    useToast()
  }
  return null
}
"""


def test_function_with_the_name_of_a_hook_is_not_a_react_hook(reviewed: Reviewed) -> None:
    own = {
        "own.ts": "export const useEffect = (run: () => void) => run();\n",
        "toast.ts": "export const useToast = () => null;\n",
    }
    assert reviewed({"a.ts": TOAST, **own}, OXLINT).visible == ()
    scripts = {"b.tsx": TOAST, "c.ts": HOOK % "./own", **own}
    assert [f.file for f in reviewed(scripts, OXLINT).visible] == ["b.tsx", "c.ts"]


ROW = "export const Panel = () => <Row />;\n"


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(
            {"global.d.ts": "declare global {\n  const Row: typeof Component\n}\n"}, id="declaration"
        ),
        pytest.param({".eslintrc.js": "module.exports = { globals: { 'Row': true } };\n"}, id="eslint"),
    ],
)
def test_declared_global_component_is_defined(reviewed: Reviewed, settings: dict[str, str]) -> None:
    assert [f.rule for f in reviewed({"web/a.tsx": ROW}, OXLINT).visible] == ["oxlint/react/jsx-no-undef"]
    assert "oxlint/react/jsx-no-undef" not in {
        f.rule for f in reviewed({"web/a.tsx": ROW, **settings}, OXLINT).visible
    }


def test_hook_in_a_plain_function_is_a_warning(reviewed: Reviewed) -> None:
    source = "import { useState } from 'react'\nexport %s {\n  return useState(0)\n}\n"

    (finding,) = reviewed({"a.ts": source % "function state()"}, OXLINT).visible
    assert finding.severity is Severity.WARN
    assert reviewed({"a.ts": source % "default () =>"}, OXLINT).visible == ()


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ("export const a = Map()\n", ["unicorn/new-for-builtins"]),
        ("export const a = Array(3)\n", []),
        ("export const f = (a, b) => !a === b\n", ["unicorn/no-negation-in-equality-check"]),
        ("export const f = (a, b) => !a === !b || !!a === b || !a == b\n", []),
        ("export const a = 12345678901234567890\n", ["no-loss-of-precision"]),
        ("export const a = 0.12300000000000000000000\n", []),
        ("export const f = (a) => Math.min(0, Math.max(9, a))\n", ["oxc/bad-min-max-func"]),
        ("export const a = Math.min(0, Math.max(9, 8))\n", []),
        ("export const f = (a, b) => {\n  a += a + b\n}\n", ["oxc/misrefactored-assign-op"]),
        ("export const f = (a, b) => {\n  a |= '0'\n}\n", ["oxc/bad-bitwise-operator"]),
        ("export const f = (a, b) => {\n  if (b) a |= State.Open\n}\n", []),
        ("export const f = (a, b) => {\n  a += b + a\n}\n", []),
        ("export function f(a) {\n  return eval(a)\n}\n", ["no-eval"]),
        (
            "export interface A {}\nexport class A {}\n",
            ["typescript/no-unsafe-declaration-merging"],
        ),
        ("export interface A {}\nexport declare class A {}\n", []),
        ("export const f = (a) => {\n  const b = useRef<A[]>([])\n  a([...b?.current])\n}\n", []),
        (
            "export const f = (a) => {\n  const b = useRef<A[]>(null)\n  a([...b?.current])\n}\n",
            ["no-unsafe-optional-chaining"],
        ),
        (
            "export const f = (a) => {\n  const b = useRef({})\n  a([...b?.current?.c])\n}\n",
            ["no-unsafe-optional-chaining"],
        ),
        ("export const f = (a, b) => a([...b?.current])\n", ["no-unsafe-optional-chaining"]),
    ],
)
def test_broad_codes_report_only_the_defect(reviewed: Reviewed, source: str, rules: list[str]) -> None:
    found = reviewed({"a.ts": source}, OXLINT).visible
    assert [f.rule for f in found if "only-used" not in f.rule] == [f"oxlint/{rule}" for rule in rules]


HANDLER = "app.get('/a', async (req, res) => {\n  res.json(await load())\n})\n"
CAUGHT = (
    "app.get('/a', async (req, res, next) => {\n  try {\n    res.json(await load())\n"
    "  } catch (error) {\n    next(error)\n  }\n})\n"
)


@pytest.mark.parametrize(
    ("source", "version", "is_said"),
    [(HANDLER, "^4.21.0", True), (HANDLER, "^5.1.0", False), (CAUGHT, "^4.21.0", False)],
)
def test_async_handler_is_reported_if_express_does_not_await_it(
    reviewed: Reviewed, source: str, version: str, is_said: bool
) -> None:
    package = f'{{"dependencies": {{"express": "{version}"}}}}\n'
    found = reviewed({"server/a.ts": source, "package.json": package}, OXLINT).visible
    assert ["oxlint/oxc/no-async-endpoint-handlers" in f.rule for f in found if f.file != "package.json"] == (
        [True] if is_said else []
    )


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ("export const g = new Function('return this')()\n", []),
        ("export const f = (text) => new Function('row', text)\n", ["no-new-func"]),
        ("export const two = eval('1' + '+ 1')\n", []),
    ],
)
def test_constant_code_is_not_an_injection(reviewed: Reviewed, source: str, rules: list[str]) -> None:
    found = reviewed({"a.ts": source}, OXLINT).visible
    assert [f.rule for f in found] == [f"oxlint/{rule}" for rule in rules]


@pytest.mark.parametrize(
    ("rel", "count"),
    [
        ("", 1),
        ("rel={null}", 1),
        ("rel='next'", 1),
        ("rel='noopener'", 0),
        ("rel={relation}", 0),
        ("rel={relationOf(url)}", 0),
    ],
)
def test_link_with_a_computed_or_effective_rel_is_not_reported(
    reviewed: Reviewed, rel: str, count: int
) -> None:
    source = (
        f'export const A = ({{ url }}) => (\n  <a href={{url}} target="_blank" {rel}>\n    go\n  </a>\n)\n'
    )
    assert len(reviewed({"examples/a.jsx": source}, OXLINT).visible) == count


DEPENDENCIES = """\
import { useCallback, useState } from 'react'
export function Panel(%s) {
  const [open] = useState(false)
  return useCallback(() => %s, [%s])
}
"""


@pytest.mark.parametrize(
    ("parameters", "body", "dependencies", "count"),
    [
        ("", "open", "", 1),
        ("", "open", "open", 0),
        ("boxRef", "boxRef.current", "", 0),
        ("boxRef", "boxRef.current && open", "", 1),
        ("version", "open", "open, version", 0),
    ],
)
def test_missing_dependency_is_reported_unless_it_is_a_ref(
    reviewed: Reviewed, parameters: str, body: str, dependencies: str, count: int
) -> None:
    done = reviewed({"a.jsx": DEPENDENCIES % (parameters, body, dependencies)}, OXLINT)

    found = [f.rule for f in done.visible if "deps" in f.rule]
    assert found == ["oxlint/react-hooks/exhaustive-deps"] * count


@pytest.mark.parametrize(
    ("imported", "rule"),
    [
        ("import { test } from 'vitest'\n", "oxlint/vitest/no-focused-tests"),
        ("import { test } from '@jest/globals'\n", "oxlint/jest/no-focused-tests"),
        ("", "oxlint/jest/no-focused-tests"),
    ],
)
def test_rules_of_the_imported_test_framework_apply(reviewed: Reviewed, imported: str, rule: str) -> None:
    done = reviewed({"a.test.ts": f"{imported}test.only('adds', () => {{ expect(1).toBe(1) }})\n"}, OXLINT)

    assert [f.rule for f in done.visible] == [rule]


HELPER = """\
const check%s = (value) => {
  const wanted = value
  %s(wanted).toBe(1)
}

test('adds', () => {
  check%s(
    1,
  )
})
"""


def test_asserting_helper_counts_as_an_assertion(reviewed: Reviewed) -> None:
    assert (
        reviewed(
            {"a.test.ts": HELPER.replace("check%s", "run%s") % ("It", "expect", "It"), **PREVIEW}, OXLINT
        ).visible
        == ()
    )


def test_helper_without_assertion_does_not_count(reviewed: Reviewed) -> None:
    text = HELPER.replace("check%s", "run%s") % ("It", "print", "It")
    done = reviewed({"a.test.ts": text, **PREVIEW}, OXLINT)

    assert [f.rule for f in done.visible] == ["oxlint/jest/expect-expect"]


FERRY = """\
import { useEffect, useState } from 'react'
import { useRouter } from 'next/router'
export function Ferry({ berth }) {
  const router = useRouter()
  const { data: tide } = useTide()
  const [sailing, setSailing] = useState(false)
  const IS_HIGH = Boolean(
    tide?.IS_HIGH
  )
  const port =
    typeof router.query.port === 'string' ? router.query.port : ''
  const place = `/ports/${encodeURIComponent(port)}?berth=%s`
  function sail(to: string) {
    router.push(to).then(() => setSailing(true))
  }
  useEffect(() => {
    if (IS_HIGH) sail(place)
  }, [%s])
}
"""


@pytest.mark.parametrize(
    ("hole", "listed", "count"),
    [
        ("1", "router.isReady, tide", 0),
        ("${berth}", "router.isReady, tide", 1),
        ("${berth}", "router.isReady, tide, berth", 0),
        ("1", "router.isReady, tide.at", 1),
        ("1", "router.isReady", 1),
        ("1", "tide", 1),
        ("1", "", 1),
    ],
)
def test_dependencies_computed_from_listed_ones_are_not_missing(
    reviewed: Reviewed, hole: str, listed: str, count: int
) -> None:
    done = reviewed({"ferry.tsx": FERRY % (hole, listed)}, OXLINT)

    assert [f.rule for f in done.visible if "deps" in f.rule] == [
        "oxlint/react-hooks/exhaustive-deps"
    ] * count


def test_property_of_a_listed_dependency_is_not_missing(reviewed: Reviewed) -> None:
    part = (
        "import { useEffect } from 'react'\nexport function Trial({ user }) {\n"
        "  const { data: plan } = usePlan()\n  const days = plan?.days || 14\n"
        "  useEffect(() => {\n    show(user, days)\n  }, [user%s])\n}\n"
    )
    done = reviewed({"a.tsx": part % ", plan", "b.tsx": part % ""}, OXLINT)

    found = [f.file for f in done.visible if f.rule == "oxlint/react-hooks/exhaustive-deps"]
    assert found == ["b.tsx"]


def test_smoke_test_needs_no_assertion(reviewed: Reviewed) -> None:
    done = reviewed({"a.test.ts": "test('renders without crashing', () => {\n  draw()\n})\n"}, OXLINT)

    assert done.visible == ()


@pytest.mark.parametrize(
    ("path", "thrown", "count"),
    [
        ("a.ts", "'none'", 1),
        ("a.ts", "{ id: 1 }", 1),
        ("a.ts", "{ id: { code: 1 } }", 0),
        ("a.ts", "{ code: 4001, message: 'refused' }", 0),
        ("a.ts", "{\n  status: 404,\n  data: 'none',\n}", 0),
        ("a.ts", "new Response('', { status: 404 })", 0),
        ("a.ts", "redirect('/login')", 0),
        ("a.test.ts", "'none'", 0),
    ],
)
def test_objects_that_a_library_expects_may_be_thrown(
    reviewed: Reviewed, path: str, thrown: str, count: int
) -> None:
    done = reviewed({path: f"export function f() {{\n  throw {thrown};\n}}\n"}, OXLINT)

    assert sum(f.rule == "oxlint/no-throw-literal" for f in done.findings) == count


def test_handler_of_a_script_without_modules_is_used(reviewed: Reviewed) -> None:
    handler = "function handler(event) {\n  return event.request\n}\n"
    done = reviewed({"edge.js": handler, "module.js": f"{handler}export const a = 1\n"}, OXLINT)

    assert [(f.file, f.rule) for f in done.visible] == [("module.js", "oxlint/no-unused-vars")]


def test_a_global_function_of_a_classic_script_may_be_called_from_outside(reviewed: Reviewed) -> None:
    entry = "async function runTestCase(container) {\n  await show(container)\n}\n"
    nested = "function show() {\n  function unused() {}\n}\n"
    done = reviewed({"entry.js": entry, "nested.js": nested}, OXLINT)

    assert [(f.file, f.span.line, f.rule) for f in done.visible] == [
        ("nested.js", 2, "oxlint/no-unused-vars")
    ]


def test_rejected_configuration_is_reported(reviewed: Reviewed) -> None:
    config = json.dumps({"plugins": ["unicorn"], "rules": {"unicorn/of-another-version": "off"}})
    done = reviewed({".oxlintrc.json": config, "a.ts": "debugger\n"}, OXLINT)

    (item,) = done.unreviewed
    assert "oxlint rejects the project's configuration" in item.reason
    assert "of-another-version" in item.reason


def test_unreachable_statements_are_reported_once(reviewed: Reviewed) -> None:
    done = reviewed({"a.ts": "export function f() {\n  return 1;\n  g();\n\n  h();\n}\n"}, OXLINT)

    assert [(f.rule, f.span.line) for f in done.visible] == [("oxlint/no-unreachable", 3)]


def test_file_with_a_special_name_is_linted(reviewed: Reviewed) -> None:
    done = reviewed({"lib/x.min.js": "debugger", "app.js": "debugger\n", "vendor/a.js": "debugger\n"}, OXLINT)

    assert [f.file for f in done.visible] == ["app.js", "lib/x.min.js", "vendor/a.js"]
    assert done.unreviewed == ()


def test_suppressions_work_in_jsx(reviewed: Reviewed) -> None:
    source = (
        "export const L = (xs) => <ul>\n"
        "  {/* wardround: ignore[oxlint/react/jsx-key] the list never changes */}\n"
        "  {xs.map((x) => <li>{x}</li>)}\n"
        "</ul>;\n"
    )
    (finding,) = reviewed({"a.jsx": source}, OXLINT).findings
    assert finding.status is Status.SUPPRESSED


def test_selection_contains_codes_that_are_off_but_no_style() -> None:
    rules = selection()["rules"]

    assert {
        rules[code]
        for code, entry in MAP.content.codes.items()
        if entry.disabled_reason and code != "syntax-error"
    } == {"warn"}
    assert {rules[code] for code in MAP.content.ignore} == {"off"}
    assert rules["no-debugger"] == "warn"


def test_codes_that_are_off_are_not_reported(reviewed: Reviewed) -> None:
    assert reviewed({"a.ts": "export const f = (a) => a == null\n"}, OXLINT).visible == ()


def test_every_mapped_code_has_a_rationale_or_is_off() -> None:
    for code, entry in MAP.content.codes.items():
        assert entry.disabled_reason or (entry.why and entry.name and entry.defect_class), code


def test_findings_of_both_test_frameworks_are_one_defect() -> None:
    for code in MAP.content.codes:
        family, _, name = code.partition("/")
        if family == "jest" and f"vitest/{name}" in MAP.content.codes:
            assert MAP.rule(code).defect_class.removeprefix("oxlint-jest/") == MAP.rule(
                f"vitest/{name}"
            ).defect_class.removeprefix("oxlint-vitest/"), name


def test_tests_specialist_owns_the_codes_of_tests() -> None:
    assert {MAP.rule(code).specialist for code in ("jest/expect-expect", "vitest/unheard-of")} == {"tests"}


def test_configuration_of_the_project_decides(reviewed: Reviewed) -> None:
    config = json.dumps({"rules": {"no-debugger": "off", "no-console": "error"}})
    done = reviewed({".oxlintrc.json": config, "a.ts": "debugger\nconsole.log(1)\n"}, OXLINT)

    assert [f.rule for f in done.visible] == ["oxlint/no-console"]


def test_configuration_without_selection_gets_the_default_selection(reviewed: Reviewed) -> None:
    config = '{ /* what is generated */ "ignorePatterns": ["gen/**"] }'
    source = "import { test } from 'vitest'\ntest.only('a', () => { expect(1).toBe(1) })\n"
    done = reviewed({".oxlintrc.json": config, "a.test.ts": source, "gen/b.ts": "debugger\n"}, OXLINT)

    assert [f.rule for f in done.visible] == ["oxlint/vitest/no-focused-tests"]
    assert done.unreviewed == ()


def test_nested_configuration_applies_to_its_folder(reviewed: Reviewed) -> None:
    files = {
        ".oxlintrc.json": '{"rules": {"no-debugger": "off"}}',
        "web/base.json": '{"rules": {"no-debugger": "error"}}',
        "web/.oxlintrc.json": '{"extends": ["./base.json"]}',
        "web/a.ts": "debugger\n",
        "b.ts": "debugger\n",
    }
    assert [f.file for f in reviewed(files, OXLINT).visible] == ["web/a.ts"]


def test_configuration_of_the_base_applies_in_ci(reviewed: Reviewed, repo: GitRepository) -> None:
    repo.commit({".oxlintrc.json": '{"rules": {"no-debugger": "error"}}'})
    done = reviewed(
        {".oxlintrc.json": '{"rules": {"no-debugger": "off"}}', "a.ts": "debugger\n"}, OXLINT, config="base"
    )

    assert {f.rule for f in done.visible} == {"oxlint/no-debugger", "wardround/config-changed"}


CHAI = {
    "cypress/e2e/a.js": "it('x', () => { expect(visits).to.be.calledOnce; });\n",
    "a.cy.ts": "it('x', () => { expect(visits).to.be.empty; });\n",
    "a.test.js": "import { expect } from 'chai';\nit('x', () => { expect(visits()).to.be.true; });\n",
}


@pytest.mark.parametrize("path", CHAI)
def test_property_of_chai_is_an_assertion(reviewed: Reviewed, path: str) -> None:
    done = reviewed({path: CHAI[path]}, OXLINT)

    assert [f.rule for f in done.visible if f.rule.endswith("valid-expect")] == []


@pytest.mark.parametrize(
    "statement", ["expect(ran).to.be.true;", "expect(ran)\n    .to.not.exist;", "ran.should.be.true"]
)
def test_assertion_by_a_property_is_used(reviewed: Reviewed, statement: str) -> None:
    text = f"it('runs', () => {{\n  const ran = run()\n  {statement}\n}})\n"
    done = reviewed({"test/unit/a.js": text, "a.js": "run().stopped\n", **PREVIEW}, OXLINT)

    assert [f.file for f in done.visible if f.rule.endswith("unused-expressions")] == ["a.js"]


def test_files_with_underscored_names_of_tests_are_tests(reviewed: Reviewed) -> None:
    done = reviewed(
        {"a_spec.js": "it('x', () => { run().stopped })\n", "b_test.mjs": "run().stopped\n", **PREVIEW},
        OXLINT,
    )

    assert [f.rule for f in done.visible if f.rule.endswith("unused-expressions")] == []


def test_property_of_jest_is_not_an_assertion(reviewed: Reviewed) -> None:
    done = reviewed({"a.test.js": "it('x', () => { expect(visits()).toBeTrue; });\n"}, OXLINT)

    assert [f.rule for f in done.visible] == ["oxlint/jest/valid-expect"]
