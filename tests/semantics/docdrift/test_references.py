"""Mentions of an option in documentation, and the program to which it belongs."""

from __future__ import annotations

import pytest

from wardround.semantics.docdrift.references import (
    Document,
    ProgramName,
    Reference,
    option_mentions,
    reference_sites,
)

POST = ProgramName(frozenset({"post"}), frozenset({"tools/mail/post.py", "mail.post"}))
BESIDE = frozenset({"--post-box", "--stamp", "--verbose"})


def lines(text: str, name: str = "--tries", path: str = "README.md") -> list[int]:
    return [mention.line for mention in option_mentions(Document(path, text), name, POST, BESIDE)]


@pytest.mark.parametrize(
    "text",
    [
        "Run `post --tries 3`.",
        "    $ post letter --tries=3",
        "```\nsudo post \\\n  --stamp x \\\n  --tries 3\n```".replace("\n", "\n"),
        "`python tools/mail/post.py --tries 3`",
        "`python -m mail.post --tries 3`",
        "`uv run post --tries`",
        "post takes `--tries`.",
        "usage: post [--tries N]",
        "- `--post-box` where\n- `--stamp` which\n- `--tries` how often",
    ],
)
def test_an_option_of_this_program_is_named(text: str) -> None:
    (found,) = lines(text)
    assert "--tries" in text.split("\n")[found - 1]


@pytest.mark.parametrize(
    "text",
    [
        "Run `wget --tries 3`.",
        "    $ wget --tries=3",
        "post letters; `wget --tries 3` works too",
        "Some know `--tries`.",
        "`post --tries-more 3` and `post --no---tries`",
        "`post --tries` was removed.",
        ".. deprecated:: 2.0\n   Use `post --tries`.",
        "- `--verbose` loud\n- `--stamp` which\n- `--tries` how often",
    ],
)
def test_nothing_reports_that_it_is_this_program(text: str) -> None:
    assert lines(text) == []


def test_a_name_that_many_programs_have_counts_only_with_the_program() -> None:
    listed = "- `--post-box` where\n- `--stamp` which\n- `--output` file"
    assert lines(listed, "--output") == []
    assert lines(f"{listed}\n\n`post --output x`", "--output") == [5]


def test_the_last_command_of_a_line_has_the_option() -> None:
    assert lines("    $ wget x && post --tries 3") == [1]
    assert lines("    $ post x | wget --tries 3") == []


def test_places_are_reported_with_how_many_more_there_are() -> None:
    some = [Reference("a.md", number, "x") for number in (1, 2, 3, 4)]
    assert reference_sites(some[:1]) == "a.md:1 still names it"
    assert reference_sites(some[:2]) == "a.md:1 and a.md:2 still name it"
    assert reference_sites(some) == "a.md:1, a.md:2 and 2 more still name it"


def test_a_quote_is_one_line_and_short() -> None:
    assert Reference("a.md", 1, "  `post`\t--tries ").quote == "`post` --tries"
    far = Reference("a.md", 1, f"{'word ' * 100}--tries {'word ' * 100}", "--tries")
    assert len(far.quote) <= 80
    assert "--tries" in far.quote
    assert far.quote.startswith("…")
    assert far.quote.endswith("…")
    assert len(Reference("a.md", 1, "word " * 100).quote) <= 80


def test_long_lines_and_odd_bytes_do_no_harm() -> None:
    text = "post " + "--x" * 400_000 + " --tries\n\x00\udc80 `post --tries`\r\n"
    assert lines(text) == [2]
