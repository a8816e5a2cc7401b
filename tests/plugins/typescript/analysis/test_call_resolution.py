"""Resolution of calls in a script."""

from __future__ import annotations

import pytest
from wardround_typescript.analysis.call_resolution import callee_of
from wardround_typescript.analysis.resolved_scripts import ResolvedScript
from wardround_typescript.checks.callers.swapped_arguments import SwappedArguments, argument_name

from wardround.change.repository_view import InMemoryRepository
from wardround.checks.source import SourceFile
from wardround.semantics.argument_order import ArgumentName


def _parameters(
    text: str, written: str = "crop", is_new: bool = False, files: dict[str, str] | None = None
) -> tuple[str, ...] | None:
    callee = callee_of(
        written, is_new, ResolvedScript("web/src/use.ts", text), InMemoryRepository(files or {})
    )
    return None if callee is None else callee.parameters


@pytest.mark.parametrize(
    "text",
    [
        "function crop(width, height) {}",
        "export async function* crop<T>(width: T, height?: number): X {}",
        "const crop = (width: number, height = { a: [1, 2] }) => 1;",
        "const crop: Cut = async (width, height): Promise<void> => {};",
        "const crop = function named(width, height) {};",
        "const crop = useCallback(async (width, height) => {}, []);",
        "function crop(this: Window, width: Map<string, number>, height: (a: A, b: B) => void) {}",
        "function crop(/* how wide, */ width, height, // how high\n) {}",
    ],
)
def test_function_of_the_same_file(text: str) -> None:
    assert _parameters(text) == ("width", "height")


def test_methods_and_classes_of_the_same_file() -> None:
    text = (
        "class Shape {\n  constructor(private readonly width: number, public height) { }\n\n"
        "  static async crop(height: number, width: number): Promise<void> {\n  }\n}\n"
    )
    assert _parameters(text, "Shape", is_new=True) == ("width", "height")
    assert _parameters(text, "this.crop") == ("height", "width")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("import { crop } from './shape'", "crop"),
        ("import { a, crop as cut } from './shape.js'", "cut"),
        ("import * as shape from './shape'", "shape.crop"),
        ("import cut, { type A } from './shape'", "cut"),
        ("import { crop } from '@/shape'", "crop"),
        ("import { crop } from '..'", "crop"),
        ("import { cut } from './named'", "cut"),
    ],
)
def test_function_of_another_file(text: str, written: str) -> None:
    files = {
        "web/src/shape.ts": "export default function crop(width, height) {}\n",
        "web/index.ts": "export * from './src/shape';\n",
        "web/src/named.ts": "export { crop as cut } from './shape';\n",
    }
    assert _parameters(text, written, files=files) == ("width", "height")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", "crop"),
        ("function crop(...sides) {}", "crop"),
        ("function crop(a: A): X;\nfunction crop(a: B): X {}", "crop"),
        ("const crop = makeCrop(width, height);", "crop"),
        ("const crop = (width, height);", "crop"),
        ("function crop(width, height", "crop"),
        ("import { crop } from './ring'", "crop"),
        ("import { crop } from './made'", "crop"),
        ("import { crop } from 'shape'", "crop"),
        ("import { crop } from '../../../far'", "crop"),
        ("import { crop } from './shape'\nconst crop = 1", "crop"),
        ("import * as shape from './shape'", "shape"),
        ("import * as shape from './shape'", "other.crop"),
        ("class A { crop(a) {\n} }\nclass B {\n  crop(b) {\n} }\n", "this.size"),
    ],
)
def test_unresolvable_calls(text: str, written: str) -> None:
    files = {
        "web/src/ring.ts": "export * from './ring';\nexport * from './ring';\n",
        "web/src/made.ts": f"export function crop(width, height) {{}}\n{'f(){};' * 1000}\n",
        "web/src/shape.ts": "export function crop(width, height) {}\n",
    }
    assert _parameters(text, written, files=files) is None


def test_destructured_parameters_have_no_name() -> None:
    assert _parameters("function crop({ a, b }, [c], width) {}") == ("", "", "width")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("width", ArgumentName("width")),
        ("this.image?.width", ArgumentName("width", "image")),
        ("width.value", ArgumentName("width")),
        ("await getWidth()", ArgumentName("getWidth")),
        ("width! ", None),
        ("size as number", ArgumentName("size")),
        ("'width'", None),
        ("width + 1", None),
        ("", None),
    ],
)
def test_names_of_arguments(text: str, name: ArgumentName | None) -> None:
    assert argument_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "crop(" * 3000,
        "crop(height, width)" * 200,
        "import { " * 2000,
        "`${" * 2000,
        "/*" * 3000,
        "function crop(width, height) {" * 300 + "crop(height, width)",
        "\0\ud800 crop(height, width) 'it''s",
        "<p>don't crop(height, width)</p>",
        "export * from './a';\n" * 500,
    ],
)
def test_text_that_is_not_a_script_is_ignored(text: str) -> None:
    check = SwappedArguments(SourceFile("a.ts", text))
    check.run()
    assert check.results == []
