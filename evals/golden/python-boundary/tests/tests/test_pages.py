from listing.pages import page, page_count


def test_a_page_has_its_items():
    assert page([1, 2, 3, 4], 2, 2) == [3, 4]


def test_full_pages_are_counted():
    assert page_count([1, 2, 3, 4], 2) == 2


def test_an_incomplete_last_page_is_counted():
    assert page_count([1, 2, 3], 2) == 2


def test_no_items_have_no_page():
    assert page_count([], 2) == 0
