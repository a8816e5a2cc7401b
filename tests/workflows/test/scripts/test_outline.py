from __future__ import annotations

import pytest

from wardround.workflows.test.scripts.outline import script_outline


def names(text: str, path: str = "a.ts") -> list[str]:
    return [function.name for function in script_outline(path, text).outline.functions]


def digests(text: str, path: str = "a.ts") -> dict[str, str]:
    return {function.name: function.digest for function in script_outline(path, text).outline.functions}


def statements(text: str, path: str = "a.ts") -> list[str]:
    return [statement.digest for statement in script_outline(path, text).outline.statements]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function a() { function b() {} }", ["a"]),
        ("const a = () => 1, b = async function () {};", ["a", "b"]),
        (
            "class A { m() {} get v() { return 1 } static s() {} f = () => 1; #p() {} }",
            ["A.m", "A.v", "A.s", "A.f", "A.#p"],
        ),
        ("export default function () {}", ["default"]),
        ("const o = { a() {}, b: () => 1, c: { d() {} } };", ["o.a", "o.b", "o.c.d"]),
        ("app.get('/x', (req) => 1);", ["app.get('/x')"]),
        ("(function () { function a() {} a(); })();", ["a"]),
        ("namespace N { export function a() {} }", ["N.a"]),
        ("module.exports = function () {};", ["module.exports"]),
    ],
)
def test_functions_in_no_other_are_named(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("function f(a) { return a }", "// text\nfunction f(a: number): number {\n  return (a as any)!;\n}"),
        ("const f = (a, b) => [a, b]", "const f = <T,>(a: T, b?: T,): T[] => [a, b,];"),
        ("function f() { return 'x' }", 'function f() { return "x"; }'),
        (
            "class A { m(a) {} x = 1 }",
            "class A implements I { private readonly x: number = 1; public m(a?: string): void {} }",
        ),
        ("let a = 1;", "interface B { c: string }\ntype D = B;\ndeclare const e: D;\nlet a: number = 1;"),
        (
            "import { f } from './f';\nf();",
            "import type { T } from './t';\nimport { f, type U } from './f';\nf<T>();",
        ),
        ("import { f } from './f';\nf();", "import { f as g } from './f';\ng();"),
    ],
)
def test_layout_types_and_local_names_of_imports_have_no_part_in_digests(before: str, after: str) -> None:
    assert digests(before) == digests(after)
    assert sorted(statements(before)) == sorted(statements(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a => 1)", "f((a, b) => 1)"),
        ("const f = () => 1", "const f = async () => 1"),
        ("const a = [1, , 2]", "const a = [1, 2]"),
        ("@d class A { x: string }", "@d class A { x: number }"),
        ("const t = `a${b}`", "const t = `a ${b}`"),
        ("const a = -b", "const a = !b"),
        ("enum E { A = 1 }", "enum E { A = 2 }"),
        ("class A { x }", "class A { x; y }"),
        ("export { a }", "export { a as b }"),
    ],
)
def test_what_has_an_effect_at_module_level_has_a_part_in_digests(before: str, after: str) -> None:
    assert statements(before) != statements(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("function f() { return 'a' }", "function f() { return 'b' }"),
        ("function f(a = 1) {}", "function f(a = 2) {}"),
        ("import { g } from './a';\nfunction f() { g() }", "import { g } from './b';\nfunction f() { g() }"),
        ("function f() { fetch() }", "function f() { fetch() }\nfunction fetch() {}"),
        ("class A { constructor(x) {} }", "class A { constructor(private x) {} }"),
        ("const f = () => <p>a b</p>", "const f = () => <p>a  b</p>"),
    ],
)
def test_a_digest_changes_with_the_code_and_with_the_meaning_of_its_names(before: str, after: str) -> None:
    old, new = digests(before, "a.tsx"), digests(after, "a.tsx")
    name = next(iter(old))
    assert old[name] != new[name]


@pytest.mark.parametrize("path", ["a.json", "a.vue", "a.css"])
def test_another_file_is_one_statement(path: str) -> None:
    outline = script_outline(path, "{}").outline
    assert outline.problem == "it is not a script"
    assert len(outline.statements) == 1
    assert script_outline(path, "{ }").outline.statements != outline.statements


def test_a_script_that_does_not_parse_is_one_statement() -> None:
    assert script_outline("a.ts", "function (").outline.problem == "it does not parse"


def test_columns_of_functions_count_units_of_utf_16() -> None:
    (span,) = script_outline("a.js", "const x = '😀'; function f() {}").spans
    assert span == ((0, 16), (0, 31), 0)


def test_functions_that_can_start_a_process_are_marked() -> None:
    text = "import { exec as run } from 'node:child_process';\nfunction f() { run('x') }\nfunction g() {}"
    found = {
        function.name: function.starts_processes
        for function in script_outline("a.js", text).outline.functions
    }
    assert found == {"f": True, "g": False}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/** @jsx h */\nf();", "/** @jsx evil */\nf();"),
        ("f();", "// @jest-environment ./evil\nf();"),
        ("/** text\n * @vitest-environment node\n */\nf();", "/** text */\nf();"),
        ("#!/usr/bin/env node\nf();", "#!/usr/bin/env -S node -r ./evil\nf();"),
    ],
)
def test_a_comment_that_compilers_or_test_runners_obey_is_a_statement(before: str, after: str) -> None:
    assert statements(before) != statements(after)
    assert statements("f();") == statements("/** text @param a */\n// more\nf();")
