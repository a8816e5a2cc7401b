"""Which variables are a program's own."""

from __future__ import annotations

import pytest

from wardround.semantics.docdrift.env_vars import is_own


@pytest.mark.parametrize("name", ["SHOP_KEY", "STOCK_SHELF_2", "LOG_FORMAT"])
def test_a_name_no_other_program_reads_is_its_own(name: str) -> None:
    assert is_own(name)


@pytest.mark.parametrize(
    "name", ["PATH", "KEY", "AWS_REGION", "NODE_ENV", "POSTGRES_DB", "HTTPS_PROXY", "shop_key"]
)
def test_a_name_others_read_or_a_plain_word_is_not(name: str) -> None:
    assert not is_own(name)
