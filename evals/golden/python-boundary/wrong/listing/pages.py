"""Lists in pages."""


def page_count(items, size):
    """Return how many pages show all items."""
    return len(items) // size + 1


def page(items, number, size):
    """Return the items of a page; the first page has number 1."""
    start = (number - 1) * size
    return items[start : start + size]
