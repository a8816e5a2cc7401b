"""The part of the tab with the examples of a file: a search, pages, and one example in full."""

from __future__ import annotations

import gradio as gr
from markupsafe import Markup

from wardround.errors import UsageError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.events import DIRECT, readable_errors
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.markup import Column, Link, Table
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.choice import link_target
from wardround_lab.dashboard.views.example_files import file_named
from wardround_lab.dashboard.views.example_parts import facts_of, parts_of
from wardround_lab.dashboard.views.examples import (
    UNREADABLE,
    ExampleNames,
    ExamplePage,
    ExampleQuery,
    example_line,
    example_names,
    example_of,
    example_page,
)

LINE_TARGET = "data-line"
_ANY = "any"
_MOST_REPOSITORIES = 8
_COLUMNS = (
    Column("Line", "number"),
    Column("Kind"),
    Column("Repository"),
    Column("Date", "time"),
    Column("Example"),
)


class BrowseSection:
    """The examples of the chosen file.

    Attributes:
        line: the number of the opened line, as a link chooses it.
        opened: shows the opened example.
        page_inputs, results: what the page of examples depends on, and where it is.
    """

    def __init__(self, stores: Stores, chosen: gr.Textbox) -> None:
        self._stores = stores
        self._summary = html_output()
        with gr.Row(equal_height=True):
            self._text = gr.Textbox(label="Text", info="in any field", scale=3)
            self._repository = gr.Textbox(label="Repository", info="a part of its name", scale=2)
            self._kind = gr.Dropdown([_ANY], value=_ANY, label="Kind", info="of the record", scale=2)
        search = gr.Button("Search", variant="primary", size="sm")
        self._rows = html_output()
        self._number = gr.Number(1, precision=0, visible="hidden", show_label=False)
        with gr.Row():
            back = gr.Button("Previous page", size="sm")
            forward = gr.Button("Next page", size="sm")
        self.line = link_target(LINE_TARGET)
        self.opened = html_output()
        query = [chosen, self._text, self._repository, self._kind]
        self.page_inputs = [*query, self._number]
        self.results = [self._rows, self._number]
        for event in (search.click, self._text.submit, self._repository.submit):
            event(readable_errors(self._search), query, self.results, **DIRECT)
        back.click(readable_errors(self._before), self.page_inputs, self.results, **DIRECT)
        forward.click(readable_errors(self._after), self.page_inputs, self.results, **DIRECT)
        self.line.input(readable_errors(self.show), [chosen, self.line], self.opened, **DIRECT)

    @property
    def page_outputs(self) -> list[gr.components.Component]:
        """The components that ``first_page`` fills."""
        return [
            self._summary,
            self._text,
            self._repository,
            self._kind,
            self._rows,
            self._number,
            self.opened,
        ]

    def first_page(self, name: str) -> list[object]:
        """Return the first page of a file, and empty fields of the search."""
        names = example_names(file_named(self._stores.data, name))
        kinds = [_ANY, *(kind for kind, _ in names.kinds), *([UNREADABLE] if names.unreadable else [])]
        rows, number = self._page(name, ExampleQuery(), 1)
        return [_summary(name, names), "", "", gr.Dropdown(kinds, value=_ANY), rows, number, Markup("")]

    def page_again(
        self, name: str, text: str, repository: str, kind: str, number: int
    ) -> tuple[Markup, int] | list[object]:
        """Return the page as it is now; nothing if no file is open."""
        if not name:
            return [gr.skip(), gr.skip()]
        return self._page(name, _query(text, repository, kind), number)

    def show(self, name: str, line: str) -> Markup:
        """Return an example in full."""
        number = int(line) if line.isdecimal() else 0
        found = example_line(file_named(self._stores.data, name), number)
        if found is None:
            raise UsageError(f"{name}: there is no example on line {line}; search again")
        title = f"{name}, line {number}"
        try:
            example = example_of(found)
        except ValueError as reason:
            text = found[:20_000].decode("utf-8", "replace")
            return markup.section(title, markup.note(f"not a record: {reason}"), markup.code(text))
        shown = markup.render("example.html", parts=parts_of(example))
        return markup.section(title, markup.facts(facts_of(example)), shown)

    def _search(self, name: str, text: str, repository: str, kind: str) -> tuple[Markup, int]:
        return self._page(name, _query(text, repository, kind), 1)

    def _before(self, name: str, text: str, repository: str, kind: str, number: int) -> tuple[Markup, int]:
        return self._page(name, _query(text, repository, kind), number - 1)

    def _after(self, name: str, text: str, repository: str, kind: str, number: int) -> tuple[Markup, int]:
        return self._page(name, _query(text, repository, kind), number + 1)

    def _page(self, name: str, query: ExampleQuery, number: int) -> tuple[Markup, int]:
        page = example_page(file_named(self._stores.data, name), query, number)
        return _table(name, page), page.number


def _query(text: str, repository: str, kind: str) -> ExampleQuery:
    return ExampleQuery(text.strip(), repository.strip(), "" if kind == _ANY else kind)


def _summary(name: str, names: ExampleNames) -> Markup:
    pairs: list[tuple[str, str]] = [(kind, f"{count:,}") for kind, count in names.kinds]
    if names.unreadable:
        pairs.append(("unreadable lines", f"{names.unreadable:,}"))
    most = names.repositories[:_MOST_REPOSITORIES]
    listed = ", ".join(f"{repository} {count:,}" for repository, count in most)
    further = len(names.repositories) - len(most)
    if listed:
        pairs.append(("repositories", f"{listed} and {further} others" if further > 0 else listed))
    return markup.section(name, markup.facts(pairs))


def _table(name: str, page: ExamplePage) -> Markup:
    rows = [(_link(name, row.line), row.kind, row.repository, row.date, row.summary) for row in page.rows]
    caption = f"Examples {page.told}; page {page.number} of {page.pages}" if rows else page.told
    return markup.table(Table(caption, _COLUMNS, rows))


def _link(name: str, line: int) -> Link:
    return Link(str(line), {"tab": "data", "file": name, "line": str(line)}, LINE_TARGET, str(line))
