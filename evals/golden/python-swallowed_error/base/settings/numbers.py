"""Numbers in texts."""


def number(text):
    """Return the number in a text."""
    return float(text.strip().replace("_", ""))
