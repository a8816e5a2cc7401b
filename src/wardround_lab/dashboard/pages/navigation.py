"""Links between pages, the pages of a list, and menus whose choice is another page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from wardround_lab.dashboard import markup
from wardround_lab.dashboard.markup import Field, Form, Link, Pager, render
from wardround_lab.dashboard.views.page_of_rows import RowPage


def navigation(label: str, links: Iterable[Link | str]) -> Markup:
    """Return links to other pages; the page that is shown is a text."""
    return render("navigation.html", label=label, links=list(links))


def pager(page: RowPage[Any], address: Callable[[int], Mapping[str, str]]) -> Markup:
    """Return links to the pages of a list before and after one; nothing if it has one page only."""
    number = page.number
    previous = Link("Previous", address(number - 1)) if number > 1 else None
    following = Link("Next", address(number + 1)) if number < page.pages else None
    return markup.pager(Pager(number, page.pages, previous, following))


def menu(name: str, label: str, value: str, choices: Sequence[tuple[str, str]]) -> Field:
    """Return a field with a choice of values; one is always selected."""
    return Field(name, label, value, choices, has_all=False)


def form(label: str, fields: Sequence[Field], address: Mapping[str, str], *, is_wide: bool = False) -> Markup:
    """Return a form whose values become the address of a page.

    Args:
        address: its parameters besides the fields.
        is_wide: the fields have long values, such as configurations.
    """
    names = {"tab", *(field.name for field in fields)}
    fixed = {name: value for name, value in address.items() if name not in names}
    return markup.form(Form(address["tab"], label, fields, fixed, is_wide))
