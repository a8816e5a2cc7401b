"""Files that a run writes into its tree cannot harm the program that reads or removes them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.sandbox.host import SECRET, WORKING, Host, open_host
from wardround.sandbox.model import State, Visible
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import python_profile


@pytest.fixture(params=WORKING)
def host(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("host"), request.param) as item:
        yield item


def shell(host: Host, tree: EphemeralTree, script: str) -> None:
    outcome = host.run_on(tree, ["sh", "-c", script])
    assert outcome.status == 0, outcome


def test_a_file_that_a_run_wrote_can_be_read(host: Host) -> None:
    with host.tree() as tree:
        shell(host, tree, "mkdir out; echo result >out/report.txt")

        assert tree.read("out/report.txt") == b"result\n"
        assert tree.read("out/absent.txt") is None


def test_a_link_instead_of_a_result_is_not_followed(host: Host) -> None:
    with host.tree() as tree:
        shell(host, tree, f"ln -s {host.home}/.ssh/id_ed25519 report.txt; ln -s {host.home}/.ssh out")

        assert tree.read("report.txt") is None
        assert tree.read("out/id_ed25519") is None
        assert tree.read("committed-link") is None
        assert tree.read("../tree/a.py") is None


def test_a_pipe_or_a_folder_instead_of_a_result_does_not_block(host: Host) -> None:
    with host.tree() as tree:
        shell(host, tree, "mkfifo report.txt; mkdir other.txt")

        assert tree.read("report.txt") is None
        assert tree.read("other.txt") is None


def test_removing_a_tree_follows_no_link(host: Host) -> None:
    with host.tree() as tree:
        shell(host, tree, f"ln -s {host.home} home; ln -s {host.repo.root} repo; rm -r a.py")

    assert (host.home / ".ssh" / "id_ed25519").read_text() == SECRET
    assert (host.repo.root / "a.py").exists()


def test_closed_folders_are_removed(host: Host) -> None:
    with host.tree() as tree:
        shell(host, tree, "mkdir -p a/b/c; echo x >a/b/c/d; chmod 0 a/b/c a/b a; chmod 0 .")
        folder = tree.root.parent

    assert not folder.exists()


def test_a_deep_tree_is_removed(host: Host) -> None:
    program = "import os\nfor _ in range(3000):\n    os.mkdir('d'); os.chdir('d')"
    with host.tree() as tree:
        outcome = host.run_on(tree, [sys.executable, "-c", program], python_profile(Path(sys.prefix)))
        folder = tree.root.parent

    assert outcome.state in (State.FINISHED, State.DISK_LIMIT), outcome
    assert not folder.exists()


def test_the_set_user_id_bit_stays_in_a_closed_folder(host: Host) -> None:
    with host.tree() as tree:
        shell(host, tree, "cp /bin/sh own-sh; chmod 6755 own-sh")

        assert tree.root.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("path", ["/", "/etc", "/proc", "<home>", "<home>/.ssh", "<repo>", "<repo>/.git"])
def test_private_folders_cannot_be_made_visible(host: Host, path: str) -> None:
    shown = path.replace("<home>", str(host.home)).replace("<repo>", str(host.repo.root))
    link = host.log.parent / "link"
    link.symlink_to(shown)
    with host.tree() as tree:
        for item in (shown, link):
            outcome = host.run_on(tree, ["true"], Visible(read_only=(Path(item),)))

            assert outcome.state == "refused"
            assert "would show private files" in outcome.detail


def test_a_package_folder_below_the_work_tree_can_be_made_visible(host: Host) -> None:
    packages = host.repo.root / "node_modules"
    packages.mkdir()
    (packages / "index.js").write_text("content")
    with host.tree() as tree:
        outcome = host.run_on(tree, ["cat", str(packages / "index.js")], Visible(read_only=(packages,)))

    assert (outcome.detail, outcome.stderr, outcome.stdout) == ("", "", "content")
