from people.cards import card
from people.names import initials


def test_initials_are_upper_case():
    assert initials("ada lovelace") == "AL"


def test_a_card_has_the_address():
    assert card({"name": "Ada", "mail": "ADA@example.org"}) == "A ada@example.org"
