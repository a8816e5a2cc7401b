from notes.book import note
from notes.tags import tags_of


def test_tags_begin_with_a_number_sign():
    assert tags_of("buy #milk", []) == ["milk"]


def test_known_tags_come_first():
    assert tags_of("buy #milk", ["home"]) == ["home", "milk"]


def test_notes_have_their_own_tags():
    note("buy #milk")
    assert note("call #mum")["tags"] == ["mum"]


def test_the_list_of_the_caller_stays_as_it_is():
    known = ["home"]
    tags_of("buy #milk", known)
    assert known == ["home"]
