"""Which phrase of the words names what is gone."""

from __future__ import annotations

import pytest

from tests.drift.changes import change, signature, words
from wardround.drift.documented import Code
from wardround.drift.quoting import QuoteKind, quotes


def test_a_name_is_quoted_with_the_words_around_it_and_its_new_name() -> None:
    said = words("Load a row.\n\nThe row is looked up by its fetch_id, if it has one at all.")
    (quote,) = quotes(change(said, "row = find(fetch_id)\nreturn row", "row = find(load_id)\nreturn row"))
    assert (quote.kind, quote.token, quote.now) == (QuoteKind.NAME, "fetch_id", "load_id")
    assert (quote.line, quote.column) == (2, 28)
    assert quote.phrase == "looked up by its fetch_id, if it has one"


def test_a_name_that_merely_moved_is_not_quoted() -> None:
    said = words("Look up by fetch_id.")
    assert quotes(change(said, "a(fetch_id)\nb()", "b()\na(fetch_id, 1)")) == []


def test_a_default_is_quoted_from_the_lines_about_its_parameter() -> None:
    said = words("Load 30 rows.\n\ntries: how often\nwait: seconds, defaults to 30", "tries", "wait")
    old = Code(("def load(tries, wait=30):",), signature("tries", wait="30"))
    new = Code(("def load(tries, wait=None):",), signature("tries", wait="None"))
    first = quotes(change(said, old, new))[0]
    assert (first.kind, first.token, first.now, first.line) == (QuoteKind.DEFAULT, "30", "None", 3)


def test_an_error_that_is_raised_no_more_is_quoted() -> None:
    said = words("Load.\n\nLookupError: there is none", raises=("LookupError",))
    old = Code(("raise LookupError(x)",), raises=("LookupError",))
    (quote,) = quotes(change(said, old, Code(("return None",), returns=("None",))))
    assert (quote.kind, quote.line, quote.column) == (QuoteKind.ERROR, 2, 0)


def test_an_error_that_is_still_named_in_the_code_is_not_quoted() -> None:
    said = words("Load.\n\nLookupError: there is none", raises=("LookupError",))
    old = Code(("raise LookupError(x)",), raises=("LookupError",))
    assert quotes(change(said, old, Code(("error = LookupError", "raise error"), raises=("error",)))) == []


@pytest.mark.parametrize(
    ("before", "after", "token", "now"),
    [("rows[:30]", "rows[:50]", "30", "50"), ("get('utf-8')", "get('ascii')", "utf-8", "ascii")],
)
def test_a_literal_is_quoted_with_what_replaced_it(before: str, after: str, token: str, now: str) -> None:
    (quote,) = quotes(change(words("Give 30 rows in utf-8."), f"return {before}", f"return {after}"))
    assert (quote.kind, quote.token, quote.now) == (QuoteKind.LITERAL, token, now)


def test_small_numbers_and_short_texts_are_not_quoted() -> None:
    assert quotes(change(words("Give 1 of the ab rows."), "f(1, 'ab')", "f(2, 'cd')")) == []


def test_a_list_that_became_a_generator_is_quoted() -> None:
    said = words("Return a list of rows.")
    old = Code(("return [a for a in b]",), returns=("[a for a in b]",))
    (quote,) = quotes(change(said, old, Code(("yield from b",), yields=True)))
    assert (quote.kind, quote.token, quote.now) == (QuoteKind.RESULT, "list", "yield")


def test_a_list_that_stays_one_is_not_quoted() -> None:
    said = words("Return a list of rows.")
    old, new = (Code((f"return [{x}]",), returns=(f"[{x}]",)) for x in "ab")
    assert quotes(change(said, old, new)) == []


def test_the_most_telling_comes_first_and_each_thing_once() -> None:
    said = words("Match rows by query.\n\nquery is matched with old_name, and old_name again.")
    found = quotes(change(said, "f(query, old_name)", "f()"))
    assert [(quote.token, quote.kind) for quote in found] == [
        ("old_name", QuoteKind.NAME),
        ("query", QuoteKind.WORD),
    ]
