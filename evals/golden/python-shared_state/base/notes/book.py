"""Notes with their tags."""

from notes.tags import tagged


def note(text):
    """Return a note."""
    return {"text": text, "tags": tagged(text)}
