"""HTML of the pages: every value is escaped, so that a name in a change or a finding is only text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal
from urllib.parse import urlencode

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wardround.text.escaping import lines_for_log

_MINUTES = len("2030-01-31T12:00")
Kind = Literal["text", "code", "number", "time", "tag"]


class Column(msgspec.Struct, frozen=True):
    """A column of a table.

    Attributes:
        kind: how its cells are set: numbers to the right, code and times in a fixed width, tags as labels.
    """

    name: str
    kind: Kind = "text"


class Link(msgspec.Struct, frozen=True):
    """A link to something on the page.

    Attributes:
        query: its address, as parameters such as ``{"tab": "rules", "rule": "ruff/B006"}``.
    """

    text: str
    query: Mapping[str, str]

    @property
    def address(self) -> str:
        """The link, relative to the page."""
        return "?" + urlencode(self.query)


class Download(msgspec.Struct, frozen=True):
    """A link to a file that the dashboard sends; its address begins with ``/wardround/``."""

    text: str
    address: str


class Field(msgspec.Struct, frozen=True):
    """A field of a form.

    Attributes:
        choices: values and their texts, in a menu; None for a text that is typed.
        type: of a typed text, as HTML names it.
        has_all: the menu has a first choice without a value.
    """

    name: str
    label: str
    value: str
    choices: Sequence[tuple[str, str]] | None = None
    type: Literal["text", "date", "search"] = "text"
    has_all: bool = True

    @property
    def values(self) -> Sequence[str]:
        return [value for value, _ in self.choices or ()]


class Form(msgspec.Struct, frozen=True):
    """A form whose fields become the address of a tab.

    Attributes:
        fixed: parameters of the address besides the fields.
        is_wide: its fields have long values.
    """

    tab: str
    label: str
    fields: Sequence[Field]
    fixed: Mapping[str, str] = {}
    is_wide: bool = False

    @property
    def can_clear(self) -> bool:
        """True if a field can be empty."""
        return any(field.choices is None or field.has_all for field in self.fields)

    @property
    def cleared(self) -> str:
        """The address with empty fields."""
        return "?" + urlencode({"tab": self.tab, **self.fixed})


class Pager(msgspec.Struct, frozen=True):
    """The position in a list of pages; the links are None at its ends."""

    page: int
    pages: int
    previous: Link | None
    next: Link | None


Cell = str | int | float | Link | Markup | None


class Table(msgspec.Struct, frozen=True):
    """A table; on a narrow screen each row becomes a block of labelled values.

    Attributes:
        is_small: it fits a narrow screen as it is: a name and a few numbers.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    is_small: bool = False


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("wardround_lab.dashboard"),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=printable,
    )  # fmt: skip
    templates.filters["minutes"] = minutes
    templates.filters["number"] = number
    return templates


def printable(value: object) -> object:
    """Return a text with its control characters visible, such as those that a terminal obeys."""
    return lines_for_log(value, {}) if type(value) is str else value


def minutes(moment: str) -> str:
    """Return a time such as ``2030-01-31T12:00:05Z`` to the minute, as people read it."""
    return moment[:_MINUTES].replace("T", " ")


def number(value: float) -> str:
    """Return a number with at most four digits after the point, and none that are zero."""
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def render(template: str, **values: object) -> Markup:
    """Return a template of the package with its values, which are escaped unless they are ``Markup``."""
    return Markup(_templates().get_template(template).render(values))  # noqa: S704  (the output of an escaping template)


def table(content: Table) -> Markup:
    """Return a table."""
    return render("table.html", table=content)


def hint(text: str, *commands: str) -> Markup:
    """Return what an empty page shows: why it is empty, and the commands that fill it."""
    return render("hint.html", text=text, commands=commands)


def facts(pairs: Iterable[tuple[str, Cell]]) -> Markup:
    """Return labelled values, such as those of one record."""
    return render("facts.html", pairs=list(pairs))


def tag(text: str) -> Markup:
    """Return a label whose colour follows from its word: a verdict, a severity, a state; grey for others."""
    return render("tag.html", text=text)


def code(text: str) -> Markup:
    """Return text in a fixed width, with its line breaks."""
    return render("code.html", text=text)


def section(title: str, *parts: Markup) -> Markup:
    """Return parts under a heading."""
    return render("section.html", title=title, parts=parts)


def note(text: str) -> Markup:
    """Return a remark in a quiet colour."""
    return render("note.html", text=text)


def problem(sentence: str) -> Markup:
    """Return why something cannot be shown."""
    return render("problem.html", sentence=sentence)


def form(content: Form) -> Markup:
    """Return a form."""
    return render("form.html", form=content)


def pager(content: Pager) -> Markup:
    """Return the links to the pages before and after one; nothing if there is only one."""
    return render("pager.html", pager=content) if content.pages > 1 else Markup()


def columns(*parts: Markup) -> Markup:
    """Return parts next to each other, where there is room."""
    return render("columns.html", parts=parts)


def fold(title: str, *parts: Markup) -> Markup:
    """Return parts that are shown after a click on their title."""
    return render("fold.html", title=title, parts=parts)


def items(texts: Iterable[Cell]) -> Markup:
    """Return a list."""
    return render("items.html", items=list(texts))


def actions(*links: Link | Download) -> Markup:
    """Return links in a row."""
    return render("actions.html", links=[_Action.of(link) for link in links])


class _Action(msgspec.Struct, frozen=True):
    text: str
    address: str
    download: bool

    @classmethod
    def of(cls, link: Link | Download) -> _Action:
        return cls(link.text, link.address, isinstance(link, Download))


def join(*parts: Markup) -> Markup:
    """Return parts one after the other."""
    return Markup("").join(parts)
