"""The effects of a change on options, and documented values."""

from __future__ import annotations

import pytest

from wardround.semantics.docdrift.cli_options import (
    CommandLine,
    Option,
    removed_options,
)


def option(*names: str, line: int = 1, **more: object) -> Option:
    return Option(names, line, line, **more)  # type: ignore[arg-type]


def test_what_is_declared_no_more_is_removed() -> None:
    before = CommandLine((option("--a"), option("--b", "--no-b"), option("--c")))
    removed = removed_options(before, CommandLine((option("--c"),)))
    assert [(item.name, item.now) for item in removed] == [("--a", None), ("--b", None), ("--no-b", None)]


def test_nothing_is_known_to_be_removed_where_more_names_are_computed() -> None:
    assert removed_options(CommandLine((option("--a"),)), CommandLine((), computed=1)) == ()


@pytest.mark.parametrize(
    "new",
    [
        option("--most", short=("-a",)),
        option("--most", help="how many"),
        option("--all-of"),
    ],
)
def test_one_sign_reports_what_took_the_place(new: Option) -> None:
    before = CommandLine((option("--all-off", short=("-a",), help="how many"),))
    (removed,) = removed_options(before, CommandLine((new,)))
    assert removed.now == new
