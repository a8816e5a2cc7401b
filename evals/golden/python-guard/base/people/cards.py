"""Cards of people."""

from people.names import initials


def card(person):
    """Return the line for a person."""
    return f"{initials(person['name'])} {person['mail'].lower()}"
