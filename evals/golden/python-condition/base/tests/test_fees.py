from orders.fees import fee
from orders.totals import total


def test_a_small_order_costs_a_fee():
    assert fee(10, is_member=False, is_heavy=False) == 4


def test_a_large_order_is_free():
    assert fee(80, is_member=False, is_heavy=False) == 0


def test_a_total_has_quantities():
    assert total([(2, 3), (1, 4)]) == 10
