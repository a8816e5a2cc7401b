"""Tags of notes."""


def tags_of(text, tags=[]):
    """Return the tags with those of a text, which begin with a number sign."""
    for word in text.split():
        if word.startswith("#"):
            tags.append(word[1:])
    return tags
