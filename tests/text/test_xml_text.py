"""Any text can be part of an XML document, and a reader gets every character that XML allows."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.text.xml_text import xml_text


def read(text: str) -> tuple[str | None, str | None]:
    element = ET.fromstring(f'<a b="{xml_text(text)}">{xml_text(text)}</a>')
    return element.get("b"), element.text


@pytest.mark.parametrize(
    "text", ["<script>&\"'", "]]>", "a\u00a0b", "\u202e", "a\nb\tc\rd", "##[error]x", "\U0001f600"]
)
def test_a_reader_gets_what_xml_allows(text: str) -> None:
    assert read(text) == (text, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("\x00", "\\x00"),
        ("b\udcff", "b\\xff"),
        ("\ud800", "\\ud800"),
        ("\uffff", "\\uffff"),
    ],
)
def test_what_xml_forbids_is_escaped_as_in_other_reports(text: str, expected: str) -> None:
    assert read(text) == (expected, expected)


def test_nothing_in_the_document_is_obeyed_by_a_terminal_or_a_runner() -> None:
    written = xml_text("\u202e\x9b31m##[error]\u200b##\u200b[debug]")
    assert written.isprintable()
    assert "#[" not in written


@given(st.text())
def test_any_text_makes_a_document(text: str) -> None:
    attribute, content = read(text)
    assert attribute == content or not content
