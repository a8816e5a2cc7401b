"""Every claimed file is one unit for each of its specialists, with the options and codes for that file."""

from __future__ import annotations

from pathlib import Path

import msgspec
from wardround_python.tools import RUFF

from tests.context.factory import ANY_TEXT, PYTHON, added, context, renamed
from tests.variants import specialist, variant
from wardround.assignment.work_units import WorkUnit, content_digest, work_units
from wardround.config.schema import Config, Layer
from wardround.host import PluginHost
from wardround.specialists import Specialist


class Options(msgspec.Struct, frozen=True):
    """The options of a specialist."""

    strict: bool = False


def _units(root: Path, *diffs: str, specialists: tuple[Specialist, ...], **values: object) -> list[WorkUnit]:
    layers = (Layer("", ".wardround.toml", values),)
    config = Config(layers=layers, specialists=specialists)
    described = context(root, *diffs, specialists=specialists)
    return work_units(described.claimed, PluginHost(specialists), config)


def test_files_come_in_order_and_specialists_by_name(tmp_path: Path) -> None:
    diffs = (added("b.py", "x = 1\n"), added("a.py", "x = 1\n"), added("c.css", "a {}\n"))
    units = _units(tmp_path, *diffs, specialists=(ANY_TEXT, PYTHON))
    assert [(unit.path, unit.specialist.name) for unit in units] == [
        ("a.py", "python"), ("a.py", "text"), ("b.py", "python"), ("b.py", "text"), ("c.css", "text"),
    ]  # fmt: skip
    assert {unit.digest for unit in units[:4]} == {content_digest(b"x = 1\n")}


def test_options_are_those_of_the_file(tmp_path: Path) -> None:
    specialist = variant(PYTHON, options=Options)
    (unit,) = _units(
        tmp_path, added("a.py", "x = 1\n"), specialists=(specialist,), python={"strict": True}
    )  # fmt: skip
    assert unit.options == Options(strict=True)


def test_codes_that_the_configuration_enables_are_requested(tmp_path: Path) -> None:
    specialist = variant(PYTHON, tools=(RUFF,))
    diff = added("a.py", "x = 1\n")
    (plain,) = _units(tmp_path, diff, specialists=(specialist,))
    (unit,) = _units(
        tmp_path, diff, specialists=(specialist,), rules={"ruff/D100": "warn", "ruff/B006": "off"}
    )
    assert plain.requested == {}
    assert unit.requested == {"ruff": ("D100",)}


def test_a_specialist_that_did_not_review_the_old_version_compares_with_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("x = 1\n")
    sql = specialist("sql", ("*.sql", "*.py"))
    by_name = {
        unit.specialist.name: unit
        for unit in _units(tmp_path, renamed("a.sql", "a.py"), specialists=(PYTHON, sql))
    }
    assert (by_name["python"].first, by_name["python"].base_digest) == (True, b"")
    assert (by_name["sql"].first, by_name["sql"].base_digest) == (False, content_digest(b"x = 1\n"))
