"""Page numbers next to the current one."""


def neighbours(current, last):
    """Return the numbers before and after the current page that exist."""
    return [number for number in (current - 1, current + 1) if 1 <= number <= last]
