"""The pages of the data: the files, the examples of one, and one example in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from wardround.errors import UsageError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.markup import Cell, Column, Field, Form, Link, Pager, Table
from wardround_lab.dashboard.views.example_audits import check_rows, describe_audit, splits
from wardround_lab.dashboard.views.example_files import (
    ExampleFile,
    StoredAudit,
    example_files,
    file_named,
    stored_audit,
)
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

TAB = "data"
_MOST_REPOSITORIES = 8
_SHOWN_BYTES = 20_000
_FILES = (
    Column("File"),
    Column("Examples", "number"),
    Column("Kind"),
    Column("MB", "number"),
    Column("Audit", "tag"),
    Column("Last change", "time"),
)
_SPLITS = (
    Column("Folder"),
    Column("Train", "number"),
    Column("Evaluate", "number"),
    Column("Repositories held out", "number"),
    Column("Left out"),
    Column("Leaks"),
)
_EXAMPLES = (
    Column("Line", "number"),
    Column("Kind"),
    Column("Repository"),
    Column("Date", "time"),
    Column("Example"),
)
_CHECKS = (
    Column("Check"),
    Column("Result", "tag"),
    Column("Share", "number"),
    Column("Limit", "number"),
    Column("What it found"),
)


def data_page(data: Path, query: Mapping[str, str]) -> Markup:
    """Return the page of an address: all files, a file, or an example.

    Raises:
        UsageError: the address names a file or a line that does not exist.
    """
    name = query.get("file", "")
    if not name:
        return _files_page(data)
    file = file_named(data, name)
    if "line" in query:
        return _example_page(file, name, query["line"])
    return _file_page(data, file, query)


def line_number(text: str) -> int:
    """Return the number of a line in an address; 0 if it is none."""
    return int(text) if text.isdecimal() else 0


def check_table(stored: StoredAudit) -> Markup:
    """Return the checks of an audit, the failed ones first."""
    rows = [
        (row.check, row.result.lower(), row.share, row.limit, _finding(row.message, row.examples))
        for row in check_rows(stored.audit.checks)
    ]
    return markup.table(Table("", _CHECKS, rows))


def _finding(message: str, examples: Sequence[str]) -> str:
    return f"{message}. For example: {'; '.join(examples)}" if examples else message


# --- all files


def _files_page(data: Path) -> Markup:
    found = example_files(data)
    if not found:
        return markup.hint(
            f"There are no examples in {data} yet. Mine some, or add the first one below.",
            "wardround data mine . --kind bug-fix --out data",
            "wardround data build-sft data/bug-fix.jsonl --out data/sft",
        )
    files = markup.table(Table(f"Files in {data}", _FILES, [_file_row(row) for row in found]))
    return markup.join(files, _splits(data))


def _file_row(row: ExampleFile) -> Sequence[Cell]:
    link = Link(row.name, {"tab": TAB, "file": row.name})
    audit = None if row.audit == "none" else row.audit.lower()
    return (link, f"{row.records:,}", row.kind, f"{row.megabytes:.1f}", audit, row.changed)


def _splits(data: Path) -> Markup:
    rows = [
        (row.folder, f"{row.train:,}", f"{row.evaluation:,}", row.repositories, row.left_out, row.leaks)
        for row in splits(data)
    ]
    return markup.section("Splits", markup.table(Table("", _SPLITS, rows))) if rows else Markup("")


# --- a file


def _file_page(data: Path, file: Path, address: Mapping[str, str]) -> Markup:
    name, names = address["file"], example_names(file)
    query = ExampleQuery(address.get("text", ""), address.get("repository", ""), address.get("kind", ""))
    page = example_page(file, query, line_number(address.get("page", "1")))
    title = page.position_text if page.rows else f"no match among {page.total:,} examples"
    return markup.join(
        markup.actions(Link("All files", {"tab": TAB})),
        markup.section(
            name,
            markup.facts(_summary(names)),
            _form([row.name for row in example_files(data)], name, query, names),
        ),
        markup.section(
            f"Examples {title}" if page.rows else title, _examples(name, page), _pager(address, page)
        ),
        _audit(stored_audit(file)),
    )


def _summary(names: ExampleNames) -> list[tuple[str, str]]:
    pairs = [(kind, f"{count:,}") for kind, count in names.kinds]
    if names.unreadable:
        pairs.append(("unreadable lines", f"{names.unreadable:,}"))
    most = names.repositories[:_MOST_REPOSITORIES]
    listed = ", ".join(f"{repository} {count:,}" for repository, count in most)
    further = len(names.repositories) - len(most)
    if listed:
        pairs.append(("repositories", f"{listed} and {further} others" if further else listed))
    return pairs


def _form(files: Sequence[str], name: str, query: ExampleQuery, names: ExampleNames) -> Markup:
    kinds = [kind for kind, _ in names.kinds] + ([UNREADABLE] if names.unreadable else [])
    fields = [
        Field("file", "File", name, [(file, file) for file in files]),
        Field("text", "Text in any field", query.text, type="search"),
        Field("repository", "Repository has", query.repository, type="search"),
        Field("kind", "Kind", query.kind, [(kind, kind) for kind in kinds]),
    ]
    return markup.form(Form(TAB, "Search in the examples", fields))


def _examples(name: str, page: ExamplePage) -> Markup:
    if not page.rows:
        return Markup("")
    rows = [
        (_line_link(name, row.line, str(row.line)), row.kind, row.repository, row.date, row.summary)
        for row in page.rows
    ]
    return markup.table(Table("", _EXAMPLES, rows))


def _pager(address: Mapping[str, str], page: ExamplePage) -> Markup:
    before, after = page.number - 1, page.number + 1
    return markup.pager(
        Pager(
            page.number,
            page.pages,
            Link("Previous", {**address, "page": str(before)}) if before else None,
            Link("Next", {**address, "page": str(after)}) if after <= page.pages else None,
        )
    )


def _audit(stored: StoredAudit | None) -> Markup:
    description = markup.note(describe_audit(stored))
    if stored is None:
        return markup.section("Audit", description)
    return markup.section("Audit", description, check_table(stored))


# --- an example


def _example_page(file: Path, name: str, line: str) -> Markup:
    number = line_number(line)
    found = example_line(file, number)
    if found is None:
        raise UsageError(f"{name}: line {line} does not exist; choose one of the list")
    return markup.join(
        markup.actions(
            Link("All files", {"tab": TAB}), Link(name, {"tab": TAB, "file": name}),
            *([_line_link(name, number - 1, "Line before")] if example_line(file, number - 1) else []),
            *([_line_link(name, number + 1, "Line after")] if example_line(file, number + 1) else []),
        ),
        markup.section(f"{name}, line {number}", _example_text(found)),
    )  # fmt: skip


def _example_text(line: bytes) -> Markup:
    try:
        example = example_of(line)
    except ValueError as reason:
        text = line[:_SHOWN_BYTES].decode("utf-8", "replace")
        return markup.join(markup.note(f"not a record: {reason}"), markup.code(text))
    return markup.join(
        markup.facts(facts_of(example)), markup.render("example.html", parts=parts_of(example))
    )


def _line_link(name: str, line: int, text: str) -> Link:
    return Link(text, {"tab": TAB, "file": name, "line": str(line)})
