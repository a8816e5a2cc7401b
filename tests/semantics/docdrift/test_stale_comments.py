"""Numbers in prose, exchanged pieces of lines, and the words beside them."""

from __future__ import annotations

import pytest

from wardround.semantics.docdrift.checks import CHANGING
from wardround.semantics.docdrift.comment_lines import PYTHON, SCRIPT, SQL, CommentedSource
from wardround.semantics.docdrift.numbers import numbers_in_prose, value_of
from wardround.semantics.docdrift.removed_steps import stale_choices, stale_steps
from wardround.semantics.docdrift.return_claims import CHANGES, TAKE_AWAY, impure_getters, stale_results
from wardround.semantics.docdrift.stale_comments import stale_names, stale_values
from wardround.semantics.docdrift.stale_test_names import stale_titles
from wardround.semantics.docdrift.units import mismatched, stale_units
from wardround.semantics.semdiff.replacements import SwapKind, swaps


def nowhere(line: int) -> bool:
    return False


class TestNumbers:
    @pytest.mark.parametrize(
        ("prose", "value"),
        [
            ("three attempts", 3),
            ("at most 5,000 rows", 5000),
            ("after 5 minutes", 300),
            ("after five minutes", 300_000),
            ("up to 5 MB", 5 * 1024 * 1024),
            ("every 30s", 30),
        ],
    )
    def test_a_number_is_said_in_digits_words_or_another_unit(self, prose: str, value: float) -> None:
        assert any(value in said.values for said in numbers_in_prose(prose))

    @pytest.mark.parametrize("prose", ["see #300", "since v3", "RFC 300", "path/300", "python 3.12"])
    def test_what_only_looks_like_one(self, prose: str) -> None:
        assert not any({300.0, 3.0} & said.values for said in numbers_in_prose(prose))

    def test_a_number_of_code_may_have_a_unit_of_time(self) -> None:
        assert [value_of(text) for text in ("60_000", "5m", "1.5", "x3")] == [60_000, 300, 1.5, None]
        assert [value_of("0x" + "f" * digits) for digits in (2, 256, 270)] == [255, None, None]


class TestLines:
    def test_words_are_told_from_code_in_strings(self) -> None:
        lines = CommentedSource('url = "http://a#b"  # where\n"""Told.\n\nMore.\n"""\n', PYTHON)
        assert [bool(words.strip()) for words in lines.words] == [True, True, False, True, True, False]
        assert lines.code[0].rstrip() == 'url = "http://a#b"'

    def test_a_comment_of_blocks_goes_on_over_lines(self) -> None:
        lines = CommentedSource("/**\n * Told.\n */\nconst a = 1; // here\n", SCRIPT)
        assert [lines.is_only_words(number) for number in (1, 2, 3, 4)] == [True, True, True, False]

    def test_what_is_exchanged_is_found_in_lines_that_are_otherwise_the_same(self) -> None:
        found = swaps("a = f(3, 'x')\nb = q.one\nif c <= d:\n", "a = f(5, 'x')\nb = q.two\nif c < d:\n")
        assert [(one.kind, one.old, one.new) for one in found] == [
            (SwapKind.NUMBER, "3", "5"),
            (SwapKind.NAME, "one", "two"),
            (SwapKind.COMPARISON, "<=", "<"),
        ]

    def test_nothing_is_exchanged_in_a_file_that_was_rewritten(self) -> None:
        base = "".join(f"a{n} = {n}\n" for n in range(300))
        assert swaps(base, base.replace(" = ", " = 9")) == []


class TestWords:
    def test_words_the_change_touched_are_passed_over(self) -> None:
        base, text = "# every 30 rows\nn = 30\n", "# every 30 rows!\nn = 60\n"
        assert stale_values(base, text, PYTHON, lambda line: line == 1) == []

    def test_a_sweep_says_nothing(self) -> None:
        base = "".join(f"# thirty: 30\na{n} = 30\n" for n in range(9))
        assert stale_values(base, base.replace("= 30", "= 60"), PYTHON, nowhere) == []

    def test_all_comments_of_a_query_are_about_it(self) -> None:
        base = "-- orders of the last 30 days\nSELECT 1\nFROM o\nWHERE at > now() - interval '30 days';\n"
        (one,) = stale_values(base, base.replace("'30", "'90"), SQL, nowhere)
        assert (one.line, one.column) == (1, 23)

    def test_the_key_of_an_order_is_said(self) -> None:
        base = "# sorted by name\nrows.sort(key=lambda r: r.name)\n"
        (one,) = stale_names(base, base.replace("r.name", "r.price"), PYTHON, nowhere)
        assert (one.line, one.column) == (1, 10)
        both = base.replace("by name", "by name, then by price")
        assert stale_names(both, both.replace("r.name", "r.price"), PYTHON, nowhere) == []

    def test_a_step_that_went_is_told_of(self) -> None:
        base = 'def f(v):\n    """The rows, sorted by name."""\n    return sorted(v)\n'
        (one,) = stale_steps(base, base.replace("sorted(v)", "list(v)"), PYTHON, nowhere)
        assert (one.line, one.phrase) == (2, "The rows, sorted by name.")
        assert stale_steps(base, base.replace("sorted(v)", "arranged(v)"), PYTHON, nowhere) == []

    def test_a_list_of_choices_that_grew(self) -> None:
        base = 'KINDS = ("json", "yaml")\nHELP = "either json or yaml"\n'
        (one,) = stale_choices(base, base.replace('"yaml")', '"yaml", "toml")'), PYTHON, nowhere)
        assert one.line == 2

    def test_a_unit_that_no_name_says_any_more(self) -> None:
        base = (
            'MOST_MB = 2\n\n\ndef f(size):\n    if size > MOST_MB:\n        fail("more than {} MB is much")\n'
        )
        (one,) = stale_units(base, base.replace("MOST_MB", "MOST_KB"), PYTHON, nowhere)
        assert one.line == 6
        assert mismatched("  timeoutMs: options.timeoutSeconds,") == ("timeoutMs", "timeoutSeconds", 2)
        assert mismatched("  timeoutMs: options.timeoutSeconds * 1000,") is None

    def test_a_result_that_can_be_nothing_no_more(self) -> None:
        base = "/** @returns the row, or `null` */\nfunction f(a: A): Row | null {\n  return b(a);\n}\n"
        (one,) = stale_results(base, base.replace(" | null {", " {"), SCRIPT, nowhere)
        assert one.line == 1

    def test_a_reader_that_takes_away(self) -> None:
        base = "def get_row(key):\n    return rows.get(key)\n"
        (one,) = impure_getters(base, base.replace("rows.get", "rows.pop"), PYTHON)
        assert (one.name, one.line) == ("get_row", 1)


class TestTitles:
    def test_a_status_in_the_title(self) -> None:
        base = "it('answers 404', () => {\n  expect(status).toBe(404);\n});\n"
        (one,) = stale_titles(base, base.replace("Be(404)", "Be(410)"))
        assert one.said == "404"

    def test_a_title_that_promises_nothing(self) -> None:
        base = "def test_redirect():\n    assert get(1) == 2\n"
        text = "def test_redirect():\n    with pytest.raises(E):\n        get(1)\n"
        assert list(stale_titles(base, text)) == []


def test_the_cheap_look_passes_over_no_deed() -> None:
    missed = [deed for deed in CHANGES | TAKE_AWAY if not any(word in deed.lower() for word in CHANGING)]
    assert missed == []
