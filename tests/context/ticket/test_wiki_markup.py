"""The wiki markup of Jira Server reads as markdown of the same structure."""

from __future__ import annotations

import pytest

from wardround.context.ticket.wiki_markup import wiki_markdown


@pytest.mark.parametrize(
    ("wiki", "markdown"),
    [
        ("h1. Title", "# Title"),
        ("* a\n** b\n*# c", "- a\n   - b\n   1. c"),
        ("- a\n-- b", "- a\n- b"),
        ("{code:sql}\nselect 1\n{code}", "```sql\nselect 1\n```"),
        ("{code:title=x.py|borderStyle=solid}\na\n{code}", "```\na\n```"),
        ("{noformat}\n* a\n{noformat}", "```\n* a\n```"),
        ("{code}\nunclosed", "```\nunclosed\n```"),
        ("a *bold* and _soft_ and -old- and +under+", "a **bold** and soft and ~~old~~ and under"),
        ("2 * 3 * 4 and a-b-c and snake_case_name", "2 * 3 * 4 and a-b-c and snake_case_name"),
        ("{{*literal*}} {*}half{*}bold", "`*literal*` **half**bold"),
        ("[guide|https://a.example/?b=c] [https://b.example]",
         "[guide](https://a.example/?b=c) https://b.example"),
        ("ask [~kim] or [~accountid:5b10]", "ask @kim or @5b10"),
        ("!shot.png|thumbnail! Wow! Great!", " Wow! Great!"),
        ("bq. quoted", "> quoted"),
        ("----", "---"),
        ("one\\\\two", "one\ntwo"),
        ("\\*not bold\\*", "*not bold*"),
        ("{quote}a{quote} {color:#f00}b{color}", "a b"),
        ("|a|b|\n|c|d|", "|  |  |\n| - | - |\n| a | b |\n| c | d |"),
        ("||h||i||\n|c|d|\nend", "| h | i |\n| - | - |\n| c | d |\n\nend"),
        ("it works (!) fine", "it works fine"),
    ],
)  # fmt: skip
def test_markup_is_converted(wiki: str, markdown: str) -> None:
    assert wiki_markdown(wiki) == markdown


@pytest.mark.parametrize(
    "text",
    ["{{" * 100_000, "*a" * 100_000, "||" + " " * 150_000 + "x", "{code}" * 30_000, "[a|" * 60_000,
     "!" * 200_000,
     "{panel:title=" * 15_000, "-a " * 60_000, "# " * 100_000],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_hostile_markup_does_not_break_the_converter(text: str) -> None:
    wiki_markdown(text)
