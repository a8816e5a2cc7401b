"""The representations in which texts are compared."""

from __future__ import annotations

from wardround.retrieval.documents import CHUNKS, file_texts, hunk_text, leading, query_text, query_variants


def test_a_message_loses_what_reports_nothing_about_the_code() -> None:
    message = (
        "fix(auth)!: keep the session after login\n\nSee https://example.org/7 for why.\n\n"
        "Signed-off-by: A <a@example.org>\nCo-authored-by: B <b@example.org>\nChange-Id: I77\n"
    )
    assert query_text(message) == "keep the session after login\n\nSee   for why."


def test_a_message_that_only_looks_conventional_keeps_its_words() -> None:
    assert query_text("login: fix the form") == "login: fix the form"
    assert query_text("tests fail when offline") == "tests fail when offline"


def test_a_message_is_queried_about_as_a_complete_and_by_its_first_line() -> None:
    complete = "Keep the session\n\nIt was lost."
    assert query_variants(complete) == [complete, "Keep the session"]
    assert query_variants("Keep the session") == ["Keep the session"]
    assert query_variants("") == [""]


def test_a_text_is_cut_near_the_window() -> None:
    assert leading("one two three", 2) == "one two "
    assert leading("one two", 2) == "one two"
    assert leading("") == ""
    assert len(leading("word " * 1000).split()) == 112
    assert hunk_text("a.py", "def f():", "x = 1") == "a.py\ndef f():\nx = 1"


def test_a_file_becomes_at_most_five_texts_of_its_distinct_words() -> None:
    assert file_texts("src/loginForm.ts", "const form = login(form)") == [
        "src login form ts\nconst form login"
    ]
    assert file_texts("empty.py", "") == ["empty py\n"]
    long = file_texts("a.py", " ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26)}q" for n in range(600)))
    assert len(long) == CHUNKS
    assert all(text.startswith("a py\n") for text in long)
    assert len({word for text in long for word in text.split("\n")[1].split()}) == 400
