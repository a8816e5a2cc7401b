"""Schemas of structs with the descriptions of their docstrings."""

from __future__ import annotations

import json

import msgspec

from wardround.text.struct_schema import attribute_texts, document_text, struct_schemas


class Part(msgspec.Struct, forbid_unknown_fields=True, rename="kebab"):
    """A part.

    It has a second paragraph.

    Attributes:
        first_size, second_size: in
            metres.
        note: for people: anything.
    """

    first_size: int
    second_size: int = 2
    note: str = ""
    bare: bool = False


class Whole(Part):
    """A part with parts.

    Attributes:
        note: its own text.
        parts: the others.
    """

    parts: tuple[Part, ...] = ()


def test_an_attribute_has_the_text_of_its_docstring_on_one_line() -> None:
    assert attribute_texts(Part) == {
        "first_size": "In metres.", "second_size": "In metres.", "note": "For people: anything."
    }  # fmt: skip


def test_an_inherited_attribute_has_the_text_of_the_base_unless_it_has_its_own() -> None:
    texts = attribute_texts(Whole)
    assert (texts["second_size"], texts["note"], texts["parts"]) == (
        "In metres.",
        "Its own text.",
        "The others.",
    )


def test_keys_are_described_by_the_names_that_files_use() -> None:
    definitions = struct_schemas([Whole], {"bare": "Shared by several structs."}).definitions
    properties = definitions["Part"]["properties"]
    assert {key: value["description"] for key, value in properties.items()} == {
        "first-size": "In metres.",
        "second-size": "In metres.",
        "note": "For people: anything.",
        "bare": "Shared by several structs.",
    }
    assert definitions["Part"]["description"] == "A part.\n\nIt has a second paragraph."
    assert definitions["Whole"]["properties"]["parts"]["items"] == {"$ref": "#/$defs/Part"}


def test_a_document_names_its_dialect_and_contains_its_definitions() -> None:
    schemas = struct_schemas([Part])
    document = json.loads(document_text("A part", schemas.roots[Part], schemas.definitions))
    assert document["$ref"] == "#/$defs/Part"
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["title"] == "A part"
