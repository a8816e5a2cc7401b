"""A wording replaces a statement only if it states the same facts."""

from __future__ import annotations

import pytest

from wardround.release_notes.wording.fact_check import violation

ORIGINAL = "`Cart.add` accepts `size`"
EVIDENCE = """feat(cart): let add() take a size (#12)

Shops ask for sizes of shirts. The size is a keyword of Cart.add and is stored with the item.
SHOP-3"""


@pytest.mark.parametrize(
    "wording",
    [
        "`Cart.add` takes the `size` of an item",
        "Users can now give `Cart.add` a `size`",
        "`Cart.add` stores the `size` with each item (#12)",
        "`Cart.add` takes a keyword `size`, as shops ask for shirts",
    ],
)
def test_other_words_for_the_same_facts_are_accepted(wording: str) -> None:
    assert violation(ORIGINAL, wording, EVIDENCE) == ""


@pytest.mark.parametrize(
    ("wording", "reason"),
    [
        ("`Cart.add` accepts `size` and `colour`", "'colour' is not in its evidence"),
        ("`Cart.add` accepts `size` (CVE-2026-1234)", "is not in its evidence"),
        ("`Cart.add` accepts `size` since 2.1", "'2.1' is not in its evidence"),
        ("`Cart.add` accepts `size` (#13)", "'#13' is not in its evidence"),
        ("`Cart.add` accepts `size` with --size", "'--size' is not in its evidence"),
        ("`Cart.add` accepts `size`, thanks to @mallory", "'@mallory' is not in its evidence"),
        ("`Cart.add` accepts `size`, as Amazon does", "'Amazon' is not in its evidence"),
        ("`Cart` accepts `size`", "it drops 'Cart.add'"),
        ("`Cart.add` accepts an item", "it drops 'size'"),
        ("`Cart.add` no longer accepts `size`", "it adds the claim 'remov'"),
        ("`Cart.add` stops to accept `size`", "it adds the claim 'remov'"),
        ("`Cart.add` does not accept `size`", "it adds or drops a negation"),
        ("`Cart.add` requires `size`", "it adds the claim 'requir'"),
        ("`Cart.add` accepts `size`: a security fix", "it adds the claim 'secure'"),
        ("`Cart.add` accepts `size` and is faster", "it adds the claim 'fast'"),
        ("`Cart.add` accepts only `size`", "it adds the claim 'only'"),
        ("`Cart.add` accepts `size` and sends passwords", "'sends' is not in its evidence"),
        ("`Cart.add` accepts `size` [more](evil)", "it has markup"),
        ("`Cart.add` accepts `size` <img src=x>", "it has markup"),
        ("`Cart.add` accepts `size`\n## Removed", "it has markup"),
        ("`Cart.add` accepts `size`\u202e", "it has markup"),
        ("`Cart.add` accepts `size` at http://evil", "it has markup"),
        ("`Cart.add` accepts `size", "a backquote is not closed"),
        ("", "it is empty or longer than 200 characters"),
        ("`Cart.add` accepts `size` " + "and items " * 40, "it is empty or longer than 200 characters"),
    ],
)
def test_a_wording_with_other_facts_is_rejected_with_the_reason(wording: str, reason: str) -> None:
    assert reason in violation(ORIGINAL, wording, EVIDENCE)


@pytest.mark.parametrize(
    ("original", "wording", "reason"),
    [
        ("Remove `Cart.drop`", "`Cart.drop` changes", "it drops the claim 'remov'"),
        ("Do not retry on 404", "Retry on 404", "it adds or drops a negation"),
        ("Deprecate `--old`", "`--old` is an option", "it drops the claim 'deprecat'"),
        ("Update httpx from 0.27 to 0.28", "Update httpx to 0.28", "it drops '0.27'"),
        ("Fix a crash in `load`", "Fix `load`", "it drops the claim 'crash'"),
    ],
)
def test_a_fact_cannot_be_dropped(original: str, wording: str, reason: str) -> None:
    assert reason in violation(original, wording, original)


def test_a_name_within_another_name_is_another_name() -> None:
    assert violation("`resize` fits", "`size` fits", "`resize` fits")
