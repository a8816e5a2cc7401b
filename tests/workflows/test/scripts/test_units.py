"""The lines of a script in which a statement begins that can run."""

from __future__ import annotations

from textwrap import dedent

import pytest

from wardround.workflows.test.scripts.units import script_units


def lines(text: str, path: str = "a.tsx") -> list[str]:
    """The source lines in which statements begin."""
    text = dedent(text).lstrip("\n")
    found = script_units(path, text)
    assert found is not None
    return [text.split("\n")[line - 1].strip() for line in sorted({*found.lines} - {0})]


@pytest.mark.parametrize(
    "text",
    [
        "import a from 'a';",
        "import type { A } from 'a';",
        "export * from './a';",
        "export { a, b } from './a';",
        "interface A { a: number }",
        "export type A = string;",
        "declare const a: number;",
        "declare module 'a' { const b: number }",
        "// a comment",
        "'use strict';",
        "let a;",
        "function a() {}",
        "class A { b = 1; static c = 2; }",
        "abstract class A { abstract b(): void }",
        "function a(b: string): void;\nfunction a(b: any) {}",
        "if (import.meta.vitest) { a(); }",
    ],
)
def test_what_has_no_effect_of_its_own_is_not_a_line(text: str) -> None:
    assert lines(text, "a.ts") == []


def test_statements_in_functions_are_lines_and_braces_and_else_are_not() -> None:
    assert lines("""
        export function f(a: number) {
          if (a) {
            g();
          } else {
            h();
          }
          return {
            b: 1,
          };
        }
    """) == ["if (a) {", "g();", "h();", "return {"]


def test_text_and_elements_of_jsx_are_part_of_their_statement() -> None:
    assert lines("""
        const A = () => {
          return (
            <p>
              text
              {b ? <i>one</i> : <b>two</b>}
            </p>
          );
        };
    """) == ["const A = () => {", "return ("]


def test_the_expression_of_a_function_with_a_name_is_a_line_and_a_callback_is_not() -> None:
    assert lines("""
        const f = (a) =>
          g(a);
        h((b) =>
          g(b));
    """) == ["const f = (a) =>", "g(a);", "h((b) =>"]


@pytest.mark.parametrize(
    "statement",
    [
        "/* v8 ignore next */\n  g();",
        "// istanbul ignore next\n  g();",
        "throw new Error('not implemented');",
        "const left: never = a;",
        "assertNever(a);",
    ],
)
def test_statements_that_projects_exclude_are_not_lines(statement: str) -> None:
    assert lines(f"function f(a) {{\n  {statement}\n}}") == []


def test_a_file_that_is_excluded_or_does_not_parse_has_no_units() -> None:
    assert script_units("a.ts", "/* v8 ignore file */\nf();\n") is None
    assert script_units("a.ts", "f(;\n") is None
