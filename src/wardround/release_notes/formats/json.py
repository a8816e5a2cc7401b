"""The notes as JSON, for programs; ``docs/release-notes.schema.json`` describes it."""

from __future__ import annotations

import msgspec

from wardround.release_notes.formats.context import RenderContext
from wardround.release_notes.model import ReleaseNotes
from wardround.text.escaping import json_text
from wardround.text.json_schema import schema_text


def render(notes: ReleaseNotes, context: RenderContext) -> str:
    """Return the notes as one JSON document."""
    return json_text(msgspec.json.format(msgspec.json.encode(notes), indent=2)) + "\n"


def schema() -> str:
    """Return the JSON schema of the notes."""
    return schema_text(ReleaseNotes)
