"""Links between the symbols of a repository, as callers of the code graph rely on them."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.context.code_graph.conftest import GraphOf
from tests.context.code_graph.shown import ends, symbol_of

PYTHON = {
    "shop/__init__.py": "from .cart import total as sum_up\n",
    "shop/cart.py": (
        "from shop.base import Priced\n\n"
        "class Cart(Priced):\n    def add(self, row):\n        return self.price(row)\n\n"
        "def total(rows):\n    return sum(rows)\n"
    ),
    "shop/base.py": "class Priced:\n    def price(self, row):\n        return row.price\n",
    "app/views.py": (
        "import shop\nfrom shop import sum_up\nfrom shop import cart as carts\n\n"
        "def show(rows):\n    found = carts.Cart()\n    found.add(rows)\n    return sum_up(rows)\n\n"
        "def other(x):\n    return shop.sum_up(x) + x.add(1)\n"
    ),
    "tests/test_views.py": "from app.views import show\n\ndef test_show():\n    assert show([]) == 0\n",
}


def test_callers_are_found_through_aliases_and_packages(graph_of: GraphOf) -> None:
    graph = graph_of(PYTHON)
    assert ends(graph.callers(symbol_of(graph, "shop/cart.py", "total"))) == [
        ("app/views.py", "show", 8, "resolved"),
        ("app/views.py", "other", 11, "resolved"),
    ]


def test_a_method_of_an_unknown_receiver_is_a_caller_by_name_alone(graph_of: GraphOf) -> None:
    graph = graph_of(PYTHON)
    assert ends(graph.callers(symbol_of(graph, "shop/cart.py", "Cart.add"))) == [
        ("app/views.py", "show", 7, "resolved"),
        ("app/views.py", "other", 11, "named"),
    ]


def test_a_method_of_a_base_class_is_found(graph_of: GraphOf) -> None:
    graph = graph_of(PYTHON)
    assert ends(graph.callers(symbol_of(graph, "shop/base.py", "Priced.price")))[0] == (
        "shop/cart.py", "Cart.add", 5, "resolved",
    )  # fmt: skip


def test_callees_are_the_definitions_that_are_used(graph_of: GraphOf) -> None:
    graph = graph_of(PYTHON)
    assert ends(graph.callees(symbol_of(graph, "app/views.py", "show"))) == [
        ("shop/cart.py", "", 6, "resolved"),
        ("shop/cart.py", "Cart", 6, "resolved"),
        ("shop/cart.py", "Cart.add", 7, "resolved"),
        ("shop/cart.py", "total", 8, "resolved"),
    ]


def test_importers_and_imported_files_are_inverse(graph_of: GraphOf) -> None:
    graph = graph_of(PYTHON)
    assert [
        (importer.path, importer.line, importer.names) for importer in graph.importers("shop/cart.py")
    ] == [
        ("app/views.py", 3, ("cart",)),
        ("shop/__init__.py", 1, ("total",)),
    ]
    assert graph.imported_files("app/views.py") == ("shop/__init__.py", "shop/cart.py")
    assert [importer.path for importer in graph.importers("app/views.py")] == ["tests/test_views.py"]


def test_a_test_reaches_what_it_calls_and_what_that_calls(graph_of: GraphOf) -> None:
    graph = graph_of(PYTHON)
    found = graph.tests_reaching(symbol_of(graph, "shop/cart.py", "total"))
    assert [(item.test.name, item.distance, item.via, str(item.certainty)) for item in found] == [
        ("test_show", 2, ("show",), "resolved")
    ]


def test_a_test_reaches_what_its_fixtures_use(graph_of: GraphOf) -> None:
    graph = graph_of({
        **PYTHON,
        "tests/conftest.py": (
            "import pytest\nfrom shop.base import Priced\n\n"
            "@pytest.fixture\ndef priced():\n    return Priced()\n\n"
            "@pytest.fixture\ndef twice(priced):\n    return [priced] * 2\n"
        ),
        "tests/unit/test_base.py": "def test_twice(twice, other):\n    assert len(twice) == 2\n",
    })  # fmt: skip
    found = graph.tests_reaching(symbol_of(graph, "shop/base.py", "Priced"))
    assert [(item.distance, item.via) for item in found if item.test.name == "test_twice"] == [
        (3, ("twice", "priced"))
    ]


def test_uses_of_a_name_include_strings_that_end_with_it(graph_of: GraphOf) -> None:
    graph = graph_of({**PYTHON, "conf.py": 'HOOK = "shop.cart.total"\n'})
    assert ends(graph.uses_of("total")) == [("conf.py", "HOOK", 1, "resolved")]


def test_a_string_with_the_path_of_a_symbol_is_a_use_of_it(graph_of: GraphOf) -> None:
    graph = graph_of(
        {**PYTHON, "conf.py": 'A = "shop.cart:Cart"\nB = "shop.cart.Cart.add"\nC = "cart.Cart"\n'}
    )
    assert ("conf.py", "A", 1, "resolved") in ends(graph.callers(symbol_of(graph, "shop/cart.py", "Cart")))
    assert [
        end for end in ends(graph.callers(symbol_of(graph, "shop/cart.py", "Cart.add"))) if "B" in end
    ] == [("conf.py", "B", 2, "resolved")]


def test_siblings_are_adjacent_or_have_the_same_name_and_kind(graph_of: GraphOf) -> None:
    graph = graph_of(
        {**PYTHON, "shop/basket.py": "class Basket:\n    def add(self): ...\n    def drop(self): ...\n"}
    )
    found = graph.siblings(symbol_of(graph, "shop/basket.py", "Basket.add"))
    assert [(item.path, item.name) for item in found] == [
        ("shop/basket.py", "Basket.drop"), ("shop/cart.py", "Cart.add"),
    ]  # fmt: skip


BODY = """\
def {name}({rows}, limit):
    {found} = []
    for {row} in {rows}:
        if {row}.price > limit and not {row}.hidden:
            {found}.append(convert({row}.price, "EUR"))
    return sorted({found})
"""


def test_a_renamed_copy_has_the_same_digest_and_is_similar(graph_of: GraphOf) -> None:
    first = BODY.format(name="one", rows="rows", row="row", found="found")
    second = BODY.format(name="two", rows="items", row="item", found="out")
    graph = graph_of({"a.py": first, "b.py": f"# moved\n{second}", "c.py": "def three(a):\n    return a\n"})
    item, two = symbol_of(graph, "a.py", "one"), symbol_of(graph, "b.py", "two")
    assert item.body_digest == two.body_digest
    assert [(found.symbol.name, found.similarity) for found in graph.similar(item)] == [("two", 1.0)]


def test_another_call_or_literal_gives_another_digest(graph_of: GraphOf) -> None:
    text = BODY.format(name="one", rows="rows", row="row", found="found")
    graph = graph_of(
        {"a.py": text, "b.py": text.replace("EUR", "USD"), "c.py": text.replace("convert", "scale")}
    )
    assert len({symbol_of(graph, path, "one").body_digest for path in ("a.py", "b.py", "c.py")}) == 3


SCRIPTS = {
    "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
    "tsconfig.json": '{\n  // aliases\n  "compilerOptions": {"baseUrl": ".", '
    '"paths": {"@/*": ["web/*"],}},\n}',
    "packages/lib/package.json": '{"name": "@shop/lib", "main": "./dist/index.js"}',
    "packages/lib/src/index.ts": "export * from './cart';\nexport { default as Row } from './row';\n",
    "packages/lib/src/cart.ts": (
        "export const total = (rows: number[]) => rows.length;\nexport class Cart { add() {} }\n"
    ),
    "packages/lib/src/row.tsx": "export default function TheRow() { return <tr />; }\n",
    "web/util/index.ts": (
        "import { total as sum } from '@shop/lib';\nexport function money() { return sum([]); }\n"
    ),
    "web/page.tsx": (
        "import { Row, Cart } from '@shop/lib';\nimport * as util from '@/util';\n"
        "export function Page() {\n  const cart = new Cart();\n  cart.add();\n"
        "  return <Row key={util.money()} />;\n}\n"
    ),
    "web/page.test.tsx": "import { Page } from './page.js';\nit('shows', () => { render(<Page />); });\n",
}


def test_scripts_are_linked_through_packages_aliases_and_index_files(graph_of: GraphOf) -> None:
    graph = graph_of(SCRIPTS)
    assert ends(graph.callers(symbol_of(graph, "packages/lib/src/cart.ts", "total"))) == [
        ("web/util/index.ts", "money", 2, "resolved")
    ]
    assert ends(graph.callers(symbol_of(graph, "packages/lib/src/row.tsx", "TheRow"))) == [
        ("web/page.tsx", "Page", 6, "resolved")
    ]
    assert ends(graph.callers(symbol_of(graph, "packages/lib/src/cart.ts", "Cart.add"))) == [
        ("web/page.tsx", "Page", 5, "resolved")
    ]
    assert ends(graph.callers(symbol_of(graph, "web/util/index.ts", "money"))) == [
        ("web/page.tsx", "Page", 6, "resolved")
    ]


def test_files_of_scripts_are_linked(graph_of: GraphOf) -> None:
    graph = graph_of(SCRIPTS)
    assert [item.path for item in graph.importers("packages/lib/src/index.ts")] == [
        "web/page.tsx",
        "web/util/index.ts",
    ]
    assert graph.imported_files("web/page.tsx") == ("packages/lib/src/index.ts", "web/util/index.ts")
    found = graph.tests_reaching(symbol_of(graph, "packages/lib/src/cart.ts", "total"))
    assert [(item.test.name, item.distance) for item in found] == [("shows", 3)]


def test_a_name_of_an_installed_package_is_not_a_symbol_here(graph_of: GraphOf) -> None:
    graph = graph_of({
        "a.ts": "export function render() {}\n",
        "b.ts": "import { render } from 'react-dom';\nexport function go() { render(); }\n",
    })  # fmt: skip
    assert graph.callers(symbol_of(graph, "a.ts", "render")) == ()


def test_tables_and_columns_are_linked(graph_of: GraphOf) -> None:
    graph = graph_of({
        "schema.sql": "create table users (id int, email text);\n",
        "q.sql": "create view mails as select u.email from users u;\n",
    })  # fmt: skip
    assert ends(graph.callers(symbol_of(graph, "schema.sql", "users.email"))) == [
        ("q.sql", "mails", 1, "resolved")
    ]
    assert ends(graph.callers(symbol_of(graph, "schema.sql", "users"))) == [("q.sql", "mails", 1, "resolved")]


def test_a_circle_of_imports_ends(graph_of: GraphOf) -> None:
    graph = graph_of({
        "a/__init__.py": "from b import *\n",
        "b.py": "from a import *\nfrom c import gone\n\nclass X(Y):\n    def m(self):\n        self.lost()\n",
        "c.py": "from c import gone\nfrom b import X\n\nclass Y(X): ...\n\nY().lost()\ngone()\n",
    })  # fmt: skip
    assert graph.callees(symbol_of(graph, "b.py", "X.m")) == ()
    assert ends(graph.callers(symbol_of(graph, "c.py", "Y")))[0][0] == "c.py"


def test_a_class_that_is_its_own_base_ends(graph_of: GraphOf) -> None:
    graph = graph_of({
        "a.py": (
            "class A(A.B, self.C, A):\n    def m(self):\n        self.x()\n        A.y()\n\n"
            "class D(E):\n    def m(self):\n        return super().m() or self.z()\n\n"
            "class E(D): ...\n"
        ),
    })  # fmt: skip
    assert {end[:2] for end in ends(graph.callees(symbol_of(graph, "a.py", "A.m")))} == {("a.py", "A")}
    assert graph.callees(symbol_of(graph, "a.py", "D.m")) == ()


def test_a_file_that_is_not_parsed_can_be_imported(graph_of: GraphOf) -> None:
    graph = graph_of({
        "big.ts": "x;" * 30_000,
        "package.json": "{}",
        "a.ts": "import big, { x } from './big';\nimport * as all from './big';\n"
        "import p from './package.json';\nexport function f() { return big(x, all.y, p.version); }\n",
    })  # fmt: skip
    assert {item[:2] for item in ends(graph.callees(symbol_of(graph, "a.ts", "f")))} == {
        ("big.ts", ""), ("package.json", ""),
    }  # fmt: skip
    assert [item.path for item in graph.importers("big.ts")] == ["a.ts"]


def test_a_string_with_the_name_of_a_table_is_a_use_by_name(graph_of: GraphOf) -> None:
    graph = graph_of({
        "schema.sql": "create table orders (id int, amount int);\n",
        "a.ts": "export const load = () => client.from('orders').select('amount');\n",
    })  # fmt: skip
    assert ends(graph.callers(symbol_of(graph, "schema.sql", "orders"))) == [("a.ts", "load", 1, "named")]
    assert graph.callers(symbol_of(graph, "schema.sql", "orders.amount")) == ()


def test_a_method_of_an_instance_in_a_constant_is_found(graph_of: GraphOf) -> None:
    graph = graph_of(
        {
            "cache.py": (
                "class Cache:\n    def expire(self, key): ...\n\ncache = Cache()\nother = wrap(Cache())\n"
            ),
            "app.py": "from cache import cache, other\n\ncache.expire(1)\nother.expire(2)\n",
        }
    )
    assert ends(graph.callers(symbol_of(graph, "cache.py", "Cache.expire"))) == [
        ("app.py", "", 3, "resolved"),
        ("app.py", "", 4, "named"),
    ]


def test_a_constant_whose_value_calls_itself_ends(graph_of: GraphOf) -> None:
    graph = graph_of({"setup.py": "for line in lines():\n    line = line.decode()\n    line.strip()\n"})

    assert ends(graph.callees(symbol_of(graph, "setup.py", "line"))) == []


def test_a_title_of_tests_does_not_hide_the_import_of_the_same_name(graph_of: GraphOf) -> None:
    graph = graph_of(
        {
            "src/send.ts": "export function send(to: string) {}\n",
            "src/a.test.ts": 'import { send } from "./send"\n\ndescribe("send", () => {\n  send("a")\n})\n',
        }
    )
    assert ends(graph.callers(symbol_of(graph, "src/send.ts", "send"))) == [
        ("src/a.test.ts", "send", 4, "resolved")
    ]


def test_the_usual_aliases_of_bundlers_lead_to_the_sources_of_a_package(graph_of: GraphOf) -> None:
    graph = graph_of(
        {
            "web/package.json": "{}",
            "web/src/mail/send.ts": "export function send(to: string) {}\n",
            "web/src/app.ts": 'import { send } from "@/mail/send"\n',
            "web/tests/send.ts": 'import { send } from "~/mail/send"\n',
        }
    )
    assert [importer.path for importer in graph.importers("web/src/mail/send.ts")] == [
        "web/src/app.ts",
        "web/tests/send.ts",
    ]


def test_the_title_of_a_group_of_tests_does_not_hide_what_they_import(graph_of: GraphOf) -> None:
    graph = graph_of({
        "cart.ts": "export const total = (rows: number[]) => rows.length\n",
        "cart.test.ts": (
            "import { total } from './cart'\n"
            "describe('total', () => {\n  it('counts', () => { expect(total([])).toBe(0) })\n})\n"
        ),
    })  # fmt: skip
    found = graph.tests_reaching(symbol_of(graph, "cart.ts", "total"))
    assert [(item.test.name, str(item.certainty)) for item in found] == [("total.counts", "resolved")]


def test_a_resolved_way_counts_before_a_nearer_one_by_name(graph_of: GraphOf) -> None:
    graph = graph_of({
        "cart.py": "class Cart:\n    def add(self): ...\n\ndef fill():\n    cart = Cart()\n    cart.add()\n",
        "test_cart.py": "from cart import fill\n\ndef test_fill(x):\n    fill()\n    x.add()\n",
    })  # fmt: skip
    found = graph.tests_reaching(symbol_of(graph, "cart.py", "Cart.add"))
    assert [(item.distance, str(item.certainty)) for item in found] == [(2, "resolved")]


def test_a_test_reaches_what_the_implementation_of_an_overloaded_function_uses(graph_of: GraphOf) -> None:
    graph = graph_of({
        "sum.ts": (
            "export function sum(rows: number[]): number\nexport function sum(rows: string[]): string\n"
            "export function sum(rows: any): any {\n  return added(rows)\n}\n"
            "const added = (rows: any) => rows.length\n"
        ),
        "sum.test.ts": "import { sum } from './sum'\ntest('adds', () => {\n  expect(sum([])).toBe(0)\n})\n",
    })  # fmt: skip
    found = graph.tests_reaching(symbol_of(graph, "sum.ts", "added"))
    assert [(item.test.name, item.distance, str(item.certainty)) for item in found] == [
        ("adds", 2, "resolved")
    ]


def test_a_file_whose_name_is_not_text_has_no_symbols(graph_of: GraphOf, repo: GitRepository) -> None:
    repo.git("config", "core.precomposeUnicode", "false")
    (repo.root / "b\udcff.py").write_text("def g(): ...\n")
    graph = graph_of({"a.py": "def f(): ...\n"})
    assert [item.name for item in graph.symbols_in("a.py")] == ["f"]
    assert graph.symbols_in("b\udcff.py") == ()
