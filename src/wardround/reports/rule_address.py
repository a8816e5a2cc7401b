"""The address of the page of a rule, as reports link it."""

from __future__ import annotations

import re

_PAGE = re.compile(r"https://[\w./#~%-]{1,500}", re.ASCII)


def linkable_address(url: str | None) -> str:
    """Return an address that has no meaning in markup and a usual length; empty for any other."""
    return url if url is not None and _PAGE.fullmatch(url) else ""
