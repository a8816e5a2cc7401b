from notes.tags import tags_of


def test_tags_begin_with_a_number_sign():
    assert tags_of("buy #milk", []) == ["milk"]


def test_known_tags_come_first():
    assert tags_of("buy #milk", ["home"]) == ["home", "milk"]
