from notes.book import note
from notes.tags import tagged


def test_tags_begin_with_a_number_sign():
    assert tagged("buy #milk", []) == ["milk"]


def test_known_tags_come_first():
    assert tagged("buy #milk", ["home"]) == ["home", "milk"]


def test_notes_have_their_own_tags():
    note("buy #milk")
    assert note("call #mum")["tags"] == ["mum"]


def test_the_list_of_the_caller_stays_as_it_is():
    known = ["home"]
    tagged("buy #milk", known)
    assert known == ["home"]
