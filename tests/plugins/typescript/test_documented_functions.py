"""Finding documented functions in TypeScript and JavaScript, and what a change did to them."""

from __future__ import annotations

import random

import pytest
from wardround_typescript.docdrift.documented_functions import compared_functions, functions
from wardround_typescript.docdrift.jsdoc import bare, comment_of_jsdoc, defaults_of
from wardround_typescript.prefilters import may_differ_in_signature

from wardround.languages.script.scanner import Scan

COMMENT = "/**\n * Does it.\n * @param a - one\n * @param b - two\n */\n"


@pytest.mark.parametrize(
    ("text", "structure"),
    [
        ("a // b 'c\nd", "a        \nd"),
        ("a /* ' */ b", "a         b"),
        ("a('b{')", "a(____)"),
        ("don't {b} say", "don't {b} say"),
        ("a = /[/'\"]{/g; b", "a = _________; b"),
        ("a / b / c", "a / b / c"),
        ("</b>{c && <i></i>}", "</b>{c && <i></i>}"),
        ("x = `a${b({})}c${`d`}` + e", "x = ____b({})____" + "___" + "__ + e"),
        ("return /}/", "return ___"),
        ("`open", "_____"),
        ('"open\n}', '"open\n}'),
        ("/* open", "       "),
    ],
)
def test_text_that_is_not_code_is_blanked_in_place(text: str, structure: str) -> None:
    scan = Scan(text)
    assert scan.structure == structure
    assert len(scan.code) == len(text)


def test_the_expressions_of_a_template_stay_code() -> None:
    assert Scan("x = `a${b}c`").code == "x = `a` b`c`"


def test_unclosed_brackets_are_excluded() -> None:
    assert Scan("(a [b) {c}").pairs == {0: 5, 7: 9}
    assert Scan(")]}").pairs == {}


@pytest.mark.parametrize(
    ("declaration", "name", "parameters"),
    [
        ("function f(a, b) {}", "f", ["a", "b"]),
        ("export default async function* f<T extends A<B>>(a: T, b = {}) {}", "f", ["a", "b"]),
        ("export default function (a, b) {}", "", ["a", "b"]),
        ("export default async (a, b) => a", "default", ["a", "b"]),
        ("const f = (a, b) => a + b", "f", ["a", "b"]),
        ("const f: Do<X> = async (a, b): Promise<{ c: 1 }> => { d }", "f", ["a", "b"]),
        ("const f = a => a", "f", ["a"]),
        ("let f = function g(a, b) {}", "f", ["a", "b"]),
        ("export const f = useCallback((a) => {}, [])", "f", ["a"]),
        ("module.exports = function (a, ...b) {}", "module.exports", ["a", "b"]),
        ("Mail.prototype.send = function (a) {}", "Mail.prototype.send", ["a"]),
        ("export type F<T> = (a: T, b?: () => void) => void", "F", ["a", "b"]),
        ("function f(this: Window, a: string): asserts a is 'x' {}", "f", ["a"]),
        ("function f(a: { b: 1 }, c: (d: E) => F): { g: 1 } | null {}", "f", ["a", "c"]),
        ("function f(a = x > 1 ? [1, 2] : {}, b) {}", "f", ["a", "b"]),
        ("function f({ a, b: { c } }, [d], e) {}", "f", ["", "", "e"]),
    ],
)
def test_functions_are_found_in_every_syntax(declaration: str, name: str, parameters: list[str]) -> None:
    (found,) = functions(Scan(COMMENT + declaration + "\n"))
    assert found.name == name
    assert [parameter.name for parameter in found.parameters] == parameters


@pytest.mark.parametrize(
    ("member", "name", "parameters"),
    [
        ("async send(a: X, b?: Y): Promise<void> {}", "Mail.send", ["a", "b"]),
        ("@Traced({ c: ')' }) @Once\n  private static get(a) {}", "Mail.get", ["a"]),
        ("constructor(private readonly a: X, @In(T) public b: Y = c) {}", "Mail.constructor", ["a", "b"]),
        ("send = async (a: X): Promise<void> => {}", "Mail.send", ["a"]),
        ("readonly send: (a: X) => void = (a) => {}", "Mail.send", ["a"]),
        ("abstract send(a: X): Promise<Y>;", "Mail.send", ["a"]),
        ("*[Symbol.iterator]() {}", None, []),
        ("#send(a) {}", "Mail.#send", ["a"]),
        ("get: number = 3", None, []),
        ("static { call(a); }", None, []),
    ],
)  # fmt: skip
def test_members_are_found_with_their_class(member: str, name: str | None, parameters: list[str]) -> None:
    found = list(functions(Scan(f"export class Mail<T> extends Post {{\n{COMMENT}  {member}\n}}\n")))
    assert [item.name for item in found] == ([] if name is None else [name])
    assert [p.name for item in found for p in item.parameters] == parameters


@pytest.mark.parametrize(
    "code", ["describe('x', () => {})", "if (a) {}", "import a from 'b'", "const a = 3", "class A {}", ""]
)
def test_other_code_is_not_a_function(code: str) -> None:
    assert list(functions(Scan(COMMENT + code + "\n"))) == []


def test_overloads_belong_to_their_function() -> None:
    text = f"{COMMENT}function f(a: A): B;\nfunction f(b: B, c: C): D;\nfunction f(...d) {{ return 1; }}\n"
    (found,) = functions(Scan(text))
    assert [overload.name for overload in found.overloads] == ["b", "c", "d"]
    assert text[: found.end].endswith("return 1; }")


def test_only_reachable_functions_are_exported() -> None:
    text = (
        f"{COMMENT}function a() {{}}\n{COMMENT}function b() {{}}\nexport {{ b as c }};\n"
        f"export class D {{\n{COMMENT}e() {{}}\n{COMMENT}private f() {{}}\n}}\n"
    )
    found = {function.name: function.is_exported for function in functions(Scan(text))}
    assert found == {"a": False, "b": True, "D.e": True, "D.f": False}


def test_text_of_a_comment_keeps_its_positions() -> None:
    comment = (
        "/**\n   * Does it.\n   * @param {{a: {b: 1}}} [one=3] - x\n   * @arg two.three y\n"
        "   * @throws {Bad} z\n   */"
    )
    words = comment_of_jsdoc(bare(comment, 2))
    assert [(e.name, e.line) for e in words.parameters] == [("one", 2), ("two.three", 3)]
    assert [e.name for e in words.raises] == ["Bad"]
    assert words.lines[2].index("one") == comment.split("\n")[2].index("one")
    (default,) = defaults_of(words.text)
    assert (default.name, default.value, comment.split("\n")[2][default.column]) == ("one", "3", "3")


def test_examples_and_history_are_not_statements() -> None:
    words = comment_of_jsdoc(bare("/**\n * Now.\n * @deprecated use old\n * @example\n * old()\n */", 0))
    assert "old" not in words.named
    assert words.told_history


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("const a = 1;\nreturn a;", "const a = 1\n  return a"),
        ("call(a, b);", "call(\n  a, // one\n  b,\n);"),
        ("call('a');", 'call("a");'),
    ],
)
def test_formatting_and_comments_are_not_a_change(before: str, after: str) -> None:
    old, new = (f"{COMMENT}function f(a, b) {{\n{body}\n}}\n" for body in (before, after))
    assert compared_functions(old, new) == ()


def test_moved_function_is_compared_with_itself() -> None:
    old = f"{COMMENT}function f(a, b) {{ return old; }}\n"
    new = f"const x = 1;\n\nclass Y {{\n}}\n  {COMMENT}function f(a) {{ return now; }}\n"
    (found,) = compared_functions(old, new)
    assert (found.compared.line, found.compared.words_line) == (10, 5)
    assert not found.compared.is_documentation_changed
    assert found.compared.change.removed == {"b", "old"}
    assert found.compared.change.new.returns == ("now",)


@pytest.mark.parametrize(
    ("old", "new", "may"),
    [
        (f"{COMMENT}f(a) {{}}", f"{COMMENT}f(a) {{}}", False),
        (f"{COMMENT}f(a) {{}}", f"{COMMENT}f(b) {{}}", True),
        (f"x(1)\n{COMMENT}f(a) {{}}", f"x(2)\n{COMMENT}f(a) {{}}", False),
        (f"x(one)\n{COMMENT}f(a) {{}}", f"x(2)\n{COMMENT}f(a) {{}}", True),
        ("f(a) {}", "f(b) {}", False),
    ],
)
def test_prefilter_detects_possible_comment_mismatches(old: str, new: str, may: bool) -> None:
    assert may_differ_in_signature(old, new) is may


def test_arbitrary_text_does_not_crash() -> None:
    words = (
        "function f(",
        "class X ",
        "export ",
        "const g = ",
        "@b(",
        "${",
        "/*",
        "*/",
        "=>",
        "...",
        "é🦉",
        "\n",
    )
    pieces = [COMMENT, *words, *"a(){}[]`'\"/<>:=,?;\\"]
    draw = random.Random(7)
    for _ in range(400):
        item = "".join(draw.choices(pieces, k=40))
        other = "".join(draw.choices(pieces, k=5)) + item
        assert len(Scan(item).structure) == len(Scan(item).code) == len(item)
        compared_functions(item, other)


@pytest.mark.parametrize("piece", ["`${", "/[", "(", "/**", "'", "<", COMMENT + "f(", "a = /", "@b(", "{\n"])
def test_pathological_text_is_read_in_time(piece: str) -> None:
    text = COMMENT + piece * 20_000
    assert len(Scan(text).structure) == len(text)
    assert compared_functions(text + "a", text + "b") == ()


def test_comments_with_no_code_behind_them_are_read_once() -> None:
    """A file of types in comments alone took hours."""
    types = "/**\n * @typedef {Object} Row\n * @property {string} name of it\n */\n\n" * 500
    assert list(functions(Scan(types))) == []
    assert [function.name for function in functions(Scan(f"{types}{COMMENT}function put(a, b) {{}}\n"))][
        -1
    ] == "put"
