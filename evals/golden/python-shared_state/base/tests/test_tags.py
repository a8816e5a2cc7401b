from notes.tags import tagged


def test_tags_begin_with_a_number_sign():
    assert tagged("buy #milk", []) == ["milk"]


def test_known_tags_come_first():
    assert tagged("buy #milk", ["home"]) == ["home", "milk"]
