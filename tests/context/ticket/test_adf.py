"""Documents of Jira Cloud read as markdown, so that the same rules find their criteria."""

from __future__ import annotations

from typing import Any

import pytest

from wardround.context.ticket.adf import MAX_DEPTH, MAX_NODES, adf_markdown, is_document
from wardround.context.ticket.criteria import parse_criteria


def node(kind: str, *content: Any, marks: Any = None, **attributes: Any) -> dict[str, Any]:
    """A node; strings in its content become text nodes."""
    built: dict[str, Any] = {"type": kind}
    children = [text(child) if isinstance(child, str) else child for child in content]
    if children:
        built["content"] = children
    if attributes:
        built["attrs"] = attributes
    return built


def text(value: str, *marks: Any) -> dict[str, Any]:
    shown = [mark if isinstance(mark, dict) else {"type": mark} for mark in marks]
    return {"type": "text", "text": value, **({"marks": shown} if shown else {})}


def paragraph(*content: Any) -> dict[str, Any]:
    return node("paragraph", *content)


def document(*content: Any) -> dict[str, Any]:
    return {"version": 1, **node("doc", *content)}


def item(*content: Any) -> dict[str, Any]:
    return node("listItem", *content)


LINK = {"type": "link", "attrs": {"href": "https://docs.example/a"}}


@pytest.mark.parametrize(
    ("content", "markdown"),
    [
        (paragraph("plain ", text("bold", "strong"), text(" soft ", "em")), "plain **bold** *soft*"),
        (paragraph(text("a.b", "code"), text(" gone", "strike"), text(" low", "underline")),
         "`a.b` ~~gone~~ low"),
        (paragraph(text("guide", LINK), " and ", text("https://docs.example/a", LINK)),
         "[guide](https://docs.example/a) and https://docs.example/a"),
        (paragraph("one", node("hardBreak"), "two"), "one\ntwo"),
        (node("heading", "Title", level=2), "## Title"),
        (node("heading", "Odd", level="x"), "### Odd"),
        (node("bulletList", item(paragraph("a"), node("bulletList", item(paragraph("b")))),
         item(paragraph("c"))),
         "- a\n  - b\n- c"),
        (node("orderedList", item(paragraph("a")), item(paragraph("b")), order=3), "3. a\n4. b"),
        (node("taskList", node("taskItem", "done", state="DONE", localId="1"),
              node("taskItem", "open", state="TODO"),
               node("taskList", node("taskItem", "inner", state="TODO"))),
         "- [x] done\n- [ ] open\n  - [ ] inner"),
        (node("taskList", node("blockTaskItem", paragraph("block"), state="TODO")), "- [ ] block"),
        (node("decisionList", node("decisionItem", "use UTC", state="DECIDED")), "- use UTC"),
        (node("codeBlock", "a = 1\nb = 2", language="python"), "```python\na = 1\nb = 2\n```"),
        (node("codeBlock", "```\ninner"), "````\n```\ninner\n````"),
        (node("blockquote", paragraph("q"), paragraph("r")), "> q\n> \n> r"),
        (node("panel", paragraph("note"), panelType="info"), "note"),
        (node("expand", paragraph("inside"), title="More"), "**More**\n\ninside\n\n---"),
        (node("nestedExpand", paragraph("inside")), "inside"),
        (node("rule"), "---"),
        (paragraph(node("mention", id="5b1", text="@Kim"), " ", node("emoji", shortName=":ok:", text="👍")),
         "@Kim 👍"),
        (paragraph("by ", node("date", timestamp="1582152559000")), "by 2020-02-19"),
        (paragraph(node("date", timestamp="soon")), ""),
        (paragraph(node("status", text="IN REVIEW", color="blue")), "IN REVIEW"),
        (paragraph("see ", node("inlineCard", url="https://docs.example/b")), "see https://docs.example/b"),
        (node("blockCard", url="https://docs.example/c"), "https://docs.example/c"),
        (node("embedCard", url="https://docs.example/d", layout="wide"), "https://docs.example/d"),
        (node("mediaSingle", node("media", id="1", type="file", alt="diagram")), "diagram"),
        (node("mediaGroup", node("media", id="1", type="file")), ""),
        (paragraph(node("mediaInline", id="1"), node("inlineExtension", extensionKey="k", text="shown")),
         "shown"),
        (paragraph(node("placeholder", text="Write criteria here")), ""),
        (node("layoutSection", node("layoutColumn", paragraph("l")), node("layoutColumn", paragraph("r"))),
         "l\n\nr"),
        (node("bodiedExtension", paragraph("body"), extensionKey="k"), "body"),
        (node("somethingNew", paragraph("kept")), "kept"),
        (node("table", node("tableRow", node("tableHeader", paragraph("H")),
         node("tableHeader", paragraph("I"))),
              node("tableRow", node("tableCell", paragraph("a|b")),
                   node("tableCell", node("bulletList", item(paragraph("x")), item(paragraph("y")))))),
         "| H | I |\n| - | - |\n| a\\|b | x; y |"),
        (node("table", node("tableRow", node("tableCell", paragraph("a"))),
              node("tableRow", node("tableCell", paragraph("b")), node("tableCell", paragraph("c")))),
         "|  |  |\n| - | - |\n| a |  |\n| b | c |"),
    ],
)  # fmt: skip
def test_a_node_becomes_markdown(content: Any, markdown: str) -> None:
    assert adf_markdown(document(content)) == markdown


def test_the_criteria_of_a_document() -> None:
    described = document(
        paragraph("Some background."),
        node("panel", node("heading", "Acceptance criteria", level=3), panelType="success"),
        node("orderedList", item(paragraph("Imports ", text("orders.csv", "code")))),
        node("taskList", node("taskItem", "Shows progress", state="TODO")),
        node("codeBlock", "- not this"),
        node("expand", node("bulletList", item(paragraph("nor this"))), title="Notes"),
        node("table", node("tableRow", node("tableHeader", paragraph("Requirement"))),
             node("tableRow", node("tableCell", paragraph("Logs errors")))),
    )  # fmt: skip

    parsed = parse_criteria(adf_markdown(described))

    assert [(entry.form, entry.text) for entry in parsed.criteria] == [
        ("numbered", "Imports `orders.csv`"),
        ("checklist", "Shows progress"),
        ("table", "Logs errors"),
    ]
    assert parsed.unparsed == ("- not this",)


def test_an_expand_with_criteria_ends_where_it_ends() -> None:
    described = document(
        node("expand", node("bulletList", item(paragraph("Undo works"))), title="Acceptance criteria"),
        node("bulletList", item(paragraph("unrelated"))),
    )

    assert [entry.text for entry in parse_criteria(adf_markdown(described)).criteria] == ["Undo works"]


@pytest.mark.parametrize(
    "value",
    [
        None, 3, [],
         {"type": "doc"}, {"type": "doc", "content": "x"}, {"type": "doc", "content": [None, 3, "x", []]},
        {"type": "doc", "content": [{"type": None, "content": {}, "attrs": [], "marks": 3}]},
        {"type": "doc", "content": [{"type": "text", "text": None, "marks": [None, {"type": "link",
         "attrs": 1}]}]},
        {"type": "doc", "content": [{"type": "table", "content": [{"type": "tableRow"}, {"type": "x"}]}]},
        {"type": "doc", "content": [{"type": "table", "content": [{"type": "x"}, {"type": "tableRow"}]}]},
    ],
)  # fmt: skip
def test_malformed_documents_are_read_as_far_as_possible(value: Any) -> None:
    adf_markdown(value)
    is_document(value)


def test_depth_and_size_are_limited() -> None:
    deep: Any = paragraph("deep")
    for _ in range(MAX_DEPTH + 10):
        deep = node("bulletList", item(deep))
    wide = [paragraph("x")] * (MAX_NODES + 10)

    assert "deep" not in adf_markdown(document(deep))
    assert adf_markdown(document(*wide)).count("x") <= MAX_NODES
