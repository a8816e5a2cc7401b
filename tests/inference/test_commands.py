"""``wardround adapters list`` and ``verify``, and the lines of ``doctor`` about models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.inference.making import flip, make_table, renew, unbuild
from wardround.inference.locations import METADATA_FILE

if TYPE_CHECKING:
    from tests.conftest import GitRepository


class TestList:
    def test_it_shows_what_was_found_and_what_was_refused(
        self, repo: GitRepository, shelf_folder: Path
    ) -> None:
        (shelf_folder / "more.zip").write_bytes(b"PK")
        (shelf_folder / "table" / METADATA_FILE).write_bytes(b"{}")
        done = repo.wardround("adapters", "list", shelf_folder)
        lines = {line.split()[0]: line for line in done.stdout.splitlines()}
        assert done.returncode == 0
        assert "rank" in lines["adapter"]
        assert "is an archive" in lines["more.zip"]
        assert "refused" in lines["table"]

    def test_of_two_with_one_name_the_second_is_hidden(
        self, repo: GitRepository, shelf_folder: Path, tmp_path: Path
    ) -> None:
        mine = make_table(tmp_path / "mine")
        done = repo.wardround("adapters", "list", mine, shelf_folder)
        states = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("table")]
        assert states == ["report", "hidden"]

    def test_what_a_model_states_of_itself_does_not_steer_the_terminal(
        self, repo: GitRepository, shelf_folder: Path
    ) -> None:
        before = repo.wardround("adapters", "list", shelf_folder)
        renew(shelf_folder / "table", title="\x1b[2J\nbase rank")
        done = repo.wardround("adapters", "list", shelf_folder)
        assert "\x1b" not in done.stdout
        assert len(done.stdout.splitlines()) == len(before.stdout.splitlines())

    def test_one_that_is_not_built_has_the_command_that_builds_it(
        self, repo: GitRepository, shelf_folder: Path
    ) -> None:
        recipe = unbuild(shelf_folder / "adapter")
        done = repo.wardround("adapters", "list", shelf_folder)
        assert done.returncode == 0
        assert done.stdout.splitlines()[1].strip() == (
            f"not built: wardround adapters train {recipe} --from-clones DIR"
        )


class TestVerify:
    def test_one_that_is_not_built_is_not_wrong(self, repo: GitRepository, shelf_folder: Path) -> None:
        unbuild(shelf_folder / "adapter")
        done = repo.wardround("adapters", "verify", shelf_folder)
        assert done.returncode == 0, done.stdout
        assert "metadata, recipe; not built: wardround adapters train" in done.stdout.splitlines()[0]

    def test_lost_weights_without_a_recipe_are_wrong(self, repo: GitRepository, shelf_folder: Path) -> None:
        (shelf_folder / "adapter" / "model.onnx").unlink()
        done = repo.wardround("adapters", "verify", shelf_folder)
        assert done.returncode == 1
        assert "WRONG" in done.stdout.splitlines()[0]

    def test_sound_models_are_sound(self, repo: GitRepository, shelf_folder: Path) -> None:
        done = repo.wardround("adapters", "verify", shelf_folder)
        assert done.returncode == 0, done.stdout
        assert [line.split()[1] for line in done.stdout.splitlines()] == ["sound"] * 3

    def test_one_flipped_bit_is_named(self, repo: GitRepository, shelf_folder: Path) -> None:
        flip(shelf_folder / "adapter" / "model.onnx", 40)
        done = repo.wardround("adapters", "verify", shelf_folder)
        assert done.returncode == 1
        assert [line.split()[1] for line in done.stdout.splitlines() if line[0] != " "] == [
            "WRONG", "sound", "sound"
        ]  # fmt: skip
        assert str(shelf_folder / "adapter" / "model.onnx") in done.stdout

    def test_files_that_can_run_code_are_named(self, repo: GitRepository, shelf_folder: Path) -> None:
        for name in ("optimizer.pt", "extra.pkl", "more.tar"):
            (shelf_folder / "table" / name).write_bytes(b"")
        done = repo.wardround("adapters", "verify", shelf_folder)
        assert done.returncode == 1
        assert done.stdout.count("could run code when it is opened; remove it") == 3

    def test_a_folder_that_is_not_there(self, repo: GitRepository) -> None:
        done = repo.wardround("adapters", "verify", "nowhere")
        assert done.returncode == 1
        assert "nowhere is not a folder of models" in done.stdout


def test_the_group_brings_its_commands(repo: GitRepository) -> None:
    done = repo.wardround("adapters", "--help")
    assert done.returncode == 0
    assert "list" in done.stdout
    assert "verify" in done.stdout
    assert repo.wardround("adapters", "nonsense").returncode == 2


def test_doctor_reports_how_models_are_run(repo: GitRepository) -> None:
    done = repo.wardround("doctor")
    assert "  run by onnxruntime" in done.stdout
