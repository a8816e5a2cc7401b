"""The phrase of a documentation that names a removed thing."""

from __future__ import annotations

import pytest

from tests.semantics.docdrift.changes import change, signature, words
from wardround.semantics.docdrift.model import DocumentedCode
from wardround.semantics.docdrift.stale_phrases import QuoteKind, quotes


def test_a_name_is_quoted_with_the_words_around_it_and_its_new_name() -> None:
    reported = words("Load a row.\n\nThe row is looked up by its fetch_id, if it has one at all.")
    (quote,) = quotes(change(reported, "row = find(fetch_id)\nreturn row", "row = find(load_id)\nreturn row"))
    assert (quote.kind, quote.token, quote.now) == (QuoteKind.NAME, "fetch_id", "load_id")
    assert (quote.line, quote.column) == (2, 28)
    assert quote.phrase == "looked up by its fetch_id, if it has one"


def test_a_name_that_merely_moved_is_not_quoted() -> None:
    reported = words("Look up by fetch_id.")
    assert quotes(change(reported, "a(fetch_id)\nb()", "b()\na(fetch_id, 1)")) == []


@pytest.mark.parametrize("name", ["_load_id", "Row"])
def test_a_name_of_another_sort_is_not_a_new_name(name: str) -> None:
    reported = words("Look up by fetch_id.")
    assert quotes(change(reported, "a(fetch_id)", f"a({name})")) == []


@pytest.mark.parametrize(
    "line", ["fetch_id = 1", "for fetch_id in rows:", "with a as fetch_id:", "x, fetch_id = y"]
)
def test_a_local_variable_is_nobody_elses_business(line: str) -> None:
    assert quotes(change(words("Look up by fetch_id."), line, line.replace("fetch", "load"))) == []


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("Renders *obj* here", 1),
        ("Renders an obj here", 0),
        ("See :meth:`mail.obj.send`", 0),
        ("obj - what", 1),
    ],
)
def test_a_parameter_with_a_plain_name_must_be_meant(said: str, count: int) -> None:
    old, new = (DocumentedCode((f"def load({name}):",), signature(name)) for name in ("obj", "data"))
    assert len(quotes(change(words(f"`obj` {said}"[6:]), old, new))) == count


@pytest.mark.parametrize(
    ("old", "new"),
    [("'GET'", "'get'"), ("'a.b.c'", "'a.b:c'"), ("'GET'", "METHOD"), ("'a.b.c'", "'owner/a.b.c'")],
)
def test_a_literal_that_still_reports_the_same_is_not_quoted(old: str, new: str) -> None:
    reported = words("Sends `GET` to a.b.c.")
    assert quotes(change(reported, f"f({old})", f"f({new})")) == []


def test_a_default_is_quoted_from_the_lines_about_its_parameter() -> None:
    reported = words("Load 30 rows.\n\ntries: how often\nwait: seconds, defaults to 30", "tries", "wait")
    old, new, later = (
        DocumentedCode((f"def load(tries, wait={wait}):",), signature("tries", wait=wait))
        for wait in ("30", "60", "None")
    )
    first = quotes(change(reported, old, new))[0]
    assert (first.kind, first.token, first.now, first.line) == (QuoteKind.DEFAULT, "30", "60", 3)
    assert all(quote.kind is not QuoteKind.DEFAULT for quote in quotes(change(reported, old, later)))


def test_an_error_in_whose_place_another_is_raised_is_quoted() -> None:
    reported = words("Load.\n\nLookupError: there is none", raises=("LookupError",))
    old, new = (
        DocumentedCode((f"raise {error}(x)",), raises=(error,)) for error in ("LookupError", "TypeError")
    )
    (quote,) = quotes(change(reported, old, new))
    assert (quote.kind, quote.line, quote.column, quote.now) == (QuoteKind.ERROR, 2, 0, "TypeError")
    assert quotes(change(reported, old, DocumentedCode(("return find(x)",)))) == []


def test_an_error_that_is_still_named_in_the_code_is_not_quoted() -> None:
    reported = words("Load.\n\nLookupError: there is none", raises=("LookupError",))
    old = DocumentedCode(("raise LookupError(x)",), raises=("LookupError",))
    assert (
        quotes(
            change(reported, old, DocumentedCode(("error = LookupError", "raise error"), raises=("error",)))
        )
        == []
    )


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
    reported = words("Return a list of rows.")
    old = DocumentedCode(("return [a for a in b]",), returns=("[a for a in b]",))
    (quote,) = quotes(change(reported, old, DocumentedCode(("yield from b",), yields=True)))
    assert (quote.kind, quote.token, quote.now) == (QuoteKind.RESULT, "list", "yield")


def test_a_list_that_stays_one_is_not_quoted() -> None:
    reported = words("Return a list of rows.")
    old, new = (DocumentedCode((f"return [{x}]",), returns=(f"[{x}]",)) for x in "ab")
    assert quotes(change(reported, old, new)) == []


def test_the_most_telling_comes_first_and_each_thing_once() -> None:
    reported = words("Match rows by old_name.\n\nA `query` goes with old_name, and old_name again.")
    old = DocumentedCode(("def load(query):", "f(query)", "g(old_name)"), signature("query"))
    found = quotes(change(reported, old, DocumentedCode(("def load():", "f()", "g(new_name)"))))
    assert [(quote.token, quote.kind) for quote in found] == [
        ("query", QuoteKind.PARAMETER),
        ("old_name", QuoteKind.NAME),
    ]


def test_plain_words_are_not_mistaken_for_names() -> None:
    assert quotes(change(words("Return the results in this format."), "results = format", "a = b")) == []


def test_a_name_that_merely_went_is_not_quoted() -> None:
    reported = words("Look up by fetch_id.")
    assert quotes(change(reported, "a(fetch_id)", "b()")) == []
    (quote,) = quotes(change(reported, "a(fetch_id)", "a(load_id)"))
    assert quote.now == "load_id"


@pytest.mark.parametrize(("around", "count"), [("", 0), ("find(fetch_id)", 0), ("find(load_id)", 1)])
def test_a_name_that_left_the_file_is_quoted(around: str, count: int) -> None:
    assert len(quotes(change(words("Look up by fetch_id."), "a(fetch_id)", "b()", around=around))) == count


def test_a_parameter_that_any_keyword_may_still_bring_is_not_quoted() -> None:
    reported = words("Send to `host_name`.")
    old = DocumentedCode(("def load(host_name):",), signature("host_name"))
    (quote,) = quotes(change(reported, old, DocumentedCode(("def load(x):",), signature("x"))))
    assert quote.kind is QuoteKind.PARAMETER
    assert (
        quotes(change(reported, old, DocumentedCode(("def load(**x):",), signature(open_ended=True)))) == []
    )


def test_a_result_of_unknown_kind_may_still_be_what_the_words_say() -> None:
    reported = words("Return a list of rows.")
    old = DocumentedCode(("return [a]",), returns=("[a]",))
    assert quotes(change(reported, old, DocumentedCode(("return rows",), returns=("rows",)))) == []
    (quote,) = quotes(change(reported, old, DocumentedCode(("return (a, b)",), returns=("(a, b)",))))
    assert (quote.kind, quote.token) == (QuoteKind.RESULT, "list")


def test_a_number_is_quoted_only_where_another_took_its_place() -> None:
    assert quotes(change(words("Give 30 rows."), "return rows[:30]", "return rows")) == []
