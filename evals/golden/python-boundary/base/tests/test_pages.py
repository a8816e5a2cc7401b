from listing.pages import page, page_count


def test_a_page_has_its_items():
    assert page([1, 2, 3, 4], 2, 2) == [3, 4]


def test_full_pages_are_counted():
    assert page_count([1, 2, 3, 4], 2) == 2
