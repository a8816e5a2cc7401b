"""Words of text and code."""

from __future__ import annotations

import pytest

from wardround.text.search_terms import count_words, parts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserName", {"get": 1, "user": 1, "name": 1, "getusername": 1}),
        ("parse_http_header", {"pars": 1, "http": 1, "header": 1, "parse_http_header": 1}),
        ("HTTPServer2", {"http": 1, "server": 1, "httpserver2": 1}),
        ("__init__", {"init": 1}),
        ("the a of x 7", {}),
        ("retry retries retried retrying", {"retry": 4}),
        ("Größe größe", {"größ": 2}),
        ("状态", {"状态": 1}),
        ("a" * 65, {}),
    ],
)
def test_text_falls_into_words(text: str, words: dict[str, int]) -> None:
    assert dict(count_words(text)) == words


def test_parts_keep_their_order_and_form() -> None:
    assert parts("src/UserStore.py def get_all_users(): ...") == [
        "src", "user", "store", "py", "def", "get", "all", "users",
    ]  # fmt: skip
