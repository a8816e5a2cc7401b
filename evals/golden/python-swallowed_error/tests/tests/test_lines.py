import pytest
from settings.lines import read


def test_numbers_are_read():
    assert read("width = 1_000\nheight=2") == {"width": 1000, "height": 2}


def test_a_wrong_number_is_an_error_that_names_its_line():
    with pytest.raises(ValueError, match="width = wide"):
        read("height = 2\nwidth = wide")
