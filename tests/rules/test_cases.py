"""Cases are blocks with marks; parsing them gives exact sources and spans."""

from __future__ import annotations

import pytest

from wardround.findings import Span
from wardround.rules.cases import (
    ChangeCase,
    Invalid,
    Valid,
    change,
    code,
    dedent,
    parse_change,
    parse_code,
    unmark,
)


class TestDedent:
    def test_a_block_loses_its_indentation_and_its_frame(self) -> None:
        block = """
            def f():

                return 1
        """
        assert dedent(block) == "def f():\n\n    return 1\n"

    def test_a_block_whose_last_line_has_text_has_no_final_line_break(self) -> None:
        assert dedent("\n    a\n    b") == "a\nb"

    def test_blank_lines_at_the_end_stay(self) -> None:
        assert dedent("\n    a\n\n    ") == "a\n\n"

    def test_tabs_are_text(self) -> None:
        assert dedent("\n    all:\n    \tmake\n    ") == "all:\n\tmake\n"

    @pytest.mark.parametrize("text", ["", "  a\n  b\n", "a\r\n"])
    def test_a_text_that_does_not_begin_with_a_line_break_stays_as_it_is(self, text: str) -> None:
        assert dedent(text) == text


class TestMarks:
    @pytest.mark.parametrize(
        ("text", "span"),
        [
            ("«a»", Span(1, 1, 1, 2)),
            ("x = 1\ny = «ä𝄞z»\n", Span(2, 5, 2, 8)),
            ("«a\nb»\n", Span(1, 1, 2, 2)),
            ("a\n«»b", Span(2, 1, 2, 1)),
        ],
    )
    def test_the_span_is_between_the_marks(self, text: str, span: Span) -> None:
        assert unmark(text) == (text.replace("«", "").replace("»", ""), span)

    def test_a_text_without_marks_has_no_span(self) -> None:
        assert unmark("a\n") == ("a\n", None)

    @pytest.mark.parametrize("text", ["«a", "a»", "»a«", "«a» «b»", "««a»»", "«a»»"])
    def test_incomplete_and_repeated_marks_are_errors(self, text: str) -> None:
        with pytest.raises(ValueError, match="one pair of marks"):
            unmark(text)


class TestCode:
    def test_a_case_with_marks_must_be_reported(self) -> None:
        case = code(
            """
            b = «a»
            """,
            base="""
            a = 1
            """,
            others={"c.py": "\n    c = 1\n    "},
            fixed="b = 2\n",
        )
        assert parse_code(case, "a.py") == Invalid(
            "b = a\n", 1, 5, "a.py", "a = 1\n", {"c.py": "c = 1\n"}, "b = 2\n", (1, 6)
        )

    def test_a_case_without_marks_must_not_be_reported(self) -> None:
        assert parse_code(code("b = a"), "a.py") == Valid("b = a", "a.py")

    def test_a_case_may_name_its_path(self) -> None:
        assert parse_code(code("b = a", path="b.py"), "a.py").path == "b.py"

    def test_exact_texts_are_not_changed(self) -> None:
        exact = Invalid("\n  «a»\n", 2, 3)
        assert parse_code(exact, "a.py") is exact
        assert parse_code("\n  «a»\n", "a.py") == Valid("\n  «a»\n", "a.py")


class TestChange:
    def test_the_marks_are_in_the_text_after_the_change(self) -> None:
        case = change({"a.py": ("\n    a\n    ", "\n    «b»\n    ")}, message="Rename")
        assert parse_change(case) == ChangeCase(
            {"a.py": ("a\n", "b\n")}, ("a.py", 1, 1), message="Rename", end=(1, 2)
        )

    def test_the_marks_of_a_deleted_file_are_in_the_text_before(self) -> None:
        parsed = parse_change(change({"a.py": ("«»a\n", None)}))
        assert parsed == ChangeCase({"a.py": ("a\n", None)}, ("a.py", 1, 1), end=(1, 1))

    def test_a_change_without_marks_must_not_be_reported(self) -> None:
        assert parse_change(change({"a.py": (None, "b\n")})).place is None

    def test_two_marked_texts_are_an_error(self) -> None:
        with pytest.raises(ValueError, match="more than one text"):
            parse_change(change({"a.py": (None, "«b»\n"), "b.py": (None, "«b»\n")}))
