"""Notes with their tags."""

from notes.tags import tags_of


def note(text):
    """Return a note."""
    return {"text": text, "tags": tags_of(text)}
