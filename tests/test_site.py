"""The documentation as a site: complete, without broken links, and without requests to other hosts."""

from __future__ import annotations

import http.server
import json
import posixpath
import re
import socket
from pathlib import Path

import pytest

from docs.site import building, commands, navigation
from docs.site.__main__ import main
from docs.site.links import BrokenLink, Publication
from wardround.cli.commands import cli
from wardround.own_command import COMMANDS

ROOT = Path(__file__).parent.parent
_ELEMENTS_THAT_LOAD = (
    r"<(?:script|link|img|iframe|source|object|embed)\b[^>]*?\b(?:src|href|data)=\"?((?:https?:)?//[^\" >]*)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as people build it."""
    folder = tmp_path_factory.mktemp("site") / "site"
    assert main(["--output", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, str]:
    return {page.relative_to(site).as_posix(): page.read_text("utf-8") for page in site.rglob("*.html")}


class TestSite:
    def test_it_has_every_page_every_rule_and_every_command(self, pages: dict[str, str]) -> None:
        written = {f"{page.stem}.html" for page in (ROOT / "docs").glob("*.md")}
        assert (
            written | {"index.html", "rules/python/PY001.html", "commands/wardround-review.html"}
            <= pages.keys()
        )

    def test_a_page_loads_nothing_from_another_host(self, site: Path, pages: dict[str, str]) -> None:
        loaded = {path: re.findall(_ELEMENTS_THAT_LOAD, text) for path, text in pages.items()}
        assert {path: hosts for path, hosts in loaded.items() if hosts} == {}
        styles = "".join(file.read_text("utf-8") for file in site.rglob("*.css"))
        assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", styles) == []

    def test_every_link_leads_to_a_page_and_an_anchor_of_the_site(
        self, site: Path, pages: dict[str, str]
    ) -> None:
        anchors = {path: set(re.findall(r"\bid=\"?([^\" >]+)", text)) for path, text in pages.items()}
        broken = []
        for path, text in pages.items():
            article = text[text.find("<article") :] if path != "index.html" else text
            for link in set(re.findall(r"<a\b[^>]*? href=\"?([^\" >]+)", article)):
                if re.match(r"[a-z]+:|//|/", link):
                    continue
                file, _, anchor = link.partition("#")
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
                target = posixpath.join(target, "index.html") if (site / target).is_dir() else target
                if not (site / target).is_file() or (anchor and anchor not in anchors.get(target, {anchor})):
                    broken.append(f"{path}: {link}")
        assert broken == []

    def test_the_search_finds_pages_and_rules(self, site: Path) -> None:
        found = {item["location"] for item in json.loads((site / "search.json").read_text("utf-8"))["items"]}
        assert {
            "hook.html",
            "records.html#keys",
            "rules/python/PY001.html",
            "commands/wardround-review.html",
        } <= found

    def test_the_navigation_of_a_page_leads_to_all_parts(self, pages: dict[str, str]) -> None:
        hrefs = set(re.findall(r"href=\"?([^\" >#]+)", pages["rules/python/PY001.html"]))
        assert {
            "../../start.html",
            "../../records.html",
            "../../configuration.html",
            "../index.html",
        } <= hrefs

    def test_a_rule_has_both_cases_and_its_facts(self, pages: dict[str, str]) -> None:
        text = pages["rules/python/PY001.html"]
        for part in ("Reported", "Not reported", "plane", "severity", "maturity", "judgements"):
            assert f">{part}<" in text, part


def published(root: Path, text: str, repository_url: str = "") -> Publication:
    """A checkout with a page, a page outside of docs/, a file and a folder."""
    for path, content in {
        "docs/a.md": text,
        "docs/b.md": "# B\n",
        "lab/README.md": "# Lab\n",
        "lab/x.py": "",
    }.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(content, "utf-8")
    pages = {"docs/a.md": "a.md", "docs/b.md": "b.md", "lab/README.md": "further/lab.md"}
    return Publication(root, "docs", pages, repository_url)


class TestLinks:
    @pytest.mark.parametrize(
        ("link", "in_the_site"),
        [
            ("[b](b.md#part)", "[b](b.md#part)"),
            ("[lab](../lab/README.md#part)", "[lab](further/lab.md#part)"),
            ("[x](../lab/x.py)", "x"),
            ("[lab](../lab/)", "lab"),
            ("[out](https://example.org/x.md)", "[out](https://example.org/x.md)"),
            ("`[x](absent.md)`", "`[x](absent.md)`"),
            ("```md\n[x](absent.md)\n```\n", "```md\n[x](absent.md)\n```\n"),
        ],
    )
    def test_a_link_leads_to_a_page_or_becomes_its_text(
        self, tmp_path: Path, link: str, in_the_site: str
    ) -> None:
        assert published(tmp_path, link).page("docs/a.md") == in_the_site

    def test_files_are_linked_where_the_repository_has_an_address(self, tmp_path: Path) -> None:
        text = "[x](../lab/x.py#L1), [lab](../lab/)"
        page = published(tmp_path, text, "https://example.org/w/").page("docs/a.md")
        assert page == (
            "[x](https://example.org/w/blob/HEAD/lab/x.py#L1), [lab](https://example.org/w/tree/HEAD/lab)"
        )

    def test_a_link_to_a_page_from_another_folder_is_relative_to_it(self, tmp_path: Path) -> None:
        publication = published(tmp_path, "")
        (tmp_path / "lab" / "README.md").write_text("[a](../docs/a.md)", "utf-8")
        assert publication.page("lab/README.md") == "[a](../a.md)"

    def test_a_link_to_nothing_is_an_error_that_names_page_and_link(self, tmp_path: Path) -> None:
        with pytest.raises(BrokenLink, match=r"docs/a\.md: the link \.\./lab/absent\.py leads to no file"):
            published(tmp_path, "[x](../lab/absent.py)").page("docs/a.md")


class TestBuilding:
    def test_a_broken_anchor_ends_the_build(self, tmp_path: Path) -> None:
        configuration = '[project]\nsite_name = "a"\nnav = ["index.md"]\n'
        building.write_pages(tmp_path, {"index.md": "# A\n\n[part](#absent)\n"}, configuration)
        with pytest.raises(building.SiteError, match="anchor does not exist"):
            building.run_zensical(tmp_path)

    def test_a_folder_with_other_files_is_not_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("mine", "utf-8")
        with pytest.raises(building.SiteError, match="is not empty and contains no earlier site"):
            building.replace_site(tmp_path / "built", tmp_path)
        assert (tmp_path / "notes.txt").read_text("utf-8") == "mine"

    def test_the_installation_command_is_named_where_zensical_is_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        assert main(["--output", str(tmp_path / "site")]) == 1
        assert capsys.readouterr().err == "docs.site: zensical is not installed; run: pip install '.[docs]'\n"


class TestServing:
    @pytest.fixture(autouse=True)
    def built(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("docs.site.__main__.build", lambda *arguments: 1)

    def test_a_port_in_use_is_one_sentence(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            assert main(["--output", str(tmp_path), "--serve", "--port", str(port)]) == 1
        assert f"port {port}: Address already in use; name another one with --port" in capsys.readouterr().err

    def test_it_is_served_on_this_machine_only_until_an_interrupt(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def interrupt(server: http.server.ThreadingHTTPServer) -> None:
            assert server.server_address[0] == "127.0.0.1"
            raise KeyboardInterrupt

        monkeypatch.setattr(http.server.ThreadingHTTPServer, "serve_forever", interrupt)
        assert main(["--output", str(tmp_path), "--serve", "--port", "0"]) == 0
        assert "until Ctrl-C" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("docs.site.__main__.build", fail)
    assert main(["--output", str(tmp_path)]) == 1
    assert "cannot be written: [Errno 28] No space left on device" in capsys.readouterr().err


class TestNavigation:
    CONFIGURATION = '[project]\nnav = [{"Start" = "index.md"}, {"Rules" = ["rules/index.md"]}]\n'

    def test_the_list_of_a_page_is_filled(self) -> None:
        filled = navigation.fill_lists(self.CONFIGURATION, {"rules/index.md": ["rules/a.md", "rules/b.md"]})
        assert '{"Rules" = ["rules/index.md", "rules/a.md", "rules/b.md"]}' in filled

    def test_a_page_that_nobody_would_find_is_an_error(self) -> None:
        pages = ["index.md", "rules/index.md", "new.md"]
        with pytest.raises(navigation.NavigationError, match=r"nav does not name new\.md; add it"):
            navigation.require_complete(self.CONFIGURATION, pages, ["index.md", "new.md"])

    def test_an_entry_without_a_page_is_an_error(self) -> None:
        with pytest.raises(
            navigation.NavigationError, match=r"nav names rules/index\.md, which is not a page"
        ):
            navigation.require_complete(self.CONFIGURATION, ["index.md"], ["index.md"])


class TestCommands:
    def test_every_command_is_listed_on_the_first_page(self) -> None:
        listed = re.findall(r"^\| \[([a-z-]+)\]", commands.pages(cli)["commands/index.md"], re.MULTILINE)
        assert listed == list(COMMANDS)

    def test_a_group_has_its_subcommands_with_their_options(self) -> None:
        text = commands.pages(cli)["commands/wardround-policy.md"]
        assert "# wardround policy\n" in text
        assert "## wardround policy check\n" in text
        assert "| `--against REV` |" in text

    def test_markup_of_a_help_text_is_escaped(self) -> None:
        text = commands.pages(cli)["commands/wardround-review.md"]
        assert "| `--diff-file FILE` |" in text
        assert "*.intoto.jsonl" not in text.replace("\\*.intoto.jsonl", "")
