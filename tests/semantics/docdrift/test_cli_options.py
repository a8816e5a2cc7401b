"""What a change did to options, and what is said of their values."""

from __future__ import annotations

import pytest

from wardround.semantics.docdrift.cli_options import (
    ChangedValues,
    CommandLine,
    Option,
    gone_options,
    other_values,
)
from wardround.semantics.docdrift.cli_values import stale_in, stated_default


def option(*names: str, line: int = 1, **more: object) -> Option:
    return Option(names, line, line, **more)  # type: ignore[arg-type]


def test_what_is_declared_no_more_is_gone() -> None:
    before = CommandLine((option("--a"), option("--b", "--no-b"), option("--c")))
    gone = gone_options(before, CommandLine((option("--c"),)))
    assert [(one.name, one.now) for one in gone] == [("--a", None), ("--b", None), ("--no-b", None)]


def test_nothing_is_known_to_be_gone_where_more_names_are_computed() -> None:
    assert gone_options(CommandLine((option("--a"),)), CommandLine((), computed=1)) == ()


@pytest.mark.parametrize(
    "new",
    [
        option("--most", short=("-a",)),
        option("--most", help="how many"),
        option("--all-of"),
    ],
)
def test_one_sign_tells_what_took_the_place(new: Option) -> None:
    before = CommandLine((option("--all-off", short=("-a",), help="how many"),))
    (gone,) = gone_options(before, CommandLine((new,)))
    assert gone.now == new


def test_values_are_compared_of_options_declared_once() -> None:
    before = CommandLine(
        (option("--a", default="1"), option("--b", default="1"), option("--b", line=2, default="2"))
    )
    after = CommandLine((option("--a", default="2"), option("--b", default="3")))
    assert [one.name for one in other_values(before, after)] == ["--a"]
    assert list(other_values(after, after)) == []


@pytest.mark.parametrize(
    "words",
    [
        "(default: 3)",
        "Defaults to `3`.",
        "default 3",
        "the default is 3",
        "[default=3]",
        'default value: "3"',
    ],
)
def test_a_stated_default_is_found(words: str) -> None:
    assert stated_default(words, "3") is not None


@pytest.mark.parametrize(
    "words", ["default: 30", "default: 3.5", "default: 3s", "3 by chance, default: 4", "undefaulted 3"]
)
def test_another_value_is_not_it(words: str) -> None:
    assert stated_default(words, "3") is None


def test_words_that_state_the_new_value_too_are_right() -> None:
    one = ChangedValues("--a", option("--a", default="3"), option("--a", default="5"))
    assert stale_in(one, "default: 3") is not None
    assert stale_in(one, "default: 3 in dry runs, else default: 5") is None


def test_a_choice_that_is_gone_must_be_listed_with_one_that_is_left() -> None:
    one = ChangedValues(
        "--a", option("--a", choices=("json", "xml")), option("--a", choices=("json", "toml"))
    )
    assert stale_in(one, "json or xml") is not None
    assert stale_in(one, "an xml file") is None
