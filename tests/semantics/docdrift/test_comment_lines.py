"""Code and comments of a file, line by line."""

from __future__ import annotations

from wardround.semantics.docdrift.comment_lines import PYTHON, SCRIPT, CommentedSource


class TestLines:
    def test_words_are_reported_from_code_in_strings(self) -> None:
        lines = CommentedSource('url = "http://a#b"  # where\n"""Told.\n\nMore.\n"""\n', PYTHON)
        assert [bool(words.strip()) for words in lines.words] == [True, True, False, True, True, False]
        assert lines.code[0].rstrip() == 'url = "http://a#b"'

    def test_a_comment_of_blocks_goes_on_over_lines(self) -> None:
        lines = CommentedSource("/**\n * Told.\n */\nconst a = 1; // here\n", SCRIPT)
        assert [lines.is_only_words(number) for number in (1, 2, 3, 4)] == [True, True, True, False]
