"""A snapshot shows tools the version under review with the rest of the work tree, and removes all of its
files.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wardround.change.snapshot import Snapshot, safe_name, scratch_root

HOLD = """\
import sys, time
from pathlib import Path
from wardround.change.snapshot import Snapshot
with Snapshot(Path(sys.argv[1])) as snapshot:
    snapshot.write("head", "a.py", b"x = 1")
    print(snapshot.folder, flush=True)
    time.sleep(60)
"""


def tree(folder: Path) -> dict[str, str]:
    """The contents of a folder: content of files, target of links."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[name] = path.read_text(encoding="utf-8")
    return found


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    """The temporary folder in which snapshots are created."""
    folder = tmp_path / "parent"
    folder.mkdir()
    return folder


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    root = tmp_path / "worktree"
    for name in ("app/a.py", "app/b.py", "app/notes.txt", "lib/c.py", "lib/deep/d.py", "top.py", ".git/HEAD"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"disk {name}", encoding="utf-8")
    return root


class TestAlias:
    @pytest.mark.parametrize(
        "path", ["a.py", "with space/x y.py", "café/π.py", "foo_x86_64.py", 'it\'s "quoted".py', "a-b/-c.py"]
    )
    def test_a_name_that_tools_can_print_stays(self, path: str) -> None:
        assert safe_name(path) == path

    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("-x.py", "=2dx.py"),
            ("new\nline.py", "new=0aline.py"),
            ("back\\slash.py", "back=5cslash.py"),
            (os.fsdecode(b"caf\xe9.py"), "caf=e9.py"),
            ("\x7f.py", "=7f.py"),
            ("a=b.py", "a=3db.py"),
        ],
    )
    def test_a_name_that_tools_would_garble_is_spelled_out(self, path: str, name: str) -> None:
        assert safe_name(path) == name

    def test_no_two_paths_share_one(self) -> None:
        paths = ["-x", "=2dx", "=3d2dx", "a\nb", "a=0ab", "a\\b", "a=5cb", os.fsdecode(b"\xe9"), "=e9"]
        assert len({safe_name(path) for path in paths}) == len(paths)


class TestContent:
    def test_what_is_written_is_there_once(self, parent: Path) -> None:
        with Snapshot(parent) as snapshot:
            snapshot.write("head", "app/a.py", b"first")
            snapshot.write("head", "app/a.py", b"second")
            snapshot.write("base", "app/a.py", b"old")
            assert tree(snapshot.side("head")) == {"app/a.py": "first"}
            assert tree(snapshot.side("base")) == {"app/a.py": "old"}

    def test_a_file_above_the_root_is_next_to_the_repository(self, parent: Path) -> None:
        with Snapshot(parent) as snapshot:
            snapshot.write_above("head", "ruff.toml", "line-length = 9")
            assert (snapshot.side("head").parent / "ruff.toml").read_bytes() == b"line-length = 9"
            assert tree(snapshot.side("head")) == {}

    def test_only_files_that_differ_are_copied(self, parent: Path, worktree: Path) -> None:
        with Snapshot(parent) as snapshot:
            snapshot.write("head", "app/a.py", b"staged a")
            snapshot.link_project("head", worktree, {"app/b.py"}, lambda path: b"staged b", ["*.py"])
            assert tree(snapshot.side("head")) == {
                "app/a.py": "staged a",
                "app/b.py": "staged b",
                "lib": f"-> {worktree}/lib",
                "top.py": f"-> {worktree}/top.py",
            }

    def test_what_the_side_lacks_is_hidden(self, parent: Path, worktree: Path) -> None:
        with Snapshot(parent) as snapshot:
            removed = {"lib/deep/d.py"}
            snapshot.link_project("head", worktree, {"app/b.py"}, lambda path: None, ["*.py"], removed)
            assert tree(snapshot.side("head")) == {
                "app/a.py": f"-> {worktree}/app/a.py",
                "lib/c.py": f"-> {worktree}/lib/c.py",
                "top.py": f"-> {worktree}/top.py",
            }

    def test_a_file_only_the_side_has_is_copied(self, parent: Path, worktree: Path) -> None:
        with Snapshot(parent) as snapshot:
            snapshot.link_project("head", worktree, {"gone/x.py"}, lambda path: b"staged x", ["*.py"])
            assert (snapshot.side("head") / "gone/x.py").read_bytes() == b"staged x"

    def test_the_work_tree_is_not_written(self, parent: Path, worktree: Path) -> None:
        before = tree(worktree)
        with Snapshot(parent) as snapshot:
            snapshot.write("head", "app/a.py", b"staged a")
            snapshot.link_project("head", worktree, {"app/b.py", "new.py"}, lambda path: b"n", ["*.py"])
            snapshot.write("head", "app/b.py", b"again")
        assert tree(worktree) == before


class TestLife:
    def test_it_ends_with_its_context(self, parent: Path) -> None:
        with Snapshot(parent) as snapshot:
            assert snapshot.folder.parent == parent
            assert snapshot.folder.stat().st_mode & 0o777 == 0o700
        assert list(parent.iterdir()) == []

    def held(self, folder: Path) -> tuple[subprocess.Popen[str], Path]:
        """Another process that has a snapshot in the folder."""
        process = subprocess.Popen([sys.executable, "-c", HOLD, folder], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        with process.stdout as lines:
            return process, Path(lines.readline().strip())

    def test_one_that_is_in_use_is_retained_and_an_orphan_goes(self, parent: Path) -> None:
        process, folder = self.held(parent)
        try:
            with Snapshot(parent):
                assert (folder / "head/repo/a.py").is_file()
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert folder.is_dir()
        with Snapshot(parent):
            assert not folder.exists()

    def test_a_folder_left_before_it_held_anything_goes(self, parent: Path) -> None:
        (parent / "wardround-0123456789abcdef").mkdir()
        with Snapshot(parent):
            assert not (parent / "wardround-0123456789abcdef").exists()

    def test_what_is_not_a_snapshot_stays(self, parent: Path) -> None:
        (parent / "elsewhere").mkdir()
        (parent / "elsewhere/file").write_text("", encoding="utf-8")
        (parent / "wardround-link").symlink_to("elsewhere")
        (parent / "wardround-file").write_text("", encoding="utf-8")
        (parent / "wardround-reports-abc").mkdir()
        with Snapshot(parent):
            pass
        assert sorted(p.name for p in parent.iterdir()) == [
            "elsewhere",
            "wardround-file",
            "wardround-link",
            "wardround-reports-abc",
        ]
        assert (parent / "elsewhere/file").is_file()

    def test_many_at_once_do_not_take_each_others(self, parent: Path) -> None:
        code = (
            "import sys\nfrom pathlib import Path\nfrom wardround.change.snapshot import Snapshot\n"
            "for _ in range(150):\n"
            "    with Snapshot(Path(sys.argv[1])) as s:\n"
            "        s.write('head', 'a.py', b'x')\n"
            "        assert (s.side('head') / 'a.py').is_file()\n"
        )
        running = [
            subprocess.Popen([sys.executable, "-c", code, parent], stderr=subprocess.PIPE, text=True)
            for _ in range(4)
        ]
        ended = [process.communicate()[1] for process in running]
        assert ended == ["", "", "", ""]
        assert list(parent.iterdir()) == []

    def test_the_files_of_links_survive_its_end(self, parent: Path, worktree: Path) -> None:
        before = tree(worktree)
        with Snapshot(parent) as snapshot:
            snapshot.link_project("head", worktree, set(), lambda path: None, ["*.py"])
        assert tree(worktree) == before


class TestPlace:
    def test_it_is_the_temporary_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        assert scratch_root(tmp_path / "worktree") == tmp_path

    def test_one_in_the_work_tree_is_not_even_tried(
        self, tmp_path: Path, worktree: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TMPDIR", str(worktree / "app"))
        monkeypatch.setattr("tempfile.tempdir", None)
        before = os.stat(worktree / "app").st_mtime_ns
        time.sleep(0.01)
        assert scratch_root(worktree) == Path(os.environ["XDG_CACHE_HOME"]) / "wardround"
        assert os.stat(worktree / "app").st_mtime_ns == before

    def test_a_work_tree_around_it_moves_it_to_the_cache(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "tree/tmp").mkdir(parents=True)
        monkeypatch.setenv("TMPDIR", str(tmp_path / "tree/tmp"))
        assert scratch_root(tmp_path / "tree") == Path(os.environ["XDG_CACHE_HOME"]) / "wardround"
