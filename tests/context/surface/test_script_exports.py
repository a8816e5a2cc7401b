"""The exports of packages of npm: what imports and calls of others do not survive."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.context.surface.differences import lines, surface

PACKAGE = '{"name": "shop", "version": "1.0.0", "main": "dist/index.js", "types": "dist/index.d.ts"}\n'
INDEX = 'export * from "./client"\nexport { format as show } from "./format"\n'
CLIENT = """\
export interface Options {
  url: string
  retries?: number
}
export class Client extends Base {
  private key = 1
  get(url: string, timeout = 3) {}
  send(url: string) {}
}
export const connect = (options: Options) => new Client()
"""
FORMAT = "export function format(value: number, unit?: string) {}\n"
BASE = {"package.json": PACKAGE, "src/index.ts": INDEX, "src/client.ts": CLIENT, "src/format.ts": FORMAT}


def broken(head: Mapping[str, str | None], base: Mapping[str, str] = BASE) -> list[str]:
    return lines(surface(base, head, package=False).breaking)


def test_a_removed_export_is_at_its_definition() -> None:
    head = {"src/client.ts": CLIENT.partition("export const")[0]}
    assert broken(head) == ["src/client.ts:10 `connect` of shop is removed"]


def test_an_export_has_the_name_that_users_import() -> None:
    assert broken({"src/index.ts": 'export * from "./client"\n'}) == [
        "src/format.ts:1 `show` of shop is removed"
    ]


def test_removed_members_of_classes_and_types_break_users() -> None:
    head = CLIENT.replace("  retries?: number\n", "").replace("  send(url: string) {}\n", "")
    assert broken({"src/client.ts": head}) == [
        "src/client.ts:3 `Options.retries` of shop is removed",
        "src/client.ts:8 `Client.send` of shop is removed",
    ]


def test_private_members_are_nobodys_surface() -> None:
    assert broken({"src/client.ts": CLIENT.replace("  private key = 1\n", "")}) == []


def test_a_member_that_a_new_base_class_may_have_is_not_removed() -> None:
    head = CLIENT.replace("extends Base", "extends Sender").replace("  send(url: string) {}\n", "")
    assert broken({"src/client.ts": head}) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("value: number, unit?: string", "value: number, unit: string",
         "`show` of shop requires 2 arguments instead of 1"),
        ("value: number, unit?: string", "value: number", "`show` of shop accepts 1 arguments"),
    ],
)  # fmt: skip
def test_a_function_that_calls_do_not_fit(before: str, after: str, expected: str) -> None:
    assert broken({"src/format.ts": FORMAT.replace(before, after)}) == [f"src/format.ts:1 {expected}"]


@pytest.mark.parametrize(
    "after",
    [
        "value: number, unit?: string, more?: number",
        "value?: number, unit = ''",
        "value: number, ...more: string[]",
    ],
)
def test_a_function_that_calls_still_fit(after: str) -> None:
    assert broken({"src/format.ts": FORMAT.replace("value: number, unit?: string", after)}) == []


def test_a_definition_may_move_behind_its_export() -> None:
    head = {"src/format.ts": 'export { format } from "./text"\n', "src/text.ts": FORMAT}
    assert broken(head) == []


def test_names_that_no_entry_point_exports_are_nobodys_surface() -> None:
    assert broken({"src/other.ts": ""}, {**BASE, "src/other.ts": "export const x = 1\n"}) == []


@pytest.mark.parametrize("text", [PACKAGE.replace("}", ', "private": true}'), '{"name": "shop"}\n'])
def test_a_package_that_is_not_published_exports_nothing(text: str) -> None:
    assert broken({"src/client.ts": ""}, {**BASE, "package.json": text}) == []


def test_names_of_another_package_may_be_among_those_of_a_star() -> None:
    head = {
        "src/client.ts": CLIENT.partition("export const")[0],
        "src/index.ts": INDEX + 'export * from "zod"\n',
    }
    assert broken(head) == []


def test_a_fixture_with_the_name_of_the_package_does_not_replace_it() -> None:
    fixture = {"tests/app/package.json": '{"name": "shop", "version": "0.0.0"}\n'}
    assert broken({**fixture, "src/format.ts": FORMAT + "export const more = 1\n"}) == []


def test_an_export_hidden_by_documentation_is_internal() -> None:
    base = {**BASE, "src/format.ts": f"/** @internal */\n{FORMAT}"}
    assert broken({"src/index.ts": 'export * from "./client"\n'}, base) == []


def test_a_changed_file_that_does_not_parse_is_not_compared() -> None:
    found = surface(BASE, {"src/client.ts": "export const = ((\n"}, package=False)
    assert [(item.kind, item.reason) for item in found.not_compared] == [
        ("script-exports", "shop: src/client.ts: parts of it do not parse")
    ]


def test_a_member_that_many_types_lose_is_one_change() -> None:
    types = "".join(
        f"export interface Options{number} {{\n  url: string\n  old: string\n}}\n" for number in range(4)
    )
    head = {"src/format.ts": types.replace("  old: string\n", "")}
    base = {**BASE, "src/format.ts": types, "src/index.ts": 'export * from "./format"\n'}
    assert broken(head, base) == ["src/format.ts:3 `old` of 4 types of shop is removed"]


def test_keys_in_the_types_of_parameters_are_not_members() -> None:
    types = (
        "export interface Call {\n  (options: {stream: true}): void\n  run(options: {old: number}): void\n}\n"
    )
    base = {**BASE, "src/format.ts": types, "src/index.ts": 'export * from "./format"\n'}
    assert (
        broken({"src/format.ts": types.replace("{stream: true}", "{}").replace("{old: number}", "{}")}, base)
        == []
    )


def test_members_of_combined_types_count() -> None:
    types = "export type Options = Merge<Base, {\n  old: string\n}> & {\n  other: string\n}\n"
    base = {**BASE, "src/format.ts": types, "src/index.ts": 'export * from "./format"\n'}
    assert broken({"src/format.ts": types.replace("  old: string\n", "")}, base) == [
        "src/format.ts:2 `Options.old` of shop is removed"
    ]


def test_a_member_that_a_longer_list_of_bases_may_have_is_not_removed() -> None:
    types = "export interface Options\n  extends Base<string> {\n  old: string\n  url: string\n}\n"
    head = types.replace("Base<string>", "Omit<\n    Base<number>,\n    'x'\n  >").replace(
        "  old: string\n", ""
    )
    base = {**BASE, "src/format.ts": types, "src/index.ts": 'export * from "./format"\n'}
    assert broken({"src/format.ts": head}, base) == []


def test_a_bundle_is_nobodys_source() -> None:
    base = {"package.json": PACKAGE, "dist/index.js": "export function a() {}\n"}
    assert broken({"dist/index.js": "export function b() {}\n"}, base) == []


def test_an_entry_point_without_a_source_at_the_head_is_not_compared() -> None:
    manifest = '{"name": "shop", "version": "1.0.0", "main": "./src/index.ts"}\n'
    source = "export function add() {}\nexport function drop() {}\n"
    moved = manifest.replace("src/index.ts", "out/other.js")
    base = {"package.json": manifest, "src/index.ts": source}
    found = surface(base, {"package.json": moved, "src/index.ts": None, "lib/shop.ts": source})
    assert [change for change in found.breaking if "is removed" in change.detail] == []
    assert "no source of its entry point" in found.not_compared[0].reason
