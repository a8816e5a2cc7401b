"""Added test cases are found with what they assert and the added code that they reach."""

from __future__ import annotations

import pytest

from wardround.analyses.criterion.added_code import AddedCode, AddedLine, ChangedSource, read_added_code
from wardround.analyses.criterion.added_tests import TestCase, exercised_lines, test_cases
from wardround.analyses.criterion.demand import Outcome


def code(path: str, text: str) -> AddedCode:
    lines = tuple(AddedLine(number, line) for number, line in enumerate(text.splitlines(), 1))
    return read_added_code(ChangedSource(path, lines))


def only_case(path: str, text: str) -> TestCase:
    (case,) = test_cases(code(path, text))
    return case


def test_python_tests_with_decorators_in_functions_and_classes() -> None:
    text = (
        "@pytest.mark.parametrize('x', [1])\n"
        "def test_one(x):\n"
        "    assert f(x)\n"
        "\n"
        "class TestTwo:\n"
        "    async def test_two(self):\n"
        "        self.assertEqual(f(1), 2)\n"
        "\n"
        "def helper():\n"
        "    assert g()\n"
    )

    cases = test_cases(code("test_a.py", text))

    assert [(case.title, case.lines[0].number, case.lines[-1].number) for case in cases] == [
        ("test_one", 1, 3),
        ("test_two", 6, 7),
    ]


def test_script_tests() -> None:
    text = (
        "describe('cart', () => {\n"
        "  it('is empty', () => {\n"
        "    expect(cart.items).toEqual([]);\n"
        "  });\n"
        '  test.each([1])("has %s items", (n) => {\n'
        "    expect(n).toBe(size(cart));\n"
        "  });\n"
        "});\n"
    )

    assert [case.title for case in test_cases(code("a.test.ts", text))] == ["is empty"]


@pytest.mark.parametrize(
    "body",
    ["assert True", "assert 1 == 1", "expected = 3\n    assert expected == 3", "f(1)", "assert not False"],
)
def test_an_assertion_about_constants_is_none(body: str) -> None:
    assert only_case("test_a.py", f"def test_a():\n    {body}\n").asserts == ()


@pytest.mark.parametrize(
    "text",
    [
        "@pytest.mark.skip\ndef test_a():\n    assert f()",
        "def test_a():\n    pytest.skip('later')\n    assert f()",
        "@unittest.skip('x')\ndef test_a():\n    assert f()",
    ],
)
def test_a_skipped_test_does_not_count(text: str) -> None:
    assert test_cases(code("test_a.py", text)) == []


@pytest.mark.parametrize("start", ["it.skip", "test.todo", "xit", "test.skip"])
def test_a_skipped_script_test_does_not_count(start: str) -> None:
    assert test_cases(code("a.test.ts", f"{start}('works', () => {{\n  expect(f()).toBe(1);\n}});\n")) == []


@pytest.mark.parametrize(
    ("test", "added", "numbers"),
    [
        ("assert price(1) == 2", "x = 1\ndef price(n):\n    return n * 2", [2]),
        ("assert client.get('/items/3').ok", "@get('/items/{id}')\ndef show(id):\n    return load(id)", [1]),
        ("assert run('--all') == 0", "@option('--all')\ndef main():\n    go()", [1]),
        ("price = 3\n    assert price == 3", "def price(n):\n    return n * 2", []),
        ("monkeypatch.setattr(m, 'price', f)\n    assert price(1)", "def price(n):\n    return n * 2", []),
        ("assert other(1)", "def price(n):\n    return n * 2", []),
    ],
)
def test_the_added_code_that_a_test_reaches(test: str, added: str, numbers: list[int]) -> None:
    case = only_case("test_a.py", f"def test_a():\n    {test}\n")

    assert [line.number for line in exercised_lines(case, code("a.py", added))] == numbers


def test_polarity_is_in_the_title_or_in_an_assertion() -> None:
    assert only_case("test_a.py", "def test_guests_cannot_pay():\n    assert f()").is_negative
    assert only_case("test_a.py", "def test_guests():\n    assert not f()").is_negative
    assert not only_case("test_a.py", "def test_guests():\n    assert f() == 3").is_negative


@pytest.mark.parametrize(
    ("line", "is_refusal"),
    [
        ("assert client.post('/a').status_code == 422", True),
        ("assert outcome.state == 'rejected'", True),
        ("assert pay(3).accepted", False),
    ],
)
def test_a_demanded_refusal_must_be_asserted(line: str, is_refusal: bool) -> None:
    case = only_case("test_a.py", f"def test_a(client):\n    {line}\n")

    assert case.contradicts(Outcome.REFUSED) is not is_refusal


def test_an_accepted_input_is_contradicted_if_every_assertion_expects_an_error() -> None:
    case = only_case("test_a.py", "def test_a():\n    with pytest.raises(ValueError):\n        f('ü')\n")

    assert case.contradicts(Outcome.ACCEPTED)
    assert not case.contradicts(Outcome.OTHER)


@pytest.mark.parametrize(
    ("line", "is_presence"),
    [
        ("expect(screen.getByRole('button')).toBeInTheDocument();", True),
        ("expect(container).toMatchSnapshot();", True),
        ("expect(total(cart)).toBe(12);", False),
    ],
)
def test_an_assertion_that_something_exists_is_known_as_such(line: str, is_presence: bool) -> None:
    case = only_case("a.test.tsx", f'it("a", () => {{\n  {line}\n}});\n')

    assert case.is_about_presence is is_presence


def test_the_value_that_a_test_gives_a_stub_is_not_asserted() -> None:
    text = "def test_a():\n    c.is_clear.return_value = True\n    assert c.is_clear()\n"

    assert only_case("test_a.py", text).asserts == ()


def test_negated_assertions_deny() -> None:
    case = only_case("test_a.py", "def test_a(order):\n    assert order.state != 'late'\n")

    assert case.denies(case.lines)
    assert not case.denies(())
