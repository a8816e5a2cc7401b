"""Cases for people: the reported span is marked, and bad and good code fit on the screen."""

from __future__ import annotations

from wardround.reports.examples import as_lines, comparison
from wardround.rules.cases import ChangeCase, change, code

BAD, GOOD = code("x = «eval(y)»\n"), code("x = int(y)\n")


def test_the_span_is_marked_under_its_line() -> None:
    assert as_lines(code("a = 1\nx = «eval(y)»\nb = 2\n"), "a.py") == [
        "a = 1",
        "x = eval(y)",
        "    ^^^^^^^",
        "b = 2",
    ]


def test_of_a_span_of_several_lines_the_first_is_marked() -> None:
    assert as_lines(code("f(«a,\n  b»)\n"), "a.py") == ["f(a,", "  ^^", "  b)"]


def test_an_empty_span_and_tabs_are_marked_where_they_are_shown() -> None:
    assert as_lines(code("all:\n\t«»make\n"), "Makefile") == ["all:", "    make", "    ^"]


def test_an_invisible_character_is_escaped() -> None:
    assert as_lines(code("a = «\u202e»1\n"), "a.py") == [r"a = \u202e1", "    ^^^^^^"]


def test_several_texts_have_titles() -> None:
    case = code("import a\n«a.f()»\n", path="b.py", base="", others={"a.py": "def g(): ...\n"})
    assert as_lines(case, "c.py") == [
        "a.py:",
        "def g(): ...",
        "",
        "b.py, before (empty):",
        "",
        "b.py, after:",
        "import a",
        "a.f()",
        "^^^^^",
    ]


def test_a_change_is_shown_file_by_file() -> None:
    case = change({"a.py": ("«a»\n", None), "b.py": (None, "b\n")}, message="Remove a")
    assert as_lines(case, "") == [
        *("commit message:", "Remove a", ""),
        *("a.py, deleted:", "a", "^", ""),
        *("b.py:", "b"),
    ]
    exact = ChangeCase({"b.py": ("a\n", "b\n")}, ("b.py", 1, 1))
    assert as_lines(exact, "") == ["b.py, before:", "a", "", "b.py, after:", "b", "^"]


def test_a_wide_terminal_shows_bad_and_good_code_next_to_each_other() -> None:
    lines = comparison([BAD], [GOOD], "a.py", 100, 40)
    assert lines == [
        f"{'reported:':<47}  |  not reported:",
        f"{'':<47}  |",
        f"{'x = eval(y)':<47}  |  x = int(y)",
        f"{'    ^^^^^^^':<47}  |",
    ]


def test_a_narrow_terminal_shows_one_below_the_other() -> None:
    assert comparison([BAD], [GOOD], "a.py", 99, 40) == [
        *("reported:", "", "    x = eval(y)", "        ^^^^^^^", ""),
        *("not reported:", "", "    x = int(y)"),
    ]


def test_cases_wider_than_half_of_the_terminal_share_its_width() -> None:
    wide = code("x = «eval(" + "y" * 60 + ")»\n")
    first = comparison([wide], [GOOD], "a.py", 100, 40)[0]
    assert first == "reported:".ljust(70) + "  |  not reported:"
    both = comparison([wide], [code("x = " + "y" * 60)], "a.py", 100, 40)
    assert both[0] == "reported:"


def test_further_pairs_are_shown_while_they_fit() -> None:
    assert len(comparison([BAD, BAD], [GOOD, GOOD], "a.py", 80, 17)) == 17
    assert len(comparison([BAD, BAD], [GOOD, GOOD], "a.py", 80, 16)) == 8


def test_a_long_case_is_cut_around_the_span() -> None:
    long = code("".join(f"a{n} = 1\n" for n in range(50)) + "x = «1»\n" + "b = 1\n" * 50)
    for width in (80, 120):
        lines = comparison([long], [long], "a.py", width, 24)
        assert len(lines) <= 24
        assert any("x = 1" in line for line in lines)
        assert any("..." in line for line in lines)
