"""Text under review in Markdown, of which GitHub and GitLab make neither markup nor links."""

from __future__ import annotations

import html
import re

import pytest

from wardround.text.escaping import markdown_text

REFERENCES = re.compile(r"[@#]\w|[!~$%&]\w|://|www\.|GH-\d", re.IGNORECASE)
"""Text that they link after they have resolved character references."""


@pytest.mark.parametrize(
    "word",
    [
        *("@maria", "(#12)", "org/x#1", "GH-12", "!3", "acme/shop!3", "~bug", "$9", "&4", "%5", '%"a b"'),
        *('~"a b"', "https://example.com", "smb://server", "www.example.com", "<http://x>"),
    ],
)
def test_a_word_that_a_host_links_is_code(word: str) -> None:
    outside = re.sub(r"<code>.*?</code>", "", markdown_text(f"see {word} here"))
    assert (outside[:4], outside[-5:]) == ("see ", " here")
    assert not REFERENCES.search(html.unescape(outside))


@pytest.mark.parametrize("text", ["100 % of a, b; (c)", "use it: x's", "a-b/c.", "x ! y"])
def test_plain_text_stays_readable(text: str) -> None:
    assert html.unescape(markdown_text(text)) == text
    assert "<code>" not in markdown_text(text)


def test_a_line_that_begins_with_a_slash_is_no_command() -> None:
    assert markdown_text("/merge") == "&#47;merge"
