"""The symbols, imports and uses of TypeScript and JavaScript."""

from __future__ import annotations

import pytest

from tests.context.code_graph.shown import facts_of, symbols_of, uses_of
from wardround.context.code_graph.model import Import

MODULE = """\
import React, { useState, type Props as P } from 'react';
import * as api from '@/api';
import './style.css';

export default function Page({ title, user }: P) {
  const [open, setOpen] = useState(false);
  const client = new Client(user);
  client.load(title);
  return <Layout.Main heading={title} id="row-list">{open && <Row onPick={() => api.pick()} />}</Layout.Main>;
}
export const LIMIT = 3, load = async (id: string) => fetchRow(id, { retries: LIMIT });
export const Button = memo(forwardRef((props: P, ref) => <button ref={ref}>{props.label}</button>));
export interface Row { id: string; pick(): void }
export type Rows = Array<Row>;
export abstract class Store extends Base implements Closable {
  private size = 1;
  add(row: Row) { this.size += 1; return this.find(row.id); }
  find = (id: string) => super.lookup(id);
}
export { helper as renamed, Other } from './helper';
export * from './all';
export * as tools from './tools';
function hidden<T>(x: T): T { return x; }
const listed = 1;
export { listed as shown };
"""


def test_symbols_have_their_kinds_and_lines() -> None:
    facts = facts_of("app/page.tsx", MODULE)
    assert symbols_of(facts) == [
        ("Page", "component", 5, 10),
        ("LIMIT", "constant", 11, 11),
        ("load", "function", 11, 11),
        ("Button", "component", 12, 12),
        ("Row", "type", 13, 13),
        ("Row.id", "field", 13, 13),
        ("Row.pick", "field", 13, 13),
        ("Rows", "type", 14, 14),
        ("Store", "class", 15, 19),
        ("Store.size", "field", 16, 16),
        ("Store.add", "method", 17, 17),
        ("Store.find", "method", 18, 18),
        ("hidden", "function", 23, 23),
        ("listed", "constant", 24, 24),
    ]
    assert [symbol.name for symbol in facts.symbols if not symbol.exported] == ["hidden"]


def test_imports_and_exports_have_their_names() -> None:
    assert facts_of("app/page.tsx", MODULE).imports == (
        Import("react", "default", "React", 1),
        Import("react", "useState", "useState", 1),
        Import("react", "Props", "P", 1),
        Import("@/api", "", "api", 2),
        Import("./style.css", "", "", 3),
        Import("", "Page", "default", 5, True),
        Import("./helper", "helper", "renamed", 20, True),
        Import("./helper", "Other", "Other", 20, True),
        Import("./all", "*", "", 21, True),
        Import("./tools", "", "tools", 22, True),
        Import("", "listed", "shown", 25, True),
    )


def test_uses_have_their_owner_and_receiver() -> None:
    assert {
        ("Page", "Layout", "Main", "renders"),
        ("Page", "Layout.Main", "heading", "prop"),
        ("Page", "", "Row", "renders"),
        ("Page", "Row", "onPick", "prop"),
        ("Page", "api", "pick", "call"),
        ("Page", "Client()", "load", "call"),
        ("Page", "", "row-list", "literal"),
        ("load", "", "fetchRow", "call"),
        ("load", "*", "retries", "key"),
        ("load", "", "LIMIT", "reference"),
        ("Rows", "", "Row", "type"),
        ("Store", "", "Base", "inherits"),
        ("Store", "", "Closable", "inherits"),
        ("Store.add", "this", "find", "call"),
        ("Store.find", "super", "lookup", "call"),
    } <= uses_of(facts_of("app/page.tsx", MODULE))


def test_locals_and_type_parameters_are_excluded() -> None:
    names = {name for _, _, name, kind in uses_of(facts_of("app/page.tsx", MODULE)) if kind != "literal"}
    assert not names & {"open", "setOpen", "title", "user", "props", "T", "client"}


def test_modules_of_the_older_kind_are_read() -> None:
    facts = facts_of("a.js", "const { one, two: three } = require('./m');\nconst all = require('x');\n"
                             "function f() { return one(three); }\nmodule.exports = { f };\n")  # fmt: skip
    assert [(item.module, item.name, item.alias) for item in facts.imports] == [
        ("./m", "one", "one"), ("./m", "three", "three"), ("x", "", "all"),
    ]  # fmt: skip
    assert facts.symbols[1].exported


def test_modules_loaded_by_a_call_are_imports() -> None:
    facts = facts_of("a.ts", "const page = lazy(() => import('./page'));\njest.mock('../api');\n")
    assert [item.module for item in facts.imports] == ["./page", "../api"]


def test_tests_are_named_by_their_titles() -> None:
    source = "describe('the cart', () => {\n  it('adds. One', async () => {\n    add(1);\n  });\n});\n"
    facts = facts_of("a.test.ts", source)
    assert symbols_of(facts) == [("the cart", "class", 1, 5), ("the cart.adds  One", "test", 2, 4)]
    assert ("the cart.adds  One", "", "add", "call") in uses_of(facts)


def test_a_default_export_without_a_name_is_a_symbol() -> None:
    facts = facts_of("a.ts", "export default { run: () => start() };\n")
    assert symbols_of(facts) == [("default", "constant", 1, 1)]
    assert ("default", "", "start", "call") in uses_of(facts)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('import("../test/x")', ["../test/x"]),
        ("import(`../test/x`)", ["../test/x"]),
        ('require("../test/x").run()', ["../test/x"]),
        ("require(NAME)", ["../test/data"]),
        ('require(path.join(__dirname, "..", "test/x"))', ["./../test/x"]),
        ('require(__dirname + "/../test/x")', ["./../test/x"]),
        ("import(`${import.meta.dirname}/../test/x.js`)", ["./../test/x.js"]),
        ('new Worker(new URL("../test/x.js", import.meta.url))', ["./../test/x.js", "../test/x.js"]),
        ('fork("./test/x.js")', ["./test/x.js"]),
        ('new URL("https://host.example")', []),
        ("import(`../test/${name}`)", []),
    ],
)
def test_a_call_that_loads_a_module_by_its_name_is_an_import(code: str, expected: list[str]) -> None:
    found = facts_of(
        "src/a.ts", f'const NAME: string = "../test/data";\nexport function f() {{ return {code}; }}\n'
    )
    assert [item.module for item in found.imports] == expected
