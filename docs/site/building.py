"""Build the site: collect its pages in a folder, and have zensical turn them into HTML."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from docs.site import catalogue, commands
from docs.site.links import Publication
from docs.site.navigation import fill_lists, require_complete
from wardround.cli.commands import cli

_FOLDER = "docs"
_CONFIGURATION = Path(__file__).with_name("zensical.toml")
_ASSETS = Path(__file__).with_name("assets")
_PAGES_ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "evals/README.md": "evaluation.md",
    "adapters/README.md": "models-of-the-repository.md",
    ".github/SECURITY.md": "security.md",
}
"""Pages outside of ``docs/`` -> their path in the site."""
_FILES = ("*.svg", "*.json")
"""The files of ``docs/`` besides pages that the site has."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class SiteError(Exception):
    """The site cannot be built."""


def build(root: Path, output: Path, repository_url: str = "") -> int:
    """Build the site and return the number of its pages.

    Args:
        root: the root of the checkout.
        output: replaced by the site once it is complete.
        repository_url: see ``Publication``.

    Raises:
        BrokenLink: a link leads to no file of the repository.
        NavigationError: the navigation does not name the pages that there are.
        SiteError: zensical is not installed, or reports a broken link or anchor.
    """
    if importlib.util.find_spec("zensical") is None:
        raise SiteError("zensical is not installed; run: pip install '.[docs]'")
    with tempfile.TemporaryDirectory(prefix="wardround-site-") as folder:
        stage = Path(folder)
        count = collect(publication(root, repository_url), stage)
        run_zensical(stage)
        replace_site(stage / "site", output)
    return count


def publication(root: Path, repository_url: str = "") -> Publication:
    """Return the pages of a checkout that the site has."""
    pages = {page.relative_to(root).as_posix(): page.name for page in sorted((root / _FOLDER).glob("*.md"))}
    return Publication(root, _FOLDER, pages | _PAGES_ELSEWHERE, repository_url)


def collect(published: Publication, stage: Path) -> int:
    """Write configuration, pages and files into a folder and return the number of pages."""
    content = stage / _FOLDER
    texts = {site: published.page(path) for path, site in published.pages.items()}
    generated = catalogue.pages() | commands.pages(cli)
    configuration = fill_lists(_CONFIGURATION.read_text("utf-8"), _lists(generated))
    require_complete(configuration, texts.keys() | generated.keys(), texts)
    write_pages(stage, texts | generated, configuration)
    for pattern in _FILES:
        for file in (published.root / published.folder).glob(pattern):
            shutil.copy(file, content)
    shutil.copytree(_ASSETS, content / "assets")
    return len(texts) + len(generated)


def _lists(generated: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the generated pages that the navigation lists, by the page that they are listed below."""
    paths = [PurePosixPath(path) for path in sorted(generated)]
    rules = [str(path) for path in paths if path.match(f"{catalogue.FOLDER}/*/index.md")]
    helps = [str(path) for path in paths if path.match(f"{commands.FOLDER}/*.md") and path.stem != "index"]
    return {f"{catalogue.FOLDER}/index.md": rules, f"{commands.FOLDER}/index.md": helps}


def write_pages(stage: Path, texts: Mapping[str, str], configuration: str) -> None:
    """Write pages, by their path in the site, and the configuration of zensical."""
    (stage / _CONFIGURATION.name).write_text(configuration, encoding="utf-8")
    for path, text in texts.items():
        page = stage / _FOLDER / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8", newline="\n")


def run_zensical(stage: Path) -> None:
    """Turn the pages of a folder into ``site/``.

    Raises:
        SiteError: zensical reports a broken link or anchor.
    """
    argv = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", _CONFIGURATION.name]
    environment = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(argv, cwd=stage, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        messages = _COLOUR.sub("", done.stdout + done.stderr)
        raise SiteError(f"zensical ended with status {done.returncode}:\n{messages}")


def replace_site(built: Path, output: Path) -> None:
    """Move a built site to its place, in which an earlier one may be.

    Raises:
        SiteError: the place has other files.
    """
    if output.exists() and not (output / "search.json").exists() and any(output.iterdir()):
        raise SiteError(
            f"{output} is not empty and contains no earlier site; name another folder with --output"
        )
    shutil.rmtree(output, ignore_errors=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(built, output)
