from people.cards import card
from people.names import initials


def test_initials_are_upper_case():
    assert initials("ada lovelace") == "AL"


def test_a_card_has_the_address():
    assert card({"name": "Ada", "mail": "ADA@example.org"}) == "A ada@example.org"


def test_a_person_without_a_name_has_no_initials():
    assert initials(None) == ""


def test_two_spaces_do_not_matter():
    assert initials("ada  lovelace") == "AL"
