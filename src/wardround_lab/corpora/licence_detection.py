"""Detect the licence of a repository from the distinguishing sentences of its licence file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

UNKNOWN = "unknown"
PERMISSIVE = frozenset(
    {
        "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0",
        "PostgreSQL", "PSF-2.0", "Unlicense", "Zlib",
    }
)  # fmt: skip
FILES = tuple(
    f"{name}{ending}"
    for name in ("LICENSE", "LICENCE", "COPYING", "UNLICENSE", "License", "license", "LICENSE-*", "LICENSE_*")
    for ending in ("", ".txt", ".md", ".rst")
)
"""Glob patterns of licence files."""
_SIGNS = (
    ("AGPL-3.0", ("gnu affero general public license",)),
    ("LGPL", ("gnu lesser general public license", "gnu library general public license")),
    ("GPL", ("gnu general public license",)),
    ("Commons-Clause", ("commons clause",)),
    ("SSPL-1.0", ("server side public license",)),
    ("BUSL-1.1", ("business source license",)),
    ("Elastic-2.0", ("elastic license",)),
    ("MPL-2.0", ("mozilla public license",)),
    ("EPL-2.0", ("eclipse public license",)),
    ("CC-BY", ("creative commons attribution",)),
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("PSF-2.0", ("python software foundation license",)),
    ("BSL-1.0", ("boost software license",)),
    ("Unlicense", ("free and unencumbered software released into the public domain",)),
    ("CC0-1.0", ("cc0 1.0 universal",)),
    ("PostgreSQL", ("without a written agreement is hereby granted",)),
    ("Zlib", ("altered source versions must be plainly marked",)),
)
_MIT = "permission is hereby granted, free of charge, to any person obtaining a copy"
_MIT_NOTICE = "shall be included in all copies"
_BSD = "redistribution and use in source and binary forms"
_ISC = "permission to use, copy, modify, and/or distribute this software"
_ISC_NOTICE = "provided that the above copyright notice"
_COPYLEFT = frozenset({"AGPL-3.0", "LGPL", "GPL", "Commons-Clause", "SSPL-1.0", "BUSL-1.1", "Elastic-2.0"})
_SPACE = re.compile(r"[\s*#>]+")


def licence_of(text: str) -> str:
    """Return the SPDX id of a licence text, or ``unknown``; a family's name if its versions do not matter.

    Of several licences in a text the strictest is returned.
    """
    plain = _SPACE.sub(" ", text.lower())
    named = [name for name, signs in _SIGNS if all(sign in plain for sign in signs)]
    named.sort(
        key=lambda name: plain.index(dict(_SIGNS)[name][0])
    )  # the GPL speaks of the AGPL, further down
    strict = next((name for name in named if name in _COPYLEFT), None)
    granted = _granted_licence(plain)
    if strict and not (granted and strict in ("GPL", "LGPL") and plain.count("gnu ") <= 1):
        return strict
    return granted or next((name for name in named if name not in _COPYLEFT), UNKNOWN)


def _granted_licence(plain: str) -> str | None:
    """Detect the short licences, which are identified by the granted rights and not by a name."""
    if _MIT in plain:
        return "MIT" if _MIT_NOTICE in plain else "MIT-0"
    if _BSD in plain:
        return "BSD-3-Clause" if "neither the name" in plain else "BSD-2-Clause"
    if _ISC in plain or _ISC.replace("and/or", "and") in plain:
        return "ISC" if _ISC_NOTICE in plain else "0BSD"
    return None


def is_permissive(licence: str) -> bool:
    return licence in PERMISSIVE


def root_licence(texts: Mapping[str, str]) -> str:
    """Return the licence of a repository from its licence files by path; files in subdirectories do not
    count.

    Of several at the root one must be permissive, and none may be strict: dual licences let the user choose,
    but a file that adds a condition does not.
    """
    found = [licence_of(texts[path]) for path in sorted(texts) if "/" not in path]
    strict = [
        licence for licence in found if licence in ("Commons-Clause", "SSPL-1.0", "BUSL-1.1", "Elastic-2.0")
    ]
    permissive = [licence for licence in found if is_permissive(licence)]
    return next(iter(strict or permissive or [licence for licence in found if licence != UNKNOWN]), UNKNOWN)


def foreign_folders(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return directories whose own licence file is not permissive or unknown."""
    inner: Iterable[str] = (path for path in texts if "/" in path)
    return tuple(
        sorted({path.rpartition("/")[0] for path in inner if not is_permissive(licence_of(texts[path]))})
    )
