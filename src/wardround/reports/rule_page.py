"""The address of the page of a rule, where it can be a link in Markdown and HTML."""

from __future__ import annotations

import re

_PAGE = re.compile(r"https://[\w./#~%-]{1,500}", re.ASCII)
"""Without characters that have a meaning in Markdown, and short enough for a comment."""


def rule_page(url: str | None) -> str:
    """Return the address; empty if it is none that can be a link."""
    return url if url is not None and _PAGE.fullmatch(url) else ""
