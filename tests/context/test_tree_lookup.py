"""Of several definitions of a name, those are selected to which the files of a change most likely refer."""

from __future__ import annotations

from wardround.context.symbol_neighbours import Place
from wardround.context.tree_lookup import nearest, nearest_definitions

NEAR = ("shop/prices/gross.py",)
OWN = Place("shop/prices/gross.py", 9, "gross")
SAME_FOLDER = Place("shop/prices/net.py", 1, "net")
FOLDER_ABOVE = Place("shop/cart.py", 1, "total")
ELSEWHERE = Place("admin/tools/report.py", 1, "report")
TEST = Place("shop/prices/test_gross.py", 1, "test_gross")


def test_places_are_ordered_by_the_folders_between_and_tests_are_last() -> None:
    locations = (TEST, ELSEWHERE, FOLDER_ABOVE, SAME_FOLDER, OWN)
    assert nearest(locations, NEAR, 9) == (OWN, SAME_FOLDER, FOLDER_ABOVE, ELSEWHERE, TEST)
    assert nearest(locations, NEAR, 2) == (OWN, SAME_FOLDER)


def test_each_symbol_has_one_place() -> None:
    assert nearest((Place(OWN.path, 12, "gross"), OWN), NEAR, 9) == (OWN,)


def test_a_definition_in_the_files_themselves_hides_the_others() -> None:
    assert nearest_definitions((ELSEWHERE, OWN), NEAR) == (OWN,)
    assert nearest_definitions((ELSEWHERE, FOLDER_ABOVE), NEAR) == (FOLDER_ABOVE, ELSEWHERE)
