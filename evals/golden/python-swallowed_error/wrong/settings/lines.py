"""Settings in lines of the form name = value."""

from settings.numbers import number


def read(text):
    """Return the numbers by name.

    Raises:
        ValueError: a line has no number; the message names it.
    """
    found = {}
    for line in text.splitlines():
        name, _, value = line.partition("=")
        try:
            found[name.strip()] = number(value)
        except KeyError:
            continue
    return found
