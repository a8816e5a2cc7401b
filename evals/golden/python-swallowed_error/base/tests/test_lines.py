from settings.lines import read


def test_numbers_are_read():
    assert read("width = 1_000\nheight=2") == {"width": 1000, "height": 2}
