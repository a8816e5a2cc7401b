"""Complaints are followed through a history, and so are plain lines; rates and weights come of both."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.errors import UsageError
from wardround_lab.corpora import alert_outcomes
from wardround_lab.corpora.alert_outcomes import AlertItem, AlertMining, AlertRecipe, read_items
from wardround_lab.corpora.line_mapping import parsed

pytest.importorskip("numpy")

from wardround.processors.action_rates import COUNTERS, Rates
from wardround_lab.corpora import action_rates

DAY = 24 * 3600
BODY = "".join(f"    step_{n} = compute({n})\n    record(step_{n})\n" for n in range(12))
BEFORE = f"def first(compute, record):\n{BODY}    unused_value = compute(99)\n{BODY}    return record\n"


@dataclass(frozen=True, slots=True)
class Past:
    """A repository whose commits lie between the snapshots."""

    repo: GitRepository

    def commit(self, window: int, files: Mapping[str, str], gone: str = "", day: int = -9) -> None:
        """Commit some days before (or after) the snapshot of a number."""
        if gone:
            self.repo.git("rm", "--quiet", gone)
        self.repo.stage(files)
        date = f"{alert_outcomes.SNAPSHOTS[window] + day * DAY} +0000"
        dates = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
        self.repo.git("commit", "--quiet", "--allow-empty", "-m", "change", env=dates)

    def items(self, folder: Path, name: str = "acme/shop") -> list[AlertItem]:
        mining = AlertMining(folder, lambda name: False, lambda text: None)
        recipe, items = read_items(mining.mine(self.repo.root, name))
        assert recipe.repository == name
        return items

    def outcome(self, folder: Path, rule: str = "F841") -> tuple[str, bool]:
        (item,) = [item for item in self.items(folder) if item.rule == rule]
        return item.outcome, item.sweep


@pytest.fixture
def past(repo: GitRepository) -> Past:
    """One complaint in the midst of a function, before the first snapshot."""
    made = Past(repo)
    made.commit(0, {"shop.py": BEFORE})
    return made


class TestOutcomes:
    def test_an_unchanged_alert_survives(self, past: Past, tmp_path: Path) -> None:
        past.commit(1, {"other.py": "x = 1\n"})
        assert past.outcome(tmp_path) == ("survived", False)

    def test_moved_down_in_its_file(self, past: Past, tmp_path: Path) -> None:
        past.commit(1, {"shop.py": "import os\n\nprint(os)\n\n\n" + BEFORE})
        assert past.outcome(tmp_path) == ("survived", False)

    def test_in_a_renamed_file(self, past: Past, tmp_path: Path) -> None:
        past.commit(1, {"market.py": BEFORE}, gone="shop.py")
        assert past.outcome(tmp_path) == ("survived", False)

    def test_moved_to_another_file(self, past: Past, tmp_path: Path) -> None:
        line = "    unused_value = compute(99)\n"
        moved = "def second(compute):\n    x = compute(1)\n    print(x)\n" + line + "    return x\n"
        past.commit(1, {"shop.py": BEFORE.replace(line, ""), "new.py": moved})
        assert past.outcome(tmp_path) == ("survived", False)

    def test_edited_and_still_reported(self, past: Past, tmp_path: Path) -> None:
        past.commit(
            1, {"shop.py": BEFORE.replace("unused_value = compute(99)", "unused_value = compute(98)")}
        )
        assert past.outcome(tmp_path) == ("survived", False)

    def test_a_changed_line_among_unchanged_ones_is_a_fix(self, past: Past, tmp_path: Path) -> None:
        past.commit(1, {"shop.py": BEFORE.replace("unused_value = ", "")})
        assert past.outcome(tmp_path) == ("fix", False)

    def test_a_removed_alert_on_an_unchanged_line_is_an_indirect_fix(
        self, past: Past, tmp_path: Path
    ) -> None:
        past.commit(1, {"shop.py": BEFORE.replace("return record", "return unused_value")})
        assert past.outcome(tmp_path) == ("indirect", False)

    def test_an_alert_removed_with_its_surroundings_is_a_rewrite(self, past: Past, tmp_path: Path) -> None:
        past.commit(1, {"shop.py": "def first(compute, record):\n    return record(compute)\n"})
        assert past.outcome(tmp_path) == ("rewrite", False)

    def test_an_alert_of_a_deleted_file_is_excluded(self, past: Past, tmp_path: Path) -> None:
        past.commit(1, {"other.py": "x = 1\n"}, gone="shop.py")
        assert past.items(tmp_path) == []

    def test_a_later_waiver_is_not_a_fix_and_an_old_one_not_an_alert(
        self, past: Past, tmp_path: Path
    ) -> None:
        waived = BEFORE.replace("compute(99)", "compute(99)  # noqa: F841")
        past.commit(1, {"shop.py": waived})
        past.commit(2, {"shop.py": BEFORE.replace("unused_value = ", "")})
        assert past.outcome(tmp_path) == ("survived", False)

    def test_many_at_once_are_a_sweep(self, past: Past, tmp_path: Path) -> None:
        lines = "".join(
            f"    name_{n} = compute({n})\n    record({n})\n    record('{n}')\n" for n in range(8)
        )
        source = f"def many(compute, record):\n{lines}    return record\n"
        past.commit(0, {"shop.py": source}, day=-2)
        past.commit(1, {"shop.py": source.replace("    name_", "    record.name_")})
        outcomes = {(i.outcome, i.sweep) for i in past.items(tmp_path) if i.rule == "F841"}
        assert outcomes == {("fix", True)}

    def test_single_removals_are_not_a_sweep(self, past: Past, tmp_path: Path) -> None:
        lines = "".join(
            f"    name_{n} = compute({n})\n    record({n})\n    record('{n}')\n" for n in range(8)
        )
        source = f"def many(compute, record):\n{lines}    return record\n"
        past.commit(0, {"shop.py": source}, day=-2)
        for n in range(8):
            source = source.replace(f"    name_{n} ", f"    record.name_{n} ")
            past.commit(1, {"shop.py": source}, day=n - 20)
        outcomes = {(i.outcome, i.sweep) for i in past.items(tmp_path) if i.rule == "F841"}
        assert outcomes == {("fix", False)}


class TestItems:
    def test_item_counts_and_flags(self, past: Past, tmp_path: Path) -> None:
        past.commit(1, {"other.py": "x = 1\n"})
        (item,) = past.items(tmp_path)
        assert (item.path, item.line, item.lines) == ("shop.py", 26, 52)
        assert (item.in_file, item.same_in_file, item.same_in_repository) == (1, 1, 1)
        assert (item.is_test, item.is_import, item.no_fix, item.function_lines) == (False, False, False, 51)

    def test_the_placebo_follows_a_line_nearby(self, past: Past, tmp_path: Path) -> None:
        edited = BEFORE.replace("compute(", "compute_all(").replace(
            "unused_value = compute_all", "unused_value = compute"
        )
        past.commit(1, {"shop.py": edited.replace("record(", "record_all(")})
        (item,) = past.items(tmp_path)
        assert (item.outcome, item.placebo) == ("survived", "rewrite")

    def test_the_same_lines_count_once(self, past: Past, tmp_path: Path) -> None:
        past.commit(0, {"copy.py": BEFORE}, day=-3)
        past.commit(1, {"shop.py": BEFORE + "x = 1\n"})
        past.commit(2, {"shop.py": BEFORE + "x = 2\n"})
        assert [(item.path, item.window) for item in past.items(tmp_path)] == [("copy.py", 0)]

    @pytest.mark.parametrize("folder", ["docs", "src/vendor", "tests/fixtures"])
    def test_foreign_code_is_excluded(self, past: Past, tmp_path: Path, folder: str) -> None:
        past.commit(0, {f"{folder}/a.py": BEFORE.replace("99", "98")}, day=-3)
        past.commit(1, {"x.py": "x = 1\n"})
        assert {item.path for item in past.items(tmp_path)} == {"shop.py"}

    def test_asserts_in_tests_are_not_alerts(self, past: Past, tmp_path: Path) -> None:
        past.commit(0, {"tests/test_a.py": "def test():\n    assert 1\n", "a.py": "assert 1\n"}, day=-3)
        past.commit(1, {"x.py": "x = 1\n"})
        assert {item.path for item in past.items(tmp_path) if item.rule == "S101"} == {"a.py"}

    def test_a_finished_repository_is_not_mined_again(self, past: Past, tmp_path: Path) -> None:
        past.commit(1, {"x.py": "x = 1\n"})
        mining = AlertMining(tmp_path, lambda name: False, lambda text: None)
        file = mining.mine(past.repo.root, "acme/shop")
        written = file.stat().st_mtime_ns
        time.sleep(0.01)
        assert mining.mine(past.repo.root, "acme/shop").stat().st_mtime_ns == written
        past.commit(1, {"x.py": "x = 2\n"})
        assert mining.mine(past.repo.root, "acme/shop").stat().st_mtime_ns != written

    def test_a_held_out_repository_is_rejected(self, past: Past, tmp_path: Path) -> None:
        mining = AlertMining(tmp_path, "acme/shop".__eq__, lambda text: None)
        with pytest.raises(UsageError, match="acme/shop is held out for evaluation"):
            mining.mine(past.repo.root, "acme/shop")

    def test_a_damaged_file_is_named(self, tmp_path: Path) -> None:
        file = tmp_path / "a.jsonl"
        file.write_text("{}\n", encoding="utf-8")
        with pytest.raises(UsageError, match=r"a\.jsonl: not a file of mined alerts"):
            read_items(file)


class TestLineMaps:
    def printed(self, *hunks: str) -> bytes:
        return ("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n" + "".join(hunks)).encode()

    def test_lines_behind_a_hunk_move(self) -> None:
        maps = parsed(self.printed("@@ -2,0 +3,2 @@\n+new\n+lines\n", "@@ -5,2 +8 @@\n-old\n-lines\n+one\n"))
        file = maps.of("a.py")
        assert [file.line(n) for n in range(1, 9)] == [1, 2, 5, 6, None, None, 9, 10]
        assert maps.added["a.py"] == [(3, 4), (8, 8)]

    def test_a_deletion_shifts_later_lines_up(self) -> None:
        file = parsed(self.printed("@@ -2 +1,0 @@\n-old\n")).of("a.py")
        assert [file.line(n) for n in (1, 2, 3)] == [1, None, 2]

    def test_lines_that_look_like_headers_are_lines(self) -> None:
        hunk = "@@ -1,2 +1,2 @@\n--- a/x.py\n-diff --git a/x b/x\n+++ b/y.py\n+@@ -1 +1 @@\n"
        maps = parsed(self.printed(hunk))
        assert list(maps.files) == ["a.py"]
        assert "++b/y.py" in maps.texts

    def test_a_deleted_and_a_moved_file(self) -> None:
        printed = (
            "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n"
            "@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n"
            "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n"
        )
        maps = parsed(printed.encode())
        assert maps.of("gone.py").path is None
        assert (maps.of("old.py").path, maps.of("old.py").line(7)) == ("new.py", 7)
        assert maps.of("same.py").path == "same.py"


def item(
    number: int, repository: str, rule: str = "F841", fixed: bool = False, **values: object
) -> AlertItem:
    made: dict[str, object] = {
        "repository": repository, "window": 0, "rule": rule, "path": "a.py", "line": number + 1,
        "key": f"{repository}{rule}{number}", "outcome": "fix" if fixed else "survived", "sweep": False,
        "placebo": "survived", "is_test": False, "lines": 100, "in_file": 3, "same_in_file": 1,
        "same_in_repository": 1 if fixed else 9, "no_fix": True, "is_import": False, "function_lines": 0,
    }  # fmt: skip
    return AlertItem(**(made | values))  # type: ignore[arg-type]


class TestRates:
    def mined(self, repositories: int = 7) -> list[tuple[AlertRecipe, list[AlertItem]]]:
        names = [f"acme/r{n}" for n in range(repositories)]
        return [
            (
                AlertRecipe(name, "0" * 40, "0.17.6"),
                [item(n, name, fixed=n % 4 == 0) for n in range(20)]
                + [item(n, name, "SIM108", placebo="fix" if n % 2 else "survived") for n in range(20)],
            )
            for name in names
        ]

    def test_rates_are_smoothed_shares(self) -> None:
        table = action_rates.rates(self.mined())
        rate = table.rules["F841"]
        assert (rate.fix, rate.placebo) == (round(36 / 160, 4), round(1 / 160, 4))
        assert (rate.repositories, rate.items) == (7, 140)
        assert table.rules["SIM108"].placebo == round(71 / 160, 4)

    def test_one_repository_counts_sixty_times_at_most(self) -> None:
        mined = self.mined()
        mined[0][1].extend(item(n, "acme/r0", fixed=True) for n in range(20, 500))
        assert action_rates.rates(mined).rules["F841"].items == 60 + 6 * 20

    def test_a_rule_of_few_repositories_has_no_rate(self) -> None:
        mined = self.mined()
        for _, items in mined[:4]:
            items += [item(n, items[0].repository, "B007") for n in range(9)]
        assert "B007" not in action_rates.rates(mined).rules

    def test_copies_count_once(self) -> None:
        mined = self.mined()
        copies = [item(n, "acme/r1", key=f"acme/r0F841{n}") for n in range(20)]
        assert len(action_rates.distinct([*(items for _, items in mined), copies])) == 7 * 40

    def test_too_few_alerts_are_rejected(self) -> None:
        with pytest.raises(UsageError, match="more than 5 repositories"):
            action_rates.rates(self.mined(5))

    def test_weights_point_where_the_data_does(self) -> None:
        ranking = action_rates.rates(self.mined()).ranking
        assert set(ranking.weights) == set(COUNTERS)
        assert ranking.weights["same-in-repository"] < 0 < ranking.weights["prior"]

    def test_the_table_that_is_written_is_read(self) -> None:
        import msgspec

        from wardround.rules.yaml_loader import load_yaml

        table = action_rates.rates(self.mined())
        assert msgspec.convert(load_yaml(action_rates.written(table)), Rates) == table


def test_the_command_writes_a_table(past: Past, tmp_path: Path) -> None:
    past.commit(1, {"shop.py": BEFORE.replace("unused_value = ", "")})
    done = past.repo.wardround(
        "data", "mine", "--alerts", f"acme/shop={past.repo.root}", "--out", str(tmp_path / "out")
    )
    assert done.returncode == 2
    assert "rates need more than 5 repositories" in done.stderr
    assert (tmp_path / "out" / "alerts" / "acme+shop.jsonl").exists()


def test_the_command_rejects_incompatible_options(past: Past, tmp_path: Path) -> None:
    arguments = ("data", "mine", "--alerts", f"acme/shop={past.repo.root}", "--out", str(tmp_path / "out"))
    for option in (("--limit", "3"), ("--kind", "clean"), ("--head", "main")):
        done = past.repo.wardround(*arguments, *option)
        assert done.returncode == 2
        assert "--alerts goes with --out, --table and --kept only" in done.stderr
    kept = tmp_path / "kept.txt"
    kept.write_text("acme/shop\n", encoding="utf-8")
    done = past.repo.wardround(*arguments, "--kept", str(kept))
    assert done.returncode == 2
    assert "held out for evaluation" in done.stderr
