"""Build the documentation site from `docs/`, the catalogue of rules and the help of the commands.

    pip install '.[docs]'
    python -m docs.site                        # into build/site
    python -m docs.site --serve                # the same, then show it on this machine

Nothing is downloaded, by the build or by the pages. A broken link or anchor ends the build with status 1.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from docs.site.building import SiteError, build
from docs.site.links import BrokenLink
from docs.site.navigation import NavigationError

_ROOT = Path(__file__).resolve().parents[2]
_REPOSITORY_VARIABLE = "WARDROUND_REPOSITORY_URL"
_HOST = "127.0.0.1"
_PORT = 8000


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site, and serve it on request; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        count = build(_ROOT, options.output, options.repository_url)
    except (BrokenLink, NavigationError, SiteError) as cause:
        print(f"docs.site: {cause}", file=sys.stderr)
        return 1
    except OSError as cause:
        print(f"docs.site: {options.output} cannot be written: {cause}; name another folder", file=sys.stderr)
        return 1
    print(f"docs.site: {count} pages in {options.output}")
    return _serve(options.output, options.port) if options.serve else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m docs.site", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=_ROOT / "build" / "site", metavar="DIR")
    parser.add_argument(
        "--repository-url",
        default=os.environ.get(_REPOSITORY_VARIABLE, ""),
        metavar="URL",
        help="the repository on its forge, for links to files that are not in the site; by default "
        f"{_REPOSITORY_VARIABLE}, and without it such a link becomes its text",
    )
    parser.add_argument("--serve", action="store_true", help="then serve it on 127.0.0.1")
    parser.add_argument("--port", type=int, default=_PORT)
    return parser


def _serve(folder: Path, port: int) -> int:
    """Serve a folder on this machine until an interrupt."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    try:
        server = http.server.ThreadingHTTPServer((_HOST, port), handler)
    except OSError as cause:
        print(f"docs.site: port {port}: {cause.strerror}; name another one with --port", file=sys.stderr)
        return 1
    with server, suppress(KeyboardInterrupt):
        print(f"docs.site: http://{_HOST}:{server.server_port}/, until Ctrl-C", flush=True)
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
