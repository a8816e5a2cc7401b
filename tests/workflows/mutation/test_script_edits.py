"""The edits of changed lines of scripts."""

from __future__ import annotations

import pytest

from wardround.workflows.mutation.script_edits import script_mutants


def shown(body: str, path: str = "src/a.ts") -> set[tuple[str, str]]:
    text = f"export function f(a: any, b?: any) {{\n{body}\n}}\n"
    return {mutant.edit.shown for mutant in script_mutants(path, text, range(1, 100))}


@pytest.mark.parametrize(
    ("body", "before", "after"),
    [
        ("if (a) g();", "(a)", "(!(a))"),
        ("return a && b;", "a && b", "a || b"),
        ("return a === b;", "a === b", "a !== b"),
        ("return a < b;", "a < b", "a <= b"),
        ("return a * b;", "a * b", "a / b"),
        ("a += b;", "a += b", "a -= b"),
        ("return g(a);", "return g(a);", "return undefined;"),
        ("return [a];", "return [a];", "return [];"),
        ("return 'a';", "return 'a';", "return '';"),
        ("a.add(b);", "a.add(b);", ";"),
        ("await a.add(b);", "await a.add(b);", ";"),
        ("return a ?? b;", "a ?? b", "(a)"),
        ("return a?.b;", "a?.b", "a.b"),
        ("g({ strict: true });", "strict: true", "strict: false"),
        ("g(a ? 1 : 2);", "a", "!(a)"),
    ],
)
def test_an_edit_is_shown_before_and_after(body: str, before: str, after: str) -> None:
    assert (before, after) in shown(body)


@pytest.mark.parametrize(
    "body",
    [
        "console.log(a + 1);",
        "throw new Error('a' + (b ? 1 : 2));",
        "let c: true | false;",
        "type C = A extends true ? 1 : 2;",
        "if (process.env.NODE_ENV !== 'production') { warn(a); }",
        "return a;",
        "return undefined as C;",
        "logger.info(a && b);",
        "/* v8 ignore next */\nif (a) g();",
    ],
)
def test_what_tests_should_not_notice_has_no_edit(body: str) -> None:
    assert shown(body) == set()


def test_only_functions_of_sources_have_edits() -> None:
    assert script_mutants("src/a.ts", "const a = b < 1;\n", [1]) == ()
    assert shown("return a < b;", "src/a.test.ts") == set()


def test_offsets_are_those_of_characters() -> None:
    text = "const f = (a) => {\n  g('é😀'); return a < 1;\n};\n"
    edits = [item.edit for item in script_mutants("a.js", text, [2])]

    assert "<" in {text[item.start : item.end] for item in edits}


def test_lines_that_did_not_change_have_no_edit() -> None:
    assert script_mutants("a.js", "function f(a) {\n  return a < 1;\n}\n", [1]) == ()
