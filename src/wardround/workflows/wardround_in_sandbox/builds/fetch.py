"""Download one file into the working folder, in the sandbox.

The arguments are the address, the accepted type, the name of the file and the most bytes. ``pyproject.toml``
of a source distribution is written next to it, as ``NAME.toml``. It runs under the interpreter of wardround.
"""

from __future__ import annotations

import sys
import tarfile
import urllib.request

_ANSWER_S = 60
_LARGEST_MANIFEST = 1024 * 1024
_PIECE = 1024 * 1024


def _main(url: str, accepted: str, name: str, most: str) -> None:
    request = urllib.request.Request(url, headers={"Accept": accepted})  # noqa: S310  (the proxy bounds it)
    left = int(most)
    with urllib.request.urlopen(request, timeout=_ANSWER_S) as answer, open(name, "wb") as file:  # noqa: S310
        while piece := answer.read(_PIECE):
            left -= len(piece)
            if left < 0:
                raise ValueError(f"it is larger than {most} bytes")
            file.write(piece)
    if name.endswith(".tar.gz"):
        _write_manifest(name)


def _write_manifest(name: str) -> None:
    with tarfile.open(name) as archive:
        for member in archive:
            parts = member.name.split("/")
            if len(parts) == 2 and parts[1] == "pyproject.toml" and member.isreg():
                source = archive.extractfile(member)
                content = source.read(_LARGEST_MANIFEST) if source is not None else b""
                with open(name + ".toml", "wb") as file:
                    file.write(content)
                return


try:
    _main(*sys.argv[1:])
except (OSError, EOFError, ValueError, tarfile.TarError) as cause:
    sys.exit(f"{cause}")
